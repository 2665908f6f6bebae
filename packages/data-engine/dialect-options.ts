import { decoderOf } from './code-pages.js';
import { DATE_ORDERS, type DialectOptions, SUBTOTAL_CHOICES } from './tasks.js';

export const QUOTES = ['"', "'", ''] as const;
export const DECIMALS = ['.', ','] as const;
export const THOUSANDS = ['', ',', '.', ' ', "'"] as const;
/** Largest accepted row number. No file has this many rows. */
export const MAX_ROW = 2_147_483_647;

type Field = keyof DialectOptions;

/** Invalid or contradictory dialect option. */
export interface DialectProblem {
  field: Field;
  /** Sentence without a full stop. */
  sentence: string;
}

/** Explains why a string cannot be used as the delimiter, or returns undefined if it can. */
export const delimiterProblem = (delimiter: string): string | undefined =>
  /^[\t !#$%&()*+\-./:;<=>?@[\\\]^_`{|}~,]$/.test(delimiter)
    ? undefined
    : 'a delimiter must be a single ASCII character other than a letter, a digit, a quote or a line break';

/** Explains why a string is not the name of an encoding, or returns undefined if it is. */
export function encodingProblem(encoding: string): string | undefined {
  try {
    decoderOf(encoding).decode();
    return undefined;
  } catch {
    return 'the encoding is unknown, use a name such as utf-8, windows-1252, iso-8859-2, cp850, shift_jis or gb18030';
  }
}

/** Returns the problem with options that contradict each other. */
export function contradictionIn({
  decimal,
  thousands,
  header,
  header_row,
  first_row,
  last_row,
}: DialectOptions): DialectProblem | undefined {
  if (thousands !== undefined && thousands !== '' && thousands === decimal)
    return { field: 'thousands', sentence: 'the decimal sign cannot also be the thousands separator' };
  if (header === false && header_row !== undefined)
    return { field: 'header_row', sentence: 'a table without a header cannot have a header row' };
  if (header_row !== undefined && first_row !== undefined && first_row <= header_row)
    return { field: 'first_row', sentence: 'the data must begin below the header' };
  if (last_row !== undefined && last_row < (first_row ?? (header_row ?? 0) + 1))
    return { field: 'last_row', sentence: 'the last row of the data must not be above the first row' };
  return undefined;
}

const isOneOf =
  (values: readonly unknown[]) =>
  (value: unknown): boolean =>
    values.includes(value);
const isRow = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_ROW;

const VALUES: Record<Field, (value: unknown) => boolean> = {
  delimiter: (value) => typeof value === 'string' && delimiterProblem(value) === undefined,
  quote: isOneOf(QUOTES),
  encoding: (value) => typeof value === 'string' && encodingProblem(value) === undefined,
  decimal: isOneOf(DECIMALS),
  thousands: isOneOf(THOUSANDS),
  date_order: isOneOf(DATE_ORDERS),
  header: isOneOf([true, false]),
  header_row: isRow,
  first_row: isRow,
  last_row: isRow,
  subtotals: isOneOf(SUBTOTAL_CHOICES),
};

export const DIALECT_FIELDS = Object.keys(VALUES) as Field[];

/** Returns true if a value has the shape of dialect options. */
export const isDialect = (value: unknown): value is DialectOptions =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.entries(value).every(([field, part]) => Object.hasOwn(VALUES, field) && VALUES[field as Field](part)) &&
  contradictionIn(value) === undefined;

type Loose<Value> = { [Key in keyof Value]?: Value[Key] | null | undefined };

/** Removes absent options and sorts the others, so that equal options have equal JSON. Returns undefined for an empty object. */
export function dialectOf(options: Loose<DialectOptions> | null | undefined): DialectOptions | undefined {
  const entries = DIALECT_FIELDS.flatMap((field) => (options?.[field] == null ? [] : [[field, options[field]]]));
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) as DialectOptions);
}
