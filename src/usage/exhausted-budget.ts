import { PaymentRequired } from '../common/errors/errors.js';
import type { Budget } from './budget.entity.js';

/** Blocking budget whose limit is reached, as returned by the database. */
export interface ExhaustedBudget extends Pick<Budget, 'scope' | 'period' | 'limit_credits'> {
  /** ISO 8601. Null for a total. */
  ends_at: string | null;
}

const SUBJECTS = { company: 'company', user: 'user', api_key: 'API key', project: 'project' } as const;
const PERIODS = { day: 'daily', month: 'monthly', total: 'total' } as const;

/** Describes a used-up budget with its limit and the end of its period, without a full stop. */
export function sentenceOf({ scope, period, limit_credits, ends_at }: ExhaustedBudget): string {
  const name = `This ${SUBJECTS[scope]}'s ${PERIODS[period]} budget of ${limit_credits} credits is used up`;
  return ends_at === null ? `${name} and does not reset` : `${name} and resets at ${ends_at}`;
}

/**
 * Rejects work if a budget is used up. Called for every post and every solve.
 * @throws PaymentRequired
 */
export function assertBudget(exhausted: ExhaustedBudget | null): void {
  if (exhausted !== null) throw new PaymentRequired(sentenceOf(exhausted));
}
