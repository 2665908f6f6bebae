/** SQL expression for the credits charged for a piece of work, or 0 if it cost nothing. `source_id` is an SQL expression. */
export const creditsOf = (source_id: string): string =>
  `coalesce((SELECT l.credits::double precision FROM usage_ledger l WHERE l.source_id = ${source_id}), 0)`;

/** Table for a kind of spender. */
export type SpenderKind = 'users' | 'api_keys';

/** Spender column in the spend tables, and columns in listings, by kind. */
const KINDS = {
  users: { column: 'user_id', shown: 's.display_name, s.email' },
  api_keys: { column: 'api_key_id', shown: 's.name, s.prefix' },
} as const satisfies Record<SpenderKind, object>;

/** Condition on the spender column that limits a listing, with parameter $10. Null shows everyone. */
export type Visible =
  '= $10' | 'IN (SELECT k.id FROM api_keys k WHERE k.company_id = $1 AND k.created_by = $10)' | null;

/**
 * Returns SQL for a page of a company's spenders by their spend in a span, highest first, ties by id. Each row contains the
 * total number of spenders. A page past the end is a single row with only the total.
 *
 * Half days are read from the sums and the pending entries, the rest of the span from the ledger. A statement sees a single
 * snapshot, in which each ledger row is either in the sums or pending. The result therefore equals the plain sum of the ledger.
 *
 * For an open end, the running total of each spender is read. For an end at midnight or noon, the rows of a single month are
 * read. Neither cost depends on the length of the ledger. Earlier months are read only for spenders without spend in that
 * month.
 *
 * The sources are combined by grouping, never by joins. The planner has no statistics for a month that has just begun, so a
 * join could read the month again for each spender.
 *
 * Parameters:
 * - $1: Company.
 * - $2 to $7: Start and end in seconds of the half days, the edge before and the edge after. An edge that ends before it begins
 *   is subtracted.
 * - $8 and $9: Limit and offset.
 * - $10: Caller, if `visible` uses it.
 */
export const spendPage = (kind: SpenderKind, visible: Visible): string => {
  const { column, shown } = KINDS[kind];
  const of = (source: string): string => `
       FROM ${source} r
      WHERE r.company_id = $1 AND r.${column} ${visible ?? 'IS NOT NULL'}`;
  const halfDays = (source: string, from: string, until: string): string => `
     SELECT r.${column}, NULL, NULL, CASE WHEN ${from}::float8 <= ${until} THEN r.credits ELSE -r.credits END ${of(source)}
        AND r.created_at >= to_timestamp(least(${from}::float8, ${until}))
        AND r.created_at < to_timestamp(greatest(${from}::float8, ${until}))`;
  // Separate subqueries, so that each is evaluated once and not for every row.
  const before = (moment: string): string =>
    `(SELECT to_timestamp(${moment}) AT TIME ZONE 'UTC' - interval '12 hours' AS half)`;
  const month = (moment: string): string => `(SELECT date_trunc('month', half)::date FROM ${before(moment)})`;
  const number = (moment: string): string =>
    `(SELECT 2 * extract(day FROM half)::integer - CASE WHEN extract(hour FROM half) < 12 THEN 1 ELSE 0 END FROM ${before(moment)})`;
  const earlier = (moment: string): string => `
        (SELECT m.credits_to_date[cardinality(m.credits_to_date)] FROM usage_months m
          WHERE m.company_id = $1 AND m.${column} = r.id AND m.month < ${month(moment)}
          ORDER BY m.month DESC LIMIT 1)`;
  return `
  WITH spent AS (
    SELECT id, coalesce(sum(beside), 0) + CASE WHEN $2::float8 >= $3::float8 THEN 0 ELSE
        coalesce(max(until), ${earlier('$3')}, 0) -
        coalesce(max(since), ${earlier('$2')}, 0) END AS credits
      FROM (
     SELECT r.${column} AS id, CASE $3::float8 WHEN 'Infinity' THEN r.credits END AS until,
            CASE $2::float8 WHEN '-Infinity' THEN 0::numeric END AS since, NULL::numeric AS beside ${of('usage_spenders')}
        AND $2::float8 < $3::float8
      UNION ALL
     SELECT r.${column}, r.credits_to_date[${number('$3')}], NULL, NULL ${of('usage_months')} AND r.month = ${month('$3')}
      UNION ALL
     SELECT r.${column}, NULL, r.credits_to_date[${number('$2')}], NULL ${of('usage_months')} AND r.month = ${month('$2')}
      UNION ALL ${halfDays('usage_pending', '$2', '$3')}
      UNION ALL ${halfDays('usage_ledger', '$4', '$5')}
      UNION ALL ${halfDays('usage_ledger', '$6', '$7')}) r
     GROUP BY id
  ), page AS (
    SELECT * FROM spent WHERE credits > 0 ORDER BY credits DESC, id LIMIT $8 OFFSET $9
  )
  SELECT page.id, ${shown}, page.credits, counted.total
    FROM (SELECT count(*) AS total FROM spent WHERE credits > 0) counted
    LEFT JOIN page ON true
    LEFT JOIN ${kind} s ON s.company_id = $1 AND s.id = page.id
   ORDER BY page.credits DESC, page.id`;
};

