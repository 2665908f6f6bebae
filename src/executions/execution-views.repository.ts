import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { isId, NotFound } from '../common/errors/errors.js';
import { isCreationKey, walkStart } from '../common/listing/cursor.js';
import type { Page } from '../common/listing/page.js';
import type { WalkQuery } from '../common/listing/walk.query.js';
import type { ExecutionId, ProjectId } from '../database/checked-id.js';
import { readPage } from '../database/listing.js';
import type { ProjectReader } from '../projects/project-access.js';
import { projectOf } from '../projects/project-access.sql.js';
import type { Execution, ExecutionResult, ExecutionStatus } from './execution.entity.js';
import { RECORD } from './executions.sql.js';

/** Execution without its large columns. */
export interface ExecutionRecord extends Omit<Execution, 'cards' | 'result'> {
  /** Null until the execution has ended. */
  credits: number | null;
}

/** Result of a run for a single variable. */
export interface VariableResult {
  /** Whether the run has a plan. */
  isPlanned: boolean;
  /** Value, or the total of an indexed variable. Null if the variable is not in the plan. */
  value: number | null;
  reduced_cost: number | null;
  /** Number of members. Null for a variable without an index. */
  members: number | null;
}

/** Run that has ended, with its results. */
export interface EndedRun extends Pick<
  Execution,
  'id' | 'scenario_id' | 'status' | 'ended_at' | 'outcome' | 'objective_value' | 'outputs_id'
> {
  kpis: ExecutionResult['kpis'] | null;
  variables: ExecutionResult['variables'] | null;
  families: ExecutionResult['families'] | null;
}

/** Filter for a list of executions. */
export interface ExecutionFilter {
  status?: ExecutionStatus;
  is_test?: boolean;
  scenario_id?: string;
  /** Substring of the name, case-insensitive. */
  q?: string;
}

/** Reads executions for responses, outside transactions. Has no entity because it never writes. */
@Injectable()
export class ExecutionViewsRepository {
  constructor(private readonly source: DataSource) {}

  /** Returns a page of a project's executions, most recent first. */
  async page(
    reader: ProjectReader,
    project_id: string,
    { status, is_test, scenario_id, q }: ExecutionFilter,
    page: WalkQuery,
  ): Promise<Page<ExecutionRecord>> {
    const parameters: unknown[] = [reader.parameter, project_id];
    const parameter = (value: unknown): string => `$${parameters.push(value)}`;
    const conditions = [
      `project_id = ${projectOf('$1', '$2')}`,
      ...(status === undefined ? [] : [`status = ${parameter(status)}`]),
      ...(is_test === undefined ? [] : [`is_test = ${parameter(is_test)}`]),
      ...(scenario_id === undefined
        ? []
        : [`scenario_id = ${parameter(isId(scenario_id) ? scenario_id : null)}::uuid`]),
      ...(q === undefined ? [] : [`name IS NOT NULL AND strpos(lower(name), lower(${parameter(q)})) > 0`]),
    ];
    const rows = `FROM executions WHERE ${conditions.join(' AND ')}`;
    return await readPage(
      this.source.manager,
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

  /** Returns the result of an execution as JSON text, or null if there is no result. */
  async resultText(id: ExecutionId): Promise<string | null> {
    const [row]: { result: string | null }[] = await this.source.query(
      'SELECT result::text AS result FROM executions WHERE id = $1',
      [id],
    );
    return row?.result ?? null;
  }

  /**
   * Returns the result of an execution for a variable.
   * @throws NotFound
   */
  async variableOf(id: ExecutionId, name: string): Promise<VariableResult> {
    const [row]: VariableResult[] = await this.source.query(
      `SELECT objective_value IS NOT NULL AS "isPlanned",
              result->'variables'->($2::text) AS value, result->'reduced_costs'->($2::text) AS reduced_cost,
              (SELECT (f->>'size')::integer FROM jsonb_array_elements(result->'families') f WHERE f->>'name' = $2::text) AS members
         FROM executions WHERE id = $1`,
      [id, name],
    );
    if (row === undefined) throw new NotFound('Execution');
    return row;
  }

  /**
   * Returns the newest ended run of each given scenario and of the unchanged canvas. Ignores runs that were canceled, and runs
   * that did not start because a budget was used up. Omits scenarios that have no other ended run.
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
    return await this.source.query(
      `${newest('scenario_id IS NULL AND coalesce(cardinality(input_file_ids), 0) = 0')}
       UNION ALL
       SELECT e.* FROM unnest($2::uuid[]) s (wanted), LATERAL (${newest('scenario_id = s.wanted')}) e`,
      [project_id, scenario_ids],
    );
  }
}
