import type { ExecutionId, ProjectId } from '../database/checked-id.js';
import { EntityRepository } from '../database/entity-repository.js';
import { LeaseLost } from '../common/leases/lease.js';
import { claimedBy, givenBack, LEASE, OVER, OVERDUE, RENEWED } from '../common/leases/leased-row.sql.js';
import { exhaustedBudget } from '../usage/budgets.sql.js';
import type { ExhaustedBudget } from '../usage/exhausted-budget.js';
import type { Spender } from '../usage/spender.js';
import type { ModelSize } from '../../packages/solver/index.js';
import { Execution, EXECUTION_STEPS, type ExecutionError } from './execution.entity.js';
import type { ExecutionRecord } from './execution-views.repository.js';
import { EXHAUSTED, HELD, NEXT_IN_TURN, RECORD, STARTS } from './executions.sql.js';

/** What a new execution is stored with; the rest has defaults. */
export type NewRow = Pick<
  Execution,
  | 'project_id'
  | 'company_id'
  | 'triggered_by'
  | 'user_id'
  | 'api_key_id'
  | 'input_file_ids'
  | 'is_test'
  | 'name'
  | 'time_limit_seconds'
  | 'mip_gap'
  | 'affects_checklist'
  | 'scenario_id'
  | 'batch_id'
  | 'cards'
  | 'inputs_id'
>;

/** What the owner of a running execution knows of it; `generation` makes its writes its own. */
export type LeasedExecution = Pick<
  Execution,
  | 'id'
  | 'project_id'
  | 'company_id'
  | 'generation'
  | 'is_test'
  | 'time_limit_seconds'
  | 'mip_gap'
  | 'affects_checklist'
  | 'cards'
  | 'inputs_id'
>;

/** An execution that was taken up. */
export interface Claimed extends LeasedExecution {
  /** This one counts. */
  attempts: number;
  /** A budget that was used up before it ever ran. */
  exhausted: ExhaustedBudget | null;
}

/** The last step of an execution. */
export interface Ending {
  status: 'succeeded' | 'failed' | 'canceled';
  /** JSON text. */
  result?: string;
  error?: ExecutionError;
  model?: ModelSize;
  /** Container of the values of what has an index. */
  outputs_id?: string;
}

/** An execution that was ended just now. */
export type EndedExecution = Pick<
  Execution,
  'id' | 'project_id' | 'company_id' | 'user_id' | 'api_key_id' | 'spent_ms'
>;

/** SELECT of what waits for a worker. */
export const BACKLOG = `
  SELECT count(*)::integer AS waiting,
         coalesce(extract(epoch FROM clock_timestamp() - min(created_at)), 0)::double precision AS oldest_seconds
    FROM executions WHERE status = 'queued'`;

/**
 * Starts, claims and ends executions; {@link ExecutionViewsRepository} reads them. Their status changes along {@link EXECUTION_STEPS}. They are started and ended under the lock of
 * their project, whose counter of active solves goes with them; claims and leases go by the row alone.
 */
export class ExecutionsRepository extends EntityRepository(Execution) {
  /** Locks the starts of a company's executions until the transaction ends, so that those that wait can be counted. */
  async lockStarts(company_id: string): Promise<void> {
    await this.query(`SELECT pg_advisory_xact_lock(hashtextextended('solves:' || $1, 0))`, [company_id]);
  }

  /** How many starts of a company wait, and a budget that one more would find used up. */
  async queueOf(
    company_id: string,
    project_id: ProjectId,
    { user_id, api_key_id }: Spender,
  ): Promise<{ waiting: number; exhausted: ExhaustedBudget | null }> {
    const [queue]: { waiting: number; exhausted: ExhaustedBudget | null }[] = await this.query(
      `SELECT ${STARTS} AS waiting, ${exhaustedBudget({ company_id: '$1', project_id: '$2', user_id: '$3', api_key_id: '$4' })} AS exhausted
         FROM executions e WHERE e.company_id = $1 AND e.status = 'queued'`,
      [company_id, project_id, user_id, api_key_id],
    );
    if (queue === undefined) throw new Error('A count has no row');
    return queue;
  }

  /** How many starts of a project there were by a trigger. */
  async countStarts(project_id: ProjectId, triggered_by: string): Promise<number> {
    const [counted]: { starts: number }[] = await this.query(
      `SELECT ${STARTS} AS starts FROM executions e WHERE e.project_id = $1 AND e.triggered_by = $2`,
      [project_id, triggered_by],
    );
    return counted?.starts ?? 0;
  }

  /** Adds a queued execution. @param wantedId its id; default a new one */
  async add(row: NewRow, wantedId: string | null = null): Promise<ExecutionRecord> {
    const [created]: ExecutionRecord[] = await this.query(
      `INSERT INTO executions
         (project_id, company_id, triggered_by, user_id, api_key_id, input_file_ids, is_test, name, time_limit_seconds,
          mip_gap, affects_checklist, scenario_id, batch_id, cards, inputs_id, id)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, coalesce($16, uuidv7())) RETURNING ${RECORD}`,
      [
        ...[row.project_id, row.company_id, row.triggered_by, row.user_id, row.api_key_id, row.input_file_ids],
        ...[row.is_test, row.name, row.time_limit_seconds, row.mip_gap, row.affects_checklist, row.scenario_id],
        ...[row.batch_id, row.cards === null ? null : JSON.stringify(row.cards), row.inputs_id, wantedId],
      ],
    );
    if (created === undefined) throw new Error('The execution was not created');
    return created;
  }

