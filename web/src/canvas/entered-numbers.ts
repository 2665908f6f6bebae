/** Decimal separator of entered numbers. */
export type Decimal = '.' | ',';

/** Number that a cell contains, by decimal separator. Undefined if the cell contains no number with this separator. */
export type Readings = Record<Decimal, number | undefined>;

/** Thousands are separated by a space, an apostrophe or the other decimal separator. As in files, 007 is not a number. */
const PATTERNS: Record<Decimal, RegExp> = {
  '.': /^[-+]?(?:0|[1-9]\d*|[1-9]\d{0,2}(?:(?:,\d{3})+|(?: \d{3})+|(?:'\d{3})+))?(?:\.\d+)?(?:e[-+]?\d{1,3})?(?: ?%)?$/i,
  ',': /^[-+]?(?:0|[1-9]\d*|[1-9]\d{0,2}(?:(?:\.\d{3})+|(?: \d{3})+|(?:'\d{3})+))?(?:,\d+)?(?:e[-+]?\d{1,3})?(?: ?%)?$/i,
};
const THOUSANDS = { '.': /[, ']/g, ',': /[. ']/g };
const PLAIN_INTEGER = /^-?(?:0|[1-9]\d{0,14})$/;

/** Parses a number such as `1234.5`. Returns undefined for any other text. */
export function toNumber(text: string): number | undefined {
  const number = Number(text);
  return text.trim() === '' || !Number.isFinite(number) ? undefined : number;
}

/** Reads a number as people and spreadsheets write it, such as `1 234,5` or `12 %`. */
export function readNumber(cell: string): Readings {
  if (PLAIN_INTEGER.test(cell)) return { '.': Number(cell), ',': Number(cell) };
  const text = cell
    .trim()
    .replace(/[\u00a0\u2009\u202f]/g, ' ')
    .replaceAll('’', "'")
    .replaceAll('−', '-');
  return { '.': numberIn(text, '.'), ',': numberIn(text, ',') };
}

/** Whether a cell contains a number in any notation. */
export const isNumber = ({ '.': point, ',': comma }: Readings): boolean => point !== undefined || comma !== undefined;

/** Whether the value of a number depends on the decimal separator, as for `1.200`. */
export const isUnclear = ({ '.': point, ',': comma }: Readings): boolean =>
  point !== undefined && comma !== undefined && point !== comma;

function numberIn(text: string, decimal: Decimal): number | undefined {
  if (!/\d/.test(text) || !PATTERNS[decimal].test(text)) return undefined;
  const digits = text.replaceAll(THOUSANDS[decimal], '').replace(',', '.');
  // Dividing adds digits, as in 0.07 / 100.
  const number = digits.endsWith('%') ? Number((parseFloat(digits) / 100).toPrecision(15)) : Number(digits);
  // A longer integer is an identifier, which a number would round.
  return Number.isFinite(number) && (/[.e]/i.test(digits) || Number.isSafeInteger(Number(digits.replace('%', ''))))
    ? number
    : undefined;
}
