import { Module } from '@nestjs/common';
import { FilesModule } from '../files/files.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { TablesModule } from '../tables/tables.module.js';
import { UsageModule } from '../usage/usage.module.js';
import { ExecutionCancellationsService } from './execution-cancellations.service.js';
import { ExecutionEndedChannel } from './execution-ended.channel.js';
import { ExecutionEndingsService } from './execution-endings.service.js';
import { ExecutionProgressService } from './execution-progress.service.js';
import { ExecutionLogsRepository } from './execution-logs.repository.js';
import { ExecutionQueueService } from './execution-queue.service.js';
import { ExecutionRecordsService } from './execution-records.service.js';
import { ExecutionRunnerService } from './execution-runner.service.js';
import { ExecutionViewsRepository } from './execution-views.repository.js';
import { ExecutionsController } from './executions.controller.js';
import { ExecutionsRepository } from './executions.repository.js';
import { ExecutionsService } from './executions.service.js';
import { InputsService } from './inputs.service.js';
import { MemberDifferencesRepository } from './member-differences.repository.js';
import { CurrentInputsService } from './current-inputs.service.js';
import { ProjectExecutionsCleanupService } from './project-executions-cleanup.service.js';
import { ResultFilesService } from './result-files.service.js';
import { RunValuesService } from './run-values.service.js';
import { SetTablesService } from './set-tables.service.js';
import { SolveResultsService } from './solve-results.service.js';
import { Solver } from './solver/solver.js';

@Module({
  imports: [FilesModule, ProjectsModule, TablesModule, UsageModule],
  controllers: [ExecutionsController],
  providers: [
    ExecutionCancellationsService,
    ExecutionEndedChannel,
    ExecutionEndingsService,
    ExecutionLogsRepository,
    ExecutionProgressService,
    ExecutionQueueService,
    ExecutionRecordsService,
    ExecutionRunnerService,
    ExecutionViewsRepository,
    ExecutionsRepository,
    ExecutionsService,
    InputsService,
    MemberDifferencesRepository,
    CurrentInputsService,
    ProjectExecutionsCleanupService,
    ResultFilesService,
    RunValuesService,
    SetTablesService,
    SolveResultsService,
    { provide: Solver, useFactory: () => new Solver() },
  ],
  exports: [
    ExecutionCancellationsService,
    ExecutionRecordsService,
    ExecutionsService,
    InputsService,
    MemberDifferencesRepository,
  ],
})
export class ExecutionsModule {}
