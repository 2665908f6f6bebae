import type { Config } from '../config/config.js';

/*
 * What a turn costs, in credits. Agents yield these as `usage` events; the turn adds them up, over all of its attempts
 * (chat/turns/turn-writer.ts), and the ledger is charged with the sum when the turn ends (chat/turns/turn-endings.service.ts).
 * Solves that a turn starts are charged on their own, by the second (executions).
 */

/** Credits per 1,000 tokens. */
export type TokenPrices = Pick<Config, 'PRICE_INPUT_TOKENS' | 'PRICE_OUTPUT_TOKENS'>;

/** Cost of one request to a language model; a provider that reports no tokens charges none. */
export function tokenCredits(
  { PRICE_INPUT_TOKENS, PRICE_OUTPUT_TOKENS }: TokenPrices,
  { inputTokens = 0, outputTokens = 0 }: { inputTokens: number | undefined; outputTokens: number | undefined },
): number {
  return (inputTokens * PRICE_INPUT_TOKENS + outputTokens * PRICE_OUTPUT_TOKENS) / 1000;
}

/** Cost of a turn that the guide answers, however much it does. */
export const guideCredits = ({ PRICE_GUIDE_TURN }: Pick<Config, 'PRICE_GUIDE_TURN'>): number => PRICE_GUIDE_TURN;
