import { Module } from '@nestjs/common';
import { FilesModule } from '../files/files.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { TablesModule } from '../tables/tables.module.js';
import { UsageModule } from '../usage/usage.module.js';
import { ExecutionEndedChannel } from './execution-ended.channel.js';
import { ExecutionEndings } from './execution-endings.service.js';
import { ExecutionProgress } from './execution-progress.service.js';
import { ExecutionLogsRepository } from './execution-logs.repository.js';
import { ExecutionQueue } from './execution-queue.service.js';
import { ExecutionRecords } from './execution-records.service.js';
import { ExecutionReaper } from './execution-reaper.service.js';
import { ExecutionRunner } from './execution-runner.service.js';
import { ExecutionsController } from './executions.controller.js';
import { ExecutionsRepository } from './executions.repository.js';
import { ExecutionsService } from './executions.service.js';
import { InputsService } from './inputs.service.js';
import { MemberDifferencesRepository } from './member-differences.repository.js';
import { ProjectExecutionsCleanup } from './project-cleanup.service.js';
import { ResultFiles } from './result-files.service.js';
import { RunValues } from './run-values.service.js';
import { SetTables } from './set-tables.service.js';
import { SolveResults } from './solve-results.service.js';
import { Solver } from './solver/solver.js';

/** Runs of the solver. */
@Module({
  imports: [FilesModule, ProjectsModule, TablesModule, UsageModule],
  controllers: [ExecutionsController],
  providers: [
    ExecutionEndedChannel,
    ExecutionEndings,
    ExecutionLogsRepository,
    ExecutionProgress,
    ExecutionQueue,
    ExecutionReaper,
    ExecutionRecords,
    ExecutionRunner,
    ExecutionsRepository,
    ExecutionsService,
    InputsService,
    MemberDifferencesRepository,
    ProjectExecutionsCleanup,
    ResultFiles,
    RunValues,
    SetTables,
    SolveResults,
    { provide: Solver, useFactory: () => new Solver() },
  ],
  exports: [ExecutionRecords, ExecutionsService, InputsService, MemberDifferencesRepository],
})
export class ExecutionsModule {}
