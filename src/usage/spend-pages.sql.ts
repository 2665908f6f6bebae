import { isVisible } from '../projects/project-access.sql.js';

/** The column in the tables of spend of each that spend of a day can be divided by. */
const GROUP_COLUMNS = { user: 'user_id', project: 'project_id', model: 'model' } as const;
export type DayGroup = keyof typeof GROUP_COLUMNS;

/** The part of a company's spend that is counted: in projects that the caller $10 sees, and of one spender if there is a column for it. */
export interface Share {
  own: 'user_id' | 'api_key_id' | null;
}

/**
 * All that was spent in a span, as rows of `day`, `key` and `credits`. Whole days come from the sums and from what these do not
 * hold yet, what the span has beside them from the ledger; as one statement sees one moment, in which each row of the ledger
 * is either in the sums or pending, this is the ledger.
 *
 * $1 company; $2 to $7 seconds: whole days from and until, edge before from and until, edge after from and until, where an edge
 * that ends before it begins is taken away; of a share, $10 the caller, and $11 the id of the one spender.
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
 * A page of projects by what was spent in them in a span, highest first, ties by id, each row with the number of all of them;
 * past the end one row that holds the number alone. $8 limit, $9 offset; the rest as for {@link spentIn}.
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
 * A page of days by what was spent on them, divided by users, projects or models: newest day first, highest spend first, ties by
 * the id or name, the absent one last; else as {@link projectsPage}.
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