/**
 * Returns SQL that moves up to $1 pending rows into the sums, earliest first, and returns their number. The SQL must not run
 * concurrently.
 *
 * Every part of the statement sees the sums as they were before the statement. New values are computed for the months of the
 * moved half days and all later months. Each new value is the old value plus the amounts added up to its half day. A new month
 * starts from the value at the end of the latest earlier month, or from 0.
 */
export const rollUpPage = (kind: SpenderKind): string => {
  const { column } = KINDS[kind];
  return `
  WITH taken AS (
    -- By their places, not by a join: for the planner a queue that was just empty has one row, and the page would be
    -- read anew for each.
    DELETE FROM usage_pending
     WHERE ctid = ANY (ARRAY(SELECT ctid FROM usage_pending WHERE ${column} IS NOT NULL ORDER BY created_at LIMIT $1))
    RETURNING company_id, ${column}, date_bin('12 hours', created_at AT TIME ZONE 'UTC', timestamp '2000-01-01') AS half, credits
  ), spenders AS (
    INSERT INTO usage_spenders (company_id, ${column}, credits)
    SELECT company_id, ${column}, sum(credits) FROM taken GROUP BY company_id, ${column} ORDER BY company_id, ${column}
    ON CONFLICT (company_id, ${column}) WHERE ${column} IS NOT NULL
    DO UPDATE SET credits = usage_spenders.credits + excluded.credits
  ), added AS (
    SELECT company_id, ${column}, array_agg(half ORDER BY half) AS halves, array_agg(until_then ORDER BY half) AS until_then
      FROM (SELECT company_id, ${column}, half,
                   sum(sum(credits)) OVER (PARTITION BY company_id, ${column} ORDER BY half) AS until_then
              FROM taken GROUP BY company_id, ${column}, half) t
     GROUP BY company_id, ${column}
  ), summed AS (
    INSERT INTO usage_months (company_id, ${column}, month, credits_to_date)
    SELECT a.company_id, a.${column}, t.month, ARRAY(
             SELECT CASE known.month WHEN t.month THEN known.credits_to_date[number] ELSE coalesce(known.at_end, 0) END
                    -- by the last half until this one to which something was added
                    + coalesce(a.until_then[width_bucket(t.month + (number - 1) * interval '12 hours', a.halves)], 0)
               FROM generate_series(1, 2 * extract(day FROM t.month + interval '1 month - 1 day')::integer) number)
      FROM added a
     CROSS JOIN LATERAL (
       SELECT date_trunc('month', half)::date AS month FROM unnest(a.halves) half
        UNION
       SELECT m.month FROM usage_months m
        WHERE m.company_id = a.company_id AND m.${column} = a.${column} AND m.month > a.halves[1]) t
      LEFT JOIN LATERAL (
       SELECT m.month, m.credits_to_date, m.credits_to_date[cardinality(m.credits_to_date)] AS at_end FROM usage_months m
        WHERE m.company_id = a.company_id AND m.${column} = a.${column} AND m.month <= t.month
        ORDER BY m.month DESC LIMIT 1) known ON true
    ON CONFLICT (company_id, ${column}, month) WHERE ${column} IS NOT NULL
    DO UPDATE SET credits_to_date = excluded.credits_to_date
  )
  SELECT count(*) AS rows FROM taken`;
};
