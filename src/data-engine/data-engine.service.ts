import { rm } from 'node:fs/promises';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { InsufficientStorage, Unavailable } from '../platform/errors/errors.js';
import { unlessAborted } from '../platform/leases/unless-aborted.js';
import { FairShares } from '../platform/throttling/fair-shares.js';
import type { EngineMetrics } from './engine-metrics.service.js';
import type { EngineConnection, Ending } from './engine-connection.js';
import { fileOf, partOf } from './messages.js';
import type { ProcessPool } from './process-pool.js';
import { type Answers, PassingProblem, type Task, type TaskProblem } from './tasks.js';

/** Whoever waits for a file to be read waits for those before it. */
const LONG_PATIENCE_MS = 60_000;

/** How long tasks may take. */
const SECONDS: Record<Task['kind'], number> = { read: 10, query: 10, keys: 10, columns: 10, convert: 60, text: 60 };

/** For whom a task is done. */
export interface TaskOptions {
  company_id: string;
  /** Ends the task when nobody waits for it any more. */
  signal?: AbortSignal;
}

/** A bug, or a file that is damaged or missing. */
export class EngineFault extends Error {}

/** Reads files and runs queries, in processes of their own that can be killed and replaced. */
export class DataEngine implements OnApplicationShutdown {
  private readonly lanes: Record<'long' | 'short', { shares: FairShares; places: number }>;

  constructor(
    private readonly pool: ProcessPool,
    private readonly metrics: EngineMetrics,
    private readonly logger: Logger,
    private readonly seconds = SECONDS,
  ) {
    const long = Math.max(1, Math.floor(pool.size / 2));
    const short = Math.max(1, pool.size - long);
    this.lanes = {
      long: { shares: new FairShares(long, LONG_PATIENCE_MS), places: long },
      short: { shares: new FairShares(short), places: short },
    };
    metrics.observe(() => ({
      processes: pool.processes,
      waiting: this.lanes.long.shares.waiting + this.lanes.short.shares.waiting,
    }));
  }

  onApplicationShutdown(): void {
    this.pool.close();
  }

  /**
   * Does a task. Conversions and texts, which may take long, have half the processes at most, so that queries do not wait
   * behind them; of each half a company has all but one, where there is more than one.
   *
   * @throws TaskProblem when it cannot be done
   * @throws TooManyRequests when it would wait for too long
   * @throws Unavailable when its processes end or do not start
   * @throws the signal's reason when it aborts
   */
  async run<K extends Task['kind']>(
    task: Extract<Task, { kind: K }>,
    { company_id, signal }: TaskOptions,
  ): Promise<Answers[K]> {
    signal?.throwIfAborted();
    const { shares, places } = this.lanes[isOfFile(task.kind) ? 'long' : 'short'];
    const ticket = shares.take(1, [{ key: company_id, limit: Math.max(1, places - 1) }]);
    try {
      if (ticket.granted !== undefined)
        await (signal === undefined ? ticket.granted : unlessAborted(ticket.granted, signal));
      return (await this.metrics.measure(task.kind, async () => await this.perform(task, signal))) as Answers[K];
    } finally {
      ticket.leave();
    }
  }

  private async perform(task: Task, signal?: AbortSignal): Promise<Answers[Task['kind']]> {
    const connection = await this.pool.take();
    const { isFresh } = connection;
    let ending = await this.attempt(task, connection, signal);
    // The process may have had what it died of from tasks before; memory of a new one is all there is.
    if (ending.kind === 'died' || (ending.kind === 'out_of_memory' && !isFresh)) {
      this.metrics.countRestart();
      ending = await this.attempt(task, await this.pool.startFresh(), signal);
    }
    switch (ending.kind) {
      case 'answered':
        return ending.answer;
      case 'problem':
        throw ending.problem.code === 'out_of_memory' ? outOfMemory(task.kind, ending.problem.message) : ending.problem;
      case 'aborted':
        throw signal?.reason;
      case 'too_slow':
        throw tooSlow(task.kind, this.seconds[task.kind]);
      case 'out_of_memory':
        throw outOfMemory(task.kind, 'This needs more memory than there is for it: ask for less at once');
      case 'died':
        throw new Unavailable();
      case 'disk_full':
        throw new InsufficientStorage('disk_full', 'The disk of the service is full');
      case 'unloadable':
        this.logger.error({ reason: ending.sentence }, 'the data engine cannot be loaded');
        throw new Unavailable();
      case 'fault':
        throw new EngineFault(`A task of the data engine failed: ${ending.sentence}`);
    }
  }

  private async attempt(task: Task, connection: EngineConnection, signal?: AbortSignal): Promise<Ending> {
    const ending = await connection.perform(task, this.seconds[task.kind] * 1000, signal);
    this.pool.giveBack(connection);
    if (ending.kind === 'died' || ending.kind === 'out_of_memory')
      this.logger.warn({ task: task.kind, ending: ending.kind }, 'a process of the data engine died under a task');
    if (ending.kind !== 'answered') await removePart(task);
    return ending;
  }
}

/** Where a killed process wrote to. */
async function removePart(task: Task): Promise<void> {
  const to = fileOf(task);
  if (to !== undefined) await rm(partOf(to), { recursive: true, force: true });
}

/** Whether what a task is of is a file, and not a query. */
const isOfFile = (kind: Task['kind']): boolean => kind === 'convert' || kind === 'text';

const tooSlow = (kind: Task['kind'], seconds: number): TaskProblem =>
  isOfFile(kind)
    ? new PassingProblem('unreadable', `Reading the file took longer than ${seconds} seconds`)
    : new PassingProblem('query_timeout', `The query took longer than ${seconds} seconds`);

const outOfMemory = (kind: Task['kind'], ofQuery: string): TaskProblem =>
  isOfFile(kind)
    ? new PassingProblem('unreadable', 'Reading the file takes too much memory')
    : new PassingProblem('out_of_memory', ofQuery);
