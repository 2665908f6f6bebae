import type { Card, Kind } from './cards';
import { type CardKind, KINDS } from './kinds';

/** Card whose form is open: the last version that the user has seen, and the field to focus first. */
export interface Opened {
  card: Card;
  start: string | undefined;
}

/** Items on a canvas, from top to bottom. */
export type Item =
  | { type: 'head'; key: string; kind: CardKind; count: number }
  | { type: 'new'; key: string; kind: CardKind }
  | { type: 'card'; key: string; kind: CardKind; card: Card; opened: Opened | undefined; isRemoved: boolean };

/** Filter for the displayed cards. */
export interface Filter {
  /** Text to find anywhere in a card. */
  text: string;
  /** Limits the result to cards that need input. */
  isIncomplete: boolean;
}

export const headKey = (kind: Kind): string => `head ${kind}`;
export const newKey = (kind: Kind): string => `new ${kind}`;

/**
 * Returns the items on a canvas, grouped by card type. An open form stays even if the filter excludes its card or another user
 * removes the card.
 */
export function itemsOf(
  cards: readonly Card[],
  { text, isIncomplete }: Filter,
  opened: Readonly<Record<string, Opened>>,
  adding: readonly Kind[],
): Item[] {
  const isFiltered = text !== '' || isIncomplete;
  const ids = new Set(cards.map(({ id }) => id));
  const removed = Object.values(opened).filter(({ card }) => !ids.has(card.id));
  return KINDS.flatMap((kind): Item[] => {
    const ofKind = cards.filter(({ card_type }) => card_type === kind.kind);
    const items: Item[] = ofKind
      .filter((card) => card.id in opened || ((!isIncomplete || needsInput(card)) && matchesText(card, text)))
      .map((card) => ({ type: 'card', key: card.id, kind, card, opened: opened[card.id], isRemoved: false }));
    for (const one of removed)
      if (one.card.card_type === kind.kind)
        items.push({ type: 'card', key: one.card.id, kind, card: one.card, opened: one, isRemoved: true });
    if (adding.includes(kind.kind)) items.unshift({ type: 'new', key: newKey(kind.kind), kind });
    if (items.length === 0 && isFiltered) return [];
    const head: Item = { type: 'head', key: headKey(kind.kind), kind, count: ofKind.length };
    return [head, ...items];
  });
}

export const needsInput = ({ status }: Card): boolean => status !== 'complete';

/** Whether a card's label or data contains a string. */
function matchesText({ label, data }: Card, text: string): boolean {
  const needle = text.toLocaleLowerCase();
  return needle === '' || [label, ...collectTexts(data)].some((one) => one.toLocaleLowerCase().includes(needle));
}

function collectTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, nested]) => [
        ...(Array.isArray(value) ? [] : [key]),
        ...collectTexts(nested),
      ])
    : [];
}
