import type { CompanyEventData } from '../events/event-types.js';
import { EntityRepository } from '../database/entity-repository.js';
import { NotFound, parseId } from '../common/errors/errors.js';
import type { Page } from '../common/listing/page.js';
import type { PageQuery } from '../common/listing/page.query.js';
import { Budget, type BudgetScope } from './budget.entity.js';
import { exhaustedBudget, IS_NOTED, SPENT_NOW } from './budgets.sql.js';
import type { ExhaustedBudget } from './exhausted-budget.js';
import type { Spender } from './spender.js';

/** Budget with its spend in the current period. */
export interface BudgetRow extends Omit<Budget, 'company_id' | 'subject_id' | 'reached_period'> {
  /** Null for a company budget. */
  subject_id: string | null;
  spent_credits: number;
  /** Null for a total. */
  period_ends_at: Date | null;
}

/** Fields set by a caller. */
export type BudgetFields = Pick<Budget, 'scope' | 'subject_id' | 'period' | 'limit_credits' | 'action'>;

// A budget that is reached but not recorded yet was reached by its last entry. Any later entry would have recorded it.
const REACHED_AT = 'coalesce(spent.last_at, greatest(b.created_at, budget_period_start(b.period, now())))';

/** Reached budget, as included in its event. */
export type UnannouncedBudget = CompanyEventData['budget.reached'];

const SELECT = `
  SELECT b.id, b.scope, CASE WHEN b.scope <> 'company' THEN b.subject_id END AS subject_id, b.period, b.limit_credits,
         b.action, spent.credits AS spent_credits, budget_period_end(b.period, now()) AS period_ends_at,
         CASE WHEN ${IS_NOTED} THEN b.reached_at WHEN spent.credits >= b.limit_credits THEN ${REACHED_AT} END AS reached_at,
         b.created_at, b.updated_at
    FROM usage_budgets b, ${SPENT_NOW}`;

/** Queries for the subject of each scope. $1 is the company and $2 the id of the subject. */
const SUBJECTS: Record<Exclude<BudgetScope, 'company'>, string> = {
  user: 'SELECT FROM users WHERE company_id = $1 AND id = $2',
  api_key: 'SELECT FROM api_keys WHERE company_id = $1 AND id = $2::uuid',
  // Includes deleted projects, because they may be restored with their budgets.
  project: 'SELECT FROM projects WHERE company_id = $1 AND id = $2::uuid',
};

/** Conditions for spend that counts towards a budget. $1 is the company and $3 the id of the subject. */
const COUNTED: Record<BudgetScope, string> = {
  // The subject of a company budget is the company itself.
  company: 'company_id = $3',
  user: '(user_id = $3 OR api_key_id IN (SELECT k.id FROM api_keys k WHERE k.company_id = $1 AND k.created_by = $3))',
  api_key: 'api_key_id = $3',
  project: 'project_id = $3',
};

/**
 * Stores budgets, and their spend per period in `usage_budget_spend`. The ledger trigger `usage_ledger_budgets` counts each
 * entry in the transaction that adds it.
 */
export class BudgetsRepository extends EntityRepository(Budget) {
  /** Blocks additions to a company's ledger and changes to its budgets until the transaction ends. */
  async lockCompany(company_id: string): Promise<void> {
    await this.query(`SELECT pg_advisory_xact_lock(hashtextextended('usage_budgets:' || $1, 0))`, [company_id]);
  }

  /** Returns whether the company has this user, API key or project. */
  async hasSubject(company_id: string, scope: Exclude<BudgetScope, 'company'>, subject_id: string): Promise<boolean> {
    const rows: unknown[] = await this.query(SUBJECTS[scope], [company_id, subject_id]);
    return rows.length > 0;
  }

  /** Adds or changes the budget for a scope, subject and period. The company must be locked. */
  async put(
    company_id: string,
    { scope, subject_id, period, limit_credits, action }: BudgetFields,
  ): Promise<{ id: string; is_new: boolean }> {
    const [stored]: { id: string; is_new: boolean }[] = await this.query(
      `INSERT INTO usage_budgets AS b (company_id, scope, subject_id, period, limit_credits, action)
       VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (company_id, scope, subject_id, period)
       DO UPDATE SET limit_credits = excluded.limit_credits, action = excluded.action, updated_at = now()
       RETURNING b.id, b.xmax = 0 AS is_new`,
      [company_id, scope, subject_id, period, limit_credits, action],
    );
    if (stored === undefined) throw new Error('The budget was not stored');
    return stored;
  }

  /** Counts the company's earlier spend in the current period of a new budget. The company must be locked. */
  async countEarlier(company_id: string, id: string, { scope, subject_id }: BudgetFields): Promise<void> {
    const of = `company_id = $1 AND ${COUNTED[scope]}`;
    // Every entry is either in the daily sums or pending. Periods begin at midnight.
    await this.query(
      `INSERT INTO usage_budget_spend (budget_id, period_start, shard, credits, last_at)
       SELECT b.id, p.start, 0,
              (SELECT coalesce(sum(credits), 0) FROM usage_day_sums WHERE ${of} AND day >= (p.start AT TIME ZONE 'UTC')::date)
              + (SELECT coalesce(sum(credits), 0) FROM usage_pending WHERE ${of} AND created_at >= p.start), now()
         FROM usage_budgets b, LATERAL (SELECT budget_period_start(b.period, now()) AS start OFFSET 0) p
        WHERE b.id = $2`,
      [company_id, id, subject_id],
    );
  }

