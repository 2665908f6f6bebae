/** Where spenders of a kind are kept, their column in the tables of spend, and what listings show of them. */
export interface SpenderKind {
  table: 'users' | 'api_keys';
  column: 'user_id' | 'api_key_id';
  shown: string;
}

export const USERS: SpenderKind = { table: 'users', column: 'user_id', shown: 's.display_name, s.email' };
export const API_KEYS: SpenderKind = { table: 'api_keys', column: 'api_key_id', shown: 's.name, s.prefix' };

/** Whom a listing shows, as a condition on the column of the spender with the parameter $10; null shows everyone. */
export type Visible =
  '= $10' | 'IN (SELECT k.id FROM api_keys k WHERE k.company_id = $1 AND k.created_by = $10)' | null;

/**
 * A page of a company's spenders by what they have spent in a span, highest first, ties by id, each row with the number of
 * all of them; past the end one row that holds the number alone.
 *
 * Whole days come from the sums and from what these do not hold yet, the edges from the ledger. As one statement sees one
 * moment, in which each row of the ledger is either in the sums or pending, this is the plain sum of the ledger. An open
 * end is the total that is kept of each spender, an end at a midnight one look-up for each of them; neither depends on the
 * length of the ledger.
 *
 * $1 company; $2 to $7 seconds: whole days from and until, edge before from and until, edge after from and until; $8
 * limit, $9 offset, $10 the caller where `visible` names one.
 */
export const spendPage = ({ table, column, shown }: SpenderKind, visible: Visible): string => {
  const of = (source: string): string => `
       FROM ${source} r
      WHERE r.company_id = $1 AND r.${column} ${visible ?? 'IS NOT NULL'}`;
  const rows = (source: string, from: string, until: string): string => `
     SELECT r.${column} AS id, r.credits ${of(source)}
        AND r.created_at >= to_timestamp(${from}) AND r.created_at < to_timestamp(${until})`;
  const spentBefore = (moment: string): string => `
       CASE ${moment}::float8 WHEN 'Infinity' THEN r.credits WHEN '-Infinity' THEN 0 ELSE coalesce((
         SELECT d.credits_to_date FROM usage_days d
          WHERE d.spender_id = r.id AND d.day < (to_timestamp(${moment}) AT TIME ZONE 'UTC')::date
          ORDER BY d.day DESC LIMIT 1), 0) END`;
  return `
  WITH spent AS (
    SELECT id, sum(credits) AS credits FROM (
     SELECT r.${column} AS id, ${spentBefore('$3')} - ${spentBefore('$2')} AS credits ${of('usage_spenders')}
        AND $2::float8 < $3::float8
      UNION ALL ${rows('usage_pending', '$2', '$3')}
      UNION ALL ${rows('usage_ledger', '$4', '$5')}
      UNION ALL ${rows('usage_ledger', '$6', '$7')}) r
     GROUP BY id HAVING sum(credits) > 0
  ), page AS (
    SELECT * FROM spent ORDER BY credits DESC, id LIMIT $8 OFFSET $9
  )
  SELECT page.id, ${shown}, page.credits, counted.total
    FROM (SELECT count(*) AS total FROM spent) counted
    LEFT JOIN page ON true
    LEFT JOIN ${table} s ON s.company_id = $1 AND s.id = page.id
   ORDER BY page.credits DESC, page.id`;
};

/**
 * Takes up to $1 pending rows into the sums, those of the earliest days first, and answers their number. One runs at a time.
 *
 * Every part of the statement sees the sums as they were before it: days that are there grow by what was spent until
 * their end, new ones are the day before with it. Rows of earlier days than those that are there raise all the later ones.
 */
export const rollUpPage = ({ column }: SpenderKind): string => `
  WITH taken AS (
    DELETE FROM usage_pending
     WHERE ledger_id IN (SELECT ledger_id FROM usage_pending WHERE ${column} IS NOT NULL ORDER BY created_at LIMIT $1)
    RETURNING company_id, ${column}, (created_at AT TIME ZONE 'UTC')::date AS day, credits
  ), spenders AS (
    INSERT INTO usage_spenders (company_id, ${column}, credits)
    SELECT company_id, ${column}, sum(credits) FROM taken GROUP BY company_id, ${column} ORDER BY company_id, ${column}
    ON CONFLICT (company_id, ${column}) WHERE ${column} IS NOT NULL
    DO UPDATE SET credits = usage_spenders.credits + excluded.credits
    RETURNING id, company_id, ${column}
  ), added AS (
    SELECT s.id AS spender_id, t.day, sum(t.credits) AS credits
      FROM taken t JOIN spenders s USING (company_id, ${column}) GROUP BY s.id, t.day
  ), more AS (
    SELECT d.spender_id, d.day, sum(a.credits) AS credits
      FROM added a JOIN usage_days d ON d.spender_id = a.spender_id AND d.day >= a.day
     GROUP BY d.spender_id, d.day
  ), raised AS (
    UPDATE usage_days d SET credits_to_date = d.credits_to_date + more.credits
      FROM more WHERE d.spender_id = more.spender_id AND d.day = more.day
    RETURNING d.spender_id, d.day
  ), made AS (
    INSERT INTO usage_days (spender_id, day, credits_to_date)
    SELECT a.spender_id, a.day, a.before + a.until_then
      FROM (SELECT added.*, sum(credits) OVER (PARTITION BY spender_id ORDER BY day) AS until_then,
                   coalesce((SELECT d.credits_to_date FROM usage_days d
                              WHERE d.spender_id = added.spender_id AND d.day < added.day
                              ORDER BY d.day DESC LIMIT 1), 0) AS before
              FROM added) a
     WHERE NOT EXISTS (SELECT FROM raised r WHERE r.spender_id = a.spender_id AND r.day = a.day)
  )
  SELECT count(*) AS rows FROM taken`;
