import type { ExhaustedBudget } from '../usage/exhausted-budget.js';
import { AskerRefused } from './agent.js';
import { TURN_SENTENCES } from './turn-sentences.js';

/** Lets a turn take its next step unless a budget is used up. @throws AskerRefused that says so */
export function assertMayGoOn(exhausted: ExhaustedBudget | null): void {
  if (exhausted !== null) throw new AskerRefused(TURN_SENTENCES.budgetUsedUp(exhausted));
}
