import { Injectable } from '@nestjs/common';
import { ProjectEventsService } from '../events/project-events.service.js';
import { ContainersService } from '../files/tree/containers.service.js';
import { FileTreeService } from '../files/tree/file-tree.service.js';
import { DatabaseService, type Tx } from '../database/database.service.js';
import { Conflict } from '../common/errors/errors.js';
import type { Page } from '../common/listing/page.js';
import type { WalkQuery } from '../common/listing/walk.query.js';
import { CardsRepository } from './canvas/cards.repository.js';
import type { Project } from './project.entity.js';
import { ProjectsRepository } from './projects.repository.js';
import { SnapshotResponse } from './snapshots.dto.js';
import { type SnapshotRow, SnapshotsRepository } from './snapshots.repository.js';
import type { ProjectEditor, ProjectReader } from './project-access.js';

/** Maximum number of snapshots per project. */
const MAX_SNAPSHOTS = 100;

/**
 * Manages immutable copies of a project's workspace and cards. Every operation throws NotFound if the project does not exist.
 */
@Injectable()
export class SnapshotsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly projects: ProjectsRepository,
    private readonly snapshots: SnapshotsRepository,
    private readonly cards: CardsRepository,
    private readonly containers: ContainersService,
    private readonly fileTree: FileTreeService,
    private readonly events: ProjectEventsService,
  ) {}

  /**
   * Takes a snapshot and makes it the current snapshot.
   * @throws Conflict if the project has too many snapshots
   */
  async create(editor: ProjectEditor, projectId: string): Promise<SnapshotResponse> {
    return await this.database.transaction(async (tx) => {
      const projects = tx.withRepository(this.projects);
      const project = await projects.lock(editor, projectId);
      return await editor.once(tx, async () => {
        const current_snapshot_id = await this.take(tx, project);
        await projects.change(project.id, { current_snapshot_id });
        this.events.by(tx, editor.caller);
        this.events.note(tx, project.id, 'project.updated', { fields: ['current_snapshot_id', 'snapshots'] });
        return SnapshotResponse.from(await tx.withRepository(this.snapshots).row(project.id, current_snapshot_id));
      });
    });
  }

  /** Returns a project's snapshots, newest first. */
  async list(reader: ProjectReader, projectId: string, page: WalkQuery): Promise<Page<SnapshotRow>> {
    const { id } = await this.projects.require(reader, projectId);
    return await this.snapshots.page(id, page);
  }

  /**
   * Deletes a snapshot.
   * @throws NotFound
   * @throws Conflict for the current snapshot
   */
  async delete(editor: ProjectEditor, projectId: string, snapshotId: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const snapshots = tx.withRepository(this.snapshots);
      const project = await tx.withRepository(this.projects).lock(editor, projectId);
      const { id } = await snapshots.row(project.id, snapshotId);
      if (id === project.current_snapshot_id) {
        throw new Conflict('snapshot_in_use', 'The current snapshot cannot be deleted; take another snapshot first');
      }
      const { container_id } = await snapshots.findOneByOrFail({ project_id: project.id, id });
      await snapshots.delete({ project_id: project.id, id });
      await this.containers.delete(tx, editor.company_id, container_id);
      this.events.by(tx, editor.caller);
      this.events.note(tx, project.id, 'project.updated', { fields: ['snapshots'] });
    });
  }

  /**
   * Takes a snapshot of a locked project, which becomes the current snapshot and is used by later solves.
   *
   * @throws Conflict if the project has too many snapshots
   */
  async enterRunMode(tx: Tx, project: Project): Promise<void> {
    const current_snapshot_id = await this.take(tx, project);
    await tx
      .withRepository(this.projects)
      .update({ id: project.id }, { workspace_mode: 'run', run_setup_status: 'ready', current_snapshot_id });
  }

  /**
   * Takes a snapshot of a locked project and returns its id. The caller must make it the current snapshot.
   *
   * @throws Conflict if the project has too many snapshots
   */
  private async take(tx: Tx, { id: project_id, company_id, workspace_id }: Project): Promise<string> {
    const snapshots = tx.withRepository(this.snapshots);
    if ((await snapshots.countBy({ project_id })) >= MAX_SNAPSHOTS) {
      throw new Conflict(
        'too_many_snapshots',
        `A project can have at most ${MAX_SNAPSHOTS} snapshots; delete one first`,
      );
    }
    const container_id = await this.containers.create(tx, company_id, 'snapshot');
    await this.fileTree.copy(tx, {
      from: { company_id, container_id: workspace_id },
      to: { company_id, container_id },
    });
    const cards = await tx.withRepository(this.cards).list(project_id);
    // The JSON column omits undefined values, so the revisions are not stored.
    const copies = cards.map((card) => ({ ...card, revision: undefined }));
    const { id } = await snapshots.save({ project_id, container_id, cards: copies });
    return id;
  }
}
