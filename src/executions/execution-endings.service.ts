import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { Database, type Tx } from '../platform/database/database.js';
import { LEASE, LeaseLost } from '../platform/leases/lease.js';
import { CanvasService } from '../projects/canvas/canvas.service.js';
import { modelDigest } from '../projects/canvas/model-digest.js';
import type { Project } from '../projects/project.entity.js';
import { ProjectsService } from '../projects/projects.service.js';
import { UsageService } from '../usage/usage.service.js';
import { before, type Execution, type ExecutionError } from './execution.entity.js';
import { HELD, type HeldExecution } from './execution-queue.service.js';
import { InputsService } from './inputs.service.js';
import { ResultFiles } from './result-files.service.js';
import type { SolveOutcome } from './solver/task.js';

/** The end of an execution whose processes went away again and again. */
export const INTERRUPTED: ExecutionError = {
  code: 'interrupted',
  message: 'The solve was interrupted several times and is not tried again',
};

interface Ending {
  status: 'succeeded' | 'failed' | 'canceled';
  /** JSON text. */
  result?: string;
  error?: ExecutionError;
  feasibility_result?: Project['feasibility_result'];
}

type Ended = Pick<Execution, 'id' | 'project_id' | 'company_id' | 'user_id' | 'api_key_id' | 'spent_ms' | 'inputs_id'>;

/** The end of executions: one transaction for the outcome, its file, the charge and what follows for the project. */
@Injectable()
export class ExecutionEndings {
  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly projects: ProjectsService,
    private readonly canvas: CanvasService,
    private readonly usage: UsageService,
    private readonly inputs: InputsService,
    private readonly results: ResultFiles,
  ) {}

  /** Ends a running execution with what came of it. @throws LeaseLost when it is not the caller's any more */
  async end(held: HeldExecution, outcome: SolveOutcome | { kind: 'failed'; failure: ExecutionError }): Promise<void> {
    const blob = outcome.kind === 'solved' ? await this.results.store(held, outcome.json) : null;
    await this.database.transaction(async (tx) => {
      const project = await this.projects.lock(tx, held.company_id, held.project_id);
      const found: unknown[] = await tx.query(`SELECT id FROM executions WHERE ${HELD} FOR NO KEY UPDATE`, [
        held.id,
        held.generation,
      ]);
      if (found.length === 0) throw new LeaseLost();
      if (outcome.kind === 'failed') {
        await this.finish(tx, [held.id], { status: 'failed', error: outcome.failure });
        return;
      }
      const feasibility_result = outcome.status === 'infeasible' || outcome.status === 'unbounded' ? 'fail' : 'pass';
      const tells = !held.is_test && (await this.isOfCanvas(tx, held));
      const file_path = await this.results.put(tx, project, held.id, blob);
      await this.finish(tx, [held.id], {
        status: 'succeeded',
        result: `${outcome.json.slice(0, -1)},"file_path":${JSON.stringify(file_path)}}`,
        ...(tells && { feasibility_result }),
      });
    });
  }

  /** Ends those of the executions of a locked project that are not over; answers their ids. */
  async cancel(tx: Tx, executions: readonly string[]): Promise<string[]> {
    return await this.finish(tx, executions, { status: 'canceled' });
  }

  /** Whether the outcome holds for the canvas: its cards were solved, and are as they were. A model file is another model. */
  private async isOfCanvas(tx: Tx, { project_id, cards }: HeldExecution): Promise<boolean> {
    return cards !== null && modelDigest(cards) === modelDigest(await this.canvas.list(project_id, tx));
  }

  private async finish(tx: Tx, ids: readonly string[], ending: Ending): Promise<string[]> {
    const { status, result = null, error = null, feasibility_result } = ending;
    const [ended]: [Ended[], number] = await tx.query(
      `UPDATE executions
          SET status = $2, result = $3, error = $4, owner = NULL, due_at = NULL, ended_at = clock_timestamp(),
              cards = NULL, inputs_id = NULL,
              -- of an attempt whose process went away, what is known to have passed
              spent_ms = spent_ms + CASE WHEN owner IS NULL THEN 0
                ELSE greatest(0, 1000 * extract(epoch FROM
                  CASE WHEN due_at < clock_timestamp() THEN due_at - ${LEASE} ELSE clock_timestamp() END - started_at))::bigint END
        WHERE id = ANY ($1::uuid[]) AND status = ANY ($5)
      RETURNING id, project_id, company_id, user_id, api_key_id, spent_ms, OLD.inputs_id`,
      [ids, status, result, error === null ? null : JSON.stringify(error), before(status)],
    );
    for (const execution of ended) await this.settle(tx, execution, feasibility_result);
    return ended.map(({ id }) => id);
  }

  private async settle(
    tx: Tx,
    { id, project_id, company_id, user_id, api_key_id, spent_ms, inputs_id }: Ended,
    feasibility_result: Ending['feasibility_result'],
  ): Promise<void> {
    const credits = this.config.PRICE_SOLVE_SECOND * Math.ceil(spent_ms / 1000);
    await this.projects.adjust(tx, project_id, {
      active_solves: -1,
      credits,
      ...(feasibility_result !== undefined && { feasibility_result }),
    });
    if (credits > 0) {
      await this.usage.record(tx, {
        company_id,
        project_id,
        user_id,
        api_key_id,
        source_type: 'execution',
        source_id: id,
        credits,
      });
    }
    await this.inputs.release(tx, company_id, inputs_id);
  }
}
