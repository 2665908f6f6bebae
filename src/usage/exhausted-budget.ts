import { PaymentRequired } from '../common/errors/errors.js';
import type { Budget } from './budget.entity.js';

/** A blocking budget whose limit is reached, as the database tells of it. */
export interface ExhaustedBudget extends Pick<Budget, 'scope' | 'period' | 'limit_credits'> {
  /** ISO 8601; null of a total. */
  ends_at: string | null;
}

const SUBJECTS = { company: 'company', user: 'user', api_key: 'API key', project: 'project' } as const;
const PERIODS = { day: 'daily', month: 'monthly', total: 'total' } as const;

/** Names a budget that is used up, its limit, its period and when that ends, without a full stop. */
export function sentenceOf({ scope, period, limit_credits, ends_at }: ExhaustedBudget): string {
  const name = `The ${PERIODS[period]} budget of ${limit_credits} credits of this ${SUBJECTS[scope]} is used up`;
  return ends_at === null ? `${name}, and its period never ends` : `${name} until ${ends_at}`;
}

/** Lets work begin unless a budget is used up: every post and every solve asks here. @throws PaymentRequired */
export function assertBudgetLeft(exhausted: ExhaustedBudget | null): void {
  if (exhausted !== null) throw new PaymentRequired(sentenceOf(exhausted));
}
