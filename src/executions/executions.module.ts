import { Module } from '@nestjs/common';
import { FilesModule } from '../files/files.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { UsageModule } from '../usage/usage.module.js';
import { ExecutionEndings } from './execution-endings.service.js';
import { ExecutionJobs } from './execution-jobs.js';
import { ExecutionNews } from './execution-news.service.js';
import { ExecutionQueue } from './execution-queue.service.js';
import { ExecutionReaper } from './execution-reaper.service.js';
import { ExecutionRunner } from './execution-runner.service.js';
import { ExecutionsController } from './executions.controller.js';
import { ExecutionsService } from './executions.service.js';
import { InputsService } from './inputs.service.js';
import { ProjectEnd } from './project-end.service.js';
import { ResultFiles } from './result-files.service.js';
import { Solver } from './solver/solver.js';

/** Runs of the solver. */
@Module({
  imports: [FilesModule, ProjectsModule, UsageModule],
  controllers: [ExecutionsController],
  providers: [
    ExecutionEndings,
    ExecutionJobs,
    ExecutionNews,
    ExecutionQueue,
    ExecutionReaper,
    ExecutionRunner,
    ExecutionsService,
    InputsService,
    ProjectEnd,
    ResultFiles,
    { provide: Solver, useFactory: () => new Solver() },
  ],
  exports: [ExecutionsService],
})
export class ExecutionsModule {}
