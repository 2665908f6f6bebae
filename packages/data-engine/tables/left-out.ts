import type { LeftOut } from '../tasks.js';
import { type GridRow, textOf } from './grid.js';

/** Maximum number of characters that are quoted from a row. */
const MAX_QUOTE = 100;

/** Adds an entry to the list. Adjacent rows of the same kind share an entry, which keeps the list short. */
export function addLeftOut(list: LeftOut[], { place, kind, first, last, text }: LeftOut): void {
  const before = list.at(-1);
  if (before?.place === place && before.kind === kind) {
    before.last = last;
    before.text = cut(`${before.text}\n${text}`);
  } else list.push({ place, kind, first, last, text: cut(text) });
}

export const leftOutEntry = (place: LeftOut['place'], kind: LeftOut['kind'], { number, cells }: GridRow): LeftOut => ({
  place,
  kind,
  first: number,
  last: number,
  text: cells.map(textOf).filter(Boolean).join(' '),
});

const cut = (text: string): string =>
  Array.from(text.slice(0, 2 * MAX_QUOTE))
    .slice(0, MAX_QUOTE)
    .join('')
    .toWellFormed();
