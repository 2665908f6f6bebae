import {
  type Expression,
  type Extremum,
  type Formula,
  type Index,
  type Membership,
  type MemberOf,
  partsOf,
} from '../formula.js';
import { decisionsIn } from '../decisions.js';
import { freeNamesOf } from '../mentions.js';
import { shortened } from '../names.js';
import { missingCell, noMember, TOTALS } from '../sentences.js';
import type { Vocabulary } from '../vocabulary.js';
import type { Frame } from './frame.js';
import { KeyTable } from './key-table.js';
import { CanvasSpace } from './canvas-space.js';
import type { Missing, Observer } from './observer.js';
import { ExpansionRefusal } from './refusal.js';
import type { Column, Members } from './space.js';

/** Findings of a trial expansion. Sentences have no full stop. */
export interface TrialReport {
  /** Reason why a solve would reject the formula. */
  problem: string | undefined;
  /** Whether values that a solve needs are missing. */
  lacksData: boolean;
  warnings: TrialWarning[];
}

export interface TrialWarning {
  sentence: string;
  /** Whether the warning is about a condition that leaves an index or a sum empty. */
  isOfCondition: boolean;
}

const spaces = new WeakMap<Vocabulary, CanvasSpace>();

/**
 * Expands a formula over the known data in the same way as a solve. Unlike the coverage check, it considers only the members
 * that the formula uses. Returns undefined if some of the data is unknown or too large.
 */
export function runTrial(formula: Formula, index: Index | undefined, vocabulary: Vocabulary): TrialReport | undefined {
  if (vocabulary.budget?.remaining === 0) return undefined;
  const space = spaces.get(vocabulary) ?? new CanvasSpace(vocabulary);
  spaces.set(vocabulary, space);
  if (!space.add(freeNamesOf(formula, index))) return undefined;
  const trial = new Trial(space.textOf, [index, ...formula.sides].some(hasCondition));
  try {
    const isDone = space.evaluate((evaluator) => {
      const frame = evaluator.rows(index);
      for (const side of formula.sides) evaluator.finite(side, frame);
      for (const { of } of decisionsIn(formula)) evaluator.finite(of, frame);
      return true;
    }, trial);
    return isDone === undefined ? undefined : trial.report();
  } catch (error) {
    if (!(error instanceof ExpansionRefusal)) throw error;
    return trial.report(error.reason.problem);
  }
}

/** Collects findings during the evaluation of a formula. */
class Trial implements Observer {
  private readonly gaps = new Map<string, { first: Missing; members: Set<string> }>();
  /** Maps each warning to whether it is about a condition. */
  private readonly warnings = new Map<string, boolean>();
  /** Members whose cell is empty, by column. */
  private readonly empty = new Map<string, Set<string>>();

  /** @param hasConditions whether the formula has a condition, which may exclude members on purpose */
  constructor(
    private readonly textOf: (code: number) => string,
    private readonly hasConditions: boolean,
  ) {}

  report(refusal?: string): TrialReport {
    const gaps = [...this.gaps.values()];
    for (const [column, members] of this.empty) {
      const [first, ...others] = members;
      const more = others.length === 0 ? '' : ` and ${others.length} more`;
      this.warn(`${column} is empty for ${first}${more}, and comparisons with empty cells are never true`);
    }
    const problems = gaps.map(({ first, members }) => describeMissing(first, members.size - 1));
    return {
      problem: problems.length === 0 ? refusal : problems.join('. '),
      lacksData: gaps.some(({ first }) => first.column !== undefined),
      warnings: Array.from(this.warnings, ([sentence, isOfCondition]) => ({ sentence, isOfCondition })),
    };
  }

  missing(missing: Missing): void {
    const { name } = missing.expression;
    const kind = `${name} ${missing.isMember}`;
    const gap = this.gaps.get(kind) ?? { first: missing, members: new Set() };
    this.gaps.set(kind, gap);
    gap.members.add(missing.member);
  }

  uncompared(column: string, member: string): void {
    const members = this.empty.get(column) ?? new Set();
    this.empty.set(column, members.add(member));
  }

  /** Warns if no key combination exists in the set, because default values would hide this. */
  defaulted({ name, keys }: MemberOf, { set }: Column, places: Int32Array): void {
    if (keys.length < 2 || places.length === 0 || places.some((place) => place >= 0)) return;
    this.warn(`None of the members used here is in ${set.name}, so ${name} always has its default value`);
  }

