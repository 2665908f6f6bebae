import { columnsOf } from '../database/entity-repository.js';
import { exhaustedBudget } from '../usage/budgets.sql.js';
import { creditsOf } from '../usage/usage.sql.js';
import { Execution } from './execution.entity.js';

/** SQL of the credits of an execution. The transaction that ends the execution stores the charge. */
const CREDITS = `CASE WHEN executions.ended_at IS NOT NULL THEN ${creditsOf('executions.id')} END AS credits`;

export const RECORD = [...columnsOf(Execution), CREDITS].join(', ');

/** Condition that an execution is still held, whose parameters $1 and $2 are id and generation. */
export const HELD = `id = $1 AND generation = $2 AND status = 'running' AND owner IS NOT NULL`;

/** SQL of a budget that is used up for an execution. */
export const EXHAUSTED = exhaustedBudget({
  company_id: 'executions.company_id',
  project_id: 'executions.project_id',
  user_id: 'executions.user_id',
  api_key_id: 'executions.api_key_id',
});

/** Number of starts of executions `e`. Executions that started together count once. */
export const STARTS = 'count(DISTINCT coalesce(e.batch_id, e.id))::integer';

/**
 * Returns SQL of the company or project of waiting executions whose turn is next. It reads distinct values with a loose index
 * scan. `condition` refers to `e`.
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
 * SQL of the next execution in turn. It belongs to the company whose last turn was longest ago, and there to the project whose
 * last turn was longest ago. The oldest execution of that project is next. So a company never waits for all executions of another
 * company.
 */
export const NEXT_IN_TURN = `
  SELECT q.id
    FROM (${waiting('company_id', 'true')}) company,
         LATERAL (${waiting('project_id', 'e.company_id = company.of')}) project,
         LATERAL (SELECT e.id FROM executions e
                   WHERE e.status = 'queued' AND e.company_id = company.of AND e.project_id = project.of
                   ORDER BY e.created_at, e.id LIMIT 1) q`;
