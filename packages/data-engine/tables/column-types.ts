import type { DialectOptions } from '../tasks.js';
import {
  ALL_DATE_FORMS,
  COMPACT_DATE,
  DATE_FORMS,
  dateForms,
  DAY_FIRST_FORMS,
  DOTTED_FORMS,
  HAS_HALF,
  HAS_NO_ZONE,
  HAS_TIME,
  HAS_ZONE,
  IS_NOT_YEAR_FIRST,
  MONTH_FIRST_FORMS,
  SHORT_FORMS,
  TIME_FORM,
} from './date-forms.js';
import {
  ALL_NUMBER_FORMS,
  COMMA_FORMS,
  endWithoutBlanks,
  HAS_COMMA,
  HAS_EXPONENT,
  HAS_NO_PERCENT,
  HAS_PERCENT,
  HAS_POINT,
  NUMBER_FORMS,
  numberForms,
  POINT_FORMS,
  startWithoutBlanks,
} from './number-forms.js';
import { type Reading, signsOf, type TableReadings } from './readings.js';

/*
 * Infers the column types of a text table from all of its values. Each column keeps the notations ("forms") that fit all of its
 * values. A column without a matching form is text. If several forms remain, `readingsOf` chooses one by the evidence from all
 * columns.
 */

/** Form families, as bits. */
const NUMBERS = 1;
const DATES = 2;
const BOOLEANS = 4;

/** Maximum length, in bytes, of a value that is not text. */
const MAX_TYPED_BYTES = 64;
/** Names of columns in which eight digits such as 20250314 are read as dates. */
const NAMES_OF_DATES = /date|datum|fecha|giorno|(?:^|[^a-z])(?:day|tag|jour|dia|data)(?:[^a-z]|$)/i;

/** For each column, the forms that fit all values read so far. */
export class ColumnProfiles {
  /** Number of blank cells. They count as empty unless the column is text. */
  private readonly blanks: Float64Array;
  /** Number of cells that contain more than blanks. */
  private readonly values: Float64Array;
  /** Form families that fit all values so far. */
  private readonly open: Uint8Array;
  /** Forms and flags found in all values (`OfAll`), and in at least one value (`OfSome`). */
  private readonly numbersOfAll: Int32Array;
  private readonly numbersOfSome: Int32Array;
  private readonly datesOfAll: Int32Array;
  private readonly datesOfSome: Int32Array;
  private readonly arePadded: Uint8Array;
  /** Whether a value was stored as a number in the file, so that the column's number form is arbitrary. */
  private readonly areNumbers: Uint8Array;

  constructor(readonly width: number) {
    this.blanks = new Float64Array(width);
    this.values = new Float64Array(width);
    this.open = new Uint8Array(width).fill(NUMBERS | DATES | BOOLEANS);
    this.numbersOfAll = new Int32Array(width).fill(ALL_NUMBER_FORMS);
    this.numbersOfSome = new Int32Array(width);
    this.datesOfAll = new Int32Array(width).fill(ALL_DATE_FORMS | TIME_FORM);
    this.datesOfSome = new Int32Array(width);
    this.arePadded = new Uint8Array(width);
    this.areNumbers = new Uint8Array(width);
  }

