import type { Condition, Expression, Index, Key, Operand } from '../../modelling/index.js';
import { nameOf } from '../data-file.js';

/** Meaning of the names in a condition on the members of a set. These names hide names in the model. */
export interface Where {
  set: string;
  /** Titles of the key columns. For a set that is defined on a card, the only title is the name of the set. */
  titles: readonly string[];
  /** Whether a column belongs to the set, so that a condition may use it without an index. */
  isColumn: (name: string) => boolean;
  /** Constants that override the values in the model. */
  values?: Readonly<Record<string, number>> | undefined;
}

/**
 * Converts a condition to an index over the members of a set that satisfy the condition. Key parts have the names of the key
 * columns. Other columns may be used with or without these keys: `region = "north"`, `region[product] = "north"`.
 */
export function indexOfWhere(condition: Condition, { set, titles, isColumn, values = {} }: Where): Index {
  const names: string[] = [];
  for (const title of titles) {
    const name = nameOf(title);
    // Names cannot contain `#`, so formulas cannot refer to this key part.
    names.push(name === undefined || names.includes(name) ? `#${names.length}` : name);
  }
  const keys = names.map((name): Key => ({ kind: 'index', name, lag: 0, position: 0 })) as [Key, ...Key[]];
  const where = rewritten(condition, new Set(names), (name) => {
    if (isColumn(name)) return { kind: 'member', name, keys, position: 0 };
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    return value === undefined ? undefined : { kind: 'number', value };
  });
  return { over: [{ names: names as [string, ...string[]], set, position: 0 }], where };
}

/** Returns the expression that replaces a name, or undefined to keep the name. */
type Resolve = (name: string) => Expression | undefined;

function rewritten(condition: Condition, bound: ReadonlySet<string>, resolve: Resolve): Condition {
  switch (condition.kind) {
    case 'and':
    case 'or': {
      const [first, second, ...rest] = condition.of.map((one) => rewritten(one, bound, resolve));
      return { ...condition, of: [first!, second!, ...rest] };
    }
    case 'not':
      return { ...condition, of: rewritten(condition.of, bound, resolve) };
    case 'compare':
      return {
        ...condition,
        left: ofOperand(condition.left, bound, resolve),
        right: ofOperand(condition.right, bound, resolve),
      };
    case 'in':
      return withKeys(condition, bound, resolve);
    case 'given': {
      const of = ofExpression(condition.of, bound, resolve);
      return of.kind === 'member' ? { ...condition, of } : condition;
    }
  }
}

/** Replaces names in the keys of a member. */
function withKeys<Keyed extends { keys: [Key, ...Key[]] }>(
  keyed: Keyed,
  bound: ReadonlySet<string>,
  resolve: Resolve,
): Keyed {
  const [first, ...rest] = keyed.keys.map((key) => ofKey(key, bound, resolve));
  return { ...keyed, keys: [first!, ...rest] };
}

/** Replaces names in a key, as in `region in south`, `rate[region] > 3` and `need[week - delay] > 3`. */
function ofKey(key: Key, bound: ReadonlySet<string>, resolve: Resolve): Key {
  if (key.kind === 'shift') return { ...key, by: ofExpression(key.by, bound, resolve) };
  if (key.kind === 'label') return { ...key, of: withKeys(key.of, bound, resolve) };
  const isColumn = key.kind === 'index' && key.lag === 0 && !bound.has(key.name);
  const of = isColumn ? resolve(key.name) : undefined;
  return of?.kind === 'member' ? { kind: 'label', of, position: key.position } : key;
}

const ofOperand = (operand: Operand, bound: ReadonlySet<string>, resolve: Resolve): Operand =>
  operand.kind === 'text' ? operand : ofExpression(operand, bound, resolve);

function ofExpression(expression: Expression, bound: ReadonlySet<string>, resolve: Resolve): Expression {
  switch (expression.kind) {
    case 'number':
    case 'end':
    case 'position':
      return expression;
    case 'member':
      return withKeys(expression, bound, resolve);
    case 'choice':
      return {
        ...expression,
        when: rewritten(expression.when, bound, resolve),
        then: ofExpression(expression.then, bound, resolve),
        otherwise: ofExpression(expression.otherwise, bound, resolve),
      };
    case 'name':
      return bound.has(expression.name) ? expression : (resolve(expression.name) ?? expression);
    case 'sum':
      return {
        ...expression,
        parts: expression.parts.map(({ negative, of }) => ({ negative, of: ofExpression(of, bound, resolve) })),
      };
    case 'product':
      return {
        ...expression,
        factors: expression.factors.map((factor) => ({ ...factor, of: ofExpression(factor.of, bound, resolve) })),
      };
    case 'tiered':
      return { ...expression, of: ofExpression(expression.of, bound, resolve) };
    case 'call': {
      const [first, ...rest] = expression.of.map((one) => ofExpression(one, bound, resolve));
      return { ...expression, of: [first!, ...rest] };
    }
    case 'total': {
      const { over, where } = expression.over;
      const inner = new Set([...bound, ...over.flatMap(({ names }) => names)]);
      const index = { over, ...(where !== undefined && { where: rewritten(where, inner, resolve) }) };
      return { ...expression, over: index, of: ofExpression(expression.of, inner, resolve) };
    }
  }
}
