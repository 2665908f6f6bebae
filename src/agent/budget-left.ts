import { type ExhaustedBudget, sentenceOf } from '../usage/exhausted-budget.js';
import { AskerRefused } from './agent.js';

/** Lets a turn take its next step unless a budget is used up. @throws AskerRefused that says so */
export function assertMayGoOn(exhausted: ExhaustedBudget | null): void {
  if (exhausted !== null) throw new AskerRefused(`The agent has stopped here: ${sentenceOf(exhausted)}.`);
}
