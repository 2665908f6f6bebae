import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** Immutable object in the store. Nodes can refer to it once it is `stored`. */
@Entity({ name: 'blobs' })
export class Blob {
  @PrimaryGeneratedColumn('uuid')
  id!: string;

  @Column('text')
  company_id!: string;

  @Column('text')
  state!: 'writing' | 'stored';

  /** Size in bytes, or null while the blob is being written. */
  @Column('bigint', { nullable: true })
  size!: number | null;

  /** SHA-256 of the content, or null if the content did not pass through this service. */
  @Column('bytea', { nullable: true })
  sha256!: Buffer | null;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  unreferenced_since!: Date | null;
}
