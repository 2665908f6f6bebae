import type { DatabaseService, Tx } from '../../database/database.service.js';
import type { JobsService } from '../../database/jobs/jobs.service.js';

/** Delay before work that this process left to others is checked again. */
const PUT_BACK_MS = 1_000;

/** A row that waits for an owner. */
interface WaitingRow {
  id: string;
  created_at: Date;
}

/**
 * The jobs that wake a worker for rows of a table which wait for an owner. The row is the truth: a job that is lost or comes
 * twice does no harm.
 */
export class WakeUps {
  /**
   * @param task name of the job
   * @param key the row's id in its payload
   */
  constructor(
    private readonly database: DatabaseService,
    private readonly jobs: JobsService,
    private readonly task: string,
    private readonly key: string,
  ) {}

  /**
   * Has rows worked on as they are woken, each as long as its job; called while modules initialise. They have a number of
   * their own, so that other jobs never wait for them.
   */
  handle(work: (id: string) => Promise<void>, concurrency: number): void {
    const run = async (payload: Record<string, string>): Promise<void> => await work(payload[this.key] ?? '');
    this.jobs.handle(this.task, run, { concurrency });
  }

  /** Wakes a worker for a row, at `runAt` at the earliest. */
  async add(tx: Tx, id: string, runAt?: Date): Promise<void> {
    const jobKey = `${this.task}:${id}`;
    await this.jobs.add(tx, this.task, { [this.key]: id }, { jobKey, ...(runAt && { runAt }) });
  }

  /** Leaves a row to another process. */
  async putBack(id: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      await this.add(tx, id, new Date(Date.now() + PUT_BACK_MS));
    });
  }

  /** Wakes a worker for the rows that `take` returns: their jobs may have died with a worker. */
  async repeat(take: (tx: Tx) => Promise<WaitingRow[]>): Promise<void> {
    await this.database.transaction(async (tx) => {
      // With the time of their start, so that they keep their place among those that wait for a free worker.
      for (const { id, created_at } of await take(tx)) await this.add(tx, id, created_at);
    });
  }
}
