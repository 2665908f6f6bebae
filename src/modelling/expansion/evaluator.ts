import type {
  Comparison,
  Condition,
  Expression,
  FormulaProblem,
  Index,
  Key,
  Membership,
  MemberOf,
  Operand,
} from '../formula.js';
import { shortened } from '../names.js';
import {
  doubledColumn,
  lettersFor,
  noIndex,
  noOrder,
  noSet,
  textIsNoFigure,
  wrongArity,
  wrongMembership,
} from '../sentences.js';
import { allRows, type Derived, type Frame, ONE_ROW, passing, pick, pickFrom } from './frame.js';
import { namesInCondition, namesInOperand } from '../mentions.js';
import { KeyTable } from './key-table.js';
import type { Column, FamilyOf, Members, Space } from './space.js';
import { concatenated, dropZeros, type Linear, merged, startsOf, Terms } from './terms.js';

/** Most rows that all parts of a formula go through together: what comes of them may be in memory at once. */
const MAX_ROWS = 20_000_000;
/** Most rows that all formulas of a model go through. */
const MAX_STEPS = 200_000_000;
/** Most terms of one sum before those of the same variable are added up. */
const MAX_TERMS = 10_000_000;
/** A member that a lag finds beyond an end of the set. */
const OUTSIDE = -2;
const TOO_LARGE = 'A number in it becomes too large';

/** Ends an expansion. */
export class ExpansionRefusal extends Error {
  constructor(readonly reason: FormulaProblem) {
    super(reason.problem);
  }
}

/**
 * What formulas say of all rows of an index at once. Everything is done in columns: the time is that of the rows and the
 * terms, whatever the number of formulas.
 *
 * @throws ExpansionRefusal from every method
 */
export class Evaluator {
  private places = new Int32Array(0);
  /** Rows that the parts of the present formula have gone through, and those of all formulas so far. */
  private gone = 0;
  private steps = 0;

  /** @param nameOf what a variable is called, for messages */
  constructor(
    private readonly space: Space,
    private readonly nameOf: (variable: number) => string,
  ) {}

  /** The rows that an index stands for, in the order of its sets, each by itself. A formula begins with them. */
  rows(index: Index | undefined): Frame {
    this.gone = 0;
    return index === undefined ? ONE_ROW : this.extend(ONE_ROW, index).frame;
  }

  /** An expression in each row. */
  private linear(expression: Expression, frame: Frame): Linear {
    this.goThrough(frame.size);
    switch (expression.kind) {
      case 'number':
        return { constants: new Float64Array(frame.size).fill(expression.value) };
      case 'name':
        return this.name(expression.name, frame);
      case 'member':
        return this.member(expression, frame);
      case 'sum':
        return this.sum(expression.parts, frame);
      case 'product':
        return this.product(expression.factors, frame);
      case 'total':
        return this.total(expression, frame);
    }
  }

  /** An expression without an index: its constant, and each variable once. */
  figureOf(expression: Expression): { constant: number; terms: Terms } {
    this.gone = 0;
    const linear = this.finite(expression, ONE_ROW);
    const terms = linear.terms === undefined ? new Terms(0) : this.merge(linear.terms, 1).terms;
    return { constant: linear.constants[0]!, terms };
  }

  /** An expression in each row, whose numbers are within bounds. */
  finite(expression: Expression, frame: Frame): Linear {
    const linear = this.linear(expression, frame);
    const { constants, terms } = linear;
    for (let row = 0; row < frame.size; row += 1)
      if (!Number.isFinite(constants[row]!)) refuse(`${TOO_LARGE}${this.forRow(frame, row)}`);
    for (let at = 0; at < (terms?.size ?? 0); at += 1)
      if (!Number.isFinite(terms!.coefficients[at]!)) refuse(`${TOO_LARGE}${this.forRow(frame, terms!.rows[at]!)}`);
    return linear;
  }

  /** The same of what has no variable in it. */
  figures(expression: Expression, frame: Frame, place: string): Float64Array {
    const { constants, terms } = this.finite(expression, frame);
    if (terms !== undefined && terms.size > 0)
      refuse(`${place} is made of figures that are known, and ${this.nameOf(terms.columns[0]!)} is a variable`);
    return constants;
  }

