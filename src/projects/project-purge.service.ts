import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { ProjectEventsService } from '../events/project-events.service.js';
import type { Logger } from 'pino';
import { Config } from '../config/config.js';
import { BEFORE_ALL_IDS } from '../database/checked-id.js';
import { DatabaseService } from '../database/database.service.js';
import { PeriodicWorkService } from '../database/queues/periodic-work.service.js';
import { LOGGER } from '../common/logging/logging.module.js';
import { ProjectLifeService, type Purger } from './project-life.service.js';
import { ProjectRemovalService } from './project-removal.service.js';
import { type PurgeableProject, ProjectsRepository } from './projects.repository.js';

const BATCH = 100;

/**
 * Purges deleted projects after PROJECTS_GRACE_SECONDS. Several processes may purge projects concurrently. The next run
 * continues an interrupted purge, because the project's own row is removed last. A project cannot be restored once its purge
 * has begun. The garbage collector removes the file contents.
 */
@Injectable()
export class ProjectPurgeService implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly projects: ProjectsRepository,
    private readonly removal: ProjectRemovalService,
    private readonly life: ProjectLifeService,
    private readonly periodic: PeriodicWorkService,
    private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly events: ProjectEventsService,
  ) {}

  onModuleInit(): void {
    this.periodic.every('*/10 * * * *', 'purge_projects', async () => await this.purge());
  }

  /** Purges all projects whose grace period has expired. */
  async purge(): Promise<void> {
    for (let last: string | undefined = BEFORE_ALL_IDS; last !== undefined;) {
      const due = await this.projects.due(last, this.config.PROJECTS_GRACE_SECONDS, BATCH);
      for (const project of due) await this.tryPurge(project);
      last = due.at(-1)?.id;
    }
  }

  /** Purges a project. Errors are logged, so that a failure does not prevent the purge of other projects. */
  private async tryPurge(project: PurgeableProject): Promise<void> {
    try {
      if (!(await this.projects.beginPurge(project.id, this.config.PROJECTS_GRACE_SECONDS))) return;
      for (const purger of this.life.purgers) while (await this.alone(project, purger));
      while (await this.alone(project, async (tx) => await this.events.removePage(tx, project.id)));
      await this.alone(project, async (tx) => await this.removal.remove(tx, project));
    } catch (error) {
      this.logger.error({ err: error, project_id: project.id }, 'a deleted project could not be removed');
    }
  }

  /**
   * Removes a page while holding the project lock. Without the lock, a page that another process is removing at the same time
   * could seem to be the last page.
   */
  private async alone({ id }: PurgeableProject, purger: Purger): Promise<boolean> {
    return await this.database.transaction(
      async (tx) => (await tx.withRepository(this.projects).lockPurged(id)) && (await purger(tx, id)),
    );
  }
}
