import { rm } from 'node:fs/promises';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { InsufficientStorage, Unavailable } from '../common/errors/errors.js';
import { unlessAborted } from '../common/leases/unless-aborted.js';
import { FairShares } from '../common/throttling/fair-shares.js';
import type { EngineMetricsService } from './engine-metrics.service.js';
import {
  type Answers,
  type Ending,
  type EngineConnection,
  EngineUnavailable,
  fileOf,
  partOf,
  PassingProblem,
  type ProcessPool,
  type TableFormat,
  type Task,
  type TaskProblem,
  type TextTask,
} from '../../packages/data-engine/index.js';

/** Whoever waits for a file to be read waits for those before it. */
const LONG_PATIENCE_MS = 60_000;

/** How long tasks may take. */
const SECONDS: Record<Task['kind'], number> = { read: 10, query: 10, keys: 10, columns: 10, convert: 60, text: 60 };

/** Bytes up to which files of a format are read fast. XLSX and DOCX files unpack to at most a thousand times as much. */
const SMALL_BYTES: Partial<Record<TableFormat | TextTask['format'], number>> = {
  csv: 1024 ** 2,
  tsv: 1024 ** 2,
  json: 1024 ** 2,
  xlsx: 32 * 1024,
  docx: 32 * 1024,
};

/** For whom a task is done. */
export interface TaskOptions {
  company_id: string;
  /** Size of the file that is read, in bytes. */
  bytes?: number;
  /** Ends the task when nobody waits for it any more. */
  signal?: AbortSignal;
}

/** A bug, or a file that is damaged or missing. */
export class EngineFault extends Error {}

/** Reads files and runs queries, in processes of their own that can be killed and replaced. */
export class DataEngine implements OnApplicationShutdown {
  private readonly lanes: Record<'long' | 'short', { shares: FairShares; ofCompany: number }>;

  constructor(
    private readonly pool: ProcessPool,
    private readonly metrics: EngineMetricsService,
    private readonly logger: Logger,
    private readonly seconds = SECONDS,
  ) {
    const long = Math.max(1, Math.floor(pool.size / 2));
    const short = Math.max(1, pool.size - long);
    this.lanes = {
      long: { shares: new FairShares(long, LONG_PATIENCE_MS), ofCompany: Math.max(1, Math.floor(long / 2)) },
      short: { shares: new FairShares(short), ofCompany: Math.max(1, short - 1) },
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
   * Does a task. Reading a file that is not small can take long and has half of the processes, so that small files and queries do
   * not wait for it. A company has at most half of these processes, and all but one of the others.
   *
   * @throws TaskProblem when it cannot be done
   * @throws TooManyRequests when it would wait for too long
   * @throws Unavailable when its processes end or do not start
   * @throws the signal's reason when it aborts
   */
  async run<K extends Task['kind']>(
    task: Extract<Task, { kind: K }>,
    { company_id, bytes = Infinity, signal }: TaskOptions,
  ): Promise<Answers[K]> {
    signal?.throwIfAborted();
    const { shares, ofCompany } = this.lanes[canTakeLong(task, bytes) ? 'long' : 'short'];
    const ticket = shares.take(1, [{ key: company_id, limit: ofCompany }]);
    try {
      if (ticket.granted !== undefined)
        await (signal === undefined ? ticket.granted : unlessAborted(ticket.granted, signal));
      return (await this.metrics.measure(task.kind, async () => await this.perform(task, signal))) as Answers[K];
    } finally {
      ticket.leave();
    }
  }

  private async perform(task: Task, signal?: AbortSignal): Promise<Answers[Task['kind']]> {
    const connection = await this.started(this.pool.take());
    const { isFresh } = connection;
    let ending = await this.attempt(task, connection, signal);
    // The process may have had what it died of from tasks before; memory of a new one is all there is.
    if (ending.kind === 'died' || (ending.kind === 'out_of_memory' && !isFresh)) {
      this.metrics.countRestart();
      ending = await this.attempt(task, await this.started(this.pool.startFresh()), signal);
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

  private async started(process: Promise<EngineConnection>): Promise<EngineConnection> {
    try {
      return await process;
    } catch (error) {
      if (!(error instanceof EngineUnavailable)) throw error;
      if (error.cause !== undefined)
        this.logger.error({ err: error.cause }, 'a process of the data engine did not start');
      throw new Unavailable();
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

const canTakeLong = (task: Task, bytes: number): boolean => 'format' in task && bytes > (SMALL_BYTES[task.format] ?? 0);

const tooSlow = (kind: Task['kind'], seconds: number): TaskProblem =>
  isOfFile(kind)
    ? new PassingProblem('unreadable', `Reading the file took longer than ${seconds} seconds`)
    : new PassingProblem('query_timeout', `The query took longer than ${seconds} seconds`);

const outOfMemory = (kind: Task['kind'], ofQuery: string): TaskProblem =>
  isOfFile(kind)
    ? new PassingProblem('unreadable', 'Reading the file takes too much memory')
    : new PassingProblem('out_of_memory', ofQuery);
