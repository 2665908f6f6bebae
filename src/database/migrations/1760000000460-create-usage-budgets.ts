import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Budgets, and what the ledger holds of the current period of each.
 *
 * A budget's spend is the sum of a few rows, of which each connection adds to one: turns that end at the same time do not
 * wait for each other, and a post reads a handful of rows, however long the ledger is.
 */
export class CreateUsageBudgets1760000000460 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // All in UTC, whatever the time zone of a session is.
    await runner.query(`
      CREATE FUNCTION budget_period_start(period text, moment timestamptz) RETURNS timestamptz
        LANGUAGE sql IMMUTABLE PARALLEL SAFE
        RETURN CASE period WHEN 'total' THEN '-infinity'::timestamptz
                           ELSE date_trunc(period, moment AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' END`);
    // Null of a period that has none.
    await runner.query(`
      CREATE FUNCTION budget_period_end(period text, moment timestamptz) RETURNS timestamptz
        LANGUAGE sql IMMUTABLE PARALLEL SAFE
        RETURN CASE period
                 WHEN 'day' THEN (date_trunc('day', moment AT TIME ZONE 'UTC') + interval '1 day') AT TIME ZONE 'UTC'
                 WHEN 'month' THEN (date_trunc('month', moment AT TIME ZONE 'UTC') + interval '1 month') AT TIME ZONE 'UTC'
               END`);
    await runner.query(`
      CREATE TABLE usage_budgets (
        id uuid NOT NULL DEFAULT uuidv7() CONSTRAINT usage_budgets_pkey PRIMARY KEY,
        company_id text NOT NULL CONSTRAINT usage_budgets_company_id_fkey REFERENCES companies (id),
        scope text NOT NULL CONSTRAINT usage_budgets_scope_check CHECK (scope IN ('company', 'user', 'api_key', 'project')),
        -- whose spend counts, by scope; refers to nothing, as it is of one table or another
        subject_id text NOT NULL,
        period text NOT NULL CONSTRAINT usage_budgets_period_check CHECK (period IN ('day', 'month', 'total')),
        limit_credits numeric(20, 6) NOT NULL CONSTRAINT usage_budgets_limit_check CHECK (limit_credits >= 0),
        action text NOT NULL CONSTRAINT usage_budgets_action_check CHECK (action IN ('block', 'notice')),
        -- when the limit was reached, and the start of the period in which it was
        reached_at timestamptz(3),
        reached_period timestamptz(3),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT usage_budgets_key UNIQUE (company_id, scope, subject_id, period),
        CONSTRAINT usage_budgets_company_check CHECK (scope <> 'company' OR subject_id = company_id),
        CONSTRAINT usage_budgets_reached_check CHECK ((reached_at IS NULL) = (reached_period IS NULL))
      )`);
    await runner.query(`
      CREATE TABLE usage_budget_spend (
        budget_id uuid NOT NULL CONSTRAINT usage_budget_spend_budget_id_fkey REFERENCES usage_budgets (id) ON DELETE CASCADE,
        period_start timestamptz(3) NOT NULL,
        -- of the connection that adds
        shard smallint NOT NULL,
        credits numeric(26, 6) NOT NULL CONSTRAINT usage_budget_spend_credits_check CHECK (credits >= 0),
        last_at timestamptz(3) NOT NULL,
        CONSTRAINT usage_budget_spend_pkey PRIMARY KEY (budget_id, period_start, shard)
      ) WITH (fillfactor = 50)`);
    await runner.query(`
      CREATE FUNCTION count_towards_budgets() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          -- Who makes or removes a budget locks the company's alone: what was spent until then is summed up there, what
          -- comes after that is counted here. The statements after it see what was done under that lock.
          PERFORM pg_advisory_xact_lock_shared(hashtextextended('usage_budgets:' || company_id, 0))
             FROM (SELECT DISTINCT company_id FROM added ORDER BY company_id) c;
          WITH own AS MATERIALIZED (
            SELECT b.id AS budget_id, budget_period_start(b.period, a.created_at) AS period_start, sum(a.credits) AS credits
              FROM added a
             CROSS JOIN LATERAL (VALUES ('company', a.company_id), ('user', a.user_id), ('api_key', a.api_key_id::text),
                                        ('project', a.project_id::text)) s (scope, subject_id)
              JOIN usage_budgets b ON b.company_id = a.company_id AND b.scope = s.scope AND b.subject_id = s.subject_id
             WHERE a.credits > 0
             GROUP BY b.id, budget_period_start(b.period, a.created_at)
          ), before AS (
            SELECT budget_id, period_start, sum(s.credits) AS credits, max(s.last_at) AS last_at
              FROM usage_budget_spend s
             WHERE (budget_id, period_start) IN (SELECT budget_id, period_start FROM own)
             GROUP BY budget_id, period_start
          ), counted AS (
            INSERT INTO usage_budget_spend AS s (budget_id, period_start, shard, credits, last_at)
            SELECT budget_id, period_start, pg_backend_pid() % 16, credits, clock_timestamp()
              FROM own ORDER BY budget_id, period_start
            ON CONFLICT (budget_id, period_start, shard)
            DO UPDATE SET credits = s.credits + excluded.credits, last_at = excluded.last_at
          )
          UPDATE usage_budgets b
             SET reached_period = own.period_start,
                 -- It was reached before when two that did not see each other reached it together.
                 reached_at = CASE WHEN before.credits >= b.limit_credits THEN before.last_at ELSE clock_timestamp() END
            FROM own LEFT JOIN before USING (budget_id, period_start)
           WHERE b.id = own.budget_id AND coalesce(b.reached_period < own.period_start, true)
             AND coalesce(before.credits, 0) + own.credits >= b.limit_credits;
          RETURN NULL;
        END
      $$`);
    await runner.query(`
      CREATE TRIGGER usage_ledger_budgets AFTER INSERT ON usage_ledger REFERENCING NEW TABLE AS added
        FOR EACH STATEMENT EXECUTE FUNCTION count_towards_budgets()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER usage_ledger_budgets ON usage_ledger');
    await runner.query('DROP FUNCTION count_towards_budgets()');
    await runner.query('DROP TABLE usage_budget_spend');
    await runner.query('DROP TABLE usage_budgets');
    await runner.query('DROP FUNCTION budget_period_end(text, timestamptz)');
    await runner.query('DROP FUNCTION budget_period_start(text, timestamptz)');
  }
}
