/** Where spenders of a kind are kept, their column in the tables of spend, and what listings show of them. */
export interface SpenderKind {
  table: 'users' | 'api_keys';
  column: 'user_id' | 'api_key_id';
  shown: string;
}

export const USERS: SpenderKind = { table: 'users', column: 'user_id', shown: 's.display_name, s.email' };
export const API_KEYS: SpenderKind = { table: 'api_keys', column: 'api_key_id', shown: 's.name, s.prefix' };

/** Whom a listing shows, as a condition on spenders `s` with the parameter $10; null shows everyone. */
export type Visible = 's.id = $10' | 's.created_by = $10' | null;

/**
 * A page of a company's spenders by what they have spent in a span, highest first, ties by id, each row with the number of
 * all of them; past the end one row that holds the number alone.
 *
 * Whole days come from the sums and from what these do not hold yet, the edges from the ledger. As one statement sees one
 * moment, in which each row of the ledger is either in the sums or pending, this is the plain sum of the ledger.
 *
 * $1 company; $2 to $7 seconds: whole days from and until, edge before from and until, edge after from and until; $8
 * limit, $9 offset, $10 the caller where `visible` names one.
 */
export const spendPage = ({ table, column, shown }: SpenderKind, visible: Visible): string => {
  const rows = (source: string, from: string, until: string): string => `
      SELECT r.${column} AS id, r.credits FROM ${source} r
       WHERE r.company_id = $1 AND r.${column} IS NOT NULL
         AND r.created_at >= to_timestamp(${from}) AND r.created_at < to_timestamp(${until})
         ${visible === null ? '' : `AND r.${column} IN (SELECT id FROM spenders)`}`;
  const spentBefore = (moment: string): string => `
      CASE WHEN ${moment}::float8 > '-Infinity' THEN coalesce((
        SELECT d.credits_to_date FROM usage_days d
         WHERE d.company_id = $1 AND d.${column} = s.id AND d.day < (to_timestamp(${moment}) AT TIME ZONE 'UTC')::date
         ORDER BY d.day DESC LIMIT 1), 0) ELSE 0 END`;
  return `
  WITH spenders AS (
    SELECT s.id, ${shown} FROM ${table} s WHERE s.company_id = $1 ${visible === null ? '' : `AND ${visible}`}
  ), single AS (
    SELECT id, sum(credits) AS credits
      FROM (${rows('usage_pending', '$2', '$3')}
      UNION ALL ${rows('usage_ledger', '$4', '$5')}
      UNION ALL ${rows('usage_ledger', '$6', '$7')}) r
     GROUP BY id
  ), spend AS (
    SELECT s.*, ${spentBefore('$3')} - ${spentBefore('$2')} + coalesce(single.credits, 0) AS credits
      FROM spenders s LEFT JOIN single ON single.id = s.id
  ), spent AS (
    SELECT * FROM spend WHERE credits > 0
  ), page AS (
    SELECT * FROM spent ORDER BY credits DESC, id LIMIT $8 OFFSET $9
  )
  SELECT page.*, counted.total
    FROM (SELECT count(*) AS total FROM spent) counted LEFT JOIN page ON true
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
    RETURNING company_id, ${column} AS spender, (created_at AT TIME ZONE 'UTC')::date AS day, credits
  ), added AS (
    SELECT company_id, spender, day, sum(credits) AS credits FROM taken GROUP BY company_id, spender, day
  ), more AS (
    SELECT d.company_id, d.${column} AS spender, d.day, sum(a.credits) AS credits
      FROM added a JOIN usage_days d ON d.company_id = a.company_id AND d.${column} = a.spender AND d.day >= a.day
     GROUP BY d.company_id, d.${column}, d.day
  ), raised AS (
    UPDATE usage_days d SET credits_to_date = d.credits_to_date + more.credits
      FROM more WHERE d.company_id = more.company_id AND d.${column} = more.spender AND d.day = more.day
    RETURNING d.company_id, d.${column} AS spender, d.day
  ), made AS (
    INSERT INTO usage_days (company_id, ${column}, day, credits_to_date)
    SELECT a.company_id, a.spender, a.day, a.before + a.until_then
      FROM (SELECT added.*, sum(credits) OVER (PARTITION BY company_id, spender ORDER BY day) AS until_then,
                   coalesce((SELECT d.credits_to_date FROM usage_days d
                              WHERE d.company_id = added.company_id AND d.${column} = added.spender AND d.day < added.day
                              ORDER BY d.day DESC LIMIT 1), 0) AS before
              FROM added) a
     WHERE NOT EXISTS (SELECT FROM raised r WHERE r.company_id = a.company_id AND r.spender = a.spender AND r.day = a.day)
  )
  SELECT count(*) AS rows FROM taken`;
