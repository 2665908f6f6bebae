import { applied, type Extremal } from '../functions.js';
import type { DefinedVariables, LinearSum } from './defined-variables.js';
import { refuse } from './refusal.js';
import { concatenated, type Linear, startsOf, Terms } from './terms.js';
import type { Tier } from './tiers.js';

/** Maximum number of terms in a product. */
const MAX_TERMS = 10_000_000;

/** Evaluates products and functions of variables in each row. The results have new variables with a definition. */
export class Nonlinear {
  /** Number after the highest number of a new variable. */
  end = 0;

  constructor(private readonly defined: DefinedVariables) {}

  /** Multiplies two expressions. The terms of the result are not merged. */
  multiplied(one: Required<Linear>, other: Required<Linear>, rows: number): Required<Linear> {
    const [starts, others] = [startsOf(one.terms, rows), startsOf(other.terms, rows)];
    const constants = new Float64Array(rows);
    let count = one.terms.size + other.terms.size;
    for (let row = 0; row < rows; row += 1)
      count += (starts[row + 1]! - starts[row]!) * (others[row + 1]! - others[row]!);
    if (count > MAX_TERMS) refuse(`It has a product with more than ${MAX_TERMS} terms`);
    const terms = new Terms(count);
    for (let row = 0; row < rows; row += 1) {
      const [constant, otherConstant] = [one.constants[row]!, other.constants[row]!];
      constants[row] = constant * otherConstant;
      for (let at = starts[row]!; at < starts[row + 1]!; at += 1)
        terms.push(row, one.terms.columns[at]!, otherConstant * one.terms.coefficients[at]!);
      for (let place = others[row]!; place < others[row + 1]!; place += 1)
        terms.push(row, other.terms.columns[place]!, constant * other.terms.coefficients[place]!);
      for (let at = starts[row]!; at < starts[row + 1]!; at += 1)
        for (let place = others[row]!; place < others[row + 1]!; place += 1)
          terms.push(
            row,
            this.created(this.defined.product(one.terms.columns[at]!, other.terms.columns[place]!)),
            one.terms.coefficients[at]! * other.terms.coefficients[place]!,
          );
    }
    return { constants, terms };
  }

  /**
   * Applies a function to the sums of each row.
   *
   * @param sums sums of each row, at least one
   */
  extreme(name: Extremal, sums: readonly LinearSum[][]): Required<Linear> {
    const constants = new Float64Array(sums.length);
    const terms = new Terms(sums.reduce((count, of) => count + Math.max(1, of[0]!.terms.variables.length), 0));
    for (const [row, of] of sums.entries()) {
      const [first, ...others] = candidatesOf(name, of);
      if (others.length === 0) {
        constants[row] = name === 'min' ? 0 - first.constant : first.constant;
        for (const [at, variable] of first.terms.variables.entries())
          terms.push(row, variable, (name === 'min' ? -1 : 1) * first.terms.coefficients[at]!);
      } else {
        const variable = this.created(this.defined.largest([first, ...others], name));
        terms.push(row, variable, name === 'min' ? -1 : 1);
      }
    }
    return { constants, terms };
  }

  /** Returns the costs of amounts. The terms of the result are not merged. */
  tiered([first, ...others]: readonly Tier[], amounts: Linear): Required<Linear> {
    const sums = sumsOf(amounts);
    const constants = amounts.constants.map((amount) => first!.rate * amount);
    const lists = amounts.terms === undefined ? [] : [copied(amounts.terms, first!.rate)];
    let { rate: previous } = first!;
    // The amount beyond the start of a tier costs the difference between its rate and the rate before.
    for (const { start, rate } of others) {
      const beyond = sums.map(({ constant, terms }) => [{ constant: constant - start, terms }, ZERO]);
      const extra = this.extreme('max', beyond);
      for (const [row, constant] of extra.constants.entries()) constants[row]! += (rate - previous) * constant;
      lists.push(copied(extra.terms, rate - previous));
      previous = rate;
    }
    return { constants, terms: concatenated(lists) };
  }

  private created(variable: number): number {
    this.end = Math.max(this.end, variable + 1);
    return variable;
  }
}

const ZERO: LinearSum = { constant: 0, terms: { variables: [], coefficients: [] } };

/** Returns a copy of terms that is multiplied by a factor. */
function copied({ rows, columns, coefficients, size }: Terms, factor: number): Terms {
  const copy = new Terms(size);
  for (let at = 0; at < size; at += 1) copy.push(rows[at]!, columns[at]!, factor * coefficients[at]!);
  return copy;
}

/** Returns the sums whose largest is the result, or its opposite for `min`. Combines all sums without variables. */
function candidatesOf(name: Extremal, of: readonly LinearSum[]): [LinearSum, ...LinearSum[]] {
  const signed =
    name === 'abs'
      ? of.flatMap((sum) =>
          sum.terms.variables.length === 0 ? [withSign(sum, Math.sign(sum.constant))] : [sum, withSign(sum, -1)],
        )
      : of.map((sum) => (name === 'min' ? withSign(sum, -1) : sum));
  const withVariables = signed.filter(({ terms }) => terms.variables.length > 0);
  const known = signed.flatMap(({ terms, constant }) => (terms.variables.length > 0 ? [] : [constant]));
  const [first, ...others] = [
    ...withVariables,
    ...(known.length === 0 ? [] : [{ constant: applied('max', known), terms: { variables: [], coefficients: [] } }]),
  ];
  return [first!, ...others];
}

const withSign = ({ constant, terms: { variables, coefficients } }: LinearSum, sign: number): LinearSum => ({
  constant: sign * constant + 0,
  terms: { variables, coefficients: coefficients.map((one) => sign * one) },
});

/** Returns the expression of each row as a sum. */
export function sumsOf({ constants, terms }: Linear): LinearSum[] {
  const sums = Array.from(constants, (constant): LinearSum => ({
    constant,
    terms: { variables: [], coefficients: [] },
  }));
  for (let at = 0; at < (terms?.size ?? 0); at += 1) {
    const { variables, coefficients } = sums[terms!.rows[at]!]!.terms;
    variables.push(terms!.columns[at]!);
    coefficients.push(terms!.coefficients[at]!);
  }
  return sums;
}

export const hasTerms = (linear: Linear): linear is Required<Linear> => (linear.terms?.size ?? 0) > 0;
