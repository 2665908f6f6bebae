import { Injectable } from '@nestjs/common';
import { Database, type Tx } from '../platform/database/database.js';
import { Jobs } from '../platform/jobs/jobs.service.js';
import { LEASE, LeaseLost } from '../platform/leases/lease.js';
import { before, type Execution } from './execution.entity.js';

/** Name of the job that runs an execution; its payload is `{ execution_id }`. The row is the truth, the job wakes up. */
export const EXECUTION_TASK = 'execution';

/** An execution whose processes die is tried so often. */
const MOST_ATTEMPTS = 3;
const WOKEN_AT_ONCE = 100;
const PUT_BACK_MS = 1_000;

/** What the owner of a running execution knows of it; `generation` makes its writes its own. */
export type HeldExecution = Pick<
  Execution,
  'id' | 'project_id' | 'company_id' | 'generation' | 'is_test' | 'cards' | 'inputs_id'
>;

/** Condition that an execution is still held, whose parameters $1 and $2 are id and generation. */
export const HELD = `id = $1 AND generation = $2 AND status = 'running' AND owner IS NOT NULL`;

/** Executions from their start to their claim, and how they are kept. */
@Injectable()
export class ExecutionQueue {
  constructor(
    private readonly database: Database,
    private readonly jobs: Jobs,
  ) {}

  /** Makes some worker look at an execution, at `runAt` at the earliest. */
  async wake(tx: Tx, execution_id: string, runAt?: Date): Promise<void> {
    const jobKey = `${EXECUTION_TASK}:${execution_id}`;
    await this.jobs.add(tx, EXECUTION_TASK, { execution_id }, { jobKey, ...(runAt && { runAt }) });
  }

  /** Leaves an execution to another process. */
  async putBack(execution_id: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      await this.wake(tx, execution_id, new Date(Date.now() + PUT_BACK_MS));
    });
  }

  /**
   * Makes `owner` the one who runs an execution that is queued, or that nobody runs any more; null when there is nothing
   * to claim. `isLast` when it has been tried so often that it has to end instead.
   */
  async claim(execution_id: string, owner: string): Promise<(HeldExecution & { isLast: boolean }) | null> {
    const [[claimed]]: [(HeldExecution & { attempts: number })[], number] = await this.database.manager.query(
      // Of an attempt whose process went away, what is known to have passed is the time until its last sign of life.
      `UPDATE executions
          SET status = 'running', owner = $2, generation = generation + 1, attempts = attempts + 1,
              spent_ms = spent_ms + CASE WHEN started_at IS NULL THEN 0
                ELSE greatest(0, 1000 * extract(epoch FROM due_at - ${LEASE} - started_at))::bigint END,
              started_at = clock_timestamp(), due_at = clock_timestamp() + ${LEASE}
        WHERE id = $1 AND status = ANY ($3) AND (status = 'queued' OR due_at <= clock_timestamp())
      RETURNING id, project_id, company_id, generation, is_test, cards, inputs_id, attempts`,
      [execution_id, owner, before('running')],
    );
    if (claimed === undefined) return null;
    const { attempts, ...held } = claimed;
    return { ...held, isLast: attempts > MOST_ATTEMPTS };
  }

  /** Keeps a running execution. @throws LeaseLost */
  async renew({ id, generation }: HeldExecution): Promise<void> {
    const [, count]: [unknown[], number] = await this.database.manager.query(
      `UPDATE executions SET due_at = clock_timestamp() + ${LEASE} WHERE ${HELD}`,
      [id, generation],
    );
    if (count === 0) throw new LeaseLost();
  }

  /** Lets another process take a running execution up at once; what it has taken so far stays, the attempt does not. */
  async release({ id, generation }: HeldExecution): Promise<void> {
    await this.database.transaction(async (tx) => {
      const [, count]: [unknown[], number] = await tx.query(
        `UPDATE executions
            SET owner = NULL, attempts = attempts - 1, due_at = clock_timestamp(), started_at = NULL,
                spent_ms = spent_ms + (1000 * extract(epoch FROM clock_timestamp() - started_at))::bigint
          WHERE ${HELD}`,
        [id, generation],
      );
      if (count > 0) await this.wake(tx, id);
    });
  }

  /** Wakes somebody for executions that nobody runs: the job of a queued one is lost, or the owner is gone. */
  async rewake(): Promise<void> {
    await this.database.transaction(async (tx) => {
      const [executions]: [Pick<Execution, 'id' | 'created_at'>[], number] = await tx.query(
        // A running one stays due, so that it can be claimed.
        `UPDATE executions
            SET due_at = CASE status WHEN 'queued' THEN clock_timestamp() + ${LEASE} ELSE due_at END
          WHERE id IN (SELECT id FROM executions WHERE status IN ('queued', 'running') AND due_at < clock_timestamp()
                        ORDER BY status DESC, due_at LIMIT ${WOKEN_AT_ONCE} FOR NO KEY UPDATE SKIP LOCKED)
        RETURNING id, created_at`,
      );
      // With the time of their start, so that they keep their place among those that wait for a free worker.
      for (const { id, created_at } of executions) await this.wake(tx, id, created_at);
    });
  }
}
