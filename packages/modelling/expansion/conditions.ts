import type { Condition, Index, Operand } from '../formula.js';
import { namesInCondition, namesInOperand } from '../mentions.js';

/** Names that are available when a membership adds its members to the existing rows. */
export interface Stage {
  /** Names that the membership binds. */
  members: ReadonlySet<string>;
  /** Names that the rows already have. */
  rows: ReadonlySet<string>;
  /** Names that later memberships bind. Conditions on these names wait, because a later membership may exclude members. */
  later: ReadonlySet<string>;
}

/** Conditions of an index that have not been applied. Each condition waits until all of its names are available. */
export class WaitingConditions {
  private waiting: { condition: Condition; names: ReadonlySet<string> }[];

  /** @param indices all names of indices. Other names in a condition are available from the start. */
  constructor(
    where: Index['where'],
    private readonly indices: ReadonlySet<string>,
  ) {
    this.waiting = conjunctsOf(where).map((condition) => ({
      condition,
      names: intersection(namesInCondition(condition), indices),
    }));
  }

  /** Takes the conditions that use only names of the new members. */
  takeOfMembers(stage: Stage): Condition[] {
    return this.take((names) => isOfMembers(names, stage));
  }

  /** Takes the conditions whose names are all available once rows and members are joined. */
  takeKnown({ members, rows, later }: Stage): Condition[] {
    const known = new Set([...rows, ...members]);
    return this.take((names) => isKnown(names, known, later));
  }

  /** Takes the equalities between new members and existing rows that `toKey` converts to a join key. */
  takeKeys<Key>(stage: Stage, toKey: (ofMembers: Operand, ofRows: Operand) => Key | undefined): Key[] {
    const keys: Key[] = [];
    const rest: typeof this.waiting = [];
    for (const one of this.waiting) {
      const sides = this.sidesOf(one.condition, stage);
      const key = sides === undefined ? undefined : toKey(...sides);
      if (key === undefined) rest.push(one);
      else keys.push(key);
    }
    this.waiting = rest;
    return keys;
  }

  private take(isDue: (names: ReadonlySet<string>) => boolean): Condition[] {
    const due = this.waiting.filter(({ names }) => isDue(names));
    this.waiting = this.waiting.filter((one) => !due.includes(one));
    return due.map(({ condition }) => condition);
  }

  /** Returns the operands of new members and of rows, or undefined if the condition is not such an equality. */
  private sidesOf(condition: Condition, stage: Stage): [ofMembers: Operand, ofRows: Operand] | undefined {
    if (condition.kind !== 'compare' || condition.comparison !== '=') return undefined;
    const { left, right } = condition;
    const fits = (ofMembers: Operand, ofRows: Operand): boolean =>
      isOfMembers(this.namesIn(ofMembers), stage) && isKnown(this.namesIn(ofRows), stage.rows, stage.later);
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
      ? condition.of.flatMap((one) => conjunctsOf(one))
      : [condition];

const isOfMembers = (names: ReadonlySet<string>, { members, later }: Stage): boolean =>
  names.size > 0 && isKnown(names, members, later);

const isKnown = (names: ReadonlySet<string>, known: ReadonlySet<string>, later: ReadonlySet<string>): boolean =>
  [...names].every((name) => known.has(name) && !later.has(name));

const intersection = (some: ReadonlySet<string>, others: ReadonlySet<string>): Set<string> =>
  new Set([...some].filter((one) => others.has(one)));
