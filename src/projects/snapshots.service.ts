import { Injectable } from '@nestjs/common';
import type { ContainerLookup } from '../files/container-resolver.js';
import { ContainersService } from '../files/tree/containers.service.js';
import { TreesService } from '../files/tree/trees.service.js';
import { Database, type Tx } from '../platform/database/database.js';
import { Conflict, NotFound, parseId } from '../platform/errors/errors.js';
import type { Page } from '../platform/listing/page.js';
import type { PageQuery } from '../platform/listing/page.query.js';
import { CanvasService } from './canvas/canvas.service.js';
import type { Project } from './project.entity.js';
import { Snapshot } from './snapshot.entity.js';

/** Most snapshots that a project keeps. */
const MOST_SNAPSHOTS = 100;

/** A snapshot as listings show it. */
export type SnapshotRow = Pick<Snapshot, 'id' | 'project_id' | 'created_at'> & {
  is_current: boolean;
  card_count: number;
};

/** SELECT from the snapshot `$1` of one of the projects of the company `$2`. */
const snapshotOf = (columns: string): string => `
  SELECT ${columns} FROM snapshots s
    JOIN projects p ON p.id = s.project_id AND p.company_id = $2 AND p.deleted_at IS NULL
   WHERE s.id = $1`;

/** The containers of snapshots' files. */
export const SNAPSHOT_TREES: ContainerLookup = {
  resource: 'Snapshot',
  select: snapshotOf('s.container_id, s.project_id'),
  parse: (id) => parseId(id, 'Snapshot'),
};

/** Immutable copies of a project's workspace and cards. */
@Injectable()
export class SnapshotsService {
  constructor(
    private readonly database: Database,
    private readonly containers: ContainersService,
    private readonly trees: TreesService,
    private readonly canvas: CanvasService,
  ) {}

  /** Takes a snapshot of a locked project. The caller makes it the current one. @throws Conflict when it has too many */
  async take(tx: Tx, { id: project_id, company_id, workspace_id }: Project): Promise<Snapshot> {
    if ((await tx.countBy(Snapshot, { project_id })) >= MOST_SNAPSHOTS) {
      throw new Conflict(`A project has at most ${MOST_SNAPSHOTS} snapshots; delete one first`);
    }
    const container_id = await this.containers.create(tx, company_id, 'snapshot');
    await this.trees.copy(tx, { from: { company_id, container_id: workspace_id }, to: { company_id, container_id } });
    const cards = await this.canvas.list(project_id, tx);
    return await tx.save(Snapshot, { project_id, container_id, cards });
  }

  /** A snapshot of one of the company's projects. @throws NotFound */
  async require(company_id: string, snapshotId: string, tx: Tx = this.database.manager): Promise<Snapshot> {
    const [snapshot]: Snapshot[] = await tx.query(snapshotOf('s.*'), [parseId(snapshotId, 'Snapshot'), company_id]);
    if (snapshot === undefined) throw new NotFound('Snapshot');
    return snapshot;
  }

  /** The snapshots of one of the company's projects, newest first. */
  async list(project_id: string, { limit, offset }: PageQuery): Promise<Page<SnapshotRow>> {
    const rows: SnapshotRow[] = await this.database.manager.query(
      `${SNAPSHOT_ROWS} WHERE s.project_id = $1 ORDER BY s.created_at DESC, s.id DESC LIMIT $2 OFFSET $3`,
      [project_id, limit, offset],
    );
    return { rows, total: await this.database.manager.countBy(Snapshot, { project_id }) };
  }

  /** One snapshot as {@link list} has it. @throws NotFound */
  async row(tx: Tx, project_id: string, snapshotId: string): Promise<SnapshotRow> {
    const [row]: SnapshotRow[] = await tx.query(`${SNAPSHOT_ROWS} WHERE s.project_id = $1 AND s.id = $2`, [
      project_id,
      parseId(snapshotId, 'Snapshot'),
    ]);
    if (row === undefined) throw new NotFound('Snapshot');
    return row;
  }

  /** Deletes a snapshot of a locked project. @throws NotFound @throws Conflict for the current one */
  async delete(
    tx: Tx,
    { id: project_id, company_id, current_snapshot_id }: Project,
    snapshotId: string,
  ): Promise<void> {
    const { id } = await this.row(tx, project_id, snapshotId);
    if (id === current_snapshot_id)
      throw new Conflict('The current snapshot cannot be deleted; take another one first');
    const { container_id } = await tx.findOneByOrFail(Snapshot, { project_id, id });
    await tx.delete(Snapshot, { project_id, id });
    await this.containers.delete(tx, company_id, container_id);
  }

  /** The trees of a project's snapshots. */
  async containersOf(tx: Tx, project_id: string): Promise<string[]> {
    const snapshots = await tx.find(Snapshot, { select: { container_id: true }, where: { project_id } });
    return snapshots.map(({ container_id }) => container_id);
  }

  /** Removes the rows of a project that is purged and has no current snapshot, and answers their trees. */
  async removeAll(tx: Tx, project_id: string): Promise<string[]> {
    const containers = await this.containersOf(tx, project_id);
    await tx.delete(Snapshot, { project_id });
    return containers;
  }
}

const SNAPSHOT_ROWS = `
  SELECT s.id, s.project_id, s.created_at, s.id IS NOT DISTINCT FROM p.current_snapshot_id AS is_current,
         jsonb_array_length(s.cards) AS card_count
    FROM snapshots s JOIN projects p ON p.id = s.project_id`;
