import { shortened } from '../names.js';
import { noTiers, tiersOutOfOrder } from '../sentences.js';
import { refuse } from './refusal.js';
import type { Space } from './space.js';

/** Rate per unit for the part of an amount between `start` and the start of the next tier. */
export interface Tier {
  start: number;
  rate: number;
}

/**
 * Returns the tiers of a column. The members of its set are the ends of the tiers, followed by a word for the last tier, or their
 * starts, where the first start is 0.
 *
 * @throws ExpansionRefusal
 */
export function tiersOf({ columns, texts }: Space, name: string, position: number): Tier[] {
  const column = columns.get(name);
  if (column?.type !== 'number' || column.set.columns.length > 1) refuse(noTiers(name), position);
  const { set, figures, fallback = NaN } = column;
  const limits = Array.from(set.columns[0]!, (code) => texts.asFigures[code]!);
  const areStarts = limits[0] === 0;
  const starts = areStarts ? limits : [0, ...limits.slice(0, -1)];
  const isLastOpen = areStarts || Number.isNaN(limits.at(-1)!);
  if (!isLastOpen || starts.some((start, at) => at > 0 && !(start > starts[at - 1]!)))
    refuse(tiersOutOfOrder(name, set.name), position);
  return starts.map((start, at) => {
    const rate = Number.isNaN(figures[at]!) ? fallback : figures[at]!;
    if (Number.isNaN(rate)) refuse(`${name} has no rate for ${shortened(texts.text(set.columns[0]![at]!))}`, position);
    return { start, rate };
  });
}
