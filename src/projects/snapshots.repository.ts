import type { ProjectId } from '../database/checked-id.js';
import type { ContainerLookup } from '../files/container-resolver.service.js';
import { EntityRepository } from '../database/entity-repository.js';
import { NotFound, parseId } from '../common/errors/errors.js';
import type { Page } from '../common/listing/page.js';
import { callerParameter } from './project-access.js';
import { LAST_ID, walkStart } from '../common/listing/cursor.js';
import type { WalkQuery } from '../common/listing/walk.query.js';
import { isVisible, mayEdit } from './project-access.sql.js';
import { Snapshot } from './snapshot.entity.js';

/** Snapshot in a listing. */
export type SnapshotRow = Pick<Snapshot, 'id' | 'project_id' | 'created_at'> & {
  is_current: boolean;
  card_count: number;
};

const SNAPSHOT_ROWS = `
  SELECT s.id, s.project_id, s.created_at, s.id IS NOT DISTINCT FROM p.current_snapshot_id AS is_current,
         jsonb_array_length(s.cards) AS card_count
    FROM snapshots s JOIN projects p ON p.id = s.project_id`;

/** SQL that selects a snapshot's file tree, if the caller can see its project. */
const treeOf = (condition: string, caller: string): string => `
  SELECT s.container_id, s.project_id, ${mayEdit('p', caller)} AS may_write
    FROM snapshots s JOIN projects p ON p.id = s.project_id AND ${isVisible('p', caller)}
   WHERE ${condition}`;

/** Finds snapshot containers. */
export const SNAPSHOT_TREES: ContainerLookup = {
  select: (scope) => treeOf('s.id = $1', scope),
  selectById: (scope) => treeOf('s.container_id = $1', scope),
  scope: callerParameter,
  parse: (id) => parseId(id, 'Snapshot'),
};

/** Stores project snapshots. */
export class SnapshotsRepository extends EntityRepository(Snapshot) {
  /**
   * Returns a snapshot of a project.
   * @throws NotFound
   */
  async require(project_id: ProjectId, id: string): Promise<Snapshot> {
    const snapshot = await this.findOneBy({ project_id, id });
    if (snapshot === null) throw new NotFound('Snapshot');
    return snapshot;
  }

  /** Returns a page of a project's snapshots, newest first. */
  async page(project_id: ProjectId, page: WalkQuery): Promise<Page<SnapshotRow>> {
    const { limit, offset } = page;
    const start = walkStart('snapshots', page);
    const rows: SnapshotRow[] = await this.query(
      start === undefined
        ? `${SNAPSHOT_ROWS} WHERE s.project_id = $1 ORDER BY s.created_at DESC, s.id DESC LIMIT $2 OFFSET $3`
        : `${SNAPSHOT_ROWS} WHERE s.project_id = $1 AND s.id < $3 ORDER BY s.id DESC LIMIT $2`,
      [project_id, limit, start === undefined ? offset : (start ?? LAST_ID)],
    );
    return { rows, total: await this.countBy({ project_id }) };
  }

  /**
   * Returns a snapshot in the format of {@link page}.
   * @throws NotFound
   */
  async row(project_id: ProjectId, snapshotId: string): Promise<SnapshotRow> {
    const [row]: SnapshotRow[] = await this.query(`${SNAPSHOT_ROWS} WHERE s.project_id = $1 AND s.id = $2`, [
      project_id,
      parseId(snapshotId, 'Snapshot'),
    ]);
    if (row === undefined) throw new NotFound('Snapshot');
    return row;
  }

  /** Returns the containers of a project's snapshots. */
  async containersOf(project_id: ProjectId): Promise<string[]> {
    const snapshots = await this.find({ select: { container_id: true }, where: { project_id } });
    return snapshots.map(({ container_id }) => container_id);
  }
}