  /** The ids of a project's executions that are not over, in the order in which they were started. */
  async activeOf(project_id: ProjectId): Promise<ExecutionId[]> {
    const active: Pick<Execution, 'id'>[] = await this.query(
      `SELECT id FROM executions WHERE project_id = $1 AND status IN ('queued', 'running') ORDER BY id`,
      [project_id],
    );
    return active.map(({ id }) => id);
  }

  /** Locks claims until the transaction ends: one is made after the other, so that each knows whose turn it is. */
  async lockClaims(): Promise<void> {
    await this.query(`SELECT pg_advisory_xact_lock(hashtextextended('execution claims', 0))`);
  }

  /**
   * Makes `owner` the one who runs an execution: one whose process is gone, else the one of all that wait whose turn it is. Undefined
   * when there is nothing to claim. Under {@link lockClaims}.
   */
  async claim(owner: string): Promise<Claimed | undefined> {
    const [[claimed]]: [Claimed[], number] = await this.query(
      // Of an attempt whose process went away, what is known to have passed is the time until its last sign of life.
      `UPDATE executions
          SET status = 'running', ${claimedBy('$1')},
              spent_ms = spent_ms + CASE WHEN started_at IS NULL THEN 0
                ELSE greatest(0, 1000 * extract(epoch FROM due_at - ${LEASE} - started_at))::bigint END,
              started_at = clock_timestamp()
        WHERE id = coalesce(
                (SELECT id FROM executions WHERE status = 'running' AND ${OVERDUE} ORDER BY due_at LIMIT 1),
                (${NEXT_IN_TURN}))
          AND status = ANY ($2)
      RETURNING id, project_id, company_id, generation, is_test, time_limit_seconds, mip_gap, affects_checklist, cards,
                inputs_id, attempts, CASE generation WHEN 1 THEN ${EXHAUSTED} END AS exhausted`,
      [owner, EXECUTION_STEPS.before('running')],
    );
    return claimed;
  }

  /** Keeps a running execution. @throws LeaseLost */
  async renew({ id, generation }: LeasedExecution): Promise<void> {
    const [, count]: [unknown[], number] = await this.query(`UPDATE executions SET ${RENEWED} WHERE ${HELD}`, [
      id,
      generation,
    ]);
    if (count === 0) throw new LeaseLost();
  }

  /** Asks the owner of a running execution to end it and to keep its best plan. False when it is not running. */
  async askForPlan(id: ExecutionId): Promise<boolean> {
    const [, count]: [unknown[], number] = await this.query(
      `UPDATE executions SET keeps_plan = true WHERE id = $1 AND status = 'running'`,
      [id],
    );
    return count > 0;
  }

  /** Gives a held execution up without its attempt: it can be claimed at once. False when it is not held any more. */
  async release({ id, generation }: LeasedExecution): Promise<boolean> {
    const [, count]: [unknown[], number] = await this.query(
      `UPDATE executions
          SET ${givenBack('1')}, due_at = clock_timestamp(), started_at = NULL,
              spent_ms = spent_ms + (1000 * extract(epoch FROM clock_timestamp() - started_at))::bigint
        WHERE ${HELD}`,
      [id, generation],
    );
    return count > 0;
  }

  /** Locks a running execution if its owner still holds it. @throws LeaseLost */
  async lockForOwner({ id, generation }: LeasedExecution): Promise<void> {
    const found: unknown[] = await this.query(`SELECT id FROM executions WHERE ${HELD} FOR NO KEY UPDATE`, [
      id,
      generation,
    ]);
    if (found.length === 0) throw new LeaseLost();
  }

  /** Ends those of the executions that may end so now; answers these, with all the time that they have taken. */
  async finish(
    ids: readonly ExecutionId[],
    { status, result, error, model, outputs_id }: Ending,
  ): Promise<EndedExecution[]> {
    const [ended]: [EndedExecution[], number] = await this.query(
      `UPDATE executions
          SET status = $2, result = $3, error = $4, ${OVER}, ended_at = clock_timestamp(),
              model = $6, outputs_id = $7,
              -- of an attempt whose process went away, what is known to have passed
              spent_ms = spent_ms + CASE WHEN owner IS NULL THEN 0
                ELSE greatest(0, 1000 * extract(epoch FROM
                  CASE WHEN due_at < clock_timestamp() THEN due_at - ${LEASE} ELSE clock_timestamp() END - started_at))::bigint END
        WHERE id = ANY ($1::uuid[]) AND status = ANY ($5)
      RETURNING id, project_id, company_id, user_id, api_key_id, spent_ms`,
      [
        ids,
        status,
        result ?? null,
        error === undefined ? null : JSON.stringify(error),
        EXECUTION_STEPS.before(status),
        model ?? null,
        outputs_id ?? null,
      ],
    );
    return ended;
  }

  /** Deletes up to `limit` executions of a project; answers what they had of containers. */
  async removeSome(
    project_id: ProjectId,
    limit: number,
  ): Promise<Pick<Execution, 'company_id' | 'inputs_id' | 'outputs_id'>[]> {
    const [removed]: [Pick<Execution, 'company_id' | 'inputs_id' | 'outputs_id'>[], number] = await this.query(
      `DELETE FROM executions WHERE id = ANY (ARRAY(SELECT id FROM executions WHERE project_id = $1 LIMIT $2))
       RETURNING company_id, inputs_id, outputs_id`,
      [project_id, limit],
    );
    return removed;
  }
}
