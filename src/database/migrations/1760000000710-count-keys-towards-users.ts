import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The function of the ledger's trigger; `user` is SQL of the user whose budgets an entry `a` counts towards. */
const countTowardsBudgets = (user: string): string => `
      CREATE OR REPLACE FUNCTION count_towards_budgets() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          -- Whoever changes budgets locks the company: earlier spend is summed up there, later spend is counted here.
          PERFORM pg_advisory_xact_lock_shared(hashtextextended('usage_budgets:' || company_id, 0))
             FROM (SELECT DISTINCT company_id FROM added ORDER BY company_id) c;
          WITH own AS MATERIALIZED (
            SELECT b.id AS budget_id, budget_period_start(b.period, a.created_at) AS period_start, sum(a.credits) AS credits
              FROM added a
             CROSS JOIN LATERAL (VALUES ('company', a.company_id), ('user', ${user}), ('api_key', a.api_key_id::text),
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
                 -- Two entries that did not see each other may have reached it together.
                 reached_at = CASE WHEN before.credits >= b.limit_credits THEN before.last_at ELSE clock_timestamp() END
            FROM own LEFT JOIN before USING (budget_id, period_start)
           WHERE b.id = own.budget_id AND coalesce(b.reached_period < own.period_start, true)
             AND coalesce(before.credits, 0) + own.credits >= b.limit_credits;
          RETURN NULL;
        END
      $$`;

const CREATOR = '(SELECT k.created_by FROM api_keys k WHERE k.company_id = a.company_id AND k.id = a.api_key_id)';
const OF_KEYS = `company_id = b.company_id
   AND api_key_id IN (SELECT k.id FROM api_keys k WHERE k.company_id = b.company_id AND k.created_by = b.subject_id)`;

/** The spend of an API key counts towards the budgets of the user who made it, in the current periods too. */
export class CountKeysTowardsUsers1760000000710 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('LOCK TABLE usage_ledger IN SHARE ROW EXCLUSIVE MODE');
    await runner.query(countTowardsBudgets(`coalesce(a.user_id, ${CREATOR})`));
    await runner.query(`
      INSERT INTO usage_budget_spend AS s (budget_id, period_start, shard, credits, last_at)
      SELECT b.id, p.start, 0, earlier.credits, now()
        FROM usage_budgets b
       CROSS JOIN LATERAL (SELECT budget_period_start(b.period, now()) AS start OFFSET 0) p
       CROSS JOIN LATERAL (
         SELECT (SELECT coalesce(sum(credits), 0) FROM usage_day_sums
                  WHERE ${OF_KEYS} AND day >= (p.start AT TIME ZONE 'UTC')::date)
                + (SELECT coalesce(sum(credits), 0) FROM usage_pending
                    WHERE ${OF_KEYS} AND created_at >= p.start) AS credits) earlier
       WHERE b.scope = 'user' AND earlier.credits > 0
      ON CONFLICT (budget_id, period_start, shard)
      DO UPDATE SET credits = s.credits + excluded.credits, last_at = excluded.last_at`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(countTowardsBudgets('a.user_id'));
  }
}
