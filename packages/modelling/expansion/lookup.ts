import { dateIn } from '../date-literals.js';
import { type DateReading, firstMoment } from '../dates.js';
import {
  type Comparison,
  type Condition,
  type End,
  type Expression,
  type FormulaProblem,
  isLagged,
  type Key,
  type MemberOf,
  type Operand,
} from '../formula.js';
import { shortened } from '../names.js';
import {
  ambiguousColumn,
  endOfPairs,
  fractionalLag,
  lettersFor,
  missingCell,
  missingIndex,
  noMember,
  textAsNumber,
  unknownSet,
  wrongArity,
  wrongMembership,
} from '../sentences.js';
import type { Frame } from './frame.js';
import { KeyTable } from './key-table.js';
import type { Observer } from './observer.js';
import { refuse } from './refusal.js';
import { type Column, type FamilyOf, type Members, orderOf, type Space } from './space.js';
import { Terms } from './terms.js';

/** Code for a lag that leads beyond the ends of the set. */
const OUTSIDE = -2;
/** Code for an empty cell, which fails every comparison. */
const EMPTY = -3;
/**
 * Substitute for a missing value while an observer collects missing values. It is not 0, because a formula may divide by it.
 */
const STAND_IN = 1;

/**
 * Resolves the names in each row of a frame to members, column cells or family variables.
 *
 * @throws ExpansionRefusal in every method if a name or member does not exist
 */
export class Lookup {
  /** @param evaluate returns the values of an expression without variables */
  constructor(
    private readonly space: Space,
    private readonly evaluate: (expression: Expression, frame: Frame) => Float64Array,
    private readonly observer?: Observer,
  ) {}

  /** Returns the set of a membership. Refuses a membership with the wrong number of names. */
  set({ set: name, names, position }: { set: string; names: readonly unknown[]; position: number }): Members {
    const set = this.space.sets.get(name);
    if (set === undefined) refuse(unknownSet(name), position);
    if (names.length !== set.columns.length) refuse(wrongMembership(name, set.columns.length), position);
    return set;
  }

  /** Returns a mask of the rows whose keys are a member of a set. */
  contained({ set: name, keys, position }: Extract<Condition, { kind: 'in' }>, frame: Frame): Uint8Array {
    const set = this.set({ set: name, names: keys, position });
    const places = set.table.find(this.keyColumns(keys, name, set.readings, frame), frame.size);
    return Uint8Array.from(places, (place) => (place < 0 ? 0 : 1));
  }

  /** Returns a mask of the rows in which a member exists and has a value. */
  given(of: Extract<Condition, { kind: 'given' }>['of'], frame: Frame): Uint8Array {
    if (of.kind === 'name') return new Uint8Array(frame.size).fill(1);
    const family = this.space.families.get(of.name);
    if (family !== undefined) {
      const places = family.table.find(this.keysOfFamily(family, of, frame), frame.size);
      return Uint8Array.from(places, (place) => (place < 0 ? 0 : 1));
    }
    const column = this.column(of);
    const keys = this.keysOfColumn(column, of, frame);
    const places = column.set.table.find(keys, frame.size);
    const empty = this.space.texts.add('');
    const hasDefault = column.type === 'number' && column.fallback !== undefined;
    return Uint8Array.from(places, (place, row) => {
      if (hasDefault) return isOutside(keys, row) ? 0 : 1;
      if (place < 0) return 0;
      return (column.type === 'text' ? column.codes[place] === empty : Number.isNaN(column.figures[place])) ? 0 : 1;
    });
  }

  /** Returns the position of an index name's member in its set, counted from 1. */
  positions(name: string, position: number, frame: Frame): Float64Array {
    const codes = frame.codes.get(name);
    const home = frame.homes.get(name);
    if (codes === undefined || home === undefined) refuse(missingIndex(name), position);
    return Float64Array.from(orderOf(home.set, home.part).table.find([codes], frame.size), (place) => place + 1);
  }