  /** Records a text cell in UTF-8. */
  observe(column: number, bytes: Uint8Array, start: number, end: number): void {
    if (start === end) return;
    const open = this.open[column]!;
    if (open === 0) {
      this.values[column]! += 1;
      return;
    }
    const first = startWithoutBlanks(bytes, start, end);
    const last = endWithoutBlanks(bytes, first, end);
    if (first === last) {
      this.blanks[column]! += 1;
      return;
    }
    this.values[column]! += 1;
    if (last - first > MAX_TYPED_BYTES) {
      this.open[column] = 0;
      return;
    }
    if (last - first < end - start) this.arePadded[column] = 1;
    const byte = bytes[first]!;
    let openTypes = 0;
    if (byte <= 0x39) {
      if ((open & NUMBERS) !== 0) {
        const forms = numberForms(bytes, first, last);
        this.numbersOfAll[column]! &= forms;
        this.numbersOfSome[column]! |= forms;
        if ((this.numbersOfAll[column]! & ALL_NUMBER_FORMS) !== 0) openTypes |= NUMBERS;
      }
      if ((open & DATES) !== 0 && byte >= 0x30) {
        const forms = dateForms(bytes, first, last);
        this.datesOfAll[column]! &= forms;
        this.datesOfSome[column]! |= forms;
        if (this.datesOfAll[column] !== 0) openTypes |= DATES;
      }
    } else if ((open & BOOLEANS) !== 0 && isBoolean(bytes, first, last)) {
      openTypes = BOOLEANS;
    }
    this.open[column] = openTypes;
  }

  /** Records a number from a typed file. It has JSON's number form: a decimal point and no thousands separator. */
  observeNumber(column: number, isInteger: boolean): void {
    this.values[column]! += 1;
    this.areNumbers[column] = 1;
    this.open[column]! &= NUMBERS;
    this.numbersOfAll[column]! &= 1;
    this.numbersOfSome[column]! |= 1 | HAS_NO_PERCENT | (isInteger ? 0 : HAS_POINT);
    if ((this.numbersOfAll[column]! & ALL_NUMBER_FORMS) === 0) this.open[column] = 0;
  }

  observeBoolean(column: number): void {
    this.values[column]! += 1;
    this.open[column]! &= BOOLEANS;
  }

  observeText(column: number): void {
    this.values[column]! += 1;
    this.open[column] = 0;
  }

  /** Records a string that may be a date but not a number. */
  observeDate(column: number, bytes: Uint8Array): void {
    this.open[column]! &= DATES;
    this.observe(column, bytes, 0, bytes.length);
  }

  /** Merges another profile of the same columns. */
  include(other: ColumnProfiles): void {
    for (let column = 0; column < this.width; column += 1) {
      this.values[column]! += other.values[column]!;
      this.blanks[column]! += other.blanks[column]!;
      this.open[column]! &= other.open[column]!;
      this.numbersOfAll[column]! &= other.numbersOfAll[column]!;
      this.numbersOfSome[column]! |= other.numbersOfSome[column]!;
      this.datesOfAll[column]! &= other.datesOfAll[column]!;
      this.datesOfSome[column]! |= other.datesOfSome[column]!;
      this.arePadded[column]! |= other.arePadded[column]!;
      this.areNumbers[column]! |= other.areNumbers[column]!;
      if ((this.numbersOfAll[column]! & ALL_NUMBER_FORMS) === 0) this.open[column]! &= ~NUMBERS;
      if (this.datesOfAll[column] === 0) this.open[column]! &= ~DATES;
    }
  }

  isPadded(column: number): boolean {
    return this.arePadded[column] === 1 || this.blanks[column]! > 0;
  }

  /** Returns whether all cells are empty. Blank cells in a text column are not empty. */
  isEmpty(column: number): boolean {
    return this.values[column] === 0 && this.blanks[column] === 0;
  }

  hasValues(column: number): boolean {
    return this.values[column]! > 0;
  }

  /** Returns whether a column is not text, according to the values so far. */
  isTyped(column: number): boolean {
    return this.values[column]! > 0 && this.open[column] !== 0;
  }

  /** Returns whether a column has numbers, according to the values so far. */
  isNumeric(column: number): boolean {
    return this.values[column]! > 0 && (this.open[column]! & NUMBERS) !== 0;
  }

  /** Returns true if a column of this profile and a column of a single-row profile share a form family. */
  isLike(column: number, other: ColumnProfiles): boolean {
    return (this.open[column]! & other.open[column]!) !== 0;
  }

