import type { Comparison } from './formula.js';
import type { Values } from './values.js';

/** Returns true if no number in a range satisfies a comparison. */
export function isNever([least, most]: readonly [number, number], comparison: Comparison, figure: number): boolean {
  switch (comparison) {
    case '=':
      return figure < least || figure > most;
    case '<':
      return least >= figure;
    case '<=':
      return least > figure;
    case '>':
      return most <= figure;
    case '>=':
      return most < figure;
    case '<>':
      return least === figure && most === figure;
  }
}

const ranges = new WeakMap<Values, readonly [number, number] | 'none'>();

/** Returns the minimum and maximum if all values are numbers, or undefined if any value is not. */
export function rangeOf(values: Values): readonly [number, number] | undefined {
  const cached = ranges.get(values);
  if (cached !== undefined) return cached === 'none' ? undefined : cached;
  let [least, most] = [Infinity, -Infinity];
  for (const text of values) {
    const figure = text === '' ? NaN : Number(text);
    [least, most] = [Math.min(least, figure), Math.max(most, figure)];
    if (Number.isNaN(figure)) break;
  }
  const range = Number.isFinite(least) && Number.isFinite(most) ? ([least, most] as const) : undefined;
  ranges.set(values, range ?? 'none');
  return range;
}
