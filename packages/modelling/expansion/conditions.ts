import type { Condition, Index, Operand } from '../formula.js';
import { namesInCondition, namesInOperand } from '../mentions.js';

/** Names at the point where a membership joins its members to the existing rows. */
export interface Stage {
  /** Names that the membership binds. */
  members: ReadonlySet<string>;
  /** Names that the rows already have. */
  rows: ReadonlySet<string>;
  /** Names that later memberships also use. Conditions on these names wait, because a later membership may exclude members. */
  later: ReadonlySet<string>;
}

/** Conditions of an index that have not been applied. Each condition waits until all of its names are available. */
export class PendingConditions {
  private pending: { condition: Condition; names: ReadonlySet<string> }[];

  /** @param indices all index names. Other names in a condition are available from the start. */
  constructor(
    where: Index['where'],
    private readonly indices: ReadonlySet<string>,
  ) {
    this.pending = conjunctsOf(where).map((condition) => ({
      condition,
      names: intersection(namesInCondition(condition), indices),
    }));
  }

  /** Takes the conditions that only use names of the new members. */
  takeMemberConditions(stage: Stage): Condition[] {
    return this.take((names) => isOfMembers(names, stage));
  }

  /** Takes the conditions whose names are all available once the rows and the members are joined. */
  takeAvailable({ members, rows, later }: Stage): Condition[] {
    const available = new Set([...rows, ...members]);
    return this.take((names) => areAvailable(names, available, later));
  }

  /** Takes the equalities between new members and existing rows that `toKey` converts to a join key. */
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

  /** Returns the operands of the new members and of the rows, or undefined if the condition is not an equality between them. */
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