  /** Returns the code of the first or last member of a set in each row. */
  ends({ which, set: name, position }: End, frame: Frame): Int32Array {
    const set = this.space.sets.get(name);
    if (set === undefined) refuse(unknownSet(name), position);
    if (set.columns.length > 1) refuse(endOfPairs(name), position);
    const code = set.columns[0]!.at(which === 'first' ? 0 : -1);
    if (code === undefined) refuse(`${shortened(name)} has no members`, position);
    return new Int32Array(frame.size).fill(code);
  }

  /** Returns the cells of a numeric column. A cell is 0 if a lag leads outside the set. */
  figures(expression: MemberOf, frame: Frame): Float64Array {
    const column = this.column(expression);
    const keys = this.keysOfColumn(column, expression, frame);
    if (column.type === 'text') refuse(column.misfit ?? textAsNumber(expression.name), expression.position);
    const { figures, fallback = NaN } = column;
    const cells = new Float64Array(frame.size);
    const places = column.set.table.find(keys, frame.size);
    if (!Number.isNaN(fallback)) this.observer?.defaulted(expression, column, places);
    for (let row = 0; row < frame.size; row += 1) {
      const place = places[row]!;
      if (place < 0 && isOutside(keys, row)) continue;
      const figure = place < 0 ? NaN : figures[place]!;
      const known = Number.isNaN(figure) ? fallback : figure;
      if (Number.isNaN(known)) this.miss(expression, keys, row, place >= 0);
      cells[row] = Number.isNaN(known) ? STAND_IN : known;
    }
    return cells;
  }

  /** Returns the variable of a family for each row. Rows in which a lag leads to a missing variable have no term. */
  variables(family: FamilyOf, expression: MemberOf, frame: Frame): Terms {
    const keys = this.keysOfFamily(family, expression, frame);
    const terms = new Terms(frame.size, true);
    const places = family.table.find(keys, frame.size);
    const mayBeMissing = this.missingByLag(family, expression, keys, frame);
    for (let row = 0; row < frame.size; row += 1) {
      const place = places[row]!;
      if (place >= 0) terms.push(row, family.from + place, 1);
      else if (!mayBeMissing(row) && !isOutside(keys, row)) this.miss(expression, keys, row, false);
    }
    return terms;
  }

  /**
   * Returns whether a row's variable is missing only because of a lag. A lag over pairs may lead to a missing pair, but the
   * keys without a lag must occur in the family.
   */
  private missingByLag(
    { columns, size }: FamilyOf,
    { keys }: MemberOf,
    codes: readonly Int32Array[],
    frame: Frame,
  ): (row: number) => boolean {
    const isOfPair = (key: Key): boolean => isLagged(key) && frame.homes.get(key.name)!.set.columns.length > 1;
    if (!keys.some(isOfPair)) return () => false;
    const fixed = keys.flatMap((key, part) =>
      isLagged(key) ? [] : [new KeyTable([columns[part]!], size).find([codes[part]!], frame.size)],
    );
    return (row) => fixed.every((places) => places[row]! >= 0);
  }

  private keysOfFamily(family: FamilyOf, expression: MemberOf, frame: Frame): Int32Array[] {
    this.checkArity(expression, family.names, `indexed by ${family.names.join(', ')}`);
    return this.keyColumns(expression.keys, expression.name, family.readings, frame);
  }

  private keysOfColumn(column: Column, { keys, name }: MemberOf, frame: Frame): Int32Array[] {
    return this.keyColumns(keys, name, column.set.readings, frame);
  }

  /** Converts member names to numbers. Rejects names that are not numbers. */
  memberFigures(codes: Int32Array, name: string): Float64Array {
    const { asFigures } = this.space.texts;
    return Float64Array.from(codes, (code) => {
      const figure = asFigures[code];
      if (figure === undefined || Number.isNaN(figure))
        refuse(`${name} is used as a number, but its member ${this.quoted(code)} is not a number`);
      return figure;
    });
  }

