import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Sums of the ledger per spender and month in place of day: their number hardly depends on how much is spent, and those of
 * a month lie beside each other, so that a listing of a span reads two stretches of a table.
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
        -- all that was spent until the end of each day of the month: two rows give any span of days
        credits_to_date numeric(26, 6)[] NOT NULL,
        CONSTRAINT usage_months_user_fkey FOREIGN KEY (company_id, user_id) REFERENCES users (company_id, id),
        CONSTRAINT usage_months_api_key_fkey FOREIGN KEY (company_id, api_key_id) REFERENCES api_keys (company_id, id),
        CONSTRAINT usage_months_spender_check CHECK (num_nonnulls(user_id, api_key_id) = 1),
        CONSTRAINT usage_months_month_check CHECK (isfinite(month) AND extract(day FROM month) = 1),
        CONSTRAINT usage_months_days_check CHECK (
          array_dims(credits_to_date) = '[1:' || extract(day FROM month + interval '1 month - 1 day') || ']'
        ),
        -- Nothing that is less than the day before it, and, as nulls sort last, no null.
        CONSTRAINT usage_months_credits_to_date_check CHECK (
          coalesce(credits_to_date[1] >= 0, false)
          AND credits_to_date[cardinality(credits_to_date)] IS NOT NULL
          AND credits_to_date = array_sort(credits_to_date)
        )
      ) WITH (fillfactor = 50)`);
    await runner.query(`
      INSERT INTO usage_months (company_id, user_id, api_key_id, month, credits_to_date)
      SELECT s.company_id, s.user_id, s.api_key_id, t.month, array_agg(t.credits_to_date ORDER BY t.day)
        FROM (SELECT spender_id, m.month, day, coalesce(max(d.credits_to_date) OVER (PARTITION BY spender_id ORDER BY day), 0) AS credits_to_date
                FROM (SELECT DISTINCT spender_id, date_trunc('month', day::timestamp)::date AS month FROM usage_days) m
               CROSS JOIN LATERAL (SELECT m.month + n AS day FROM generate_series(0, extract(day FROM m.month + interval '1 month - 1 day')::integer - 1) n) n
                LEFT JOIN usage_days d USING (spender_id, day)) t
        JOIN usage_spenders s ON s.id = t.spender_id
       GROUP BY s.id, t.month
       ORDER BY t.month, s.id`);
    await runner.query(`
      CREATE UNIQUE INDEX usage_months_user_key ON usage_months (company_id, user_id, month) WHERE user_id IS NOT NULL`);
    await runner.query(`
      CREATE UNIQUE INDEX usage_months_api_key_key ON usage_months (company_id, api_key_id, month)
        WHERE api_key_id IS NOT NULL`);
    await runner.query('CREATE INDEX usage_months_company_idx ON usage_months (company_id, month)');
    await runner.query('DROP TABLE usage_days');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SELECT pg_advisory_xact_lock(hashtextextended('usage_months', 0))`);
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
      SELECT id, day, credits_to_date
        FROM (SELECT s.id, m.month + d.number::integer - 1 AS day, d.credits_to_date,
                     lag(d.credits_to_date, 1, 0) OVER (PARTITION BY s.id ORDER BY m.month, d.number) AS before
                FROM usage_spenders s
                JOIN usage_months m ON m.company_id = s.company_id
                                   AND (m.user_id IS NULL) = (s.user_id IS NULL)
                                   AND coalesce(m.user_id, m.api_key_id::text) = coalesce(s.user_id, s.api_key_id::text)
               CROSS JOIN LATERAL unnest(m.credits_to_date) WITH ORDINALITY AS d (credits_to_date, number)) days
       WHERE credits_to_date > before
       ORDER BY id, day`);
    await runner.query('DROP TABLE usage_months');
  }
}
