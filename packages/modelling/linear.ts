import { applied, isExtremal } from './functions.js';
import {
  type Call,
  type Expression,
  type Factor,
  type Formula,
  type FormulaProblem,
  isProblem,
  type Relation,
} from './formula.js';
import { divisionByVariable, functionOfVariable, productOfVariables } from './sentences.js';

/** Linear expression: the sum of coefficient times name over {@link terms}, plus the constant. */
export interface Linear {
  /** Coefficients by name. They are never 0. */
  terms: Map<string, number>;
  constant: number;
}

/** Constraint `lower <= sum of terms <= upper`. Infinity means that there is no bound, and equal bounds make an equation. */
export interface Row {
  /** Empty for a relation between constants. */
  terms: Map<string, number>;
  lower: number;
  upper: number;
}

const TOO_LARGE: FormulaProblem = { problem: 'A number in the formula becomes too large' };
/**
 * Maximum number of additions and multiplications of terms per side. Each pair of parentheses may visit all terms inside it.
 */
const MAX_STEPS = 5_000;
const TOO_DEEP: FormulaProblem = {
  problem: 'The formula has too many terms in parentheses: write it with fewer parentheses',
};

/**
 * Converts an expression without members and indexed sums to a linear expression. Names with a known value are replaced with
 * the value. All other names are variables. Returns a problem for a product or a function of variables, a variable in a divisor,
 * a division by 0, or an overflow.
 */
export function linearize(expression: Expression, values: ReadonlyMap<string, number>): Linear | FormulaProblem {
  const linear = new Linearization(values).of(expression);
  if (isProblem(linear)) return linear;
  if (!Number.isFinite(linear.constant)) return TOO_LARGE;
  for (const coefficient of linear.terms.values()) if (!Number.isFinite(coefficient)) return TOO_LARGE;
  return linear;
}

/**
 * Converts a formula to rows with the variables on the left. A chain yields a row per relation, or a single row if all its
 * relations bound the same terms (`0 <= x <= 4`).
 */
export function linearRows(
  { sides, relations, when }: Formula,
  values: ReadonlyMap<string, number>,
): Row[] | FormulaProblem {
  if (when !== undefined) return { problem: 'It only holds under a condition' };
  if (relations.length === 0) return { problem: 'The formula needs <=, >= or =' };
  const linear: Linear[] = [];
  for (const side of sides) {
    const linearSide = linearize(side, values);
    if (isProblem(linearSide)) return linearSide;
    linear.push(linearSide);
  }
  const rows: Row[] = [];
  for (const [index, relation] of relations.entries()) {
    const row = toRow(linear[index], relation, linear[index + 1]);
    const last = rows.at(-1);
    if (last !== undefined && haveSameTerms(last, row)) {
      last.lower = Math.max(last.lower, row.lower);
      last.upper = Math.min(last.upper, row.upper);
    } else {
      rows.push(row);
    }
  }
  return rows;
}

/** Converts a single expression and counts the steps. */
class Linearization {
  private steps = 0;

  constructor(private readonly values: ReadonlyMap<string, number>) {}

  of(expression: Expression): Linear | FormulaProblem {
    switch (expression.kind) {
      case 'number':
        return { terms: new Map(), constant: expression.value };
      case 'name': {
        const value = this.values.get(expression.name);
        return value === undefined
          ? { terms: new Map([[expression.name, 1]]), constant: 0 }
          : { terms: new Map(), constant: value };
      }
      case 'sum':
        return this.sum(expression.parts);
      case 'product':
        return this.product(expression.factors);
      case 'call':
        return this.call(expression);
      case 'member':
      case 'total':
      case 'choice':
      case 'end':
      case 'position':
      case 'tiered':
        return { problem: 'It contains names with an index' };
    }
  }

