import { Module } from '@nestjs/common';
import { ExecutionsModule } from '../executions/executions.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { ProjectScenariosCleanup } from './project-cleanup.service.js';
import { ScenarioComparison } from './scenario-comparison.service.js';
import { ScenarioSolves } from './scenario-solves.service.js';
import { ScenariosController } from './scenarios.controller.js';
import { ScenariosRepository } from './scenarios.repository.js';
import { ScenariosService } from './scenarios.service.js';

/** Named changes of canvases, and their solves. */
@Module({
  imports: [ExecutionsModule, ProjectsModule],
  controllers: [ScenariosController],
  providers: [ScenarioComparison, ScenariosRepository, ScenariosService, ScenarioSolves, ProjectScenariosCleanup],
  exports: [ScenarioComparison, ScenariosRepository, ScenariosService, ScenarioSolves],
})
export class ScenariosModule {}
