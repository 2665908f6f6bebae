import { columnsOf } from '../database/entity-repository.js';
import { exhaustedBudget } from '../usage/budgets.sql.js';
import { creditsOf } from '../usage/usage.sql.js';
import { Execution } from './execution.entity.js';

/**
 * SQL expression for an execution's credits. Null until the execution has ended, because the transaction that ends it also
 * records the charge.
 */
const CREDITS = `CASE WHEN executions.ended_at IS NOT NULL THEN ${creditsOf('executions.id')} END AS credits`;

export const RECORD = [...columnsOf(Execution), CREDITS].join(', ');

/** SQL condition that a worker still holds an execution. Parameters $1 and $2 are the id and the worker's generation. */
export const HELD = `id = $1 AND generation = $2 AND status = 'running' AND owner IS NOT NULL`;

/** SQL expression for an exhausted budget that applies to an execution. */
export const EXHAUSTED = exhaustedBudget({
  company_id: 'executions.company_id',
  project_id: 'executions.project_id',
  user_id: 'executions.user_id',
  api_key_id: 'executions.api_key_id',
});

/** SQL expression that counts the starts of executions `e`. Executions that were started together count as one start. */
export const STARTS = 'count(DISTINCT coalesce(e.batch_id, e.id))::integer';

/**
 * Returns SQL that selects the next company or project to serve: the one with waiting executions that was served least
 * recently. A recursive query emulates a loose index scan to find the distinct values. `condition` is a condition on executions
 * `e`.
 */
const waiting = (column: 'company_id' | 'project_id', condition: string): string => {
  const first = (after: string): string => `
    (SELECT e.${column} FROM executions e
      WHERE e.status = 'queued' AND ${condition} ${after} ORDER BY e.${column} LIMIT 1)`;
  return `
    WITH RECURSIVE waiting AS (
      SELECT ${first('')} AS of
       UNION ALL
      SELECT ${first(`AND e.${column} > w.of`)} FROM waiting w WHERE w.of IS NOT NULL)
    SELECT w.of FROM waiting w WHERE w.of IS NOT NULL
     ORDER BY (SELECT r.started_at FROM executions r
                WHERE r.${column} = w.of AND r.started_at IS NOT NULL ORDER BY r.started_at DESC LIMIT 1) NULLS FIRST, w.of
     LIMIT 1`;
};

/**
 * SELECT for the next execution to claim. Takes the company that was served least recently, then its project that was served
 * least recently, then the oldest waiting execution of that project. A company therefore never has to wait until all executions
 * of another company have run.
 */
export const NEXT_IN_TURN = `
  SELECT q.id
    FROM (${waiting('company_id', 'true')}) company,
         LATERAL (${waiting('project_id', 'e.company_id = company.of')}) project,
         LATERAL (SELECT e.id FROM executions e
                   WHERE e.status = 'queued' AND e.company_id = company.of AND e.project_id = project.of
                   ORDER BY e.created_at, e.id LIMIT 1) q`;