  /**
   * Chooses the reading of each column, and the decimal separator, thousands separator and date order of the table.
   *
   * Ambiguous numbers (1.234) follow unambiguous columns. If all columns are ambiguous, the delimiter decides: a comma is the
   * decimal separator if the delimiter is `;`, otherwise a point. Ambiguous dates follow the other columns. Without other
   * columns, the day comes first. Two-digit years come last, but the order is uncertain if the first number of every date could
   * also be the year. Eight digits are a date only if the column name suggests it. Values in `options` are not guesses.
   */
  readingsOf(names: string[], usual: '.' | ',', options: DialectOptions = {}): TableReadings {
    const columns = names.map((_, column) => column);
    const numbers = columns.map((column) => this.numberFormsOf(column, options));
    const isPoint = (forms: number, column: number): boolean =>
      this.areNumbers[column] === 0 && forms !== 0 && (forms & COMMA_FORMS) === 0;
    const onlyPoint = numbers.filter(isPoint).length;
    const onlyComma = numbers.filter((forms) => forms !== 0 && (forms & POINT_FORMS) === 0).length;
    const hasSign = (column: number): boolean => (this.numbersOfSome[column]! & (HAS_POINT | HAS_COMMA)) !== 0;
    const decimal =
      options.decimal ??
      (onlyPoint > onlyComma || !columns.some((column) => numbers[column] !== 0 && hasSign(column))
        ? '.'
        : onlyComma > onlyPoint
          ? ','
          : usual);
    const dates = columns.map((column) => this.dateFormsOf(column, names[column]!, options));
    const dayFirst = dates.filter((forms) => (forms & DAY_FIRST_FORMS) !== 0 && (forms & MONTH_FIRST_FORMS) === 0);
    const monthFirst = dates.filter((forms) => (forms & MONTH_FIRST_FORMS) !== 0 && (forms & DAY_FIRST_FORMS) === 0);
    const isMonthFirst = monthFirst.length > dayFirst.length;
    const readings = columns.map((column) =>
      this.readingOf(column, numbers[column]!, dates[column]!, decimal, isMonthFirst),
    );
    const isOpen = (column: number): boolean =>
      hasSign(column) && (numbers[column]! & POINT_FORMS) !== 0 && (numbers[column]! & COMMA_FORMS) !== 0;
    const isEither = dates.some((forms) => (forms & MONTH_FIRST_FORMS) !== 0 && (forms & DAY_FIRST_FORMS) !== 0);
    const { uncertain, ...signs } = signsOf(
      readings.filter((_, column) => this.areNumbers[column] === 0),
      decimal,
    );
    const isDecimalOpen = onlyPoint === onlyComma && columns.some(isOpen);
    const short = columns.filter((column) => (dates[column]! & SHORT_FORMS) !== 0);
    const mayBeYearFirst =
      options.date_order === undefined &&
      short.length > 0 &&
      short.every((column) => (this.datesOfSome[column]! & IS_NOT_YEAR_FIRST) === 0);
    const isOrderOpen = (dayFirst.length === monthFirst.length && isEither) || mayBeYearFirst;
    return {
      readings,
      ...signs,
      uncertain: [
        ...new Set([
          ...uncertain,
          ...(isDecimalOpen ? (['decimal'] as const) : []),
          ...(isOrderOpen ? (['date_order'] as const) : []),
        ]),
      ],
    };
  }

  /** Returns the forms that fit all numbers in a column and the options, or 0 if it has no numbers. */
  private numberFormsOf(column: number, { decimal, thousands }: DialectOptions): number {
    const isNumber = this.isNumeric(column);
    const formsOfSome = this.numbersOfSome[column]!;
    // In a column that also contains `12 %`, a plain 12 may mean 0.12 or 12. `1E+05 %` cannot be read by strptime or by a cast.
    if (!isNumber || ((formsOfSome & HAS_PERCENT) !== 0 && (formsOfSome & (HAS_NO_PERCENT | HAS_EXPONENT)) !== 0))
      return 0;
    const forms = this.numbersOfAll[column]! & ALL_NUMBER_FORMS;
    return this.areNumbers[column] === 1 ? forms : forms & formsOf(decimal, thousands);
  }

