/**
 * Linear formulas and relations as people write them: `3x + 2*y`, `price * x - 5 (y + 1) / 2`, `x + 2 <= 3y - 1`, `0 <= x <= 4`,
 * `sum p in products: (price[p] - cost[p]) * make[p]`, `stock[p, t] = stock[p, t - 1] + make[p, t]`.
 *
 * - Numbers: `3`, `.5`, `2e3`. Names: letters of any script, digits and `_`, but no leading digit.
 * - Arithmetic: `+ - * /` and parentheses. A number or a closing parenthesis multiplies a name or parenthesis directly after it
 *   (`2x`, `2 x`, `3(x + y)`). `*` and `/` associate to the left: `1/2 x` is half of x. `·`, `×`, `÷` and `−` are accepted as
 *   well.
 * - Relations: `<=`, `≤`, `=<`, `>=`, `≥`, `=>`, `=`, `==`, `<`, `>`. Between whole numbers `<` and `>` require a difference of
 *   at least 1. Otherwise they are read as `<=` and `>=`. Relations can be chained.
 * - Members of indexed names: `make[p]`, `ship[o, d]`, `make["oak chair"]`, `shift[3]`, and with a lag `stock[t - 1]`.
 * - Functions of values: `min(a, b)`, `max(a, b)`, `abs(a)`, `round(a)`, `floor(a)`, `ceil(a)`, and over the members of an index
 *   `max p in products: price[p]`, `min p in products: price[p]` and `count p in products where price[p] > 5`.
 * - Sums: `sum p in products, t in weeks where demand[p, t] > 0: ...` adds up a product and ends at the next `+` or `-` on its
 *   level.
 * - Conditions: `= <> < <= > >=`, `and`, `or`, `not` and parentheses. Strings are in double quotes.
 *
 * The keywords of this language are also valid names wherever they cannot have another meaning.
 */

import type { FunctionName } from './functions.js';

export type Relation = '<=' | '>=' | '=';
export type Comparison = Relation | '<>' | '<' | '>';

/**
 * Side of a formula. Numbers are never negative. Sums contain a minus or at least two terms, and products contain at least two
 * factors.
 */
export type Expression =
  | { kind: 'number'; value: number }
  | { kind: 'name'; name: string }
  | { kind: 'sum'; parts: { negative: boolean; of: Expression }[] }
  /** Factors from left to right. The first factor is never a divisor. */
  | { kind: 'product'; factors: { divisor: boolean; of: Expression }[] }
  | MemberOf
  | Call
  /** Sum, minimum or maximum of an expression over an index. */
  | { kind: 'total'; by: 'sum' | Extremum; over: Index; of: Expression; position: number };

export type Extremum = 'min' | 'max';

/** Function of values. */
export interface Call {
  kind: 'call';
  name: FunctionName;
  of: [Expression, ...Expression[]];
  position: number;
}

/** Member of an indexed variable or column. */
export interface MemberOf {
  kind: 'member';
  name: string;
  keys: [Key, ...Key[]];
  position: number;
}

/** Key of a member: an index name with an optional lag, or a literal member name. */
export type Key =
  { kind: 'index'; name: string; lag: number; position: number } | { kind: 'text'; text: string; position: number };

/** Index such as `p in products, (o, d) in lanes where ...`. */
export interface Index {
  over: [Membership, ...Membership[]];
  where?: Condition;
}

/** Membership such as `p in products` or `(o, d) in lanes`. It has a name for each key column of the set. */
export interface Membership {
  names: [string, ...string[]];
  set: string;
  position: number;
}

export type Condition =
  | { kind: 'and' | 'or'; of: [Condition, Condition, ...Condition[]] }
  | { kind: 'not'; of: Condition }
  | { kind: 'compare'; left: Operand; comparison: Comparison; right: Operand; position: number };

/** Operand of a condition: a string, a member of an index, a label or a number. */
export type Operand = { kind: 'text'; text: string; position: number } | Expression;

/**
 * Sides of a formula, with a relation between each pair of adjacent sides. A formula with a single side is an expression
 * without a relation.
 */
export interface Formula {
  sides: [Expression, ...Expression[]];
  relations: Relation[];
  /** Zero-based indexes of the relations that are written as `<` or `>`. Absent for formulas without such relations. */
  strict?: number[];
}

/** Reason why a string is not a formula, or why a formula cannot be used. */
export interface FormulaProblem {
  /** Sentence without a full stop. */
  problem: string;
  /** Zero-based offset of the problem in UTF-16 units. Absent if the problem concerns the whole formula. */
  position?: number;
  /** Source text at this position. Empty at the end of the formula. */
  token?: string;
}

export const isProblem = (value: object): value is FormulaProblem => 'problem' in value;

/** Returns the direct subexpressions of an expression. Excludes expressions within indices. */
export function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'sum':
      return expression.parts.map(({ of }) => of);
    case 'product':
      return expression.factors.map(({ of }) => of);
    case 'call':
      return expression.of;
    case 'total':
      return [expression.of];
    default:
      return [];
  }
}

/** Whether a formula has neither indexed members nor indexed sums. */
export function isPlain({ sides }: Formula): boolean {
  const isPlainPart = (expression: Expression): boolean =>
    expression.kind !== 'member' && expression.kind !== 'total' && partsOf(expression).every(isPlainPart);
  return sides.every(isPlainPart);
}

/** Returns the distinct names of variables and values in a formula, in the order of first occurrence. */
export function namesIn({ sides }: Formula): string[] {
  const names = new Set<string>();
  const visit = (expression: Expression): void => {
    if (expression.kind === 'name') names.add(expression.name);
    else partsOf(expression).forEach(visit);
  };
  sides.forEach(visit);
  return [...names];
}
