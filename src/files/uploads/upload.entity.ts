import type { UploadId } from '../../database/checked-id.js';
import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { Steps } from '../../common/leases/steps.js';
import type { FileEntry } from '../files.dto.js';

/** Whoever completes or drops an upload leases it; one whose lease ran out is leased again. */
export const UPLOAD_STEPS = new Steps<Upload['state']>({
  open: ['completing'],
  completing: ['completing', 'open', 'completed', 'aborted'],
  completed: [],
  aborted: [],
});

/** A file being sent in parts. */
@Entity({ name: 'uploads' })
export class Upload {
  @PrimaryGeneratedColumn('uuid')
  id!: UploadId;

  @Column('text')
  company_id!: string;

  /** SHA-256 of the token that its owner holds. */
  @Column('bytea')
  token_hash!: Buffer;

  @Column('uuid')
  container_id!: string;

  /** Where the file will be. */
  @Column('text')
  path!: string;

  @Column('text', { nullable: true })
  content_type!: string | null;

  /** Bytes, as declared at the start. */
  @Column('bigint', { nullable: true })
  size!: number | null;

  @Column('bigint')
  part_size!: number;

  /** What is being uploaded; null when the upload has ended. */
  @Column('uuid', { nullable: true })
  blob_id!: string | null;

  /** The store's name of the upload; null until the store has begun it. */
  @Column('text', { nullable: true })
  store_upload_id!: string | null;

  /** Bytes of the parts that are there or under way, where they come through this service. */
  @Column('bigint', { default: 0 })
  received!: number;

  /** Who has opened it, when it is a user. */
  @Column('text', { nullable: true })
  user_id!: string | null;

  /** Who has opened it, when it is an API key. */
  @Column('uuid', { nullable: true })
  api_key_id!: string | null;

  @Column('text')
  state!: 'open' | 'completing' | 'completed' | 'aborted';

  /** Who completes it; no other request may until `lease_until`. */
  @Column('uuid', { nullable: true })
  lease_id!: string | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  lease_until!: Date | null;

  /** Response of its completion. */
  @Column('jsonb', { nullable: true })
  entry!: FileEntry | null;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @Column({ type: 'timestamptz', precision: 3 })
  expires_at!: Date;
}