  /** The terms by rows, each variable once in a row. */
  merge(terms: Terms, rows: number): ReturnType<typeof merged> {
    if (terms.isMerged) return { terms, starts: startsOf(terms, rows) };
    const variables = this.countVariables();
    if (this.places.length < variables) this.places = new Int32Array(variables).fill(-1);
    return merged(terms, rows, this.places);
  }

  private goThrough(rows: number, position?: number): void {
    this.gone += rows;
    this.steps += rows;
    if (this.gone > MAX_ROWS)
      refuse(
        `It goes through more than ${MAX_ROWS} combinations of members: let its indices run over fewer, with conditions behind \`where\``,
        position,
      );
    if (this.steps > MAX_STEPS)
      refuse(`The formulas up to this one go through more than ${MAX_STEPS} combinations of members`);
  }

  private countVariables(): number {
    let count = this.space.variables.size;
    for (const { size } of this.space.families.values()) count += size;
    return count;
  }

  private name(name: string, frame: Frame): Linear {
    const { variables, values } = this.space;
    const codes = frame.codes.get(name);
    if (codes !== undefined) return { constants: this.toFigures(codes, name) };
    const value = values.get(name);
    if (value !== undefined) return { constants: new Float64Array(frame.size).fill(value) };
    const variable = variables.get(name);
    if (variable === undefined) refuse(`no variable and no value of a data card is called ${shortened(name)}`);
    const terms = new Terms(frame.size, true);
    for (let row = 0; row < frame.size; row += 1) terms.push(row, variable, 1);
    return { constants: new Float64Array(frame.size), terms };
  }

  /** Members as the figures that they are called. */
  private toFigures(codes: Int32Array, name: string): Float64Array {
    const { asFigures } = this.space.texts;
    return Float64Array.from(codes, (code) => {
      const figure = asFigures[code];
      if (figure === undefined || Number.isNaN(figure))
        refuse(`${name} is used as a figure, and the member ${this.quoted(code)} is none`);
      return figure;
    });
  }

  private member(expression: MemberOf, frame: Frame): Linear {
    const keys = expression.keys.map((key) => this.keyColumn(key, frame));
    const family = this.space.families.get(expression.name);
    if (family !== undefined) return this.memberOfFamily(family, expression, keys, frame);
    const column = this.column(expression);
    if (column.type === 'text') refuse(textIsNoFigure(expression.name), expression.position);
    const { figures, fallback = NaN } = column;
    const constants = new Float64Array(frame.size);
    const places = column.set.table.find(keys, frame.size);
    for (let row = 0; row < frame.size; row += 1) {
      const place = places[row]!;
      if (place < 0 && isOutside(keys, row)) continue;
      const figure = place < 0 ? NaN : figures[place]!;
      const known = Number.isNaN(figure) ? fallback : figure;
      if (Number.isNaN(known)) this.refuseMissing(expression, keys, row);
      constants[row] = known;
    }
    return { constants };
  }

  private memberOfFamily(family: FamilyOf, expression: MemberOf, keys: readonly Int32Array[], frame: Frame): Linear {
    this.checkArity(expression, family.names, `a variable for each ${family.names.join(', ')}`);
    const terms = new Terms(frame.size, true);
    const places = family.table.find(keys, frame.size);
    for (let row = 0; row < frame.size; row += 1) {
      const place = places[row]!;
      if (place >= 0) terms.push(row, family.from + place, 1);
      else if (!isOutside(keys, row)) this.refuseMissing(expression, keys, row);
    }
    return { constants: new Float64Array(frame.size), terms };
  }

  private column(expression: MemberOf): Column {
    const { name, position } = expression;
    const column = this.space.columns.get(name);
    if (column === undefined) refuse(`No variable and no column is called ${shortened(name)}`, position);
    const other = this.space.doubled.get(name);
    if (other !== undefined) refuse(doubledColumn(name, column.set.name, other), position);
    this.checkArity(expression, lettersFor(column.set.columns.length), `a column over ${column.set.name}`);
    return column;
  }

  private checkArity({ name, keys, position }: MemberOf, expected: readonly string[], kind: string): void {
    if (keys.length !== expected.length) refuse(wrongArity(name, kind, expected), position);
  }

