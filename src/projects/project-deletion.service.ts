import { Injectable } from '@nestjs/common';
import { ContainersService, SWEEP_UPLOADS } from '../files/tree/containers.service.js';
import type { Principal } from '../platform/auth/principal.js';
import { Database, type Tx } from '../platform/database/database.service.js';
import { Forbidden } from '../platform/errors/errors.js';
import { Jobs } from '../platform/jobs/jobs.service.js';
import type { Project } from './project.entity.js';
import { ProjectsRepository } from './projects.repository.js';
import { SnapshotsRepository } from './snapshots.repository.js';

/**
 * Takes part in the transaction that deletes a project, which is locked: whatever a module does for the project ends here.
 *
 * @returns what tells others of it, called once the transaction has committed
 */
export type DeletionListener = (tx: Tx, project: Project) => Promise<() => void>;

/** Deletes projects: from the commit on nothing finds them any more. Their rows stay until they are purged. */
@Injectable()
export class ProjectDeletion {
  private readonly listeners: DeletionListener[] = [];

  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsRepository,
    private readonly snapshots: SnapshotsRepository,
    private readonly containers: ContainersService,
    private readonly jobs: Jobs,
  ) {}

  /** Lets a module above end its part of every project that is deleted; called while modules initialise. */
  onDelete(listener: DeletionListener): void {
    this.listeners.push(listener);
  }

  /**
   * Deletes a project with everything in it; what it has cost stays in the ledger.
   *
   * Who changes something in a project locks it, or the container of its files, before; both are refused from here on.
   *
   * @throws NotFound @throws Forbidden for the agent
   */
  async delete(caller: Principal, projectId: string): Promise<void> {
    if (caller.kind === 'agent') throw new Forbidden('An agent cannot delete a project');
    const { company_id } = caller;
    const announcements = await this.database.transaction(async (tx) => {
      const projects = tx.withRepository(this.projects);
      const project = await projects.lock(company_id, projectId);
      const ended: (() => void)[] = [];
      for (const listener of this.listeners) ended.push(await listener(tx, project));
      const { workspace_id, agent_config_id, project_skills_id } = project;
      const snapshots = await tx.withRepository(this.snapshots).containersOf(project.id);
      await this.containers.delete(tx, company_id, workspace_id, agent_config_id, project_skills_id, ...snapshots);
      // What the store has of uploads to it need not wait for the next time that uploads are looked through.
      await this.jobs.add(tx, SWEEP_UPLOADS, {}, { jobKey: SWEEP_UPLOADS, maxAttempts: 1 });
      await projects.markDeleted(project.id);
      return ended;
    });
    for (const announce of announcements) announce();
  }
}
