import { Injectable } from '@nestjs/common';
import { Database, type Tx } from '../platform/database/database.service.js';
import { Jobs } from '../platform/jobs/jobs.service.js';
import { WakeUps } from '../platform/leases/wake-ups.js';
import { ExecutionsRepository, type LeasedExecution } from './executions.repository.js';

/** Name of the job that runs an execution; its payload is `{ execution_id }`. The row is the truth, the job wakes up. */
const TASK = 'execution';

/** Most attempts of an execution whose processes die. */
const MAX_ATTEMPTS = 3;

/** An execution that its owner is to run. */
export type ClaimedExecution = LeasedExecution & {
  /** How often it was tried, this time included. */
  attempts: number;
  /** It has been tried so often that it has to end instead. */
  isLast: boolean;
};

/** Executions from their start to their claim, and how they are kept. */
@Injectable()
export class ExecutionQueue {
  private readonly wakeUps: WakeUps;

  constructor(
    private readonly database: Database,
    private readonly executions: ExecutionsRepository,
    jobs: Jobs,
  ) {
    this.wakeUps = new WakeUps(database, jobs, TASK, 'execution_id');
  }

  /**
   * Has executions that were woken run, each as long as its job; called while modules initialise.
   *
   * @param concurrency how many of them this process runs at once
   */
  handle(run: (execution_id: string) => Promise<void>, concurrency: number): void {
    this.wakeUps.handle(run, concurrency);
  }

  /** Wakes a worker for an execution. */
  async wake(tx: Tx, execution_id: string): Promise<void> {
    await this.wakeUps.add(tx, execution_id);
  }

  /** Leaves an execution to another process. */
  async putBack(execution_id: string): Promise<void> {
    await this.wakeUps.putBack(execution_id);
  }

  /**
   * Makes `owner` the one who runs an execution that is queued, or that nobody runs any more; null when there is nothing
   * to claim.
   */
  async claim(execution_id: string, owner: string): Promise<ClaimedExecution | null> {
    const claimed = await this.executions.claim(execution_id, owner);
    return claimed === undefined ? null : { ...claimed, isLast: claimed.attempts > MAX_ATTEMPTS };
  }

  /** Keeps a running execution. @throws LeaseLost */
  async renew(held: LeasedExecution): Promise<void> {
    await this.executions.renew(held);
  }

  /** Lets another process take a running execution up at once; what it has taken so far stays, the attempt does not. */
  async release(held: LeasedExecution): Promise<void> {
    await this.database.transaction(async (tx) => {
      if (await tx.withRepository(this.executions).release(held)) await this.wakeUps.add(tx, held.id);
    });
  }

  /** Wakes a worker for executions that nobody runs: the job of a queued one is lost, or the owner is gone. */
  async rewake(): Promise<void> {
    await this.wakeUps.repeat((tx) => tx.withRepository(this.executions).takeAbandoned());
  }
}
