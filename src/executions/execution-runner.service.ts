import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { Config } from '../config/config.js';
import { NotFound } from '../common/errors/errors.js';
import { LOGGER } from '../common/logging/logging.module.js';
import { ExecutionEndedChannel } from './execution-ended.channel.js';
import { ExecutionProgressService } from './execution-progress.service.js';
import { type ClaimedExecution, ExecutionQueueService } from './execution-queue.service.js';
import type { LeasedExecution } from './executions.repository.js';
import { InputsService } from './inputs.service.js';
import { RunReporter } from './run-reporter.js';
import { SolveResultsService } from './solve-results.service.js';
import { Solver } from './solver/solver.js';
import type { SolveOutcome } from './solver/task.js';

/** Runs executions in this process. */
@Injectable()
export class ExecutionRunnerService implements OnModuleInit {
  constructor(
    private readonly config: Config,
    private readonly queue: ExecutionQueueService,
    private readonly progress: ExecutionProgressService,
    private readonly inputs: InputsService,
    private readonly solver: Solver,
    private readonly solveResults: SolveResultsService,
    private readonly ended: ExecutionEndedChannel,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    // If a process misses the notification, its next lease renewal fails.
    this.ended.listen((id) => this.queue.abandon(id));
    this.queue.handle(async (execution, signal) => await this.run(execution, signal), this.config.maxConcurrentSolves);
  }

  /**
   * Runs an execution until it ends.
   * @param signal aborts when a request or another process has ended the execution, or when this process stops
   */
  private async run(execution: ClaimedExecution, signal: AbortSignal): Promise<void> {
    const { id: execution_id } = execution;
    try {
      await this.perform(execution, signal);
      this.ended.send(execution_id);
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
      this.logger.info({ execution_id }, 'an execution was deleted while it ran');
    }
  }

  private async perform(execution: ClaimedExecution, signal: AbortSignal): Promise<void> {
    if (execution.refusal !== null) {
      await this.solveResults.record(execution, { kind: 'failed', failure: execution.refusal });
      return;
    }
    const stopSearch = new AbortController();
    const reporter = new RunReporter(
      execution.generation === 1,
      async (progress, lines) => {
        if (await this.progress.keep(execution, progress, lines)) stopSearch.abort();
      },
      this.logger,
    );
    let outcome;
    try {
      outcome = await this.solve(execution, reporter, signal, stopSearch.signal);
    } finally {
      await reporter.stop();
    }
    await this.solveResults.record(execution, outcome, reporter.size);
  }

  private async solve(
    execution: LeasedExecution,
    reporter: RunReporter,
    signal: AbortSignal,
    stopSearch: AbortSignal,
  ): Promise<SolveOutcome> {
    const { SOLVE_TIME_LIMIT_SECONDS, SOLVE_MEMORY_MIB: memoryMiB } = this.config;
    const seconds = execution.time_limit_seconds ?? SOLVE_TIME_LIMIT_SECONDS;
    const source = await this.inputs.read(execution, signal);
    try {
      const task = { source, seconds, gap: execution.mip_gap, memoryMiB };
      return await this.solver.solve(task, { signal, stopSearch }, (news) => reporter.record(news));
    } finally {
      await this.inputs.discard(source);
    }
  }
}
