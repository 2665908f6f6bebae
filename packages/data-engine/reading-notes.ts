import type { Dialect, LeftOut, TableDescription, UncertainField } from './tasks.js';

/** Maximum number of characters quoted from an omitted row, and maximum number of omitted rows that a note lists. */
const MAX_QUOTE = 40;
const MAX_ENTRIES = 4;

const GUESSES: Record<UncertainField, (dialect: Dialect) => string> = {
  delimiter: ({ delimiter }) =>
    `cells can be split in several ways; ${JSON.stringify(delimiter)} is assumed to be the delimiter`,
  encoding: ({ encoding, other_encodings }) =>
    `the file does not state its encoding; ${encoding} is assumed${other_encodings.length === 0 ? '' : `, but it may be ${other_encodings.join(' or ')}`}`,
  header: ({ header_row }) =>
    header_row === null
      ? 'it is unclear whether the first row contains column names; it is read as data'
      : `it is unclear whether row ${header_row} contains the column names; it is read as the header`,
  decimal: ({ decimal }) =>
    decimal === null
      ? 'some columns have a decimal point and others a decimal comma; each column is read accordingly'
      : `some numbers can be read with a decimal point or a decimal comma; a decimal ${decimal === ',' ? 'comma' : 'point'} is assumed`,
  date_order: ({ date_order }) =>
    date_order === null
      ? 'some date columns start with the day and others with the month; each column is read accordingly'
      : `some dates fit several orders of day, month and year; the ${date_order === 'month_first' ? 'month' : 'day'} is assumed to come first`,
  last_row: ({ last_row, other_last_row }) =>
    `the table may end at row ${other_last_row}, above an empty row, a note, a total that does not match its column or another table; all rows down to row ${last_row} are read as data`,
  subtotals: () => 'some rows are labelled as totals or may be the sums of other rows; they are read as data',
};

/** Describes the guesses made when a table was read, in sentences without initial capitals and full stops. */
export const describeGuesses = (dialect: Dialect | null, fields?: readonly UncertainField[]): string[] =>
  dialect === null
    ? []
    : dialect.uncertain.filter((field) => fields?.includes(field) ?? true).map((field) => GUESSES[field](dialect));

/** Describes the rows and columns that were left out of a table. Returns undefined for an empty list. */
export function describeLeftOut(parts: readonly LeftOut[]): string | undefined {
  if (parts.length === 0) return undefined;
  const more = parts.length > MAX_ENTRIES ? ` and ${parts.length - MAX_ENTRIES} more` : '';
  return `left out: ${parts.slice(0, MAX_ENTRIES).map(described).join(', ')}${more}`;
}

function described({ place, kind, first, last, text }: LeftOut): string {
  const unit = place === 'beside' ? 'column' : 'row';
  const where = first === last ? `${unit} ${first}` : `${unit}s ${first} to ${last}`;
  const line = text.replace(/\s+/g, ' ');
  const quote = line.length > MAX_QUOTE ? `${line.slice(0, MAX_QUOTE).toWellFormed()}…` : line;
  return `${where} (${kind}: ${quote})`;
}

/** Guesses that can change values. */
export const GUESSES_OF_VALUES = ['encoding', 'decimal', 'date_order', 'last_row', 'subtotals'] as const;

/** Lists the left-out rows and columns and the guesses that a planner should check before using a table. */
export const readingNotes = ({ dialect, leftOut }: Pick<TableDescription, 'dialect' | 'leftOut'>): string[] => [
  ...[describeLeftOut(leftOut)].flatMap((phrase) => phrase ?? []),
  ...describeGuesses(dialect, GUESSES_OF_VALUES),
];
