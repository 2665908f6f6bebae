import { Injectable } from '@nestjs/common';
import { ProjectEventsService } from '../events/project-events.service.js';
import { DatabaseService, type Tx } from '../database/database.service.js';
import type { RowQueue } from '../database/queues/row-queue.js';
import { RowQueuesService } from '../database/queues/row-queues.service.js';
import { sentenceOf } from '../usage/exhausted-budget.js';
import type { ExecutionError } from './execution.entity.js';
import { BACKLOG, type ClaimedRow, ExecutionsRepository, type LeasedExecution } from './executions.repository.js';

const QUEUE = 'execution';

/** Maximum number of attempts for an execution whose process dies each time. */
const MAX_ATTEMPTS = 3;

/** Error for an execution whose processes died repeatedly. */
const INTERRUPTED: ExecutionError = {
  code: 'interrupted',
  message: 'The solve was interrupted several times and will not be retried',
};

/** Execution that this process has claimed. */
export interface ClaimedExecution extends LeasedExecution {
  /**
   * Reason to end the execution without running it: too many attempts, or a budget that was used up while the execution was
   * queued.
   */
  refusal: ExecutionError | null;
}

/** Queues executions until a process claims them, and renews their leases. */
@Injectable()
export class ExecutionQueueService {
  private queue: RowQueue<ClaimedExecution> | undefined;

  constructor(
    private readonly database: DatabaseService,
    private readonly executions: ExecutionsRepository,
    private readonly queues: RowQueuesService,
    private readonly events: ProjectEventsService,
  ) {}

  /**
   * Registers the function that runs executions. Must be called while modules initialize.
   *
   * @param concurrency maximum number of concurrent executions in this process
   */
  handle(run: (execution: ClaimedExecution, signal: AbortSignal) => Promise<void>, concurrency: number): void {
    this.queue = this.queues.open<ClaimedExecution>({
      name: QUEUE,
      concurrency,
      backlog: BACKLOG,
      claim: async (owner) => {
        const rows = await this.claim(owner);
        return { rows, more: rows.length > 0 };
      },
      renew: async (execution) => await this.executions.renew(execution),
      run: async (execution, lease) => await run(execution, lease.signal),
      release: async (execution) => {
        if (await this.executions.release(execution)) this.queues.wake(QUEUE);
      },
    });
  }

  /** Wakes the workers after the transaction that added an execution has committed. */
  wake(tx: Tx): void {
    this.database.afterCommit(tx, () => this.queues.wake(QUEUE));
  }

  /** Stops running an execution that a request or another process has ended. */
  abandon(id: string): void {
    this.queue?.abandon(id);
  }

  /**
   * Claims an execution for `owner`. Executions whose process has died come first. Otherwise companies and projects take turns.
   */
  private async claim(owner: string): Promise<ClaimedExecution[]> {
    return await this.database.transaction(async (tx) => {
      const executions = tx.withRepository(this.executions);
      await executions.lockClaims();
      const claimed = await executions.claim(owner);
      if (claimed === undefined) return [];
      if (claimed.generation === 1) {
        this.events.by(tx, { kind: 'execution', id: claimed.id });
        this.events.note(tx, claimed.project_id, 'execution.changed', { execution_id: claimed.id, status: 'running' });
      }
      return [{ ...claimed, refusal: refusalOf(claimed) }];
    });
  }
}

function refusalOf({ attempts, exhausted }: ClaimedRow): ExecutionError | null {
  if (attempts > MAX_ATTEMPTS) return INTERRUPTED;
  if (exhausted !== null)
    return { code: 'budget_exhausted', message: `The model was not solved. ${sentenceOf(exhausted)}` };
  return null;
}
