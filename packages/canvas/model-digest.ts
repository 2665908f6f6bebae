import { createHash } from 'node:crypto';
import type { CardContent } from './card.js';
import type { Variables } from './kinds/card-kind.js';
import { CARD_KINDS } from './kinds/card-kinds.js';
import { plainVariables } from './requirement.js';

type Content = Pick<CardContent, 'card_type' | 'data'>;

/**
 * Returns a hash of the model in hex. Canvases have the same hash if a solve cannot distinguish them. Labels, descriptions,
 * KPIs, and the order of cards and keys do not affect the hash.
 *
 * @param variables names of the variables without an index, if `cards` does not contain the whole canvas
 */
export function modelDigest(cards: readonly Content[], variables = plainVariables(cards)): string {
  const parts = cards.map((card) => modelPart(card, variables)).filter((part) => part !== '');
  return createHash('sha256').update(parts.sort().join('\n')).digest('hex');
}

/** Returns the content of a card that a solve reads, in canonical form. Returns an empty string if a solve ignores the card. */
function modelPart({ card_type, data }: Content, variables: Variables): string {
  const solved = CARD_KINDS[card_type].solverInput(data, variables);
  return solved.length === 0 ? '' : JSON.stringify([card_type, ...solved.map(sorted)]);
}

/** Converts objects to lists of pairs sorted by key, recursively. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const pairs = Object.entries(value).map(([key, member]) => [key, sorted(member)] as const);
  return { pairs: pairs.sort(([one], [other]) => (one < other ? -1 : 1)) };
}
