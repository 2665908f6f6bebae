import { Injectable } from '@nestjs/common';
import { ProjectEventsService } from '../events/project-events.service.js';
import { DatabaseService, type Tx } from '../database/database.service.js';
import { JobsService } from '../database/jobs/jobs.service.js';
import { WakeUps } from '../common/leases/wake-ups.js';
import { sentenceOf } from '../usage/exhausted-budget.js';
import type { ExecutionError } from './execution.entity.js';
import { type Claimed, ExecutionsRepository, type LeasedExecution } from './executions.repository.js';

/**
 * Name of the job that runs an execution; its payload is `{ execution_id }`. The rows are the truth, the job wakes up: there are as
 * many as executions that wait, and which of them each one runs is decided then.
 */
const TASK = 'execution';

/** Most attempts of an execution whose processes die. */
const MAX_ATTEMPTS = 3;

/** The end of an execution whose processes died repeatedly. */
const INTERRUPTED: ExecutionError = {
  code: 'interrupted',
  message: 'The solve was interrupted several times and is not tried again',
};

/** An execution that its owner is to run. */
export interface ClaimedExecution extends LeasedExecution {
  /** Why it has to end instead: it was tried too often, or a budget was used up while it waited. */
  refusal: ExecutionError | null;
}

/** Executions from their start to their claim, and how they are kept. */
@Injectable()
export class ExecutionQueueService {
  private readonly wakeUps: WakeUps;

  constructor(
    private readonly database: DatabaseService,
    private readonly executions: ExecutionsRepository,
    jobs: JobsService,
    private readonly events: ProjectEventsService,
  ) {
    this.wakeUps = new WakeUps(database, jobs, TASK, 'execution_id');
  }

  /**
   * Has executions that were woken run, each as long as its job; called while modules initialise.
   *
   * @param concurrency how many of them this process runs at once
   */
  handle(run: (woken: string) => Promise<void>, concurrency: number): void {
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
   * Makes `owner` the one who runs an execution: the one that it was woken for if nobody runs that any more, else the one of all
   * that wait whose turn it is. Null when there is nothing to claim.
   */
  async claim(woken: string, owner: string): Promise<ClaimedExecution | null> {
    const claimed = await this.database.transaction(async (tx) => {
      const executions = tx.withRepository(this.executions);
      await executions.lockClaims();
      const taken = await executions.claim(woken, owner);
      if (taken?.generation === 1) {
        this.events.by(tx, { kind: 'execution', id: taken.id });
        this.events.note(tx, taken.project_id, 'execution.changed', { execution_id: taken.id, status: 'running' });
      }
      return taken;
    });
    return claimed === undefined ? null : { ...claimed, refusal: refusalOf(claimed) };
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

function refusalOf({ attempts, exhausted }: Claimed): ExecutionError | null {
  if (attempts > MAX_ATTEMPTS) return INTERRUPTED;
  if (exhausted !== null) return { code: 'budget_exhausted', message: `It was not solved: ${sentenceOf(exhausted)}` };
  return null;
}
