import { invalidValue, missing } from '../common/errors/errors.js';
import type { Page } from '../common/listing/page.js';
import type { PageQuery } from '../common/listing/page.query.js';
import { PageResponse } from '../common/listing/page.response.js';
import { DateTimeField, EnumField, NumberField, ObjectArrayField, StringField } from '../common/validation/fields.js';
import { Rule } from '../common/validation/field.js';
import {
  BUDGET_ACTIONS,
  BUDGET_PERIODS,
  BUDGET_SCOPES,
  type BudgetAction,
  type BudgetPeriod,
  type BudgetScope,
  MAX_LIMIT,
} from './budget.entity.js';
import type { BudgetRow } from './budgets.repository.js';

const SCOPE = 'Counted spend: the company’s, a user’s (including their API keys), an API key’s, or a project’s';
const PERIOD =
  'Period after which counting restarts: each day at midnight, each month on the first (both in UTC), or never';
const ACTION = 'When the limit is reached, `block` rejects posts and solves with 402, and `notice` changes nothing';

/** Returns whether an amount is a multiple of a millionth, the unit of the ledger. */
const hasMillionths = (credits: number): boolean => Math.round(credits * 1e6) / 1e6 === credits;

/** Request to create or change a budget. Budgets are unique by scope, subject and period. */
@Rule<BudgetRequest>(({ scope, subject_id }, received) => {
  if (scope === 'company')
    return subject_id == null ? [] : [invalidValue(['subject_id'], 'a company budget has no subject', subject_id)];
  return subject_id == null ? [missing(['subject_id'], received)] : [];
})
export class BudgetRequest {
  @EnumField(BUDGET_SCOPES, { description: SCOPE })
  scope!: BudgetScope;

  @StringField({
    optional: true,
    nullable: true,
    minLength: 1,
    maxLength: 255,
    description: 'Id of the user, API key or project. Omit for a company budget',
  })
  subject_id?: string | null;

  @EnumField(BUDGET_PERIODS, { description: PERIOD })
  period!: BudgetPeriod;

  @NumberField({
    minimum: 0,
    maximum: MAX_LIMIT,
    description: 'At most 6 decimal places',
    example: 100,
    check: (credits) => (hasMillionths(credits) ? undefined : 'credits can have at most 6 decimals'),
  })
  limit_credits!: number;

  @EnumField(BUDGET_ACTIONS, { description: ACTION })
  action!: BudgetAction;
}

/** Budget with its spend in the current period. */
export class BudgetResponse {
  @StringField()
  id!: string;

  @EnumField(BUDGET_SCOPES, { description: SCOPE })
  scope!: BudgetScope;

  @StringField({ nullable: true, description: 'Id of the user, API key or project; null for a company budget' })
  subject_id!: string | null;

  @EnumField(BUDGET_PERIODS, { description: PERIOD })
  period!: BudgetPeriod;

  @NumberField({ example: 100 })
  limit_credits!: number;

  @EnumField(BUDGET_ACTIONS, { description: ACTION })
  action!: BudgetAction;

  @NumberField({ description: 'Credits charged in the current period', example: 12.5 })
  spent_credits!: number;

  @DateTimeField({
    nullable: true,
    description: 'Time at which the limit was reached in the current period, otherwise null',
  })
  reached_at!: Date | null;

  @DateTimeField({ nullable: true, description: 'Time at which counting restarts; null if `period` is `total`' })
  period_ends_at!: Date | null;

  @DateTimeField()
  created_at!: Date;

  @DateTimeField()
  updated_at!: Date;

  static from(row: BudgetRow): BudgetResponse {
    const { id, scope, subject_id, period, limit_credits, action } = row;
    const { spent_credits, reached_at, period_ends_at, created_at, updated_at } = row;
    return {
      id,
      scope,
      subject_id,
      period,
      limit_credits,
      action,
      spent_credits,
      reached_at,
      period_ends_at,
      created_at,
      updated_at,
    };
  }
}

/** The company's budgets, newest first. */
export class BudgetListResponse extends PageResponse {
  @ObjectArrayField(() => BudgetResponse)
  budgets!: BudgetResponse[];

  static from({ rows, total }: Page<BudgetRow>, { limit, offset }: PageQuery): BudgetListResponse {
    return { budgets: rows.map((row) => BudgetResponse.from(row)), limit, offset, total };
  }
}
