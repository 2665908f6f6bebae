import {
  type Condition,
  type Expression,
  type Formula,
  type Index,
  type Key,
  type Operand,
  partsOf,
  partsOfKey,
} from './formula.js';
import { namesOfIndex } from './vocabulary.js';

/** Returns the distinct names that a formula and its index mention, including index names. */
export function mentionsOf(formula: Formula | undefined, index: Index | undefined): string[] {
  const mentions = new Mentions(true);
  mentions.formula(formula, index);
  return [...mentions.names];
}

/**
 * Returns the distinct names that a formula and its index do not bind themselves. Excludes index names, unless the same name also
 * occurs outside the scope of its index.
 */
export function freeNamesOf(formula: Formula | undefined, index: Index | undefined): string[] {
  const mentions = new Mentions(false);
  mentions.formula(formula, index);
  return [...mentions.names];
}

/** Returns all names in a condition, including index names. */
export function namesInCondition(condition: Condition): Set<string> {
  const mentions = new Mentions(true);
  mentions.condition(condition, NOTHING);
  return mentions.names;
}

/** Returns all names in an operand of a condition. */
export function namesInOperand(operand: Operand): Set<string> {
  const mentions = new Mentions(true);
  mentions.operand(operand, NOTHING);
  return mentions.names;
}

/** Names that an index binds in an expression. */
type Bound = ReadonlySet<string>;
const NOTHING: Bound = new Set();

class Mentions {
  readonly names = new Set<string>();

  /** @param hasIndexNames whether index names count as mentioned */
  constructor(private readonly hasIndexNames: boolean) {}

  formula(formula: Formula | undefined, index: Index | undefined): void {
    const bound = index === undefined ? NOTHING : this.index(index, NOTHING);
    if (formula?.when !== undefined) this.condition(formula.when, bound);
    for (const side of formula?.sides ?? []) this.expression(side, bound);
  }

  condition(condition: Condition, bound: Bound): void {
    switch (condition.kind) {
      case 'and':
      case 'or':
        for (const one of condition.of) this.condition(one, bound);
        break;
      case 'not':
        this.condition(condition.of, bound);
        break;
      case 'compare':
        this.operand(condition.left, bound);
        this.operand(condition.right, bound);
        break;
      case 'in':
        this.names.add(condition.set);
        for (const key of condition.keys) {
          this.key(key);
          for (const part of partsOfKey(key)) this.expression(part, bound);
        }
        break;
      case 'given':
        this.expression(condition.of, bound);
    }
  }

  operand(operand: Operand, bound: Bound): void {
    if (operand.kind !== 'text') this.expression(operand, bound);
  }

  private expression(expression: Expression, bound: Bound): void {
    if (expression.kind === 'name') this.name(expression.name, bound);
    if (expression.kind === 'position' && this.hasIndexNames) this.names.add(expression.name);
    if (expression.kind === 'end') this.names.add(expression.set);
    if (expression.kind === 'tiered') this.names.add(expression.name);
    if (expression.kind === 'choice') this.condition(expression.when, bound);
    if (expression.kind === 'member') {
      this.names.add(expression.name);
      for (const key of expression.keys) this.key(key);
    }
    const inner = expression.kind === 'total' ? this.index(expression.over, bound) : bound;
    for (const part of partsOf(expression)) this.expression(part, inner);
  }

  private name(name: string, bound: Bound): void {
    if (this.hasIndexNames || !bound.has(name)) this.names.add(name);
  }

  private key(key: Key): void {
    if ((key.kind === 'index' || key.kind === 'shift') && this.hasIndexNames) this.names.add(key.name);
    if (key.kind === 'end') this.names.add(key.set);
  }

  /** Returns the names that are bound within an index. */
  private index(index: Index, outer: Bound): Bound {
    const names = namesOfIndex(index);
    if (this.hasIndexNames) for (const name of names) this.names.add(name);
    for (const { set } of index.over) this.names.add(set);
    const bound = new Set([...outer, ...names]);
    if (index.where !== undefined) this.condition(index.where, bound);
    return bound;
  }
}