  private keyColumn(key: Key, frame: Frame): Int32Array {
    if (key.kind === 'text') return new Int32Array(frame.size).fill(this.space.texts.add(key.text));
    const codes = frame.codes.get(key.name);
    if (codes === undefined) refuse(noIndex(key.name), key.position);
    if (key.lag === 0) return codes;
    const home = frame.homes.get(key.name);
    if (home === undefined) refuse(noOrder(key.name), key.position);
    const [members] = home.columns;
    return home.table.find([codes], frame.size).map((place) => {
      const other = place < 0 ? -1 : place + key.lag;
      return other >= 0 && other < home.size ? members![other]! : OUTSIDE;
    });
  }

  private sum(parts: Extract<Expression, { kind: 'sum' }>['parts'], frame: Frame): Linear {
    const constants = new Float64Array(frame.size);
    const lists: Terms[] = [];
    let count = 0;
    for (const { negative, of } of parts) {
      const part = this.linear(of, frame);
      const sign = negative ? -1 : 1;
      for (let row = 0; row < frame.size; row += 1) constants[row]! += sign * part.constants[row]!;
      if (part.terms === undefined) continue;
      if (negative) negate(part.terms);
      lists.push(part.terms);
      count += part.terms.size;
      if (count > MAX_TERMS) refuse(`It has more than ${MAX_TERMS} terms`);
    }
    return { constants, ...(lists.length > 0 && { terms: this.merge(concatenated(lists), frame.size).terms }) };
  }

  /** At most one factor may have variables. */
  private product(factors: Extract<Expression, { kind: 'product' }>['factors'], frame: Frame): Linear {
    const scales = new Float64Array(frame.size).fill(1);
    let variable: { constants: Float64Array; terms: Terms } | undefined;
    for (const { divisor, of } of factors) {
      const { constants, terms } = this.linear(of, frame);
      if (terms === undefined || terms.size === 0) {
        this.multiply(scales, constants, divisor, frame);
      } else if (divisor) {
        refuse(`It is not linear: it divides by the variable ${shortened(this.nameOf(terms.columns[0]!))}`);
      } else if (variable !== undefined) {
        const [one, other] = [variable.terms, terms].map((list) => shortened(this.nameOf(list.columns[0]!)));
        refuse(`It is not linear: the variables ${one} and ${other} are multiplied`);
      } else {
        variable = { constants, terms };
      }
    }
    if (variable === undefined) return { constants: scales };
    const { constants, terms } = variable;
    for (let row = 0; row < frame.size; row += 1) constants[row]! *= scales[row]!;
    scale(terms, scales);
    return { constants, terms };
  }

  private multiply(scales: Float64Array, constants: Float64Array, divisor: boolean, frame: Frame): void {
    for (let row = 0; row < frame.size; row += 1) {
      const constant = constants[row]!;
      if (divisor && constant === 0) refuse(`It divides by 0${this.forRow(frame, row)}`);
      scales[row] = divisor ? scales[row]! / constant : scales[row]! * constant;
      if (!Number.isFinite(scales[row]!)) refuse(`${TOO_LARGE}${this.forRow(frame, row)}`);
    }
  }

  private total({ over, of }: Extract<Expression, { kind: 'total' }>, frame: Frame): Linear {
    const { frame: inner, parents } = this.extend(frame, over);
    const { constants, terms } = this.linear(of, inner);
    const sums = new Float64Array(frame.size);
    for (let row = 0; row < inner.size; row += 1) sums[parents[row]!]! += constants[row]!;
    if (terms === undefined) return { constants: sums };
    for (let at = 0; at < terms.size; at += 1) terms.rows[at] = parents[terms.rows[at]!]!;
    terms.isMerged = false;
    return { constants: sums, terms: this.merge(terms, frame.size).terms };
  }

