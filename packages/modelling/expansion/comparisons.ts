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

/** In which rows a comparison of figures holds. */
export function comparedFigures(one: Float64Array, comparison: Comparison, other: Float64Array): Uint8Array {
  const holds = new Uint8Array(one.length);
  const compare = COMPARISONS[comparison];
  for (let row = 0; row < holds.length; row += 1) holds[row] = compare(one[row]!, other[row]!) ? 1 : 0;
  return holds;
}

/**
 * In which rows a comparison of texts holds, which are ordered as {@link Texts.compare} says. It never does for a negative
 * number, which is no text.
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
