import { Injectable } from '@nestjs/common';
import { TaskProblem } from '../../packages/data-engine/index.js';
import { Unavailable } from '../common/errors/errors.js';
import { TableReaderService } from '../tables/table-reader.service.js';
import { MEMBERS } from './result-files.service.js';

/**
 * Difference up to which two values count as equal. Relative to the larger value if that value exceeds 1, otherwise absolute.
 */
export const SAME = 1e-6;

/** Run whose members were stored. */
export interface StoredRun {
  /** Name of the run in the response. */
  name: string;
  outputs_id: string;
}

/** Variable, or member of an indexed variable, whose value differs between runs. */
export interface Difference {
  family: string;
  /** Key parts of the member. */
  keys: string[];
  /** Values by run name. Omits runs without this variable or member. */
  values: Record<string, number>;
}

/** Compares members of indexed variables between runs, using the stored member tables. */
@Injectable()
export class MemberDifferencesRepository {
  constructor(private readonly tables: TableReaderService) {}

  /**
   * Returns the members whose values differ most, largest difference first. A member that is missing from a run counts as 0.
   *
   * @param runs runs from a single company
   * @param others number of additional runs without members, for which every member counts as 0
   * @throws Unavailable if the plans are too large
   * @throws the errors of {@link TableReaderService.select}
   */
  async between(
    company_id: string,
    runs: readonly StoredRun[],
    others: number,
    limit: number,
    signal: AbortSignal,
  ): Promise<Difference[]> {
    if (runs.length === 0 || runs.length + others < 2) return [];
    const names = new Map(
      runs.map(({ outputs_id }, at) => [
        `t${at}`,
        { path: MEMBERS, container: { company_id, container_id: outputs_id } },
      ]),
    );
    const sql = differencesSql(runs.length, others, limit);
    const { rows } = await this.select(company_id, names, { sql, limit, signal });
    const members = JSON.parse(rows) as [family: string, keys: string, places: number[], figures: number[]][];
    return members.map(([family, keys, places, figures]) => ({
      family: JSON.parse(family) as string,
      keys: JSON.parse(keys) as string[],
      values: Object.fromEntries(places.map((place, at) => [runs[place]!.name, figures[at]!])),
    }));
  }

  private async select(...[company_id, names, select]: Parameters<TableReaderService['select']>) {
    try {
      return await this.tables.select(company_id, names, select);
    } catch (error) {
      // The service itself has written the tables and the statement, so the only possible problem is that the tables are too
      // large.
      if (error instanceof TaskProblem)
        throw new Unavailable('comparison_too_large', 'These plans are too large to compare');
      throw error;
    }
  }
}

/**
 * Returns a DuckDB SELECT over the member tables `t0`, `t1`, and so on. Each row is a member whose values differ: its `family`
 * and `keys`, the indexes of the tables that contain it (`places`), and its values in these tables (`figures`). The largest
 * difference comes first. A member counts as 0 in a table that does not contain it and in each of the `others` additional runs.
 */
function differencesSql(tables: number, others: number, limit: number): string {
  const all = Array.from(
    { length: tables },
    (_, at) => `SELECT ${at} AS run, family, keys, CAST(value AS DOUBLE) AS value FROM t${at}`,
  );
  const orZero = `CASE WHEN count(*) < ${tables + others} THEN 0 END`;
  // Selects the members before their values, because the values of a hundred tables with a hundred thousand members each would
  // not fit into memory.
  return `
    WITH runs AS (${all.join(' UNION ALL ')}),
         most AS (
           SELECT family, keys, greatest(max(value), ${orZero}) - least(min(value), ${orZero}) AS spread
             FROM runs GROUP BY family, keys
           HAVING spread > ${SAME} * greatest(1, max(value), -min(value))
            ORDER BY spread DESC, family, keys LIMIT ${limit})
    SELECT family, keys, list(run ORDER BY run) AS places, list(value ORDER BY run) AS figures
      FROM runs JOIN most USING (family, keys)
     GROUP BY family, keys, spread ORDER BY spread DESC, family, keys`;
}
