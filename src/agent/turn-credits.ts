import type { Config } from '../config/config.js';

/*
 * Cost of a turn in credits. Agents report it in `usage` events. The turn writer adds up the events of all attempts
 * (chat/turns/turn-writer.ts). The sum is charged to the ledger when the turn ends (chat/turns/turn-closing.service.ts). Solves
 * that a turn starts are charged separately, per second (executions/execution-endings.service.ts).
 */

/** Credits per 1,000 tokens. */
export type TokenPrices = Pick<Config, 'PRICE_INPUT_TOKENS' | 'PRICE_OUTPUT_TOKENS'>;

/** Returns the cost of a request to a language model. A request is free if the provider does not report its tokens. */
export function tokenCredits(
  { PRICE_INPUT_TOKENS, PRICE_OUTPUT_TOKENS }: TokenPrices,
  { inputTokens = 0, outputTokens = 0 }: { inputTokens: number | undefined; outputTokens: number | undefined },
): number {
  return (inputTokens * PRICE_INPUT_TOKENS + outputTokens * PRICE_OUTPUT_TOKENS) / 1000;
}

/** Returns the fixed cost of a turn that the guide answers. */
export const guideCredits = ({ PRICE_GUIDE_TURN }: Pick<Config, 'PRICE_GUIDE_TURN'>): number => PRICE_GUIDE_TURN;
