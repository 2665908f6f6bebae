import { type Formula, isProblem, type Relation } from './formula.js';
import { isNearWhole } from './functions.js';
import { linearRows } from './linear.js';
import { mentionsOf } from './mentions.js';
import { shortened } from './names.js';
import type { Vocabulary } from './vocabulary.js';

/**
 * Returns the smallest whole number above a bound.
 * @param tolerance rounding error of the bound, relative to its size
 */
export const nextWhole = (bound: number, tolerance?: number): number =>
  isNearWhole(bound, tolerance) ? Math.round(bound) + 1 : Math.ceil(bound);

/**
 * Explains how `<` and `>` in a formula are read, in a sentence without a full stop. Returns undefined for a formula without
 * these signs or without variables.
 */
export function noteOnStrict(formula: Formula, vocabulary: Vocabulary): string | undefined {
  const { strict = [], relations } = formula;
  const [first] = strict;
  if (first === undefined) return undefined;
  const { variables, families, wholes, values } = vocabulary;
  const used = mentionsOf(formula, undefined).filter((name) => variables.has(name) || families.has(name));
  if (used.length === 0) return undefined;
  const sign = signOf(relations[first]!);
  const fractional = used.find((name) => wholes?.has(name) !== true);
  if (fractional !== undefined)
    return `\`${sign}\` is treated as \`${sign}=\`, because ${shortened(fractional)} may be a fraction`;
  const rows = linearRows(formula, values);
  if (isProblem(rows))
    return `\`${sign}\` means a difference of at least 1, because all variables are whole numbers; if a coefficient is a fraction, it is treated as \`${sign}=\``;
  if (rows.some(({ terms }) => [...terms.values()].some((coefficient) => !Number.isInteger(coefficient))))
    return `\`${sign}\` is treated as \`${sign}=\`, because a coefficient is a fraction`;
  const [row, ...others] = rows;
  const isShort = others.length === 0 && relations.length === 1 && row !== undefined;
  const bound = isShort && isOnLeft(formula, values) ? limitOf(relations[0]!, row) : undefined;
  return bound === undefined
    ? `\`${sign}\` means a difference of at least 1, because all variables are whole numbers`
    : `\`${sign}\` is treated as \`${sign}= ${bound}\`, because all variables are whole numbers`;
}

const signOf = (relation: Relation): string => relation.slice(0, 1);

/** Whether the left side of a relation contains all variables and nothing else. The limit is then the number on the right. */
const isOnLeft = ({ sides: [left, right] }: Formula, values: Vocabulary['values']): boolean => {
  const [one, other] = [left, right].map((side) =>
    side === undefined ? undefined : linearRows({ sides: [side, ZERO], relations: ['='] }, values),
  );
  const isPlain = one !== undefined && !isProblem(one) && one[0]?.lower === 0;
  return isPlain && other !== undefined && !isProblem(other) && other[0]?.terms.size === 0;
};
const ZERO = { kind: 'number', value: 0 } as const;

const limitOf = (relation: Relation, { lower, upper }: { lower: number; upper: number }): number =>
  relation === '>=' ? nextWhole(lower) : 0 - nextWhole(-upper);
