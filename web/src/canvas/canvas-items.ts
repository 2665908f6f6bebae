import type { Card, Kind } from './cards';
import { type KindOfCard, KINDS } from './kinds';

/** A card whose form is open: as it was seen last, and the field to begin with. */
export interface Opened {
  card: Card;
  start: string | undefined;
}

/** What stands under each other on a canvas. */
export type Item =
  | { is: 'head'; key: string; kind: KindOfCard; count: number }
  | { is: 'new'; key: string; kind: KindOfCard }
  | { is: 'card'; key: string; kind: KindOfCard; card: Card; opened: Opened | undefined; isGone: boolean };

/** Which cards are looked for. */
export interface Filter {
  /** Part of anything that stands in a card. */
  text: string;
  /** Only those that need input. */
  isLacking: boolean;
}

export const headKey = (kind: Kind): string => `head ${kind}`;
export const newKey = (kind: Kind): string => `new ${kind}`;

/** The canvas by kinds. What is being written stays, whatever is looked for and whoever removes it. */
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

/** Whether a text stands in the label of a card or in its data. */
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
