import { Injectable } from '@nestjs/common';
import { TaskProblem } from '../../packages/data-engine/index.js';
import type { ContainerRef } from '../files/tree/container-ref.js';
import { Conflict, Invalid, invalidValue, NotFound } from '../common/errors/errors.js';
import { TableReaderService } from '../tables/table-reader.service.js';
import { type ExecutionRecord, ExecutionViewsRepository } from './execution-views.repository.js';
import { MEMBERS } from './result-files.service.js';
import type { RunValuesQuery, RunValuesResponse } from './runs.dto.js';

/** Reads the values of variables in runs. */
@Injectable()
export class RunValuesService {
  constructor(
    private readonly views: ExecutionViewsRepository,
    private readonly tables: TableReaderService,
  ) {}

  /**
   * Returns a page of a variable's members with their values, in the order of their set. A variable without an index has a
   * single value.
   *
   * @throws Conflict if the run has no plan
   * @throws Invalid if the plan has no such variable, or the page is too large
   * @throws NotFound if the members were not stored
   * @throws the errors of {@link TableReaderService.read}
   */
  async page(
    { id, company_id, outputs_id }: ExecutionRecord,
    query: RunValuesQuery,
    signal: AbortSignal,
  ): Promise<RunValuesResponse> {
    const { family, nonzero, limit, offset } = query;
    const { isPlanned, value, reduced_cost, members } = await this.views.variableOf(id, family);
    if (!isPlanned) throw new Conflict('execution_has_no_plan', 'The execution has no plan');
    if (value === null) throw new Invalid([invalidValue(['query', 'family'], 'the plan has no such variable', family)]);
    const page = { limit, offset };
    if (members === null) {
      const all = nonzero && value === 0 ? [] : [{ keys: [], value, reduced_cost }];
      return { values: all.slice(offset, offset + limit), ...page, total: all.length };
    }
    if (members === 0) return { values: [], ...page, total: 0 };
    if (outputs_id === null) throw new NotFound('Values');
    return { ...(await this.members({ company_id, container_id: outputs_id }, query, signal)), ...page };
  }

  private async members(
    container: ContainerRef,
    { family, nonzero, limit, offset }: RunValuesQuery,
    signal: AbortSignal,
  ): Promise<Pick<RunValuesResponse, 'values' | 'total'>> {
    const ofFamily = { column: 'family', op: '=' as const, value: JSON.stringify(family) };
    const where = nonzero ? [ofFamily, { column: 'value', op: '<>' as const, value: 0 }] : [ofFamily];
    const columns = ['keys', 'value', 'reduced_cost'];
    try {
      const { rows, total } = await this.tables.read(
        container,
        { path: MEMBERS },
        { columns, where, limit, offset },
        { signal },
      );
      const members = JSON.parse(rows) as [keys: string, value: number, reduced_cost: number | null][];
      return {
        values: members.map(([keys, value, reduced_cost]) => ({
          keys: JSON.parse(keys) as string[],
          value,
          reduced_cost,
        })),
        total,
      };
    } catch (error) {
      // The service itself has written the table, so the only possible problem is that the key parts are too long for a
      // response.
      if (!(error instanceof TaskProblem)) throw error;
      throw new Invalid([
        invalidValue(
          ['query', 'limit'],
          'the members are too long for a page of this size. Use a smaller limit',
          limit,
        ),
      ]);
    }
  }
}
