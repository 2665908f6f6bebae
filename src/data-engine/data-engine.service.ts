import { rm } from 'node:fs/promises';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { InsufficientStorage, Unavailable } from '../common/errors/errors.js';
import { unlessAborted } from '../common/leases/unless-aborted.js';
import { FairShares } from '../common/throttling/fair-shares.js';
import type { EngineMetricsService } from './engine-metrics.service.js';
import {
  type Answers,
  type TaskResult,
  type EngineConnection,
  EngineUnavailable,
  outputPath,
  partialPath,
  TransientProblem,
  type ProcessPool,
  type TableFormat,
  type Task,
  type TaskProblem,
  type TextTask,
} from '../../packages/data-engine/index.js';

/** Maximum wait before a file is read. It is long, because earlier files can take a long time. */
const LONG_PATIENCE_MS = 60_000;

/** Time limits for tasks. */
const SECONDS: Record<Task['kind'], number> = { read: 10, query: 10, keys: 10, columns: 10, convert: 60, text: 60 };

/** Maximum size in bytes of files that are fast to read. XLSX and DOCX files unpack to at most a thousand times their size. */
const SMALL_BYTES: Partial<Record<TableFormat | TextTask['format'], number>> = {
  csv: 1024 ** 2,
  tsv: 1024 ** 2,
  json: 1024 ** 2,
  xlsx: 32 * 1024,
  docx: 32 * 1024,
};

/** Requester and input size of a task. */
export interface TaskOptions {
  company_id: string;
  /** Size in bytes of the file to read. */
  bytes?: number;
  /** Aborts the task when the client disconnects. */
  signal?: AbortSignal;
}

/** Thrown for a bug in the engine, or a damaged or missing file. */
export class EngineFault extends Error {}

/** Reads files and runs queries in separate processes that can be killed and replaced. */
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
   * Runs a task. Reading a large file can take a long time, so large files may use only half of the processes. Small files and
   * queries do not wait for them. A company may occupy at most half of the large-file processes and all but one of the others.
   *
   * @throws TaskProblem if the task cannot be done
   * @throws TooManyRequests if it would wait too long
   * @throws Unavailable if its processes end or do not start
   * @throws the signal's reason if it aborts
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
    const connection = await this.started(this.pool.acquire());
    const { isFresh } = connection;
    let ending = await this.attempt(task, connection, signal);
    // Earlier tasks may have caused the failure of this process. A fresh process that runs out of memory is not retried.
    if (ending.kind === 'died' || (ending.kind === 'out_of_memory' && !isFresh)) {
      this.metrics.countRestart();
      ending = await this.attempt(task, await this.started(this.pool.acquireNew()), signal);
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
        throw outOfMemory(task.kind, 'The query needs more memory than is available. Select less data at once');
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
      if (error.cause !== undefined) this.logger.error({ err: error.cause }, 'a data engine process did not start');
      throw new Unavailable();
    }
  }

  private async attempt(task: Task, connection: EngineConnection, signal?: AbortSignal): Promise<TaskResult> {
    const ending = await connection.perform(task, this.seconds[task.kind] * 1000, signal);
    this.pool.release(connection);
    if (ending.kind === 'died' || ending.kind === 'out_of_memory')
      this.logger.warn({ task: task.kind, ending: ending.kind }, 'a data engine process died during a task');
    if (ending.kind !== 'answered') await removePart(task);
    return ending;
  }
}

/** Removes the unfinished file that a killed process left behind. */
async function removePart(task: Task): Promise<void> {
  const to = outputPath(task);
  if (to !== undefined) await rm(partialPath(to), { recursive: true, force: true });
}

/** Returns whether a task reads a file and does not run a query. */
const isOfFile = (kind: Task['kind']): boolean => kind === 'convert' || kind === 'text';

const canTakeLong = (task: Task, bytes: number): boolean => 'format' in task && bytes > (SMALL_BYTES[task.format] ?? 0);

const tooSlow = (kind: Task['kind'], seconds: number): TaskProblem =>
  isOfFile(kind)
    ? new TransientProblem('unreadable', `Reading the file took longer than ${seconds} seconds`)
    : new TransientProblem('query_timeout', `The query took longer than ${seconds} seconds`);

const outOfMemory = (kind: Task['kind'], ofQuery: string): TaskProblem =>
  isOfFile(kind)
    ? new TransientProblem('unreadable', 'Reading the file needs too much memory')
    : new TransientProblem('out_of_memory', ofQuery);