  /** The rows of a frame with those that an index adds to each. */
  private extend(outer: Frame, { over, where }: Index): Derived {
    const names = new Set([...outer.codes.keys(), ...over.flatMap((one) => one.names)]);
    let waiting = conjunctsOf(where).map((condition) => ({
      condition,
      names: intersection(namesInCondition(condition), names),
    }));
    let frame = outer;
    let parents = allRows(outer.size);
    for (const [at, membership] of over.entries()) {
      const set = this.set(membership);
      // What a membership behind this one has to do with waits for it: it may leave out some of the members.
      const later = new Set(over.slice(at + 1).flatMap((one) => one.names));
      const isReady = (used: ReadonlySet<string>): boolean => intersection(used, later).size === 0;
      const bound = new Set(frame.codes.keys());
      const members = this.membersOf(membership, set, bound);
      const isOfMembers = (used: ReadonlySet<string>): boolean =>
        used.size > 0 && isReady(used) && [...used].every((name) => members.frame.codes.has(name));
      const isKnown = (used: ReadonlySet<string>): boolean =>
        isReady(used) && [...used].every((name) => bound.has(name));
      const own = waiting.filter((one) => isOfMembers(one.names));
      const kept = this.filtered(
        members,
        own.map(({ condition }) => condition),
      );
      waiting = waiting.filter((one) => !own.includes(one));
      const keys = this.boundKeys(membership, set, frame, kept.parents);
      for (const one of waiting) {
        const pair = this.joinKeys(one.condition, names, isOfMembers, isKnown, kept.frame, frame);
        if (pair === undefined) continue;
        keys.push(pair);
        waiting = waiting.filter((other) => other !== one);
      }
      const joined = this.join(frame, kept.frame, keys, membership);
      parents = pickFrom(parents, joined.parents);
      frame = joined.frame;
      const now = waiting.filter((one) => isReady(one.names) && [...one.names].every((name) => frame.codes.has(name)));
      waiting = waiting.filter((one) => !now.includes(one));
      const passed = this.filtered(
        { frame, parents },
        now.map(({ condition }) => condition),
      );
      ({ frame, parents } = passed);
    }
    return { frame, parents };
  }

  private set({ set: name, names, position }: Membership): Members {
    const set = this.space.sets.get(name);
    if (set === undefined) refuse(noSet(name), position);
    if (names.length !== set.columns.length) refuse(wrongMembership(name, set.columns.length), position);
    return set;
  }

  /** The members of a set under the names that are new, without those that contradict themselves, as in `(a, a)`. */
  private membersOf({ names }: Membership, set: Members, bound: ReadonlySet<string>): Derived {
    const codes = new Map<string, Int32Array>();
    const doubled: [Int32Array, Int32Array][] = [];
    for (const [at, name] of names.entries()) {
      const column = set.columns[at]!;
      const before = codes.get(name);
      if (before !== undefined) doubled.push([before, column]);
      else if (!bound.has(name)) codes.set(name, column);
    }
    const [name] = names;
    const isAlone = names.length === 1 && !bound.has(name);
    const frame: Frame = { size: set.size, codes, homes: isAlone ? new Map([[name, set]]) : new Map() };
    const rows = allRows(set.size);
    if (doubled.length === 0) return { frame, parents: rows };
    const kept = rows.filter((row) => doubled.every(([one, other]) => one[row] === other[row]));
    return { frame: pick(frame, kept), parents: kept };
  }

  private filtered({ frame, parents }: Derived, conditions: readonly Condition[]): Derived {
    let passed: Derived = { frame, parents };
    for (const condition of conditions) {
      const rows = passing(this.matches(condition, passed.frame));
      if (rows.length < passed.frame.size)
        passed = { frame: pick(passed.frame, rows), parents: pickFrom(passed.parents, rows) };
    }
    return passed;
  }

  /** What members have to share with a row: those parts of their keys that an outer index stands for. */
  private boundKeys({ names }: Membership, set: Members, frame: Frame, rows: Int32Array): JoinKey[] {
    return names.flatMap((name, at): JoinKey[] => {
      const codes = frame.codes.get(name);
      return codes === undefined ? [] : [{ members: pickFrom(set.columns[at]!, rows), rows: codes }];
    });
  }

  /** The sides of an equality between new members and what is known of a row; undefined for other conditions. */
  private joinKeys(
    condition: Condition,
    names: ReadonlySet<string>,
    isOfMembers: (used: ReadonlySet<string>) => boolean,
    isKnown: (used: ReadonlySet<string>) => boolean,
    members: Frame,
    rows: Frame,
  ): JoinKey | undefined {
    if (condition.kind !== 'compare' || condition.comparison !== '=') return undefined;
    const { left, right } = condition;
    for (const [one, other] of [
      [left, right],
      [right, left],
    ] as const) {
      const ofOne = intersection(namesInOperand(one), names);
      const ofOther = intersection(namesInOperand(other), names);
      if (!isOfMembers(ofOne) || !isKnown(ofOther)) continue;
      const isText = this.isText(one, members);
      if (isText !== this.isText(other, rows)) return undefined;
      if (isText) return { members: this.codes(one, members), rows: this.codes(other, rows) };
      const ids = new Map<number, number>();
      const idsOf = (figures: Float64Array): Int32Array =>
        Int32Array.from(figures, (figure) => {
          const id = ids.get(figure) ?? ids.size;
          ids.set(figure, id);
          return id;
        });
      return {
        members: idsOf(this.figures(one as Expression, members, 'A condition')),
        rows: idsOf(this.figures(other as Expression, rows, 'A condition')),
      };
    }
    return undefined;
  }

