import { nameOf } from '../canvas/index.js';
import { readSet } from './index-grammar.js';
import { quote } from './quote.js';
import { figureOf, without } from './words.js';

/*
 * Reads tables that were pasted into a message. Their cells are separated by tabs, bars, semicolons or commas. A table of names
 * and numbers becomes a set with its columns. Any other table becomes a single statement, and its card explains what to do.
 */

const LINE_END = /\r\n|[\n\r\u2028\u2029]/;
/** Delimiters, each with the minimum number of rows in a table. Commas and semicolons also occur in other statements. */
const DELIMITERS = [
  ['\t', 2],
  ['|', 2],
  [';', 3],
  [',', 3],
] as const;
/** Divider row of a Markdown table. */
const RULE = /^[-: |]+$/;
const SIGN = /[<>=≤≥[\]]/;
const DECIMAL_COMMA = /^[+-]?\d+,(?:\d{1,2}|\d{4,})$/;
/** Maximum length of a line, and of a statement. */
const MAX_LINE = 2_000;
const TABLE = 'table: ';
const BAR = ' | ';

type Row = readonly string[];

/** Splits text at tables. Yields the text between tables, and the statements for each table. */
export function* splitTables(text: string): Generator<{ text: string } | { statements: string[] }> {
  const lines = text.split(LINE_END).filter((line) => !line.includes('|') || !RULE.test(line));
  let from = 0;
  for (let at = 0; at < lines.length;) {
    const run = runAt(lines, at);
    const end = at + Math.max(1, run.length);
    const header = run.findIndex((row, place) => !hasFigure(row) && hasFigure(run[place + 1] ?? []));
    const table = run.slice(Math.max(0, header));
    if (isTable(table)) {
      const before = lines.slice(from, end - table.length);
      yield { text: (isIntroduction(before.at(-1) ?? '') ? before.slice(0, -1) : before).join('\n') };
      yield { statements: statementsOf(table) };
      from = end;
    }
    at = end;
  }
  yield { text: lines.slice(from).join('\n') };
}

/** Explains how to enter a table that is not a set with numbers. Returns undefined for other text. */
export function whyTable(text: string): string | undefined {
  if (!text.startsWith(TABLE) || !text.includes(BAR)) return undefined;
  return `a pasted table needs a different name in each cell of its first row and first column, and a figure such as 1250 or 12.5 in every other cell: remove this card and paste the corrected table, or upload it as a file and write ${quote('items from table.csv key item')}`;
}

/** Returns consecutive rows that have the same delimiter and the same number of cells. */
function runAt(lines: readonly string[], from: number): Row[] {
  for (const [delimiter, least] of DELIMITERS) {
    const width = cellsOf(lines[from] ?? '', delimiter).length;
    if (width < 2) continue;
    const rows: Row[] = [];
    for (let at = from; at < lines.length; at += 1) {
      const cells = cellsOf(lines[at] ?? '', delimiter);
      if (cells.length !== width) break;
      rows.push(cells);
    }
    if (rows.length >= least) return rows;
  }
  return [];
}

/** Returns the cells of a line, or an empty list if the line contains a relation or an index. */
function cellsOf(line: string, delimiter: string): Row {
  if (line.trim() === '' || line.length > MAX_LINE || SIGN.test(line) || (delimiter === ',' && /[:;]/.test(line)))
    return [];
  const row = delimiter === '|' ? line.trim().replace(/^\|/, '').replace(/\|$/, '') : line;
  return row.split(delimiter).map((cell) => without(cell.trim(), '"').trim());
}

const hasFigure = (row: Row): boolean => row.some((cell) => figureIn(cell) !== undefined);

/** Whether rows form a table: below the first row, each row starts with a name or a number and contains another number. */
const isTable = ([, ...rows]: readonly Row[]): boolean =>
  rows.length > 0 && rows.every((row) => row[0] !== '' && row.slice(1).some((cell) => figureIn(cell) !== undefined));

const figureIn = (cell: string): number | undefined =>
  figureOf(DECIMAL_COMMA.test(cell) ? cell.replace(',', '.') : cell);

/** Whether a line such as `Here is my data:` introduces a table. */
const isIntroduction = (line: string): boolean => line.trim().endsWith(':') && !/\d/.test(line) && !SIGN.test(line);

/** Returns the statements for a set with its columns. For other tables, returns a single statement that cannot be parsed. */
function statementsOf([header = [], ...rows]: readonly Row[]): string[] {
  const [set = '', ...columns] = header.map((name, at) => nameOf(at === 0 ? plural(name) : name) ?? '');
  const areFigures = rows.every(
    ([key = '', ...cells]) => isKey(key) && cells.every((cell) => figureIn(cell) !== undefined),
  );
  const isNamed = !hasFigure(header) && new Set(columns).size === columns.length;
  const statements = [
    `${set}: ${rows.map(([key = '']) => `"${key}"`).join(', ')}`,
    ...columns.map((column, at) => `${column} of ${set}: ${rows.map((row) => cellOf(row, at + 1)).join(', ')}`),
  ];
  const isSet = areFigures && isNamed && statements.every((statement) => isRead(statement));
  const more = rows.length > 1 ? ` / and ${rows.length - 1} more` : '';
  return isSet ? statements : [`${TABLE}${header.join(BAR)} / ${(rows[0] ?? []).join(BAR)}${more}`];
}

const isKey = (key: string): boolean => key !== '' && !key.includes('"');

const cellOf = (row: Row, column: number): string => `"${row[0] ?? ''}" ${figureIn(row[column] ?? '')}`;

const isRead = (statement: string): boolean =>
  statement.length <= MAX_LINE && readSet(statement)?.statement !== undefined;

/** Returns the name of a set, derived from the title of its column: `products` for `product`. */
function plural(name: string): string {
  if (/s$/i.test(name)) return name;
  return /[^aeiou]y$/i.test(name) ? name.replace(/y$/i, 'ies') : `${name}s`;
}
