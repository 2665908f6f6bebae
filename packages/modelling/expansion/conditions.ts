import type { Condition, Index, Operand } from '../formula.js';
import { namesInCondition, namesInOperand } from '../mentions.js';

/** Index names at the point where a membership joins its members to the existing rows. */
export interface Stage {
  /** Names that the membership binds to its members. */
  members: ReadonlySet<string>;
  /** Names that are already bound in the rows. */
  rows: ReadonlySet<string>;
  /** Names that later memberships also use. Conditions on these names wait, because a later membership may exclude members. */
  later: ReadonlySet<string>;
}

/** Conditions of an index that have not been applied yet. Each condition waits until all of its names are available. */
export class PendingConditions {
  private pending: { condition: Condition; names: ReadonlySet<string> }[];

  /** @param indices all index names. Other names in a condition are available from the start */
  constructor(
    where: Index['where'],
    private readonly indices: ReadonlySet<string>,
  ) {
    this.pending = conjunctsOf(where).map((condition) => ({
      condition,
      names: intersection(namesInCondition(condition), indices),
    }));
  }

  /** Removes and returns the conditions that only use names of the new members. */
  takeMemberConditions(stage: Stage): Condition[] {
    return this.take((names) => isOfMembers(names, stage));
  }

  /** Removes and returns the conditions whose names are all available after the members have been joined to the rows. */
  takeAvailable({ members, rows, later }: Stage): Condition[] {
    const available = new Set([...rows, ...members]);
    return this.take((names) => areAvailable(names, available, later));
  }

  /**
   * Removes the equalities between new members and existing rows that `toKey` can convert to a join key, and returns their
   * keys.
   */
  takeJoinKeys<Key>(stage: Stage, toKey: (ofMembers: Operand, ofRows: Operand) => Key | undefined): Key[] {
    const keys: Key[] = [];
    const unmatched: typeof this.pending = [];
    for (const entry of this.pending) {
      const sides = this.sidesOf(entry.condition, stage);
      const key = sides === undefined ? undefined : toKey(...sides);
      if (key === undefined) unmatched.push(entry);
      else keys.push(key);
    }
    this.pending = unmatched;
    return keys;
  }

  private take(isDue: (names: ReadonlySet<string>) => boolean): Condition[] {
    const due = this.pending.filter(({ names }) => isDue(names));
    this.pending = this.pending.filter((entry) => !due.includes(entry));
    return due.map(({ condition }) => condition);
  }

  /**
   * Returns the operand that uses the new members and the operand that uses the rows. Returns undefined if the condition is not
   * an equality between such operands.
   */
  private sidesOf(condition: Condition, stage: Stage): [ofMembers: Operand, ofRows: Operand] | undefined {
    if (condition.kind !== 'compare' || condition.comparison !== '=') return undefined;
    const { left, right } = condition;
    const fits = (ofMembers: Operand, ofRows: Operand): boolean =>
      isOfMembers(this.namesIn(ofMembers), stage) && areAvailable(this.namesIn(ofRows), stage.rows, stage.later);
    if (fits(left, right)) return [left, right];
    return fits(right, left) ? [right, left] : undefined;
  }

  private namesIn(operand: Operand): Set<string> {
    return intersection(namesInOperand(operand), this.indices);
  }
}

const conjunctsOf = (condition: Condition | undefined): Condition[] =>
  condition === undefined
    ? []
    : condition.kind === 'and'
      ? condition.of.flatMap((part) => conjunctsOf(part))
      : [condition];

const isOfMembers = (names: ReadonlySet<string>, { members, later }: Stage): boolean =>
  names.size > 0 && areAvailable(names, members, later);

const areAvailable = (
  names: ReadonlySet<string>,
  available: ReadonlySet<string>,
  later: ReadonlySet<string>,
): boolean => [...names].every((name) => available.has(name) && !later.has(name));

const intersection = (names: ReadonlySet<string>, others: ReadonlySet<string>): Set<string> =>
  new Set([...names].filter((name) => others.has(name)));