  private dateFormsOf(column: number, name: string, { date_order }: DialectOptions): number {
    if (this.values[column] === 0 || (this.open[column]! & DATES) === 0) return 0;
    const formsOfOtherOrder = { day_first: MONTH_FIRST_FORMS, month_first: DAY_FIRST_FORMS | DOTTED_FORMS };
    const excluded = date_order === undefined ? 0 : formsOfOtherOrder[date_order];
    return this.datesOfAll[column]! & ~excluded & ~(NAMES_OF_DATES.test(name) ? 0 : COMPACT_DATE);
  }

  private readingOf(column: number, forms: number, dates: number, decimal: '.' | ',', isMonthFirst: boolean): Reading {
    if (this.values[column] !== 0 && (this.open[column]! & BOOLEANS) !== 0) return { type: 'boolean' };
    const date = this.dateReadingOf(column, dates, isMonthFirst);
    if (date !== undefined) return date;
    if (forms === 0) return { type: 'text' };
    const matchingForms = forms & (decimal === '.' ? POINT_FORMS : COMMA_FORMS);
    const form = NUMBER_FORMS[lowestBit(matchingForms === 0 ? forms : matchingForms)]!;
    const formsOfSome = this.numbersOfSome[column]!;
    const hasDecimals = (formsOfSome & (form.decimal === '.' ? HAS_POINT : HAS_COMMA)) !== 0;
    const isInteger = !hasDecimals && (formsOfSome & (HAS_EXPONENT | HAS_PERCENT)) === 0;
    return { type: isInteger ? 'integer' : 'number', ...form, isPercent: (formsOfSome & HAS_PERCENT) !== 0 };
  }

  private dateReadingOf(column: number, dates: number, isMonthFirst: boolean): Reading | undefined {
    const formsOfSome = this.datesOfSome[column]!;
    if ((dates & TIME_FORM) !== 0) return { type: 'time', hasHalf: (formsOfSome & HAS_HALF) !== 0 };
    const forms = dates & ALL_DATE_FORMS;
    const hasZone = (formsOfSome & HAS_ZONE) !== 0;
    if (forms === 0 || (hasZone && (formsOfSome & HAS_NO_ZONE) !== 0)) return undefined;
    const preferred = forms & (isMonthFirst ? MONTH_FIRST_FORMS : DAY_FIRST_FORMS);
    const form = DATE_FORMS[lowestBit(preferred === 0 ? forms : preferred)]!;
    return (formsOfSome & HAS_TIME) === 0
      ? { type: 'date', form }
      : { type: 'timestamp', form, hasZone, hasHalf: (formsOfSome & HAS_HALF) !== 0 };
  }
}

const lowestBit = (bits: number): number => 31 - Math.clz32(bits & -bits);

const TRUE = [0x74, 0x72, 0x75, 0x65];
const FALSE = [0x66, 0x61, 0x6c, 0x73, 0x65];

/** Returns the number forms with the given decimal separator and thousands separator. */
const formsOf = (decimal?: string, thousands?: string): number =>
  NUMBER_FORMS.reduce(
    (bits, form, at) =>
      (decimal ?? form.decimal) === form.decimal && (thousands ?? form.thousands) === form.thousands
        ? bits | (1 << at)
        : bits,
    0,
  );

/** Returns true if the bytes spell `true` or `false`, in upper or lower case. */
export function isBoolean(bytes: Uint8Array, start: number, end: number): boolean {
  const word = end - start === 4 ? TRUE : FALSE;
  return end - start === word.length && word.every((letter, index) => (bytes[start + index]! | 0x20) === letter);
}
