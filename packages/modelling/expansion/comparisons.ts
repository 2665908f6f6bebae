import type { Comparison } from '../formula.js';
import type { Texts } from './texts.js';

const comparisons = <Value extends string | number>(): Record<Comparison, (one: Value, other: Value) => boolean> => ({
  '=': (one, other) => one === other,
  '<>': (one, other) => one !== other,
  '<': (one, other) => one < other,
  '>': (one, other) => one > other,
  '<=': (one, other) => one <= other,
  '>=': (one, other) => one >= other,
});
const FIGURES = comparisons<number>();
const TEXTS = comparisons<string>();

/** In which rows a comparison of figures holds. */
export function comparedFigures(one: Float64Array, comparison: Comparison, other: Float64Array): Uint8Array {
  const holds = new Uint8Array(one.length);
  const compare = FIGURES[comparison];
  for (let row = 0; row < holds.length; row += 1) holds[row] = compare(one[row]!, other[row]!) ? 1 : 0;
  return holds;
}

/**
 * In which rows a comparison of texts holds: two that are both figures are ordered as such. It never does for a negative
 * number, which is no text.
 */
export function comparedTexts(one: Int32Array, comparison: Comparison, other: Int32Array, texts: Texts): Uint8Array {
  const holds = new Uint8Array(one.length);
  const isEqual = comparison === '=';
  if (isEqual || comparison === '<>') {
    for (let row = 0; row < holds.length; row += 1) {
      const [a, b] = [one[row]!, other[row]!];
      holds[row] = a >= 0 && b >= 0 && (a === b) === isEqual ? 1 : 0;
    }
    return holds;
  }
  const { asFigures } = texts;
  const compareFigures = FIGURES[comparison];
  const compareTexts = TEXTS[comparison];
  for (let row = 0; row < holds.length; row += 1) {
    const [a, b] = [one[row]!, other[row]!];
    if (a < 0 || b < 0) continue;
    const [x, y] = [asFigures[a]!, asFigures[b]!];
    const areFigures = !Number.isNaN(x) && !Number.isNaN(y);
    holds[row] = (areFigures ? compareFigures(x, y) : compareTexts(texts.text(a), texts.text(b))) ? 1 : 0;
  }
  return holds;
}
