import {
  type Condition,
  type Expression,
  type FormulaProblem,
  type Index,
  isProblem,
  type Key,
  partsOf,
} from './formula.js';
import { parseCondition, parseIndex } from './parse-formula.js';
import { namesOfIndex } from './vocabulary.js';

/** Set whose members come from other sets: the members that meet a condition, or the members of several sets. */
export interface DerivedSet {
  /** Index whose rows are the members of a subset. */
  index?: Index;
  /** Sets whose members a union contains. */
  union?: readonly string[];
}

/** Reason why a derived set cannot be used, and the field of its card that contains the problem. */
export interface DerivedSetProblem extends FormulaProblem {
  field: 'of' | 'where';
}

/** Text of the index of a subset, and the number of characters before its condition. */
export interface SubsetIndex {
  text: string;
  start: number;
}

const NAMED = / in /;

/**
 * Parses the definition of a derived set.
 *
 * @param of sets that contain the members. A subset may name the parts of its members, as in `(o, d) in lanes`
 * @param where condition on the members of a subset
 */
export function readDerivedSet(
  of: string | readonly string[],
  where: string | undefined,
): DerivedSet | DerivedSetProblem {
  if (typeof of !== 'string' && of.length > 1)
    return where === undefined ? { union: of } : { field: 'where', problem: CONDITION_OF_UNION };
  if (where === undefined) return { field: 'where', problem: NO_CONDITION };
  const subset = indexOfSubset(of, where);
  if ('problem' in subset) return subset;
  const index = parseIndex(subset.text);
  return isProblem(index) ? { ...index, field: 'where' } : { index };
}

const CONDITION_OF_UNION =
  'A set cannot combine several sets and select members with `where`: define the combined set on another card, and name it in `of`';
const NO_CONDITION =
  'Which members belong to the set? Write a condition in `where`, such as `lead[p] <= 3`, or list several sets in `of`';
const UNNAMED =
  'Name the members in `of`, as in `p in products`, and use this name in the condition, as in `lead[p] <= 3`';
const UNCLEAR = 'Name the parts of a member in `of`, as in `(o, d) in lanes`, so that their order is clear';

/** Returns the index of a subset. If `of` does not name the parts of a member, the keys in the condition name them. */
export function indexOfSubset(of: string | readonly string[], where: string): SubsetIndex | DerivedSetProblem {
  const set = [of].flat()[0]!.trim();
  const membership = NAMED.test(set) ? set : membershipOf(set, where);
  if (typeof membership !== 'string') return membership;
  const over = parseIndex(membership);
  if (isProblem(over)) return { ...over, field: 'of' };
  if (over.over.length > 1 || over.where !== undefined) return { field: 'of', problem: SEVERAL };
  const start = `${membership} where `;
  return { text: `${start}${where}`, start: start.length };
}

const SEVERAL = 'A subset has the members of a single set: write the condition in `where`';

function membershipOf(set: string, where: string): string | DerivedSetProblem {
  const condition = parseCondition(where);
  if (isProblem(condition)) return { ...condition, field: 'where' };
  const keys = new MemberKeys();
  keys.condition(condition, new Set());
  const [names] = keys.lists.toSorted((one, other) => other.length - one.length);
  if (names === undefined) return { field: 'of', problem: UNNAMED };
  if (names.length < keys.names.size) return { field: 'of', problem: UNCLEAR };
  return `${names.length === 1 ? names[0] : `(${names.join(', ')})`} in ${set}`;
}

/** Collects the index names that a condition uses as keys but does not bind itself. */
class MemberKeys {
  readonly names = new Set<string>();
  /** Distinct names of each key. */
  readonly lists: string[][] = [];

  condition(condition: Condition, bound: ReadonlySet<string>): void {
    switch (condition.kind) {
      case 'and':
      case 'or':
        for (const one of condition.of) this.condition(one, bound);
        break;
      case 'not':
        this.condition(condition.of, bound);
        break;
      case 'compare':
        for (const operand of [condition.left, condition.right])
          if (operand.kind !== 'text') this.expression(operand, bound);
        break;
      case 'in':
        this.keys(condition.keys, bound);
        break;
      case 'given':
        this.expression(condition.of, bound);
    }
  }

  private expression(expression: Expression, bound: ReadonlySet<string>): void {
    if (expression.kind === 'member') this.keys(expression.keys, bound);
    if (expression.kind === 'choice') this.condition(expression.when, bound);
    if (expression.kind === 'position') this.add([expression.name], bound);
    const inner = expression.kind === 'total' ? new Set([...bound, ...namesOfIndex(expression.over)]) : bound;
    if (expression.kind === 'total' && expression.over.where !== undefined)
      this.condition(expression.over.where, inner);
    if (expression.kind !== 'member') for (const part of partsOf(expression)) this.expression(part, inner);
  }

  private keys(keys: readonly Key[], bound: ReadonlySet<string>): void {
    this.add(
      keys.flatMap((key) => (key.kind === 'index' || key.kind === 'shift' ? key.name : [])),
      bound,
    );
    for (const key of keys) {
      if (key.kind === 'shift') this.expression(key.by, bound);
      if (key.kind === 'label') this.keys(key.of.keys, bound);
    }
  }

  private add(names: readonly string[], bound: ReadonlySet<string>): void {
    const own = [...new Set(names)].filter((name) => !bound.has(name));
    for (const name of own) this.names.add(name);
    if (own.length > 0) this.lists.push(own);
  }
}
