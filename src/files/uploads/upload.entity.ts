import type { UploadId } from '../../database/checked-id.js';
import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { Steps } from '../../common/leases/steps.js';
import type { FileEntry } from '../files.dto.js';

/**
 * State transitions for an upload. A request that completes or drops the upload takes a lease, and an expired lease can be
 * taken again.
 */
export const UPLOAD_STEPS = new Steps<Upload['state']>({
  open: ['completing'],
  completing: ['completing', 'open', 'completed', 'aborted'],
  completed: [],
  aborted: [],
});

/** File that is sent in parts. */
@Entity({ name: 'uploads' })
export class Upload {
  @PrimaryGeneratedColumn('uuid')
  id!: UploadId;

  @Column('text')
  company_id!: string;

  /** SHA-256 of the upload token. */
  @Column('bytea')
  token_hash!: Buffer;

  @Column('uuid')
  container_id!: string;

  /** Path of the future file. */
  @Column('text')
  path!: string;

  @Column('text', { nullable: true })
  content_type!: string | null;

  /** Declared size in bytes. */
  @Column('bigint', { nullable: true })
  size!: number | null;

  @Column('bigint')
  part_size!: number;

  /** Blob of the upload, or null if the upload has ended. */
  @Column('uuid', { nullable: true })
  blob_id!: string | null;

  /** Store's id for the upload, or null until the store has begun it. */
  @Column('text', { nullable: true })
  store_upload_id!: string | null;

  /** Number of bytes in parts that were received or are being received, if parts pass through this service. */
  @Column('bigint', { default: 0 })
  received!: number;

  /** User who opened the upload. Null for API keys. */
  @Column('text', { nullable: true })
  user_id!: string | null;

  /** API key that opened the upload. Null for users. */
  @Column('uuid', { nullable: true })
  api_key_id!: string | null;

  @Column('text')
  state!: 'open' | 'completing' | 'completed' | 'aborted';

  /** Lease held by the request that completes the upload. Other requests must wait until `lease_until`. */
  @Column('uuid', { nullable: true })
  lease_id!: string | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  lease_until!: Date | null;

  /** Response to the request that completed the upload. */
  @Column('jsonb', { nullable: true })
  entry!: FileEntry | null;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @Column({ type: 'timestamptz', precision: 3 })
  expires_at!: Date;
}
