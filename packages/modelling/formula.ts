/**
 * Linear formulas and relations as people write them: `3x + 2*y`, `price * x - 5 (y + 1) / 2`, `x + 2 <= 3y - 1`, `0 <= x <= 4`,
 * `sum p in products: (price[p] - cost[p]) * make[p]`, `stock[p, t] = stock[p, t - 1] + make[p, t]`.
 *
 * - Numbers: `3`, `.5`, `2e3`. Names: letters of any script, digits and `_`, but no leading digit.
 * - Arithmetic: `+ - * /` and parentheses. A number or a closing parenthesis multiplies a name or parenthesis directly after it
 *   (`2x`, `2 x`, `3(x + y)`). `*` and `/` associate to the left: `1/2 x` is half of x. `·`, `×`, `÷` and `−` are accepted as
 *   well. Squares: `x^2` or `x²`.
 * - Relations: `<=`, `≤`, `=<`, `>=`, `≥`, `=>`, `=`, `==`, `<`, `>`. Between whole numbers `<` and `>` require a difference of
 *   at least 1. Otherwise they are read as `<=` and `>=`. Relations can be chained.
 * - Members of indexed names: `make[p]`, `ship[o, d]`, `make["oak chair"]`, `shift[3]`, and with a lag `stock[t - 1]`.
 * - Functions: `min(a, b)`, `max(a, b)`, `abs(a)`, and over the members of an index `max p in products: price[p]` and
 *   `min p in products: price[p]`. Functions of known values only: `round(a)`, `floor(a)`, `ceil(a)` and
 *   `count p in products where price[p] > 5`.
 * - Costs by tiers: `tiered(price, use[t])`, where the column `price` has a rate for each tier.
 * - Sums: `sum p in products, t in weeks where demand[p, t] > 0: ...` adds up a product and ends at the next `+` or `-` on its
 *   level.
 * - Choices between expressions: `if t = 1 then start else stock[t - 1]`, or `stock[t - 1] else start` for a member that may
 *   not exist.
 * - Members of ordered sets: `first(weeks)`, `last(weeks)`, and `position(t)`, which counts from 1. Lags can be calculated
 *   (`t - lead[p]`) or cyclic (`t -- 1`), and labels can be keys (`price[product[o]]`).
 * - Relations that must hold under a condition on yes-or-no variables: `if open[w] = 0 then ship[w] <= 0`.
 * - Conditions: `= <> < <= > >=`, `p in fast`, `(o, d) not in lanes`, `limit[p] is given`, `and`, `or`, `not` and parentheses.
 *   Strings are in double quotes.
 *
 * The keywords of this language are also valid names wherever they cannot have another meaning.
 */

import type { FunctionName } from './functions.js';

export type Relation = '<=' | '>=' | '=';
export type Comparison = Relation | '<>' | '<' | '>';

/**
 * Side of a formula. Numbers are never negative. Sums contain a minus or at least two terms, and products contain a square or at
 * least two factors.
 */
export type Expression =
  | { kind: 'number'; value: number }
  | { kind: 'name'; name: string }
  | { kind: 'sum'; parts: { negative: boolean; of: Expression }[] }
  /** Factors from left to right. The first factor is never a divisor. */
  | { kind: 'product'; factors: Factor[] }
  | MemberOf
  | Call
  | Choice
  | End
  /** Cost of an amount whose rate per unit depends on the amount. The rates are a column. */
  | { kind: 'tiered'; name: string; of: Expression; position: number }
  /** Position of an index name's member in its set, counted from 1. */
  | { kind: 'position'; name: string; position: number }
  /** Sum, minimum or maximum of an expression over an index. */
  | { kind: 'total'; by: 'sum' | Extremum; over: Index; of: Expression; position: number };

/** Factor of a product. */
export interface Factor {
  divisor: boolean;
  of: Expression;
  isSquared?: true;
}

export type Extremum = 'min' | 'max';

/** Function of values. */
export interface Call {
  kind: 'call';
  name: FunctionName;
  of: [Expression, ...Expression[]];
  position: number;
}

/** Expression that depends on a condition. */
export interface Choice {
  kind: 'choice';
  when: Condition;
  then: Expression;
  otherwise: Expression;
}

/** First or last member of a set. */
export interface End {
  kind: 'end';
  which: 'first' | 'last';
  set: string;
  position: number;
}

/** Member of an indexed variable or column. */
export interface MemberOf {
  kind: 'member';
  name: string;
  keys: [Key, ...Key[]];
  position: number;
}

/** Key of a member. */
export type Key =
  /** Index name with an optional lag. A cyclic lag continues at the other end of the set. */
  | { kind: 'index'; name: string; lag: number; isCyclic?: true; position: number }
  /** Index name with a calculated lag. */
  | { kind: 'shift'; name: string; by: Expression; isCyclic?: true; position: number }
  /** Name of a member. */
  | { kind: 'text'; text: string; position: number }
  /** Member whose name is in a column. */
  | { kind: 'label'; of: MemberOf; position: number }
  | End;

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
  | { kind: 'compare'; left: Operand; comparison: Comparison; right: Operand; position: number }
  | { kind: 'in'; keys: [Key, ...Key[]]; set: string; position: number }
  /** Whether a member exists and has a value. Column names without keys occur only in conditions on the members of a set. */
  | { kind: 'given'; of: MemberOf | { kind: 'name'; name: string } };

/** Operand of a condition: a string, a member of an index, a label or a number. */
export type Operand = { kind: 'text'; text: string; position: number } | Expression;

/**
 * Sides of a formula, with a relation between each pair of adjacent sides. A formula with a single side is an expression
 * without a relation.
 */
export interface Formula {
  sides: [Expression, ...Expression[]];
  relations: Relation[];
  /** Condition on yes-or-no variables under which the relations must hold. */
  when?: Condition;
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
  /** Set if the formula contains a product or a function of variables. A solve may still allow it. */
  isNonlinear?: true;
}

export const isProblem = (value: object): value is FormulaProblem => 'problem' in value;

/** Returns the direct subexpressions of an expression. Excludes expressions within indices and conditions. */
export function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'sum':
      return expression.parts.map(({ of }) => of);
    case 'product':
      return expression.factors.map(({ of }) => of);
    case 'call':
      return expression.of;
    case 'total':
    case 'tiered':
      return [expression.of];
    case 'choice':
      return [expression.then, expression.otherwise];
    case 'member':
      return expression.keys.flatMap(partsOfKey);
    default:
      return [];
  }
}

/** Whether a key refers to another member than the member of its index name. */
export const isLagged = (key: Key): key is Extract<Key, { kind: 'index' | 'shift' }> =>
  key.kind === 'shift' || (key.kind === 'index' && key.lag !== 0);

/** Member expression whose key has a lag. */
export interface LaggedMember {
  expression: MemberOf;
  /** Whether the lag is in one part of a longer key, so that the member may also be missing between the ends. */
  isOfPair: boolean;
}

/** Returns the expressions within a key. */
export function partsOfKey(key: Key): readonly Expression[] {
  if (key.kind === 'shift') return [key.by];
  return key.kind === 'label' ? [key.of] : [];
}

const PLAIN_KINDS: readonly Expression['kind'][] = ['number', 'name', 'sum', 'product', 'call'];

/** Whether a formula has neither sets nor conditions. */
export function isPlain({ sides, when }: Formula): boolean {
  const isPlainPart = (expression: Expression): boolean =>
    PLAIN_KINDS.includes(expression.kind) && partsOf(expression).every(isPlainPart);
  return when === undefined && sides.every(isPlainPart);
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
