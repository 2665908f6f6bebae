import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** What a request with an `Idempotency-Key` was answered. */
@Entity({ name: 'idempotency_records' })
export class IdempotencyRecord {
  /** SHA-256 of the caller, the key, the method and the path with its parameters. */
  @PrimaryColumn('bytea')
  scope!: Buffer;

  /** Whose it is; null for what the version before has kept. */
  @Column('text', { nullable: true })
  company_id!: string | null;

  /** SHA-256 of the body. */
  @Column('bytea')
  body_digest!: Buffer;

  /** Of the answer; null while it is still made from what was done. */
  @Column('smallint', { nullable: true })
  status!: number | null;

  /** Encrypted: the answer, or until then what it is made from. */
  @Column('bytea')
  content!: Buffer;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  created_at!: Date;
}
