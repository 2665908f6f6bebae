import { Injectable } from '@nestjs/common';
import { TaskProblem } from '../../packages/data-engine/index.js';
import { Unavailable } from '../common/errors/errors.js';
import { TableReaderService } from '../tables/table-reader.service.js';
import { MEMBERS } from './result-files.service.js';

/** Values that are nearer to each other than this are the same, relative to the larger one where that is above 1. */
export const SAME = 1e-6;

/** A run whose members were kept. */
export interface KeptRun {
  /** What it is called in the answer. */
  name: string;
  outputs_id: string;
}

/** A variable, or a member of one that has an index, whose value is not the same in all runs. */
export interface Difference {
  family: string;
  /** The parts of the member. */
  keys: string[];
  /** By the names of runs; a run that has no such variable or member is missing. */
  values: Record<string, number>;
}

/** Members of variables with an index that are not the same in several runs, read from the tables that these have kept. */
@Injectable()
export class MemberDifferencesRepository {
  constructor(private readonly tables: TableReaderService) {}

  /**
   * Those that differ most, the largest difference first; a member that a run does not have counts as 0.
   *
   * @param runs of one company
   * @param others how many more runs there are, which have no members
   * @throws Unavailable when they are too large; what {@link TableReaderService.select} throws of itself
   */
  async between(
    company_id: string,
    runs: readonly KeptRun[],
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
    const found = JSON.parse(rows) as [family: string, keys: string, places: number[], figures: number[]][];
    return found.map(([family, keys, places, figures]) => ({
      family: JSON.parse(family) as string,
      keys: JSON.parse(keys) as string[],
      values: Object.fromEntries(places.map((place, at) => [runs[place]!.name, figures[at]!])),
    }));
  }

  private async select(...[company_id, names, select]: Parameters<TableReaderService['select']>) {
    try {
      return await this.tables.select(company_id, names, select);
    } catch (error) {
      // The tables are the service's own, and so is the statement: what is wrong is that there is too much of them.
      if (error instanceof TaskProblem)
        throw new Unavailable('comparison_too_large', 'These plans are too large to be compared');
      throw error;
    }
  }
}

/**
 * SELECT for DuckDB over the tables `t0`, `t1`, ... of members: `family` and `keys` of those that are not the same in all tables,
 * with the `places` of the tables that have them and their `figures` there. The largest difference is first; a member that a table
 * does not have counts as 0, and so do all of them in `others` more.
 */
function differencesSql(tables: number, others: number, limit: number): string {
  const all = Array.from(
    { length: tables },
    (_, at) => `SELECT ${at} AS run, family, keys, CAST(value AS DOUBLE) AS value FROM t${at}`,
  );
  const orZero = `CASE WHEN count(*) < ${tables + others} THEN 0 END`;
  // Without all values at first: of a hundred tables with a hundred thousand members each there is no room for them.
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
