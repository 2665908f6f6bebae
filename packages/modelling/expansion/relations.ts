import { decisionsOf } from '../decisions.js';
import type { Condition, Formula, Relation } from '../formula.js';
import { NO_LIMIT } from '../optional-limits.js';
import { knownDecision } from '../sentences.js';
import { nextWhole } from '../strict.js';
import type { Evaluator } from './evaluator.js';
import type { Frame } from './frame.js';
import { refuse } from './refusal.js';
import { concatenated, type Linear, Terms } from './terms.js';

/**
 * Constraint `lower <= terms <= upper` for each row of a frame. Infinity means that there is no bound, and equal bounds make an
 * equation.
 */
export interface Rows {
  terms: Terms;
  /** Index of the first term of each row, followed by the total number of terms. */
  starts: Int32Array;
  lower: Float64Array;
  upper: Float64Array;
  /** Decisions under which the rows must hold. Absent for rows that must always hold. */
  decisions?: RowDecision[];
}

/** Yes-or-no variables, and the value that they must have. */
export interface RowDecision {
  /** Number of the variable of each row, or -1 if the variable does not exist and counts as 0. */
  variables: Int32Array;
  value: 0 | 1;
}

/**
 * Expands a formula to rows with the variables on the left. A chain yields a row set per relation, or a single row set if all
 * its relations bound the same terms (`0 <= x <= 4`). Each alternative of a condition yields the same row sets. Between whole
 * numbers, `<` and `>` require a difference of at least 1.
 *
 * @param isWhole whether the values of a variable are whole numbers
 * @throws ExpansionRefusal
 */
export function rowsOf(
  evaluator: Evaluator,
  { sides, relations, strict = [], when }: Formula,
  frame: Frame,
  isWhole: (variable: number) => boolean = () => false,
): Rows[] {
  const linear = sides.map((side) => evaluator.finite(side, frame));
  const alternatives = when === undefined ? [undefined] : alternativesOf(evaluator, when, frame);
  const all: Rows[] = [];
  for (const [index, relation] of relations.entries()) {
    const rows = toRows(evaluator, linear[index]!, relation, linear[index + 1]!, frame);
    if (strict.includes(index)) tighten(rows, isWhole);
    const last = all.at(-1);
    if (last !== undefined && haveSameTerms(last, rows)) {
      for (let row = 0; row < frame.size; row += 1) {
        last.lower[row] = Math.max(last.lower[row]!, rows.lower[row]!);
        last.upper[row] = Math.min(last.upper[row]!, rows.upper[row]!);
      }
    } else {
      all.push(rows);
    }
  }
  return alternatives.flatMap((decisions) =>
    all.map((rows) => (decisions === undefined ? rows : { ...rows, decisions })),
  );
}

function alternativesOf(evaluator: Evaluator, when: Condition, frame: Frame): RowDecision[][] {
  const alternatives = decisionsOf(when);
  if ('problem' in alternatives) refuse(alternatives.problem, alternatives.position);
  return alternatives.map((decisions) =>
    decisions.map(({ of, value }) => {
      const { terms } = evaluator.finite(of, frame);
      if (terms === undefined) refuse(knownDecision(of.name));
      const variables = new Int32Array(frame.size).fill(-1);
      for (let at = 0; at < terms.size; at += 1) variables[terms.rows[at]!] = terms.columns[at]!;
      return { variables, value };
    }),
  );
}

/** Moves strict bounds of rows with integer coefficients and variables to the next whole number. */
function tighten({ terms, starts, lower, upper }: Rows, isWhole: (variable: number) => boolean): void {
  for (let row = 0; row < lower.length; row += 1) {
    let at = starts[row]!;
    while (at < starts[row + 1]! && Number.isInteger(terms.coefficients[at]!) && isWhole(terms.columns[at]!)) at += 1;
    if (at < starts[row + 1]!) continue;
    // The bounds of rows without variables are exact.
    const tolerance = starts[row] === starts[row + 1] ? 0 : undefined;
    lower[row] = nextWhole(lower[row]!, tolerance);
    upper[row] = 0 - nextWhole(-upper[row]!, tolerance);
  }
}

/** Moves all variables of a relation to the left side, or to the right side if only that side has variables. */
function toRows(evaluator: Evaluator, left: Linear, relation: Relation, right: Linear, frame: Frame): Rows {
  const isTurned = (left.terms?.size ?? 0) === 0 && (right.terms?.size ?? 0) > 0;
  const sign = isTurned ? -1 : 1;
  const lists = [scaled(left.terms, sign), scaled(right.terms, -sign)].filter((terms) => terms !== undefined);
  const { terms, starts } = evaluator.merge(concatenated(lists), frame.size);
  const isBelow = relation === (isTurned ? '>=' : '<=');
  const bounds = Float64Array.from(left.constants, (constant, row) => {
    const difference = sign * constant - sign * right.constants[row]!;
    return difference === 0 ? 0 : -difference;
  });
  const none = (value: number): Float64Array => new Float64Array(frame.size).fill(value);
  const limited = (value: number): Float64Array =>
    bounds.map((bound) => (Math.abs(bound) === NO_LIMIT ? value : bound));
  return {
    terms,
    starts,
    lower: relation !== '=' && isBelow ? none(-Infinity) : limited(-Infinity),
    upper: relation === '=' || isBelow ? limited(Infinity) : none(Infinity),
  };
}

/**
 * Returns terms multiplied by a sign. Negated terms are a copy, because two relations of a chain share the terms between them.
 */
function scaled(terms: Terms | undefined, sign: number): Terms | undefined {
  if (terms === undefined || sign === 1) return terms;
  const { rows, columns, size } = terms;
  const negated = new Terms(0, terms.isMerged);
  return Object.assign(negated, { rows, columns, size, coefficients: terms.coefficients.map((one) => -one) });
}

function haveSameTerms(one: Rows, other: Rows): boolean {
  if (one.terms.size !== other.terms.size) return false;
  for (let row = 0; row < one.starts.length; row += 1) if (one.starts[row] !== other.starts[row]) return false;
  for (let row = 0; row + 1 < one.starts.length; row += 1) if (!haveSameRow(one, other, row)) return false;
  return true;
}

/** Whether two row sets have the same terms in a row, in any order. */
function haveSameRow({ terms: some, starts }: Rows, { terms: others }: Rows, row: number): boolean {
  const [from, to] = [starts[row]!, starts[row + 1]!];
  let at = from;
  while (at < to && some.columns[at] === others.columns[at] && some.coefficients[at] === others.coefficients[at])
    at += 1;
  if (at === to) return true;
  const rest = new Map<number, number>();
  for (let place = at; place < to; place += 1) rest.set(some.columns[place]!, some.coefficients[place]!);
  for (; at < to; at += 1) if (rest.get(others.columns[at]!) !== others.coefficients[at]) return false;
  return true;
}
