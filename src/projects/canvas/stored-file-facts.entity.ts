import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { FileFacts } from '../../../packages/canvas/index.js';

/** What was read of a content as the table that a data card takes it for. Contents never change, so it holds for ever. */
@Entity({ name: 'file_facts' })
export class StoredFileFacts {
  @PrimaryColumn('uuid')
  blob_id!: string;

  /** SHA-256 of what of the content was asked for. */
  @PrimaryColumn('bytea')
  aspect!: Buffer;

  @Column('jsonb')
  facts!: FileFacts;
}
