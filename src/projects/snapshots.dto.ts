import type { Page } from '../platform/listing/page.js';
import type { PageQuery } from '../platform/listing/page.query.js';
import { PageResponse } from '../platform/listing/page.response.js';
import {
  BooleanField,
  DateTimeField,
  IntegerField,
  ObjectArrayField,
  StringField,
} from '../platform/validation/fields.js';
import type { SnapshotRow } from './snapshots.repository.js';

/** The workspace and the cards of a project at one moment. Its files are read with `source` `snapshot`. */
export class SnapshotResponse {
  @StringField()
  id!: string;

  @StringField()
  project_id!: string;

  @DateTimeField()
  created_at!: Date;

  @BooleanField({ description: 'Whether run mode uses it' })
  is_current!: boolean;

  @IntegerField()
  card_count!: number;

  static from({ id, project_id, created_at, is_current, card_count }: SnapshotRow): SnapshotResponse {
    return { id, project_id, created_at, is_current, card_count };
  }
}

/** Snapshots of a project, newest first. */
export class SnapshotListResponse extends PageResponse {
  @ObjectArrayField(() => SnapshotResponse)
  snapshots!: SnapshotResponse[];

  static from({ rows, total }: Page<SnapshotRow>, { limit, offset }: PageQuery): SnapshotListResponse {
    return { snapshots: rows.map((row) => SnapshotResponse.from(row)), limit, offset, total };
  }
}
