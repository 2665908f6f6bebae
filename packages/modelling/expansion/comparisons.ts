import type { Comparison } from '../formula.js';
import type { Texts } from './texts.js';

const COMPARISONS: Record<Comparison, (one: number, other: number) => boolean> = {
  '=': (one, other) => one === other,
  '<>': (one, other) => one !== other,
  '<': (one, other) => one < other,
  '>': (one, other) => one > other,
  '<=': (one, other) => one <= other,
  '>=': (one, other) => one >= other,
};

/** Returns a mask of the rows whose numbers satisfy a comparison. */
export function comparedFigures(one: Float64Array, comparison: Comparison, other: Float64Array): Uint8Array {
  const holds = new Uint8Array(one.length);
  const compare = COMPARISONS[comparison];
  for (let row = 0; row < holds.length; row += 1) holds[row] = compare(one[row]!, other[row]!) ? 1 : 0;
  return holds;
}

/**
 * Returns a mask of the rows whose strings satisfy a comparison. Strings are ordered by {@link Texts.compare}. Negative codes
 * do not represent strings and never satisfy the comparison.
 */
export function comparedTexts(one: Int32Array, comparison: Comparison, other: Int32Array, texts: Texts): Uint8Array {
  const holds = new Uint8Array(one.length);
  const isEquality = comparison === '=' || comparison === '<>';
  const compare = COMPARISONS[comparison];
  for (let row = 0; row < holds.length; row += 1) {
    const [a, b] = [one[row]!, other[row]!];
    if (a < 0 || b < 0) continue;
    holds[row] = (isEquality ? compare(a, b) : compare(texts.compare(a, b), 0)) ? 1 : 0;
  }
  return holds;
}
