import { Injectable } from '@nestjs/common';
import { ContainersService } from '../files/containers.service.js';
import { TreesService } from '../files/trees.service.js';
import { Database, type Tx } from '../platform/database/database.js';
import { NotFound, parseId } from '../platform/errors/errors.js';
import { CanvasService } from './canvas/canvas.service.js';
import type { Project } from './project.entity.js';
import { Snapshot } from './snapshot.entity.js';

/** Immutable copies of a project's workspace and cards. */
@Injectable()
export class SnapshotsService {
  constructor(
    private readonly database: Database,
    private readonly containers: ContainersService,
    private readonly trees: TreesService,
    private readonly canvas: CanvasService,
  ) {}

  /** Takes a snapshot of a locked project. The caller makes it the current one. */
  async take(tx: Tx, { id: project_id, company_id, workspace_id }: Project): Promise<Snapshot> {
    const container_id = await this.containers.create(tx, company_id, 'snapshot');
    await this.trees.copy(tx, { from: { company_id, container_id: workspace_id }, to: { company_id, container_id } });
    const cards = await this.canvas.list(project_id, tx);
    return await tx.save(Snapshot, { project_id, container_id, cards });
  }

  /** A snapshot of one of the company's projects. @throws NotFound */
  async require(company_id: string, snapshotId: string): Promise<Snapshot> {
    const [snapshot]: Snapshot[] = await this.database.manager.query(
      `SELECT s.* FROM snapshots s
         JOIN projects p ON p.id = s.project_id AND p.company_id = $1 AND p.deleted_at IS NULL
        WHERE s.id = $2`,
      [company_id, parseId(snapshotId, 'Snapshot')],
    );
    if (snapshot === undefined) throw new NotFound('Snapshot');
    return snapshot;
  }
}
