import type { Page } from '../common/listing/page.js';
import { nextPage } from '../common/listing/cursor.js';
import type { WalkQuery } from '../common/listing/walk.query.js';
import { WalkResponse } from '../common/listing/walk.response.js';
import {
  BooleanField,
  DateTimeField,
  IntegerField,
  ObjectArrayField,
  StringField,
} from '../common/validation/fields.js';
import type { SnapshotRow } from './snapshots.repository.js';

/** Immutable copy of a project's workspace and cards. To read its files, set `source` to `snapshot`. */
export class SnapshotResponse {
  @StringField()
  id!: string;

  @StringField()
  project_id!: string;

  @DateTimeField()
  created_at!: Date;

  @BooleanField({ description: 'Whether this snapshot is used in run mode' })
  is_current!: boolean;

  @IntegerField()
  card_count!: number;

  static from({ id, project_id, created_at, is_current, card_count }: SnapshotRow): SnapshotResponse {
    return { id, project_id, created_at, is_current, card_count };
  }
}

/** A project's snapshots, newest first. */
export class SnapshotListResponse extends WalkResponse {
  @ObjectArrayField(() => SnapshotResponse)
  snapshots!: SnapshotResponse[];

  static from({ rows, total }: Page<SnapshotRow>, query: WalkQuery): SnapshotListResponse {
    const { limit, offset } = query;
    const next = nextPage(
      'snapshots',
      query,
      rows.map((row) => row.id),
    );
    return { snapshots: rows.map((row) => SnapshotResponse.from(row)), limit, offset, total, ...next };
  }
}
