/** Values that are nearer to each other than this are the same, relative to the larger one where that is above 1. */
export const SAME = 1e-6;

/**
 * SELECT for DuckDB over the tables `t0`, `t1`, ... of members: `family` and `keys` of those that are not the same in all tables,
 * with the `places` of the tables that have them and their `figures` there. The largest difference is first; a member that a table
 * does not have counts as 0.
 */
export function differencesSql(tables: number, limit: number): string {
  const all = Array.from(
    { length: tables },
    (_, at) => `SELECT ${at} AS run, family, keys, CAST(value AS DOUBLE) AS value FROM t${at}`,
  );
  const orZero = `CASE WHEN count(*) < ${tables} THEN 0 END`;
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
