import { createHash } from 'node:crypto';
import type { CardContent } from './card.js';
import type { Variables } from './kinds/card-kind.js';
import { CARD_KINDS } from './kinds/card-kinds.js';
import { plainVariables } from './requirement.js';

type Content = Pick<CardContent, 'card_type' | 'data'>;

/**
 * Hash of the model that cards describe, in hex: equal as long as a solve would read the same, whatever the order of
 * the cards and of the keys in them, their labels, descriptions and KPIs.
 *
 * @param variables names of the variables without an index, where these are not all cards of a canvas
 */
export function modelDigest(cards: readonly Content[], variables = plainVariables(cards)): string {
  const parts = cards.map((card) => modelPart(card, variables)).filter((part) => part !== '');
  return createHash('sha256').update(parts.sort().join('\n')).digest('hex');
}

/** What a solve reads of one card, as text that is equal for equal content; empty when that is nothing. */
function modelPart({ card_type, data }: Content, variables: Variables): string {
  const solved = CARD_KINDS[card_type].solved(data, variables);
  return solved.length === 0 ? '' : JSON.stringify([card_type, ...solved.map(sorted)]);
}

/** The value with the keys of its objects in order, as lists of pairs. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const pairs = Object.entries(value).map(([key, member]) => [key, sorted(member)] as const);
  return { pairs: pairs.sort(([one], [other]) => (one < other ? -1 : 1)) };
}