  /** Each row with each of the members that have its keys. */
  private join(frame: Frame, members: Frame, keys: readonly JoinKey[], { position }: Membership): Derived {
    const table = new KeyTable(
      keys.length === 0 ? [new Int32Array(members.size)] : keys.map((key) => key.members),
      members.size,
    );
    const ofRows = keys.length === 0 ? [new Int32Array(frame.size)] : keys.map((key) => key.rows);
    const groups = groupsOf(table);
    const found = table.find(ofRows, frame.size);
    let size = 0;
    for (const id of found) {
      if (id >= 0) size += groups.starts[id + 1]! - groups.starts[id]!;
    }
    this.goThrough(size, position);
    const parents = new Int32Array(size);
    const chosen = new Int32Array(size);
    let at = 0;
    for (let row = 0; row < frame.size; row += 1) {
      const id = found[row]!;
      if (id < 0) continue;
      for (let place = groups.starts[id]!; place < groups.starts[id + 1]!; place += 1) {
        parents[at] = row;
        chosen[at] = groups.members[place]!;
        at += 1;
      }
    }
    const rows = pick(frame, parents);
    return {
      frame: {
        size,
        codes: new Map([...rows.codes, ...pick(members, chosen).codes]),
        homes: new Map([...frame.homes, ...members.homes]),
      },
      parents,
    };
  }

  /** In which rows a condition holds. */
  private matches(condition: Condition, frame: Frame): Uint8Array {
    switch (condition.kind) {
      case 'and':
      case 'or': {
        const isAnd = condition.kind === 'and';
        const [first, ...rest] = condition.of.map((one) => this.matches(one, frame));
        for (const mask of rest)
          for (let row = 0; row < frame.size; row += 1)
            first![row] = isAnd ? first![row]! & mask[row]! : first![row]! | mask[row]!;
        return first!;
      }
      case 'not':
        return this.matches(condition.of, frame).map((holds) => 1 - holds);
      case 'compare':
        return this.compared(condition, frame);
    }
  }

  private compared({ left, comparison, right }: Extract<Condition, { kind: 'compare' }>, frame: Frame): Uint8Array {
    const holds = new Uint8Array(frame.size);
    if (!this.isText(left, frame) || !this.isText(right, frame)) {
      const [one, other] = [this.comparable(left, frame), this.comparable(right, frame)];
      const compare = FIGURES[comparison];
      for (let row = 0; row < frame.size; row += 1) holds[row] = compare(one[row]!, other[row]!) ? 1 : 0;
      return holds;
    }
    const [one, other] = [this.codes(left, frame), this.codes(right, frame)];
    const isEqual = comparison === '=';
    if (isEqual || comparison === '<>') {
      for (let row = 0; row < frame.size; row += 1) {
        const [a, b] = [one[row]!, other[row]!];
        holds[row] = a >= 0 && b >= 0 && (a === b) === isEqual ? 1 : 0;
      }
      return holds;
    }
    const { texts } = this.space;
    const { asFigures } = texts;
    const compareFigures = FIGURES[comparison];
    const compareTexts = TEXTS[comparison];
    for (let row = 0; row < frame.size; row += 1) {
      const [a, b] = [one[row]!, other[row]!];
      if (a < 0 || b < 0) continue;
      const [x, y] = [asFigures[a]!, asFigures[b]!];
      const areFigures = !Number.isNaN(x) && !Number.isNaN(y);
      holds[row] = (areFigures ? compareFigures(x, y) : compareTexts(texts.text(a), texts.text(b))) ? 1 : 0;
    }
    return holds;
  }

  /** Whether an operand is a text: written so, a member, or a label. */
  private isText(operand: Operand, frame: Frame): boolean {
    if (operand.kind === 'text') return true;
    if (operand.kind === 'name') return frame.codes.has(operand.name);
    return operand.kind === 'member' && this.space.columns.get(operand.name)?.type === 'text';
  }