  /** Whether an operand is text: a literal, a member, or a label. */
  isText(operand: Operand, frame: Frame): boolean {
    if (operand.kind === 'text' || operand.kind === 'end') return true;
    if (operand.kind === 'name') return frame.codes.has(operand.name);
    return operand.kind === 'member' && this.space.columns.get(operand.name)?.type === 'text';
  }

  readingOf(operand: Operand, readings: ReadonlyMap<string, DateReading>): DateReading | undefined {
    if (operand.kind === 'name') return readings.get(operand.name);
    if (operand.kind === 'end') return this.space.sets.get(operand.set)?.readings[0];
    const column = operand.kind === 'member' ? this.space.columns.get(operand.name) : undefined;
    return column?.type === 'text' ? column.reading : undefined;
  }

  /**
   * Returns the text codes of an operand. A code is negative if the operand cannot be compared. This is the case if a lag leads
   * outside the set, or if a cell is empty in a date column or in an ordered comparison. The literal `""` does match empty
   * cells.
   *
   * @param other the other operand. A date that is compared with timestamps means midnight
   */
  texts(operand: Operand, comparison: Comparison, other: Operand, frame: Frame, ofOther = frame): Int32Array {
    const reading = this.readingOf(operand, frame.readings);
    const isOrder = comparison !== '=' && comparison !== '<>';
    const isOfEmpty = other.kind === 'text' && other.text === '';
    const all = this.codes(operand, frame);
    const isCell = operand.kind === 'member' && (isOrder || reading !== undefined) && !isOfEmpty;
    const codes = isCell ? this.withoutEmpty(operand, all, frame) : all;
    if (reading?.type !== 'date' || this.readingOf(other, ofOther.readings)?.type !== 'timestamp') return codes;
    const { texts } = this.space;
    return codes.map((code) => (code < 0 ? code : texts.add(firstMoment(texts.text(code)))));
  }

  private withoutEmpty(expression: MemberOf, codes: Int32Array, frame: Frame): Int32Array {
    const empty = this.space.texts.add('');
    if (!codes.includes(empty)) return codes;
    if (this.observer !== undefined) {
      const keys = this.keysOfColumn(this.column(expression), expression, frame);
      for (const [row, code] of codes.entries())
        if (code === empty) this.observer.uncompared(expression.name, this.memberAt(keys, row));
    }
    return codes.map((code) => (code === empty ? EMPTY : code));
  }

  private codes(operand: Operand, frame: Frame): Int32Array {
    if (operand.kind === 'text') return new Int32Array(frame.size).fill(this.space.texts.add(operand.text));
    if (operand.kind === 'name') return frame.codes.get(operand.name)!;
    return operand.kind === 'end' ? this.ends(operand, frame) : this.labels(operand as MemberOf, frame);
  }

  /** Returns the text codes of a column's cells. */
  private labels(expression: MemberOf, frame: Frame): Int32Array {
    const column = this.column(expression);
    const keys = this.keysOfColumn(column, expression, frame);
    const codes = new Int32Array(frame.size);
    const places = column.set.table.find(keys, frame.size);
    for (let row = 0; row < frame.size; row += 1) {
      const place = places[row]!;
      const code = place < 0 && isOutside(keys, row) ? OUTSIDE : this.codeOf(column, place);
      if (code === undefined) this.miss(expression, keys, row, false);
      codes[row] = code ?? OUTSIDE;
    }
    return codes;
  }

  /** Returns the text code of a cell. Returns undefined for a missing member of a column without a default. */
  private codeOf(column: Column, place: number): number | undefined {
    if (column.type === 'text') return place < 0 ? undefined : column.codes[place]!;
    const figure = place < 0 ? NaN : column.figures[place]!;
    const known = Number.isNaN(figure) ? (column.fallback ?? NaN) : figure;
    if (place < 0 && Number.isNaN(known)) return undefined;
    return this.space.texts.add(Number.isNaN(known) ? '' : String(known));
  }

