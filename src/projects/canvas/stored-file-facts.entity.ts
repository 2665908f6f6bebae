import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { FileFacts } from '../../../packages/canvas/index.js';

/**
 * Facts about the content of a file, which was read as the table that a data card describes. They never become outdated,
 * because contents are immutable.
 */
@Entity({ name: 'file_facts' })
export class StoredFileFacts {
  @PrimaryColumn('uuid')
  blob_id!: string;

  /** SHA-256 of the options with which the content was read, such as the sheet and the key columns. */
  @PrimaryColumn('bytea')
  aspect!: Buffer;

  @Column('jsonb')
  facts!: FileFacts;
}