  /** An operand beside a figure. */
  private comparable(operand: Operand, frame: Frame): Float64Array {
    if (operand.kind === 'text')
      refuse(`"${shortened(operand.text)}" is a text and is compared with a figure`, operand.position);
    if (operand.kind === 'member' && this.isText(operand, frame))
      refuse(
        `${operand.name} is text and is compared with a figure: write the text in double quotes`,
        operand.position,
      );
    return this.figures(operand, frame, 'A condition');
  }

  /** The numbers of texts. */
  private codes(operand: Operand, frame: Frame): Int32Array {
    if (operand.kind === 'text') return new Int32Array(frame.size).fill(this.space.texts.add(operand.text));
    if (operand.kind === 'name') return frame.codes.get(operand.name)!;
    const expression = operand as MemberOf;
    const keys = expression.keys.map((key) => this.keyColumn(key, frame));
    const column = this.column(expression) as Extract<Column, { type: 'text' }>;
    const codes = new Int32Array(frame.size);
    const places = column.set.table.find(keys, frame.size);
    for (let row = 0; row < frame.size; row += 1) {
      const place = places[row]!;
      if (place < 0 && !isOutside(keys, row)) this.refuseMissing(expression, keys, row);
      codes[row] = place < 0 ? OUTSIDE : column.codes[place]!;
    }
    return codes;
  }

  private refuseMissing({ name, position }: MemberOf, keys: readonly Int32Array[], row: number): never {
    const member = keys.map((column) => this.quoted(column[row]!)).join(', ');
    const family = this.space.families.get(name);
    refuse(family === undefined ? `${name} has no value for ${member}` : `${name} has no member ${member}`, position);
  }

  private quoted(code: number): string {
    return `"${shortened(this.space.texts.text(code))}"`;
  }

  /** The members of a row, for a message. */
  private forRow({ codes }: Frame, row: number): string {
    const members = [...codes.values()].map((column) => this.quoted(column[row]!));
    return members.length === 0 ? '' : ` for ${members.join(', ')}`;
  }
}

/** Columns that have to be equal for a member to belong to a row. */
interface JoinKey {
  members: Int32Array;
  rows: Int32Array;
}

function refuse(problem: string, position?: number): never {
  throw new ExpansionRefusal({ problem, ...(position !== undefined && { position }) });
}

/** Whether a lag has left the set. */
const isOutside = (keys: readonly Int32Array[], row: number): boolean => keys.some((column) => column[row] === OUTSIDE);

/** Multiplies the terms of each row. */
function scale(terms: Terms, scales: Float64Array): void {
  const { rows, coefficients, size } = terms;
  let zeros = 0;
  for (let at = 0; at < size; at += 1) {
    coefficients[at]! *= scales[rows[at]!]!;
    if (coefficients[at] === 0) zeros += 1;
  }
  // What is multiplied by 0 is no term: it may stand in a divisor, or beside another variable.
  if (zeros > 0) dropZeros(terms, 0);
}

function negate({ coefficients, size }: Terms): void {
  for (let at = 0; at < size; at += 1) coefficients[at] = -coefficients[at]!;
}

const conjunctsOf = (condition: Condition | undefined): Condition[] =>
  condition === undefined
    ? []
    : condition.kind === 'and'
      ? condition.of.flatMap((one) => conjunctsOf(one))
      : [condition];

const intersection = (some: ReadonlySet<string>, others: ReadonlySet<string>): Set<string> =>
  new Set([...some].filter((one) => others.has(one)));

/** The rows that have each tuple, in their order. */
function groupsOf({ ids, size }: KeyTable): { starts: Int32Array; members: Int32Array } {
  const starts = new Int32Array(size + 1);
  for (const id of ids) if (id >= 0) starts[id + 1]! += 1;
  for (let id = 0; id < size; id += 1) starts[id + 1]! += starts[id]!;
  const next = starts.slice();
  const members = new Int32Array(starts[size]!);
  for (let row = 0; row < ids.length; row += 1) if (ids[row]! >= 0) members[next[ids[row]!]!++] = row;
  return { starts, members };
}

const comparisons = <Value extends string | number>(): Record<Comparison, (one: Value, other: Value) => boolean> => ({
  '=': (one, other) => one === other,
  '<>': (one, other) => one !== other,
  '<': (one, other) => one < other,
  '>': (one, other) => one > other,
  '<=': (one, other) => one <= other,
  '>=': (one, other) => one >= other,
});
const FIGURES = comparisons<number>();
const TEXTS = comparisons<string>();
