import { isVisible } from '../projects/project-access.sql.js';

/** Columns in the spend tables by which a day's spend can be grouped. */
const GROUP_COLUMNS = { user: 'user_id', project: 'project_id', model: 'model' } as const;
export type DayGroup = keyof typeof GROUP_COLUMNS;

/**
 * Share of a company's spend that is counted: only projects that the caller $10 can see, and only a single spender if `own` is
 * set.
 */
export interface Share {
  own: 'user_id' | 'api_key_id' | null;
}

/**
 * Returns SQL for all spend in a span, as rows of `day`, `key` and `credits`. Whole days are read from the sums and the pending
 * entries, the rest of the span from the ledger. A statement sees a single snapshot, in which each ledger row is either in the
 * sums or pending. The result therefore matches the ledger.
 *
 * Parameters:
 * - $1: Company.
 * - $2 to $7: Starts and ends, in Unix seconds, of the whole days, the partial day before and the partial day after them. A
 *   partial day that ends before it starts is subtracted.
 * - $10 and $11, with a share: Caller, and the id of the spender if `own` is set.
 */
const spentIn = (key: string, share: Share | null): string => {
  const who =
    share === null
      ? ''
      : `${share.own === null ? '' : `AND r.${share.own} = $11`}
         AND EXISTS (SELECT FROM projects p WHERE p.id = r.project_id AND ${isVisible('p', '$10')})`;
  const date = (moment: string): string => `(to_timestamp(${moment}::float8) AT TIME ZONE 'UTC')::date`;
  const day = `(r.created_at AT TIME ZONE 'UTC')::date`;
  const edge = (from: string, until: string): string => `
     SELECT ${day}, r.${key}, CASE WHEN ${from}::float8 <= ${until} THEN r.credits ELSE -r.credits END
       FROM usage_ledger r
      WHERE r.company_id = $1 ${who} AND r.created_at >= to_timestamp(least(${from}::float8, ${until}))
        AND r.created_at < to_timestamp(greatest(${from}::float8, ${until}))`;
  return `
     SELECT r.day, r.${key} AS key, r.credits FROM usage_day_sums r
      WHERE r.company_id = $1 ${who} AND r.day >= ${date('$2')} AND r.day < ${date('$3')}
      UNION ALL
     SELECT ${day}, r.${key}, r.credits FROM usage_pending r
      WHERE r.company_id = $1 ${who} AND r.created_at >= to_timestamp($2::float8) AND r.created_at < to_timestamp($3::float8)
      UNION ALL ${edge('$4', '$5')}
      UNION ALL ${edge('$6', '$7')}`;
};

/**
 * Returns SQL for a page of projects by their spend in a span, highest first, ties by id. Each row contains the total number of
 * projects. A page past the end is a single row with only the total. $8 is the limit, $9 the offset. For other parameters see
 * {@link spentIn}.
 */
export const projectsPage = (share: Share | null): string => `
  WITH spent AS (
    SELECT key AS project_id, sum(credits) AS credits FROM (${spentIn('project_id', share)}) s
     GROUP BY key HAVING sum(credits) > 0
  ), page AS (
    SELECT * FROM spent ORDER BY credits DESC, project_id LIMIT $8 OFFSET $9
  )
  SELECT page.project_id, p.name, page.credits, counted.total
    FROM (SELECT count(*) AS total FROM spent) counted
    LEFT JOIN page ON true
    LEFT JOIN projects p ON p.company_id = $1 AND p.id = page.project_id
   ORDER BY page.credits DESC, page.project_id`;

/**
 * Returns SQL for a page of days by spend, grouped by users, projects or models. The newest day comes first, and within a day
 * the highest spend, ties by id or name, null last. Otherwise like {@link projectsPage}.
 */
export const daysPage = (group: DayGroup, share: Share | null): string => `
  WITH spent AS (
    SELECT day, key, sum(credits) AS credits FROM (${spentIn(GROUP_COLUMNS[group], share)}) s
     GROUP BY day, key HAVING sum(credits) > 0
  ), page AS (
    SELECT * FROM spent ORDER BY day DESC, credits DESC, key LIMIT $8 OFFSET $9
  )
  SELECT page.day::text AS day, page.key, page.credits, counted.total
    FROM (SELECT count(*) AS total FROM spent) counted
    LEFT JOIN page ON true
   ORDER BY page.day DESC, page.credits DESC, page.key`;
