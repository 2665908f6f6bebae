import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** Stored response to a request with an `Idempotency-Key`. */
@Entity({ name: 'idempotency_records' })
export class IdempotencyRecord {
  /** SHA-256 of the caller, the key, the method and the path with its parameters. */
  @PrimaryColumn('bytea')
  scope!: Buffer;

  /** Owner of the record. Null in records written by the previous version. */
  @Column('text', { nullable: true })
  company_id!: string | null;

  /** SHA-256 of the body. */
  @Column('bytea')
  body_digest!: Buffer;

  /** Status of the response. Null while the response is still being built from the stored result. */
  @Column('smallint', { nullable: true })
  status!: number | null;

  /** Encrypted response. Until the response is complete, the encrypted result from which it is built. */
  @Column('bytea')
  content!: Buffer;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  created_at!: Date;
}
