/** A response that is CSV: UTF-8, as RFC 4180 quotes it, and no text in it is a formula for a spreadsheet. */
export class CsvText {
  readonly text: string;

  /** @param rows the titles first */
  constructor(rows: readonly (readonly (string | number | null)[])[]) {
    this.text = `${rows.map((row) => row.map((value) => csvCell(asPlainText(value))).join(',')).join('\n')}\n`;
  }
}

/**
 * Start of a formula: at the start of a text, and after each character that a spreadsheet can split the quoted text at. Spreadsheets
 * of some countries split at semicolons, ignore quotes behind commas and accept full-width signs.
 */
const FORMULA = /(^|[\t\n\r;|"] *)([=+\-@＝＋－＠\t\r])/g;

/** Puts an apostrophe before each start of a formula, because other people may have written the text. */
const asPlainText = (value: string | number | null): string | number | null =>
  typeof value === 'string' ? value.replaceAll(FORMULA, "$1'$2") : value;

/** A cell as RFC 4180 quotes it; nothing for null. */
export const csvCell = (value: string | number | null): string =>
  typeof value === 'string' && /[",\r\n]|^\s|\s$/.test(value)
    ? `"${value.replaceAll('"', '""')}"`
    : String(value ?? '');
