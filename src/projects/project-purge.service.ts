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
import { type DueProject, ProjectsRepository } from './projects.repository.js';

const BATCH = 100;

/**
 * Removes what is left of deleted projects, PROJECTS_GRACE_SECONDS after they were. Any number of processes may do so at
 * once; what breaks off goes on with the next run, as a project's own row is the last one to go. From the first step on it
 * cannot come back. Files are the collector's.
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
      for (const purger of this.life.purgers) while (await this.alone(project, purger));
      while (await this.alone(project, async (tx) => await this.events.removePage(tx, project.id)));
      await this.alone(project, async (tx) => await this.removal.remove(tx, project));
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
}
