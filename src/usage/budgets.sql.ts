/** Spender and project of a piece of work. Each field is an SQL expression. */
export interface Payer {
  company_id: string;
  user_id: string;
  api_key_id: string;
  project_id: string;
}

/** SQL for the spend of budgets `b` in their current period. `spent` has `credits` and the time of the last entry. */
export const SPENT_NOW = `
  LATERAL (SELECT coalesce(sum(s.credits), 0) AS credits, max(s.last_at) AS last_at
             FROM usage_budget_spend s
            WHERE s.budget_id = b.id AND s.period_start = budget_period_start(b.period, now())) spent`;

/** Condition that budget `b` was recorded as reached in the current period. */
export const IS_NOTED = `coalesce(b.reached_period = budget_period_start(b.period, now()), false)`;

/** Returns SQL for the user who created an API key. The user's budgets also limit the key's spend. */
const creatorOf = (company_id: string, api_key_id: string): string =>
  `(SELECT k.created_by FROM api_keys k WHERE k.company_id = ${company_id} AND k.id = ${api_key_id}::text::uuid)`;

/**
 * Returns SQL for a used-up blocking budget that a piece of work would count towards, as `ExhaustedBudget` JSON, or null. If
 * several apply, it returns the budget that blocks longest.
 *
 * The SQL is embedded in statements that run before work begins anyway. It costs four index lookups, another lookup for the
 * creator of an API key, and a few rows per matching budget.
 */
export const exhaustedBudget = ({ company_id, user_id, api_key_id, project_id }: Payer): string => `
  (SELECT json_build_object('scope', b.scope, 'period', b.period, 'limit_credits', b.limit_credits,
                            'ends_at', iso_timestamp(budget_period_end(b.period, now())))
     FROM (VALUES ('company', ${company_id}::text), ('user', coalesce(${user_id}::text, ${creatorOf(company_id, api_key_id)})),
                  ('api_key', ${api_key_id}::text),
                  ('project', ${project_id}::text)) subject (scope, id)
     JOIN usage_budgets b
       ON b.company_id = ${company_id} AND b.scope = subject.scope AND b.subject_id = subject.id AND b.action = 'block',
          ${SPENT_NOW}
    WHERE spent.credits >= b.limit_credits
    ORDER BY budget_period_end(b.period, now()) DESC NULLS FIRST, b.id
    LIMIT 1)`;