  /** Updates whether a budget is reached after its limit has changed. The company must be locked. */
  async noteChanged(id: string): Promise<void> {
    await this.query(
      `UPDATE usage_budgets b
          SET reached_at = CASE WHEN NOT n.is_reached THEN NULL WHEN n.is_noted THEN b.reached_at ELSE now() END,
              reached_period = CASE WHEN n.is_reached THEN budget_period_start(b.period, now()) END
         FROM (SELECT b.id, spent.credits >= b.limit_credits AS is_reached, ${IS_NOTED} AS is_noted
                 FROM usage_budgets b, ${SPENT_NOW} WHERE b.id = $1) n
        WHERE b.id = n.id`,
      [id],
    );
  }

  /**
   * Records budgets that were reached by concurrent entries that did not see each other, and budgets with limit 0 that have no
   * entries. The ledger's trigger records all other reached budgets.
   */
  async recordReached(): Promise<void> {
    // Uses subqueries instead of a join, so that a budget that changes concurrently is evaluated again.
    await this.query(
      `UPDATE usage_budgets b
          SET (reached_at, reached_period) = (SELECT ${REACHED_AT}, budget_period_start(b.period, now()) FROM ${SPENT_NOW})
        WHERE NOT ${IS_NOTED} AND (SELECT spent.credits FROM ${SPENT_NOW}) >= b.limit_credits`,
    );
  }

  /** Returns companies with reached budgets that no event has announced yet. */
  async companiesToNotify(): Promise<string[]> {
    const rows: { company_id: string }[] = await this.query(
      'SELECT DISTINCT company_id FROM usage_budgets WHERE reached_period IS DISTINCT FROM told_period AND reached_period IS NOT NULL',
    );
    return rows.map(({ company_id }) => company_id);
  }

  /** Marks a company's reached budgets as announced. Returns the newly announced budgets. */
  async takeUnannounced(company_id: string): Promise<UnannouncedBudget[]> {
    const [untold]: [UnannouncedBudget[], number] = await this.query(
      `UPDATE usage_budgets SET told_period = reached_period
        WHERE company_id = $1 AND reached_period IS DISTINCT FROM told_period AND reached_period IS NOT NULL
       RETURNING id AS budget_id, scope, CASE WHEN scope <> 'company' THEN subject_id END AS subject_id, period, limit_credits,
                 action, iso_timestamp(reached_at) AS reached_at`,
      [company_id],
    );
    return untold;
  }

  /** Removes the sums for past periods. */
  async forgetPeriods(): Promise<void> {
    await this.query(
      `DELETE FROM usage_budget_spend s USING usage_budgets b
        WHERE b.id = s.budget_id AND s.period_start < budget_period_start(b.period, now())`,
    );
  }

  /** Returns the number of a company's budgets. */
  async countOf(company_id: string): Promise<number> {
    return await this.countBy({ company_id });
  }

  /** Returns a page of a company's budgets, newest first. */
  async page(company_id: string, { limit, offset }: PageQuery): Promise<Page<BudgetRow>> {
    const rows: BudgetRow[] = await this.query(
      `${SELECT} WHERE b.company_id = $1 ORDER BY b.created_at DESC, b.id DESC LIMIT $2 OFFSET $3`,
      [company_id, limit, offset],
    );
    return { rows, total: await this.countOf(company_id) };
  }

  /**
   * Returns a budget.
   * @throws NotFound, also for a malformed id
   */
  async require(company_id: string, budgetId: string): Promise<BudgetRow> {
    const [budget]: BudgetRow[] = await this.query(`${SELECT} WHERE b.company_id = $1 AND b.id = $2`, [
      company_id,
      parseId(budgetId, 'Budget'),
    ]);
    if (budget === undefined) throw new NotFound('Budget');
    return budget;
  }

  /** Removes the budgets for a subject. The company must be locked. */
  async removeOf(company_id: string, scope: BudgetScope, subject_id: string): Promise<void> {
    await this.delete({ company_id, scope, subject_id });
  }

  /** Returns a used-up budget that blocks a spender's work in a project, or null. */
  async exhausted(
    company_id: string,
    project_id: string,
    { user_id, api_key_id }: Spender,
  ): Promise<ExhaustedBudget | null> {
    const payer = { company_id: '$1', project_id: '$2', user_id: '$3', api_key_id: '$4' };
    const [row]: { exhausted: ExhaustedBudget | null }[] = await this.query(
      `SELECT ${exhaustedBudget(payer)} AS exhausted`,
      [company_id, project_id, user_id, api_key_id],
    );
    return row?.exhausted ?? null;
  }
}
