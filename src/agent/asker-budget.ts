import type { ExhaustedBudget } from '../usage/exhausted-budget.js';
import { AskerRefused } from './agent.js';
import { TURN_SENTENCES } from './turn-sentences.js';

/** Checks that a turn may take another step. @throws AskerRefused if a budget is used up */
export function assertAskerBudget(exhausted: ExhaustedBudget | null): void {
  if (exhausted !== null) throw new AskerRefused(TURN_SENTENCES.budgetUsedUp(exhausted));
}
