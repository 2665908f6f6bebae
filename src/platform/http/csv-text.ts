/** A response that is CSV: UTF-8, as RFC 4180 quotes it, and no text in it is a formula for a spreadsheet. */
export class CsvText {
  readonly text: string;

  /** @param rows the titles first */
  constructor(rows: readonly (readonly (string | number | null)[])[]) {
    this.text = `${rows.map((row) => row.map((value) => csvCell(asPlainText(value))).join(',')).join('\n')}\n`;
  }
}

/** What spreadsheets take for a formula, although others may have written it, begins with an apostrophe. */
const asPlainText = (value: string | number | null): string | number | null =>
  typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;

/** A cell as RFC 4180 quotes it; nothing for null. */
export const csvCell = (value: string | number | null): string =>
  typeof value === 'string' && /[",\r\n]|^\s|\s$/.test(value)
    ? `"${value.replaceAll('"', '""')}"`
    : String(value ?? '');
