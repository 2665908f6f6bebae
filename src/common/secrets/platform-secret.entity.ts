import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** Random secret shared by all of the service's processes. */
@Entity({ name: 'platform_secrets' })
export class PlatformSecret {
  @PrimaryColumn('text')
  name!: string;

  @Column('bytea')
  value!: Buffer;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  created_at!: Date;
}
