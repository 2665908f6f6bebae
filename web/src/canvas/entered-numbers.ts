/** Decimal sign of entered numbers. */
export type Decimal = '.' | ',';

/** How the cells of a column can be read. */
export interface ColumnReading {
  /** Whether the column contains numbers. Otherwise, it contains text. */
  isNumeric: boolean;
  /** Decimal signs that fit all numbers. Empty if the numbers contradict each other. */
  decimals: Decimal[];
  /** A number whose value depends on the decimal sign, such as `1.200`. */
  unclear: string | undefined;
}

/** Reading of a column with text. */
export const TEXT_COLUMN: ColumnReading = { isNumeric: false, decimals: [], unclear: undefined };

const DECIMALS: Decimal[] = ['.', ','];
/** Numbers with and without thousands separators. As in files, a blank, an apostrophe or the other sign separates thousands. */
const PATTERNS: Record<Decimal, RegExp> = {
  '.': /^[-+]?(?:0|[1-9]\d*|[1-9]\d{0,2}(?:(?:,\d{3})+|(?: \d{3})+|(?:'\d{3})+))(?:\.\d+)? ?%?$/,
  ',': /^[-+]?(?:0|[1-9]\d*|[1-9]\d{0,2}(?:(?:\.\d{3})+|(?: \d{3})+|(?:'\d{3})+))(?:,\d+)? ?%?$/,
};

/** Parses a number such as `1234.5`. Returns undefined for any other text. */
export function toNumber(text: string): number | undefined {
  const number = Number(text);
  return text.trim() === '' || !Number.isFinite(number) ? undefined : number;
}

/** Parses a number as people and spreadsheets write it, such as `1 234,5` or `12 %`. Returns undefined for any other text. */
export function enteredNumber(cell: string, decimal: Decimal): number | undefined {
  const text = cell
    .trim()
    .replace(/[\u00a0\u2009\u202f]/g, ' ')
    .replaceAll('’', "'")
    .replaceAll('−', '-');
  if (!PATTERNS[decimal].test(text)) return decimal === '.' || !text.includes('.') ? toNumber(text) : undefined;
  const digits = text.replaceAll(decimal === '.' ? /[, ']/g : /[. ']/g, '').replace(',', '.');
  // Dividing adds digits, as in 0.07 / 100.
  return digits.endsWith('%') ? Number((parseFloat(digits) / 100).toPrecision(15)) : Number(digits);
}

/** Whether a cell contains a number in any notation. */
export const isEnteredNumber = (cell: string): boolean =>
  DECIMALS.some((decimal) => enteredNumber(cell, decimal) !== undefined);

/**
 * Finds out how to read the cells of a column. All numbers of a column have the same decimal sign.
 *
 * @param mustBeNumeric whether the column contains numbers even if some cells contain other text
 */
export function readColumn(cells: readonly string[], mustBeNumeric: boolean): ColumnReading {
  const filled = cells.filter((cell) => cell.trim() !== '');
  const numbers = filled.filter(isEnteredNumber);
  if (!mustBeNumeric && numbers.length < filled.length) return TEXT_COLUMN;
  const decimals = DECIMALS.filter((decimal) => numbers.every((cell) => enteredNumber(cell, decimal) !== undefined));
  const isUnclear = (cell: string): boolean => enteredNumber(cell, '.') !== enteredNumber(cell, ',');
  return { isNumeric: true, decimals, unclear: decimals.length === 2 ? numbers.find(isUnclear)?.trim() : undefined };
}
