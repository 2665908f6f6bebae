import type { ModelCard } from '../../packages/canvas/index.js';
import { isId, NotFound } from '../common/errors/errors.js';
import { isCreationKey, walkStart } from '../common/listing/cursor.js';
import type { Page } from '../common/listing/page.js';
import type { WalkQuery } from '../common/listing/walk.query.js';
import type { ExecutionId, ProjectId } from '../database/checked-id.js';
import { EntityRepository } from '../database/entity-repository.js';
import { readPage } from '../database/listing.js';
import type { ProjectReader } from '../projects/project-access.js';
import { projectOf } from '../projects/project-access.sql.js';
import { Execution, type ExecutionResult, type ExecutionStatus } from './execution.entity.js';
import { RECORD } from './executions.sql.js';

/** An execution without what may be large. */
export interface ExecutionRecord extends Omit<Execution, 'cards' | 'result'> {
  /** Null until it is over. */
  credits: number | null;
}

/** What a run has found out of one variable. */
export interface FoundVariable {
  /** Whether there is a plan at all. */
  isPlanned: boolean;
  /** Null of a variable that the plan does not have; of one that has an index the total. */
  value: number | null;
  reduced_cost: number | null;
  /** How many members it has; null without an index. */
  members: number | null;
}

/** What a run has come to. */
export interface EndedRun extends Pick<
  Execution,
  'id' | 'scenario_id' | 'status' | 'ended_at' | 'outcome' | 'objective_value' | 'outputs_id'
> {
  kpis: ExecutionResult['kpis'] | null;
  variables: ExecutionResult['variables'] | null;
  families: ExecutionResult['families'] | null;
}

/** What a list of executions is narrowed to. */
export interface ExecutionFilter {
  status?: ExecutionStatus;
  is_test?: boolean;
  scenario_id?: string;
  /** Part of the name, in whatever case. */
  q?: string;
}

/** Reads executions. {@link ExecutionsRepository} writes them. */
export class ExecutionViewsRepository extends EntityRepository(Execution) {
  /** A page of a project's executions as ExecutionResponse, most recent first. */
  async page(
    reader: ProjectReader,
    project_id: string,
    { status, is_test, scenario_id, q }: ExecutionFilter,
    page: WalkQuery,
  ): Promise<Page<ExecutionRecord>> {
    const parameters: unknown[] = [reader.parameter, project_id];
    const given = (value: unknown): string => `$${parameters.push(value)}`;
    const conditions = [
      `project_id = ${projectOf('$1', '$2')}`,
      ...(status === undefined ? [] : [`status = ${given(status)}`]),
      ...(is_test === undefined ? [] : [`is_test = ${given(is_test)}`]),
      ...(scenario_id === undefined ? [] : [`scenario_id = ${given(isId(scenario_id) ? scenario_id : null)}::uuid`]),
      ...(q === undefined ? [] : [`name IS NOT NULL AND strpos(lower(name), lower(${given(q)})) > 0`]),
    ];
    const rows = `FROM executions WHERE ${conditions.join(' AND ')}`;
    return await readPage(
      this.manager,
      {
        select: `SELECT ${RECORD} ${rows}`,
        table: 'executions',
        orderBy: 'created_at',
        count: `SELECT count(*) ${rows}`,
        parameters,
      },
      page,
      walkStart('executions', page, isCreationKey),
    );
  }

  /** @throws NotFound */
  async require(project_id: ProjectId, id: string): Promise<ExecutionRecord> {
    const [execution]: ExecutionRecord[] = await this.query(
      `SELECT ${RECORD} FROM executions WHERE project_id = $1 AND id = $2`,
      [project_id, id],
    );
    if (execution === undefined) throw new NotFound('Execution');
    return execution;
  }

  /** The result of an execution as JSON text; null without one. */
  async resultText(id: ExecutionId): Promise<string | null> {
    const [found]: { result: string | null }[] = await this.query(
      'SELECT result::text AS result FROM executions WHERE id = $1',
      [id],
    );
    return found?.result ?? null;
  }

  /** What the result of an execution says of one variable. */
  async variableOf(id: ExecutionId, name: string): Promise<FoundVariable> {
    const [found]: FoundVariable[] = await this.query(
      `SELECT objective_value IS NOT NULL AS "isPlanned",
              result->'variables'->($2::text) AS value, result->'reduced_costs'->($2::text) AS reduced_cost,
              (SELECT (f->>'size')::integer FROM jsonb_array_elements(result->'families') f WHERE f->>'name' = $2::text) AS members
         FROM executions WHERE id = $1`,
      [id, name],
    );
    if (found === undefined) throw new NotFound('Execution');
    return found;
  }

  /** The cards that an execution of a project solves; null when it solves a file, or has not kept them. @throws NotFound */
  async cardsOf(project_id: ProjectId, id: string): Promise<ModelCard[] | null> {
    const [found]: Pick<Execution, 'cards'>[] = await this.query(
      'SELECT cards FROM executions WHERE project_id = $1 AND id = $2',
      [project_id, id],
    );
    if (found === undefined) throw new NotFound('Execution');
    return found.cards;
  }

  /**
   * The newest run of each of some scenarios, and that of the canvas itself, which are over, and were neither canceled nor
   * kept from beginning by a budget. What has none is missing.
   */
  async newestEnded(project_id: ProjectId, scenario_ids: readonly string[]): Promise<EndedRun[]> {
    const newest = (of: string): string => `
      SELECT * FROM (
        SELECT id, scenario_id, status, ended_at, outcome, objective_value, result->'kpis' AS kpis,
               result->'variables' AS variables, result->'families' AS families, outputs_id
          FROM executions
         WHERE project_id = $1 AND ${of} AND status IN ('succeeded', 'failed')
           AND error->>'code' IS DISTINCT FROM 'budget_exhausted'
         ORDER BY created_at DESC, id DESC LIMIT 1) e`;
    return await this.query(
      `${newest('scenario_id IS NULL AND coalesce(cardinality(input_file_ids), 0) = 0')}
       UNION ALL
       SELECT e.* FROM unnest($2::uuid[]) s (wanted), LATERAL (${newest('scenario_id = s.wanted')}) e`,
      [project_id, scenario_ids],
    );
  }
}
