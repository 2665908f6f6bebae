import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Sums of the ledger per spender and month in place of day: their number hardly depends on how much is spent, and those of
 * a month lie beside each other, so that a listing of a span reads two stretches of a table. They hold noons beside midnights,
 * so that an end inside a day is at most six hours of the ledger away from one of them.
 */
export class SumUsageByMonth1760000000240 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // As roll-ups do: what a process that still runs adds while the sums are read would be lost.
    await runner.query(`SELECT pg_advisory_xact_lock(hashtextextended('usage_days', 0))`);
    // The rows of the current month are changed again and again, as those of usage_spenders.
    await runner.query(`
      CREATE TABLE usage_months (
        company_id text NOT NULL,
        user_id text,
        api_key_id uuid,
        -- its first day, in UTC; only months in which something was spent have a row
        month date NOT NULL,
        -- all that was spent until each noon and midnight of the month: two rows give any span of half days
        credits_to_date numeric(26, 6)[] NOT NULL,
        CONSTRAINT usage_months_spender_check CHECK (num_nonnulls(user_id, api_key_id) = 1),
        CONSTRAINT usage_months_month_check CHECK (isfinite(month) AND extract(day FROM month) = 1),
        CONSTRAINT usage_months_half_days_check CHECK (
          array_dims(credits_to_date) = '[1:' || 2 * extract(day FROM month + interval '1 month - 1 day') || ']'
        ),
        -- Nothing that is less than what is before it, and, as nulls sort last, no null.
        CONSTRAINT usage_months_credits_to_date_check CHECK (
          coalesce(credits_to_date[1] >= 0, false)
          AND credits_to_date[cardinality(credits_to_date)] IS NOT NULL
          AND credits_to_date = array_sort(credits_to_date)
        )
      ) WITH (fillfactor = 50)`);
    // Of what was taken into the sums of days: what is pending still is taken into these later.
    for (const spender of ['user_id', 'api_key_id']) {
      await runner.query(`
        WITH spent AS (
          SELECT company_id, ${spender}, half, sum(sum(credits)) OVER (PARTITION BY company_id, ${spender} ORDER BY half) AS until_then
            FROM (SELECT company_id, ${spender}, credits, date_bin('12 hours', created_at AT TIME ZONE 'UTC', timestamp '2000-01-01') AS half
                    FROM usage_ledger l
                   WHERE ${spender} IS NOT NULL AND NOT EXISTS (SELECT FROM usage_pending p WHERE p.ledger_id = l.id)) l
           GROUP BY company_id, ${spender}, half
        ), halves AS (
          SELECT company_id, ${spender}, month, half
            FROM (SELECT DISTINCT company_id, ${spender}, date_trunc('month', half) AS month FROM spent) m
           CROSS JOIN LATERAL generate_series(month, month + interval '1 month - 12 hours', interval '12 hours') half
        )
        INSERT INTO usage_months (company_id, ${spender}, month, credits_to_date)
        SELECT company_id, ${spender}, month, array_agg(to_date ORDER BY half)
          FROM (SELECT company_id, ${spender}, month, half,
                       coalesce(max(until_then) OVER (PARTITION BY company_id, ${spender} ORDER BY half), 0) AS to_date
                  FROM halves LEFT JOIN spent USING (company_id, ${spender}, half)) t
         GROUP BY company_id, ${spender}, month
         ORDER BY month, company_id, ${spender}`);
    }
    await runner.query(`
      CREATE UNIQUE INDEX usage_months_user_key ON usage_months (company_id, user_id, month) WHERE user_id IS NOT NULL`);
    await runner.query(`
      CREATE UNIQUE INDEX usage_months_api_key_key ON usage_months (company_id, api_key_id, month)
        WHERE api_key_id IS NOT NULL`);
    await runner.query('CREATE INDEX usage_months_company_idx ON usage_months (company_id, month)');
    // At last, as they keep everybody from writing users and keys until the transaction ends.
    await runner.query(`
      ALTER TABLE usage_months
        ADD CONSTRAINT usage_months_user_fkey FOREIGN KEY (company_id, user_id) REFERENCES users (company_id, id),
        ADD CONSTRAINT usage_months_api_key_fkey FOREIGN KEY (company_id, api_key_id) REFERENCES api_keys (company_id, id)`);
    await runner.query('DROP TABLE usage_days');
    // Processes of the version before go on reading; what they would roll up is left to those of this one.
    await runner.query(`
      CREATE VIEW usage_days AS
        SELECT s.id AS spender_id, m.month + d.number::integer / 2 - 1 AS day, d.credits_to_date
          FROM usage_spenders s
          JOIN usage_months m ON m.company_id = s.company_id AND (m.user_id = s.user_id OR m.api_key_id = s.api_key_id)
         CROSS JOIN LATERAL unnest(m.credits_to_date) WITH ORDINALITY AS d (credits_to_date, number)
         WHERE d.number % 2 = 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SELECT pg_advisory_xact_lock(hashtextextended('usage_months', 0))`);
    await runner.query('ALTER VIEW usage_days RENAME TO usage_days_of_months');
    await runner.query(`
      CREATE TABLE usage_days (
        spender_id bigint NOT NULL CONSTRAINT usage_days_spender_fkey REFERENCES usage_spenders (id),
        -- in UTC; only days on which something was spent have a row
        day date NOT NULL,
        -- all that was spent until the end of the day: two rows give any span of days
        credits_to_date numeric(26, 6) NOT NULL CONSTRAINT usage_days_credits_to_date_check CHECK (credits_to_date >= 0),
        CONSTRAINT usage_days_pkey PRIMARY KEY (spender_id, day) INCLUDE (credits_to_date)
      )`);
    await runner.query(`
      INSERT INTO usage_days (spender_id, day, credits_to_date)
      SELECT spender_id, day, credits_to_date
        FROM (SELECT *, lag(credits_to_date, 1, 0) OVER (PARTITION BY spender_id ORDER BY day) AS before
                FROM usage_days_of_months) days
       WHERE credits_to_date > before
       ORDER BY spender_id, day`);
    await runner.query('DROP VIEW usage_days_of_months');
    await runner.query('DROP TABLE usage_months');
  }
}
