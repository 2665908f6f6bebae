import type { Card, Kind } from './cards';
import { type KindOfCard, KINDS } from './kinds';

/** Card whose form is open: the last version that the user saw, and the field to start with. */
export interface Opened {
  card: Card;
  start: string | undefined;
}

/** Items of a canvas, from top to bottom. */
export type Item =
  | { is: 'head'; key: string; kind: KindOfCard; count: number }
  | { is: 'new'; key: string; kind: KindOfCard }
  | { is: 'card'; key: string; kind: KindOfCard; card: Card; opened: Opened | undefined; isGone: boolean };

/** Search criteria for cards. */
export interface Filter {
  /** Text to find anywhere in a card. */
  text: string;
  /** Limits the result to cards that need input. */
  isLacking: boolean;
}

export const headKey = (kind: Kind): string => `head ${kind}`;
export const newKey = (kind: Kind): string => `new ${kind}`;

/**
 * Returns the items of a canvas, grouped by kind. Open forms are kept even if the filter excludes their card or another user
 * removes it.
 */
export function itemsOf(
  cards: readonly Card[],
  { text, isLacking }: Filter,
  opened: Readonly<Record<string, Opened>>,
  adding: readonly Kind[],
): Item[] {
  const isFiltered = text !== '' || isLacking;
  const ids = new Set(cards.map(({ id }) => id));
  const gone = Object.values(opened).filter(({ card }) => !ids.has(card.id));
  return KINDS.flatMap((kind): Item[] => {
    const ofKind = cards.filter(({ card_type }) => card_type === kind.kind);
    const items: Item[] = ofKind
      .filter((card) => card.id in opened || ((!isLacking || needsInput(card)) && contains(card, text)))
      .map((card) => ({ is: 'card', key: card.id, kind, card, opened: opened[card.id], isGone: false }));
    for (const one of gone)
      if (one.card.card_type === kind.kind)
        items.push({ is: 'card', key: one.card.id, kind, card: one.card, opened: one, isGone: true });
    if (adding.includes(kind.kind)) items.unshift({ is: 'new', key: newKey(kind.kind), kind });
    if (items.length === 0 && isFiltered) return [];
    const head: Item = { is: 'head', key: headKey(kind.kind), kind, count: ofKind.length };
    return [head, ...items];
  });
}

export const needsInput = ({ status }: Card): boolean => status !== 'complete';

/** Whether the label or the data of a card contains a text. */
function contains({ label, data }: Card, text: string): boolean {
  const wanted = text.toLocaleLowerCase();
  return wanted === '' || [label, ...textsIn(data)].some((one) => one.toLocaleLowerCase().includes(wanted));
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, inside]) => [...(Array.isArray(value) ? [] : [key]), ...textsIn(inside)])
    : [];
}