  /** Warns about members whose key parts match individually but not in combination. */
  filtered({ names, set: called }: Membership, set: Members, outer: Frame): void {
    const bound = names.flatMap((name, at): Part[] => {
      const rows = outer.codes.get(name);
      return rows === undefined ? [] : [{ rows, members: set.columns[at]! }];
    });
    if (bound.length < 2 || outer.size === 0 || set.size === 0) return;
    const rows = bound.map((part) => part.rows);
    const members = bound.map((part) => part.members);
    const unmatched = this.unmatched(rows, outer.size, members, set.size);
    const unused = this.unmatched(members, set.size, rows, outer.size);
    // Two whole sets have more combinations than a formula usually needs, so some combinations without a match are normal.
    if (unmatched.count > 0 && (unmatched.isNone || !isProduct(rows, outer.size))) {
      const [matches, sums] = unmatched.count === 1 ? ['matches', 'its sum is'] : ['match', 'their sums are'];
      this.warn(`${listed(unmatched)} ${matches} nothing in ${called}, so ${sums} empty`);
    }
    if (unused.count > 0 && !this.hasConditions) {
      const [matches, are] = unused.count === 1 ? ['matches', 'it is'] : ['match', 'they are'];
      this.warn(`${listed(unused)} of ${called} ${matches} no member outside the sum, so ${are} left out`);
    }
  }

  /** Returns the distinct tuples that are missing in `others` although each of their parts occurs there. */
  private unmatched(tuples: Int32Array[], size: number, others: Int32Array[], count: number): Unmatched {
    const places = new KeyTable(others, count).find(tuples, size);
    const matches = tuples.map((codes, part) => new KeyTable([others[part]!], count).find([codes], size));
    const { ids } = new KeyTable(tuples, size);
    const rows = new Map<number, number>();
    for (let row = 0; row < size; row += 1)
      if (places[row]! < 0 && matches.every((found) => found[row]! >= 0) && !rows.has(ids[row]!))
        rows.set(ids[row]!, row);
    const [first = 0] = rows.values();
    const example = tuples.map((codes) => `"${shortened(this.textOf(codes[first]!))}"`).join(', ');
    return { example, count: rows.size, isNone: places.every((place) => place < 0) };
  }

  emptied(index: Index, by: 'sum' | Extremum | undefined): void {
    const sets = [...new Set(index.over.map(({ set }) => set))].join(', ');
    const effect = by === undefined ? 'it has no members' : `its ${TOTALS[by]} is always empty`;
    if (index.where === undefined) this.warn(`No members of ${sets} match each other, so ${effect}`);
    else this.warn(`Nothing in ${sets} meets this condition, so ${effect}`, true);
  }

  private warn(sentence: string, isOfCondition = false): void {
    this.warnings.set(sentence, isOfCondition);
  }
}

/** Key part of a set that is already bound outside a sum. */
interface Part {
  rows: Int32Array;
  members: Int32Array;
}

/** Key combinations without a match. */
interface Unmatched {
  example: string;
  count: number;
  /** Whether none of the tuples has a match. */
  isNone: boolean;
}

/** Formats tuples such as `("oak", "2") and 3 more`. */
const listed = ({ example, count }: Unmatched): string => `(${example})${count > 1 ? ` and ${count - 1} more` : ''}`;

/** Whether the rows contain all combinations of the members in their columns. */
const isProduct = (columns: Int32Array[], size: number): boolean =>
  columns.reduce((product, column) => product * new KeyTable([column], size).size, 1) ===
  new KeyTable(columns, size).size;

/** Whether an index, or a sum in an expression, has a condition. */
function hasCondition(part: Index | Expression | undefined): boolean {
  if (part === undefined) return false;
  if ('over' in part && !('kind' in part)) return part.where !== undefined;
  const isConditional = part.kind === 'choice' || (part.kind === 'total' && part.over.where !== undefined);
  return isConditional || partsOf(part).some(hasCondition);
}

function describeMissing({ expression: { name }, member, column, isMember }: Missing, others: number): string {
  if (column === undefined) return noMember(name, others === 0 ? member : `${member} and ${others} more`);
  const { name: set } = column.set;
  if (column.isComputed === true) return missingCell(name, member, set, isMember, others);
  const advice = `: add the missing rows, or give the data card of ${set} a \`default\``;
  return `${missingCell(name, member, set, isMember, others)}${isMember ? '' : advice}`;
}
