import { Module } from '@nestjs/common';
import { ExecutionsModule } from '../executions/executions.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { ProjectScenariosCleanupService } from './project-scenarios-cleanup.service.js';
import { ScenarioComparisonService } from './scenario-comparison.service.js';
import { ScenarioSolvesService } from './scenario-solves.service.js';
import { ScenariosController } from './scenarios.controller.js';
import { ScenariosRepository } from './scenarios.repository.js';
import { ScenariosService } from './scenarios.service.js';

/** Manages scenarios, which are named sets of changes to a canvas, and solves them. */
@Module({
  imports: [ExecutionsModule, ProjectsModule],
  controllers: [ScenariosController],
  providers: [
    ScenarioComparisonService,
    ScenariosRepository,
    ScenariosService,
    ScenarioSolvesService,
    ProjectScenariosCleanupService,
  ],
  exports: [ScenarioComparisonService, ScenariosRepository, ScenariosService, ScenarioSolvesService],
})
export class ScenariosModule {}
