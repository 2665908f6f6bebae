import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { faultAnswer } from '../common/errors/faults.js';

/** Delay between two attempts. */
const RETRY_MS = 1_000;
/** Attempts between two log lines. */
const LOGGED_EVERY = 60;

/** What graphile-worker asks once, by name or text: to store how a job ended, and the numbers of its tasks. */
const ASKED_ONCE = /^(complete|fail)_job|\b_private_tasks as tasks\b/;

type Connected = (err: Error | undefined, client: pg.PoolClient | undefined, done: (release?: unknown) => void) => void;

/**
 * Connections for graphile-worker, which by itself does not get over every loss of its database:
 *
 * - It tries once to store how a job ended (github.com/graphile/worker/issues/636). When that fails, its runner takes no more
 *   jobs and waits for the end of those that still run; when it fails again meanwhile, it waits for ever. And a runner that
 *   is not told the numbers of its tasks when it starts never finds a job. So these statements, which may run twice, are
 *   tried until they succeed.
 * - After some failures to connect it tries again in minutes only. Here they look like the others, after which it tries soon.
 */
export class WorkerPool extends pg.Pool {
  /** @param stopping aborts when the process stops; what fails from then on stays undone, as in a process that dies */
  constructor(
    options: pg.PoolConfig,
    private readonly stopping: AbortSignal,
    private readonly logger: Logger,
  ) {
    super(options);
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.PoolClient> | void {
    return callback === undefined ? Promise.resolve(this.lend()) : super.connect(callback);
  }

  /** Stands for a connection of the pool, which is taken for the first statement that needs it. */
  private lend(): pg.PoolClient {
    let client: Promise<pg.PoolClient> | undefined;
    const connect = (): Promise<pg.PoolClient> =>
      super.connect().catch((cause: unknown) => {
        throw new Error('There is no connection for jobs', { cause });
      });
    const lent = {
      query: async (statement: string | pg.QueryConfig): Promise<pg.QueryResult> => {
        const { name, text } = typeof statement === 'string' ? { text: statement } : statement;
        if (ASKED_ONCE.test(name ?? text)) return await this.insist(statement);
        client ??= connect();
        return await (await client).query(statement);
      },
      release: async (): Promise<void> => (await client)?.release(),
    };
    return lent as unknown as pg.PoolClient;
  }

  /** Runs a statement until the database can be reached. */
  private async insist(statement: string | pg.QueryConfig): Promise<pg.QueryResult> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.query(statement);
      } catch (err) {
        // What would fail again for ever is graphile-worker's; its runner gives up then and gets a successor.
        if (err instanceof pg.DatabaseError && faultAnswer(err)?.status !== 503) throw err;
        if (attempt % LOGGED_EVERY === 1) this.logger.warn({ err }, 'the state of jobs cannot be stored for a moment');
        if (this.stopping.aborted) return new pg.Result('text', pg.types);
      }
      await pause(RETRY_MS, undefined, { signal: this.stopping }).catch(() => undefined);
    }
  }
}
