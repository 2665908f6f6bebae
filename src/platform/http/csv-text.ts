/** A response that is CSV: UTF-8, as RFC 4180 quotes it. */
export class CsvText {
  readonly text: string;

  /** @param rows the titles first */
  constructor(rows: readonly (readonly (string | number | null)[])[]) {
    this.text = `${rows.map((row) => row.map(csvCell).join(',')).join('\n')}\n`;
  }
}

/** A cell as RFC 4180 quotes it; nothing for null. */
export const csvCell = (value: string | number | null): string =>
  typeof value === 'string' && /[",\r\n]|^\s|\s$/.test(value)
    ? `"${value.replaceAll('"', '""')}"`
    : String(value ?? '');
