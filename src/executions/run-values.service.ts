import { Injectable } from '@nestjs/common';
import { Conflict, Invalid, invalidValue, NotFound } from '../platform/errors/errors.js';
import { TableReader } from '../tables/table-reader.service.js';
import type { RunValuesQuery, RunValuesResponse } from './executions.dto.js';
import type { ExecutionRecord } from './executions.repository.js';
import { MEMBERS } from './result-files.service.js';

/** The values that runs have found, variable by variable. */
@Injectable()
export class RunValues {
  constructor(private readonly tables: TableReader) {}

  /**
   * A page of the members of a variable, in the order of their set; the only value of one that has no index.
   *
   * @throws Conflict when the run has no plan @throws Invalid for a variable that it does not have
   * @throws NotFound when the members were not kept @throws what {@link TableReader.read} throws
   */
  async page(
    { company_id, outputs_id, result }: ExecutionRecord,
    { family, nonzero, limit, offset }: RunValuesQuery,
    signal: AbortSignal,
  ): Promise<RunValuesResponse> {
    if (result?.objective_value == null) throw new Conflict('The execution has no plan');
    const page = { limit, offset };
    const { variables, reduced_costs, families = [] } = result;
    const indexed = families.find(({ name }) => name === family);
    if (indexed === undefined) {
      if (!Object.hasOwn(variables, family)) {
        throw new Invalid([invalidValue(['query', 'family'], 'the plan has no such variable', family)]);
      }
      const value = variables[family]!;
      const all = nonzero && value === 0 ? [] : [{ keys: [], value, reduced_cost: reduced_costs?.[family] ?? null }];
      return { values: all.slice(offset, offset + limit), ...page, total: all.length };
    }
    if (indexed.size === 0) return { values: [], ...page, total: 0 };
    if (outputs_id === null) throw new NotFound('Values');
    const { rows, total } = await this.tables.read(
      { company_id, container_id: outputs_id },
      { path: MEMBERS },
      {
        columns: ['keys', 'value', 'reduced_cost'],
        where: [
          { column: 'family', op: '=', value: JSON.stringify(family) },
          ...(nonzero ? [{ column: 'value', op: '<>' as const, value: 0 }] : []),
        ],
        ...page,
      },
      { signal },
    );
    const found = JSON.parse(rows) as [keys: string, value: number, reduced_cost: number | null][];
    const values = found.map(([keys, value, reduced_cost]) => ({
      keys: JSON.parse(keys) as string[],
      value,
      reduced_cost,
    }));
    return { values, ...page, total };
  }
}
