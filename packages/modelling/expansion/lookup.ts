import { dateIn } from '../date-literals.js';
import { type DateReading, firstMoment } from '../dates.js';
import type { Comparison, FormulaProblem, Key, MemberOf, Membership, Operand } from '../formula.js';
import { shortened } from '../names.js';
import {
  ambiguousColumn,
  lagWithoutOrder,
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
import type { Observer } from './observer.js';
import { refuse } from './refusal.js';
import type { Column, FamilyOf, Members, Space } from './space.js';
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
  constructor(
    private readonly space: Space,
    private readonly observer?: Observer,
  ) {}

  /** Returns the set of a membership. Refuses a membership with the wrong number of names. */
  set({ set: name, names, position }: Membership): Members {
    const set = this.space.sets.get(name);
    if (set === undefined) refuse(unknownSet(name), position);
    if (names.length !== set.columns.length) refuse(wrongMembership(name, set.columns.length), position);
    return set;
  }

  /** Returns the cells of a numeric column. A cell is 0 if a lag leads outside the set. */
  figures(expression: MemberOf, frame: Frame): Float64Array {
    const column = this.column(expression);
    const keys = this.keyColumns(expression, column.set.readings, frame);
    if (column.type === 'text') refuse(textAsNumber(expression.name), expression.position);
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

  /** Returns the variable of a family for each row, except for rows whose lag leads outside the set. */
  variables(family: FamilyOf, expression: MemberOf, frame: Frame): Terms {
    this.checkArity(expression, family.names, `indexed by ${family.names.join(', ')}`);
    const keys = this.keyColumns(expression, family.readings, frame);
    const terms = new Terms(frame.size, true);
    const places = family.table.find(keys, frame.size);
    for (let row = 0; row < frame.size; row += 1) {
      const place = places[row]!;
      if (place >= 0) terms.push(row, family.from + place, 1);
      else if (!isOutside(keys, row)) this.miss(expression, keys, row, false);
    }
    return terms;
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
    if (operand.kind === 'text') return true;
    if (operand.kind === 'name') return frame.codes.has(operand.name);
    return operand.kind === 'member' && this.space.columns.get(operand.name)?.type === 'text';
  }

  readingOf(operand: Operand, readings: ReadonlyMap<string, DateReading>): DateReading | undefined {
    if (operand.kind === 'name') return readings.get(operand.name);
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
      const keys = this.keyColumns(expression, this.column(expression).set.readings, frame);
      for (const [row, code] of codes.entries())
        if (code === empty) this.observer.uncompared(expression.name, this.memberAt(keys, row));
    }
    return codes.map((code) => (code === empty ? EMPTY : code));
  }

  private codes(operand: Operand, frame: Frame): Int32Array {
    if (operand.kind === 'text') return new Int32Array(frame.size).fill(this.space.texts.add(operand.text));
    if (operand.kind === 'name') return frame.codes.get(operand.name)!;
    const expression = operand as MemberOf;
    const column = this.column(expression) as Extract<Column, { type: 'text' }>;
    const keys = this.keyColumns(expression, column.set.readings, frame);
    const codes = new Int32Array(frame.size);
    const places = column.set.table.find(keys, frame.size);
    for (let row = 0; row < frame.size; row += 1) {
      const place = places[row]!;
      if (place < 0 && !isOutside(keys, row)) this.miss(expression, keys, row, false);
      codes[row] = place < 0 ? OUTSIDE : column.codes[place]!;
    }
    return codes;
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

  private keyColumns({ name, keys }: MemberOf, readings: Members['readings'], frame: Frame): Int32Array[] {
    return keys.map((key, at) =>
      key.kind === 'text'
        ? new Int32Array(frame.size).fill(this.space.texts.add(dateIn(key, name, readings[at], refuseMisfit)))
        : this.keyColumn(key, frame),
    );
  }

  private keyColumn(key: Extract<Key, { kind: 'index' }>, frame: Frame): Int32Array {
    const codes = frame.codes.get(key.name);
    if (codes === undefined) refuse(missingIndex(key.name), key.position);
    if (key.lag === 0) return codes;
    const home = frame.homes.get(key.name);
    if (home === undefined) refuse(lagWithoutOrder(key.name), key.position);
    const [members] = home.columns;
    return home.table.find([codes], frame.size).map((place) => {
      const other = place < 0 ? -1 : place + key.lag;
      return other >= 0 && other < home.size ? members![other]! : OUTSIDE;
    });
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
