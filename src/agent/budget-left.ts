import { type ExhaustedBudget, sentenceOf } from '../usage/exhausted-budget.js';
import { AgentFailure } from './agent.js';

/** Lets a turn take its next step unless a budget is used up. @throws AgentFailure that says so */
export function assertMayGoOn(exhausted: ExhaustedBudget | null): void {
  if (exhausted !== null) throw new AgentFailure(`The agent has stopped here: ${sentenceOf(exhausted)}.`);
}
