import { isProblem, parseFormula, splitIndex } from '../modelling/index.js';
import type { Sketch } from './sketch.js';

/* Repairs formulas that contain a common mistake: `60% * x` instead of `0.6 * x`, `hours` instead of `hours[p]`. */

/** Maximum length of a formula in characters. */
const MAX_LENGTH = 300;
const PERCENT = /(?<![\p{L}\p{N}_.])(?<figure>\d+(?:\.\d+)?) ?%(?: ?\*| of\b)? ?/giu;
const MEMBERSHIP =
  /(?<![\p{L}\p{M}\p{N}_])(?<index>[\p{L}_][\p{L}\p{M}\p{N}_]*) in (?<set>[\p{L}_][\p{L}\p{M}\p{N}_]*)/gu;
const BARE_NAME = /(?<![\p{L}\p{M}\p{N}_"]| in )[\p{L}_][\p{L}\p{M}\p{N}_]*(?![\p{L}\p{M}\p{N}_[]| in )/gu;

/**
 * Returns the formulas, with their index, that the user probably meant. Returns an empty list if there is nothing to repair.
 */
export function repairedFormulas(formula: string, index: string | undefined, sketch: Sketch): string[] {
  const text = index === undefined ? formula : `${formula} for ${index}`;
  if (text.length > MAX_LENGTH) return [];
  const repaired = withIndices(withoutPercent(text), sketch);
  const { body } = splitIndex(repaired) ?? { body: repaired };
  return repaired === text || isProblem(parseFormula(body)) ? [] : [repaired];
}

/** Replaces `60% *` and `60 % of` with `0.6 *`. */
const withoutPercent = (text: string): string =>
  text.replace(PERCENT, (_, figure: string) => `${Number((Number(figure) / 100).toPrecision(12))} * `);

/** Adds index names to a column or variable without keys, if there is only one possible index. */
function withIndices(text: string, sketch: Sketch): string {
  const { columns, families } = sketch.vocabulary;
  const indices = new Map<string, Set<string>>();
  for (const { groups } of text.matchAll(MEMBERSHIP)) {
    const { index = '', set = '' } = groups ?? {};
    indices.set(set, (indices.get(set) ?? new Set()).add(index));
  }
  const names = new Set([...indices.values()].flatMap((of) => [...of]));
  return text.replace(BARE_NAME, (name) => {
    const shapes = columns.get(name) ?? [];
    const over = families.get(name)?.index.over ?? [];
    const sets = [...shapes.map(({ set }) => set), ...over.map(({ set }) => set)];
    const [index, ...others] = sets.length === 1 ? (indices.get(sets[0] ?? '') ?? []) : [];
    return index === undefined || others.length > 0 || names.has(name) ? name : `${name}[${index}]`;
  });
}