  private sum(parts: Extract<Expression, { kind: 'sum' }>['parts']): Linear | FormulaProblem {
    const total: Linear = { terms: new Map(), constant: 0 };
    for (const { negative, of } of parts) {
      const sign = negative ? -1 : 1;
      if (of.kind === 'name' && !this.values.has(of.name)) {
        // Fast path for the most common term: a variable without a coefficient.
        addTerm(total, of.name, sign);
        continue;
      }
      const part = this.of(of);
      if (isProblem(part)) return part;
      if (!this.hasRoomFor(part)) return TOO_DEEP;
      addTo(total, part, sign);
    }
    return total;
  }

  /**
   * Converts a product. At most one factor may contain variables. Constants are multiplied first, so that the terms of this
   * factor are visited only once.
   */
  private product(factors: readonly Factor[]): Linear | FormulaProblem {
    let scale = 1;
    let variable: Linear | undefined;
    for (const { divisor, of, isSquared } of factors) {
      const factor = this.of(of);
      if (isProblem(factor)) return factor;
      const [name] = factor.terms.keys();
      if (name === undefined) {
        if (divisor && factor.constant === 0) return { problem: 'It divides by 0' };
        const constant = isSquared === true ? factor.constant ** 2 : factor.constant;
        scale = divisor ? scale / constant : scale * constant;
        if (!Number.isFinite(scale) || !Number.isFinite(factor.constant)) return TOO_LARGE;
      } else if (divisor) {
        return { problem: divisionByVariable(name) };
      } else if (variable !== undefined || isSquared === true) {
        const [other = name] = variable?.terms.keys() ?? [];
        return { problem: productOfVariables(other, name), isNonlinear: true };
      } else {
        variable = factor;
      }
    }
    const product: Linear = { terms: new Map(), constant: 0 };
    if (variable !== undefined && !this.hasRoomFor(variable)) return TOO_DEEP;
    addTo(product, variable ?? { terms: new Map(), constant: 1 }, scale);
    return product;
  }

  /** Applies a function to constants. */
  private call({ name, of }: Call): Linear | FormulaProblem {
    const values: number[] = [];
    for (const one of of) {
      const linear = this.of(one);
      if (isProblem(linear)) return linear;
      const [variable] = linear.terms.keys();
      if (variable !== undefined)
        return { problem: functionOfVariable(name, variable), ...(isExtremal(name) && { isNonlinear: true }) };
      values.push(linear.constant);
    }
    return { terms: new Map(), constant: applied(name, values) };
  }

  private hasRoomFor({ terms }: Linear): boolean {
    this.steps += terms.size;
    return this.steps <= MAX_STEPS;
  }
}

function addTo(total: Linear, { terms, constant }: Linear, scale: number): void {
  total.constant += scale * constant;
  for (const [name, coefficient] of terms) addTerm(total, name, scale * coefficient);
}

function addTerm({ terms }: Linear, name: string, coefficient: number): void {
  const sum = (terms.get(name) ?? 0) + coefficient;
  if (sum === 0) terms.delete(name);
  else terms.set(name, sum);
}

/** Moves all variables of a relation to the left side, or to the right side if only that side has variables. */
function toRow(left: Linear | undefined, relation: Relation, right: Linear | undefined): Row {
  if (left === undefined || right === undefined) throw new Error('A relation needs two sides');
  const isTurned = left.terms.size === 0 && right.terms.size > 0;
  const difference: Linear = { terms: new Map(), constant: 0 };
  addTo(difference, left, isTurned ? -1 : 1);
  addTo(difference, right, isTurned ? 1 : -1);
  const bound = difference.constant === 0 ? 0 : -difference.constant;
  const isBelow = relation === (isTurned ? '>=' : '<=');
  return {
    terms: difference.terms,
    lower: relation !== '=' && isBelow ? -Infinity : bound,
    upper: relation === '=' || isBelow ? bound : Infinity,
  };
}

const haveSameTerms = (one: Row, other: Row): boolean =>
  one.terms.size === other.terms.size &&
  [...one.terms].every(([name, coefficient]) => other.terms.get(name) === coefficient);
