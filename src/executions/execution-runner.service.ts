import { randomUUID } from 'node:crypto';
import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { Config } from '../config/config.js';
import { NotFound } from '../common/errors/errors.js';
import { Lease, LeaseLost } from '../common/leases/lease.js';
import { LOGGER } from '../common/logging/logging.module.js';
import { ExecutionEndedChannel } from './execution-ended.channel.js';
import { ExecutionProgressService } from './execution-progress.service.js';
import { type ClaimedExecution, ExecutionQueueService } from './execution-queue.service.js';
import type { LeasedExecution } from './executions.repository.js';
import { InputsService } from './inputs.service.js';
import { RunTeller } from './run-teller.js';
import { SolveResultsService } from './solve-results.service.js';
import { Solver } from './solver/solver.js';
import type { SolveOutcome } from './solver/task.js';

/** The process stops. */
class ShuttingDown extends Error {}

/** Runs executions in this process. */
@Injectable()
export class ExecutionRunnerService implements OnModuleInit, OnModuleDestroy {
  private readonly owner = randomUUID();
  private readonly running = new Map<string, Lease>();
  private readonly stopping = new AbortController();

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
    // A process that misses the end notices at its next renewal.
    this.ended.listen((id) => this.running.get(id)?.abort(new LeaseLost()));
    this.queue.handle(async (id) => await this.run(id), this.config.solvesAtOnce);
  }

  /** Claims no more executions, and leaves the running ones to other processes. */
  onModuleDestroy(): void {
    this.stopping.abort();
    for (const lease of this.running.values()) lease.abort(new ShuttingDown());
  }

  /** Runs an execution to its end: the one that was woken, or another one whose turn it is, see {@link ExecutionQueueService.claim}. */
  async run(woken: string): Promise<void> {
    const { signal: stopping } = this.stopping;
    if (stopping.aborted) {
      await this.queue.putBack(woken);
      return;
    }
    const held = await this.queue.claim(woken, this.owner);
    if (held === null) return;
    const { id: execution_id } = held;
    const lease = new Lease(async () => await this.queue.renew(held), this.logger);
    this.running.set(execution_id, lease);
    // The claim may have taken until after that.
    if (this.stopping.signal.aborted) lease.abort(new ShuttingDown());
    try {
      await this.perform(held, lease.signal);
      this.ended.send(execution_id);
    } catch (error) {
      if (error instanceof ShuttingDown) await this.queue.release(held);
      else if (error instanceof LeaseLost || error instanceof NotFound)
        this.logger.info({ execution_id }, 'an execution was ended elsewhere or went to another process');
      // It stays running, is found when its lease has run out, and is tried again, but not for ever.
      else this.logger.error({ err: error, execution_id }, 'an execution could not be run');
    } finally {
      this.running.delete(execution_id);
      lease.stop();
    }
  }

  private async perform(held: ClaimedExecution, signal: AbortSignal): Promise<void> {
    if (held.refusal !== null) {
      await this.solveResults.record(held, { kind: 'failed', failure: held.refusal });
      return;
    }
    const enough = new AbortController();
    const teller = new RunTeller(
      held.generation === 1,
      async (progress, lines) => {
        if (await this.progress.keep(held, progress, lines)) enough.abort();
      },
      this.logger,
    );
    let outcome;
    try {
      outcome = await this.solve(held, teller, signal, enough.signal);
    } finally {
      await teller.stop();
    }
    await this.solveResults.record(held, outcome, teller.size);
  }

  private async solve(
    held: LeasedExecution,
    teller: RunTeller,
    signal: AbortSignal,
    enough: AbortSignal,
  ): Promise<SolveOutcome> {
    const { SOLVE_TIME_LIMIT_SECONDS, SOLVE_MEMORY_MIB: memoryMiB } = this.config;
    const seconds = held.time_limit_seconds ?? SOLVE_TIME_LIMIT_SECONDS;
    const source = await this.inputs.read(held, signal);
    try {
      const task = { source, seconds, gap: held.mip_gap, memoryMiB };
      return await this.solver.solve(task, { signal, enough }, (news) => teller.hear(news));
    } finally {
      await this.inputs.discard(source);
    }
  }
}
