import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { FileFacts } from '../../../packages/canvas/index.js';

/**
 * Facts about file content, read as the table that a data card describes. They never become outdated because contents never
 * change.
 */
@Entity({ name: 'file_facts' })
export class StoredFileFacts {
  @PrimaryColumn('uuid')
  blob_id!: string;

  /** SHA-256 of the aspect that was read. */
  @PrimaryColumn('bytea')
  aspect!: Buffer;

  @Column('jsonb')
  facts!: FileFacts;
}
