import { isProblem, parseCondition, parseFormula } from '../modelling/index.js';
import { describeSyntaxProblem } from '../canvas/index.js';
import type { Reading, StatementOf } from './statement.js';

/*
 * Statements about sets whose members come from other sets: `fast in products where lead[p] <= 3`,
 * `near: (o, d) in lanes where km[o, d] <= 100`, `nodes = plants + customers` and `rest = products - fast`.
 */

type Definition = StatementOf<'definition'>;

const NAME = String.raw`[\p{L}_][\p{L}\p{M}\p{N}_]*`;
const SUBSET = new RegExp(
  String.raw`^(?:(?:the )?set )?(?<set>${NAME})(?: ?[:=] ?| (?:is|are|in) )(?:(?:all|the) )?(?:(?<names>${NAME}|\(${NAME}(?: ?, ?${NAME})*\)) in )?(?<of>${NAME}),? where (?<where>.+)$`,
  'iu',
);
/** Matches conditions that are certainly not prose. */
const IS_FORMULA = /[[\]<>=≤≥"]/;

/** Reads the definition of a subset by a condition. Returns undefined for other text. */
export function readSubset(text: string): Reading | undefined {
  const { set, names, of = '', where = '' } = SUBSET.exec(text)?.groups ?? {};
  if (set === undefined) return undefined;
  const condition = parseCondition(where);
  if (!isProblem(condition))
    return {
      statement: { kind: 'derived_set', set, of: names === undefined ? of : `${names} in ${of}`, where: where.trim() },
    };
  return IS_FORMULA.test(where) && !where.includes(':')
    ? { reason: describeSyntaxProblem(condition, where) }
    : undefined;
}

/** Explains why the definition of a subset cannot be read. Returns undefined for other text. */
export function whyNoSubset(text: string): string | undefined {
  const reading = readSubset(text) ?? {};
  return 'reason' in reading ? reading.reason : undefined;
}

/** Sets that an equation combines. */
export interface CombinedSets {
  added: string[];
  removed: string[];
}

/** Returns the sets on the right side of an equation such as `nodes = plants + customers`. Returns undefined for others. */
export function combinedSets({ expression, index }: Definition): CombinedSets | undefined {
  const formula = parseFormula(expression);
  if (index !== undefined || isProblem(formula) || formula.relations.length > 0) return undefined;
  const [side] = formula.sides;
  if (side.kind !== 'sum' || side.parts[0]?.negative === true) return undefined;
  const sets: CombinedSets = { added: [], removed: [] };
  for (const { negative, of } of side.parts) {
    if (of.kind !== 'name') return undefined;
    (negative ? sets.removed : sets.added).push(of.name);
  }
  return sets;
}
