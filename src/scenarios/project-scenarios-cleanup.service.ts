import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ProjectLifeService } from '../projects/project-life.service.js';
import { ScenariosRepository } from './scenarios.repository.js';

/** Removes a project's scenarios when the project is purged. */
@Injectable()
export class ProjectScenariosCleanupService implements OnModuleInit {
  constructor(
    private readonly life: ProjectLifeService,
    private readonly scenarios: ScenariosRepository,
  ) {}

  onModuleInit(): void {
    this.life.onPurge(async (tx, project_id) => {
      // A project has few scenarios, so a single statement removes them all.
      await tx.withRepository(this.scenarios).delete({ project_id });
      return false;
    });
  }
}
