import { Injectable } from '@nestjs/common';
import { ProjectEventsService } from '../events/project-events.service.js';
import { Config } from '../config/config.js';
import { ContainersService } from '../files/tree/containers.service.js';
import { UploadsService } from '../files/uploads/uploads.service.js';
import { DatabaseService, type Tx } from '../database/database.service.js';
import { assertExpected } from '../common/etag/conditions.js';
import type { ExpectedTags } from '../common/etag/entity-tag.js';
import type { ProjectOwner } from './project-access.js';
import { ProjectLifeService } from './project-life.service.js';
import { ProjectResponse } from './projects.dto.js';
import { type ProjectDetails, ProjectViewsRepository } from './project-views.repository.js';
import { ProjectsRepository } from './projects.repository.js';

/**
 * Deletes and restores projects. A deleted project is invisible as soon as the transaction commits. Its contents are kept for
 * PROJECTS_GRACE_SECONDS, so that it can be restored, and are then purged.
 */
@Injectable()
export class ProjectDeletionService {
  constructor(
    private readonly database: DatabaseService,
    private readonly projects: ProjectsRepository,
    private readonly views: ProjectViewsRepository,
    private readonly containers: ContainersService,
    private readonly uploads: UploadsService,
    private readonly life: ProjectLifeService,
    private readonly config: Config,
    private readonly events: ProjectEventsService,
  ) {}

  /**
   * Deletes a project with its contents. Its cost remains in the ledger.
   *
   * No writer can change the project afterwards. Writers first lock the project or the container of its files, and both locks
   * fail once the project is deleted.
   *
   * @throws NotFound
   * @throws Forbidden unless the caller is an owner or company-level
   * @throws PreconditionFailed
   */
  async delete(owner: ProjectOwner, projectId: string, expected: ExpectedTags): Promise<void> {
    await this.database.transaction(async (tx) => {
      const projects = tx.withRepository(this.projects);
      const project = await projects.lock(owner, projectId);
      await assertExpected(expected, () => this.views.tagOf(tx, owner, project.id));
      this.events.by(tx, owner.caller);
      await this.life.deleted(tx, project);
      await this.containers.hide(tx, project.company_id, ...(await this.views.containersOf(tx, project)));
      await this.uploads.expireTo(tx, project.workspace_id);
      await projects.markDeleted(project.id);
      // This must be the last event, because readers receive no events after it.
      this.events.note(tx, project.id, 'project.deleted', {});
    });
  }

  /**
   * Restores a deleted project. Turns, solves and uploads that its deletion ended do not resume. Does nothing if the project is
   * not deleted.
   *
   * @throws NotFound, also if the grace period has expired
   * @throws Forbidden unless the caller is an owner or company-level
   */
  async restore(owner: ProjectOwner, projectId: string): Promise<ProjectResponse> {
    return await this.database.transaction(async (tx) => {
      const projects = tx.withRepository(this.projects);
      const restore = async (): Promise<ProjectResponse> =>
        ProjectResponse.from(await this.undelete(tx, owner, projectId));
      // A repeated request finds the project already restored. Ownership is then checked here instead of among the deleted
      // projects.
      return await owner.once(tx, restore, async () => await projects.require(owner, projectId));
    });
  }

  private async undelete(tx: Tx, owner: ProjectOwner, projectId: string): Promise<ProjectDetails> {
    const projects = tx.withRepository(this.projects);
    const project = await projects.lockDeleted(owner, projectId, this.config.PROJECTS_GRACE_SECONDS);
    if (project === undefined)
      return await this.views.detailsWithoutTag(tx, owner, (await projects.require(owner, projectId)).id);
    await this.containers.restore(tx, project.company_id, ...(await this.views.containersOf(tx, project)));
    await projects.markRestored(project.id);
    this.events.by(tx, owner.caller);
    this.events.note(tx, project.id, 'project.restored', {});
    await this.life.restored(tx, project);
    return await this.views.detailsWithoutTag(tx, owner, project.id);
  }
}
