import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { ProjectEventsService } from '../events/project-events.service.js';
import type { Logger } from 'pino';
import { Config } from '../config/config.js';
import { ContainersService } from '../files/tree/containers.service.js';
import { BEFORE_ALL_IDS } from '../database/checked-id.js';
import { DatabaseService, type Tx } from '../database/database.service.js';
import { PeriodicWorkService } from '../database/queues/periodic-work.service.js';
import { LOGGER } from '../common/logging/logging.module.js';
import { CardsRepository } from './canvas/cards.repository.js';
import { ProjectMembersRepository } from './project-members.repository.js';
import { type DueProject, ProjectsRepository } from './projects.repository.js';
import { SnapshotsRepository } from './snapshots.repository.js';
import type { ProjectId } from './project.entity.js';

/**
 * Removes a page of what a module keeps of a project that was deleted, in a transaction of its own.
 *
 * @returns whether there may be more
 */
export type Purger = (tx: Tx, project_id: ProjectId) => Promise<boolean>;

const BATCH = 100;

/**
 * Removes what is left of deleted projects, PROJECTS_GRACE_SECONDS after they were. Any number of processes may do so at
 * once; what breaks off goes on with the next run, as a project's own row is the last one to go. From the first step on it
 * cannot come back. Files are the collector's.
 */
@Injectable()
export class ProjectPurgeService implements OnModuleInit {
  private readonly purgers: Purger[] = [];

  constructor(
    private readonly database: DatabaseService,
    private readonly projects: ProjectsRepository,
    private readonly cards: CardsRepository,
    private readonly members: ProjectMembersRepository,
    private readonly snapshots: SnapshotsRepository,
    private readonly containers: ContainersService,
    private readonly periodic: PeriodicWorkService,
    private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly events: ProjectEventsService,
  ) {}

  onModuleInit(): void {
    this.periodic.every('*/10 * * * *', 'purge_projects', async () => await this.purge());
  }

  /** Lets a module above remove its part; called while modules initialise. */
  onPurge(purger: Purger): void {
    this.purgers.push(purger);
  }

  /** Removes every project whose time is over. */
  async purge(): Promise<void> {
    for (let last: string | undefined = BEFORE_ALL_IDS; last !== undefined;) {
      const due = await this.projects.due(last, this.config.PROJECTS_GRACE_SECONDS, BATCH);
      for (const project of due) await this.tryPurge(project);
      last = due.at(-1)?.id;
    }
  }

  /** One that cannot be removed, for whatever reason, keeps no other one from it. */
  private async tryPurge(project: DueProject): Promise<void> {
    try {
      if (!(await this.projects.beginPurge(project.id, this.config.PROJECTS_GRACE_SECONDS))) return;
      for (const purger of this.purgers) while (await this.alone(project, purger));
      while (await this.alone(project, async (tx) => await this.events.removePage(tx, project.id)));
      await this.alone(project, async (tx) => await this.remove(tx, project));
    } catch (error) {
      this.logger.error({ err: error, project_id: project.id }, 'a deleted project could not be removed');
    }
  }

  /** Removes a page while nobody else does: a page that is just being removed would look like the last one. */
  private async alone({ id }: DueProject, purger: Purger): Promise<boolean> {
    return await this.database.transaction(
      async (tx) => (await tx.withRepository(this.projects).lockPurged(id)) && (await purger(tx, id)),
    );
  }

  /** What is bounded in number goes in one transaction with the project's own row. */
  private async remove(tx: Tx, { id, company_id, container_ids }: DueProject): Promise<false> {
    const [projects, snapshots] = [tx.withRepository(this.projects), tx.withRepository(this.snapshots)];
    // The current snapshot could not go before.
    await projects.update({ id }, { workspace_mode: 'define', run_setup_status: null, current_snapshot_id: null });
    const ofSnapshots = await snapshots.containersOf(id);
    await snapshots.delete({ project_id: id });
    await tx.withRepository(this.cards).delete({ project_id: id });
    await tx.withRepository(this.members).delete({ project_id: id });
    await projects.delete({ id });
    await this.containers.giveUp(tx, company_id, ...container_ids, ...ofSnapshots);
    await this.containers.forget(tx, company_id, ...container_ids, ...ofSnapshots);
    return false;
  }
}
