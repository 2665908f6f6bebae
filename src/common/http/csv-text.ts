/** CSV response in UTF-8, quoted as specified in RFC 4180. Spreadsheets do not interpret any of its cells as formulas. */
export class CsvText {
  readonly text: string;

  /** @param rows starts with the column titles */
  constructor(rows: readonly (readonly (string | number | null)[])[]) {
    this.text = `${rows.map((row) => row.map((value) => csvCell(asPlainText(value))).join(',')).join('\n')}\n`;
  }
}

/**
 * Start of a formula: at the start of a cell, and after each character at which a spreadsheet can split a quoted cell. In some
 * locales, spreadsheets split at semicolons, ignore quotes after commas and accept full-width signs.
 */
const FORMULA = /(^|[\t\n\r;|"] *)([=+\-@＝＋－＠\t\r])/g;

/** Inserts an apostrophe before each start of a formula, because the text may come from other people. */
const asPlainText = (value: string | number | null): string | number | null =>
  typeof value === 'string' ? value.replaceAll(FORMULA, "$1'$2") : value;

/** Quotes a cell as specified in RFC 4180. Null becomes an empty cell. */
export const csvCell = (value: string | number | null): string =>
  typeof value === 'string' && /[",\r\n]|^\s|\s$/.test(value)
    ? `"${value.replaceAll('"', '""')}"`
    : String(value ?? '');