  /** Describes the members of a row, as an addition to a message. */
  forRow({ codes }: Frame, row: number): string {
    const members = [...codes.values()].map((column) => this.quoted(column[row]!));
    return members.length === 0 ? '' : ` for ${members.join(', ')}`;
  }

  private column(expression: MemberOf): Column {
    const { name, position } = expression;
    const column = this.space.columns.get(name);
    if (column === undefined) refuse(`No variable or column is called ${shortened(name)}`, position);
    const other = this.space.doubled.get(name);
    if (other !== undefined) refuse(ambiguousColumn(name, { set: column.set.name }, { set: other }), position);
    this.checkArity(expression, lettersFor(column.set.columns.length), `a column of ${column.set.name}`);
    return column;
  }

  private checkArity({ name, keys, position }: MemberOf, expected: readonly string[], kind: string): void {
    if (keys.length !== expected.length) refuse(wrongArity(name, kind, expected), position);
  }

  private keyColumns(keys: readonly Key[], name: string, readings: Members['readings'], frame: Frame): Int32Array[] {
    return keys.map((key, at) => {
      switch (key.kind) {
        case 'text':
          return new Int32Array(frame.size).fill(this.space.texts.add(dateIn(key, name, readings[at], refuseMisfit)));
        case 'end':
          return this.ends(key, frame);
        case 'label':
          return this.labels(key.of, frame);
        default:
          return this.lagged(key, frame);
      }
    });
  }

  /** Returns the codes of an index name, moved by its lag. */
  private lagged(key: Extract<Key, { kind: 'index' | 'shift' }>, frame: Frame): Int32Array {
    const { name, position } = key;
    const codes = frame.codes.get(name);
    const home = frame.homes.get(name);
    if (codes === undefined || home === undefined) refuse(missingIndex(name), position);
    if (key.kind === 'index' && key.lag === 0) return codes;
    const { members, table } = orderOf(home.set, home.part);
    const lags = key.kind === 'shift' ? this.lags(key, frame) : undefined;
    const size = members.length;
    const isCyclic =
      key.isCyclic === true || (home.set.columns.length === 1 && this.space.cyclicSets.has(home.set.name));
    return table.find([codes], frame.size).map((place, row) => {
      if (place < 0) return OUTSIDE;
      const other = place + (lags?.[row] ?? (key.kind === 'index' ? key.lag : 0));
      if (isCyclic) return members[((other % size) + size) % size]!;
      return other >= 0 && other < size ? members[other]! : OUTSIDE;
    });
  }

  /** Returns calculated lags. */
  private lags({ name, by, position }: Extract<Key, { kind: 'shift' }>, frame: Frame): Float64Array {
    const lags = this.evaluate(by, frame);
    for (const [row, lag] of lags.entries())
      if (!Number.isInteger(lag)) refuse(fractionalLag(name, lag, this.forRow(frame, row)), position);
    return lags;
  }

  /** @param isMember whether the member exists in the column's set and only the cell is missing */
  private miss(expression: MemberOf, keys: readonly Int32Array[], row: number, isMember: boolean): void {
    const { name, position } = expression;
    const member = this.memberAt(keys, row);
    const column = this.space.families.has(name) ? undefined : this.space.columns.get(name);
    if (this.observer === undefined)
      refuse(column ? missingCell(name, member, column.set.name, isMember) : noMember(name, member), position);
    this.observer.missing({ expression, member, isMember, ...(column !== undefined && { column }) });
  }

  private memberAt(keys: readonly Int32Array[], row: number): string {
    return keys.map((codes) => this.quoted(codes[row]!)).join(', ');
  }

  private quoted(code: number): string {
    return `"${shortened(this.space.texts.text(code))}"`;
  }
}

export const refuseMisfit = ({ problem, position }: FormulaProblem): never => refuse(problem, position);

/** Whether a lag leads outside the set. */
const isOutside = (keys: readonly Int32Array[], row: number): boolean => keys.some((column) => column[row] === OUTSIDE);
