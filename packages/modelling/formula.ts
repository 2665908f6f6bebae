/**
 * Linear formulas and relations as people write them: `3x + 2*y`, `price * x - 5 (y + 1) / 2`, `x + 2 <= 3y - 1`,
 * `0 <= x <= 4`, `sum p in products: (price[p] - cost[p]) * make[p]`, `stock[p, t] = stock[p, t - 1] + make[p, t]`.
 *
 * - Numbers: `3`, `.5`, `2e3`. Names: letters of any script, digits and `_`, a digit never first.
 * - `+ - * /` and parentheses; a number or a closing parenthesis multiplies what stands right after it (`2x`, `2 x`,
 *   `3(x + y)`). `*` and `/` go from left to right: `1/2 x` is half of x. `·`, `×`, `÷` and `−` are as good.
 * - Relations: `<=`, `≤`, `=<`, `>=`, `≥`, `=>`, `=`, `==`, `<`, `>`. Between whole numbers `<` and `>` leave a difference
 *   of at least 1; otherwise they are taken as `<=` and `>=`. Relations can be chained.
 * - Members of what has an index: `make[p]`, `ship[o, d]`, `make["oak chair"]`, `shift[3]`, and with a lag `stock[t - 1]`.
 * - `sum p in products, t in weeks where demand[p, t] > 0: ...` adds up one product: it reaches to the next `+` or `-` of
 *   its level. Conditions know `= <> < <= > >=`, `and`, `or`, `not` and parentheses; texts stand in double quotes.
 *
 * The words of this language are names as well wherever they cannot mean anything else.
 */

/** What makes a text a formula of its own kind is that of the side, the index or the condition. */
export type Relation = '<=' | '>=' | '=';
export type Comparison = Relation | '<>' | '<' | '>';

/** One side of a formula. Numbers are never negative; sums have a minus or at least two parts, products two factors. */
export type Expression =
  | { kind: 'number'; value: number }
  | { kind: 'name'; name: string }
  | { kind: 'sum'; parts: { negative: boolean; of: Expression }[] }
  /** From left to right; the first factor is never a divisor. */
  | { kind: 'product'; factors: { divisor: boolean; of: Expression }[] }
  | MemberOf
  /** The sum of an expression over all that an index stands for. */
  | { kind: 'total'; over: Index; of: Expression; position: number };

/** A member of a variable or of a column that has an index. */
export interface MemberOf {
  kind: 'member';
  name: string;
  keys: [Key, ...Key[]];
  position: number;
}

/** Which member: the one that an index stands for, or so many places behind it; or the one that is called so. */
export type Key =
  { kind: 'index'; name: string; lag: number; position: number } | { kind: 'text'; text: string; position: number };

/** `p in products, (o, d) in lanes where ...` */
export interface Index {
  over: [Membership, ...Membership[]];
  where?: Condition;
}

/** `p in products`, `(o, d) in lanes`: a name for each column of the set's keys. */
export interface Membership {
  names: [string, ...string[]];
  set: string;
  position: number;
}

export type Condition =
  | { kind: 'and' | 'or'; of: [Condition, Condition, ...Condition[]] }
  | { kind: 'not'; of: Condition }
  | { kind: 'compare'; left: Operand; comparison: Comparison; right: Operand; position: number };

/** What conditions compare: texts, members that an index stands for, labels and figures. */
export type Operand = { kind: 'text'; text: string; position: number } | Expression;

/** Sides with a relation between each two; a single side is an expression without a relation. */
export interface Formula {
  sides: [Expression, ...Expression[]];
  relations: Relation[];
  /** Places of the relations that are written as `<` or `>`; absent if there are none. */
  strict?: number[];
}

/** Why a text is no formula, or a formula cannot be used as it is. */
export interface FormulaProblem {
  /** A sentence without a full stop. */
  problem: string;
  /** Where it was noticed, in UTF-16 units from 0; absent of what concerns the formula as a whole. */
  position?: number;
  /** What stands there, as it was written; empty at the end. */
  token?: string;
}

export const isProblem = (value: object): value is FormulaProblem => 'problem' in value;

/** The parts of an expression, one level below; those of indices are not among them. */
export function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'sum':
      return expression.parts.map(({ of }) => of);
    case 'product':
      return expression.factors.map(({ of }) => of);
    case 'total':
      return [expression.of];
    default:
      return [];
  }
}

/** Whether a formula has neither members nor sums over an index. */
export function isPlain({ sides }: Formula): boolean {
  const isPlainPart = (expression: Expression): boolean =>
    expression.kind !== 'member' && expression.kind !== 'total' && partsOf(expression).every(isPlainPart);
  return sides.every(isPlainPart);
}

/** The names of variables and values in a formula, each once, in the order of their first place. */
export function namesIn({ sides }: Formula): string[] {
  const names = new Set<string>();
  const visit = (expression: Expression): void => {
    if (expression.kind === 'name') names.add(expression.name);
    else partsOf(expression).forEach(visit);
  };
  sides.forEach(visit);
  return [...names];
}
