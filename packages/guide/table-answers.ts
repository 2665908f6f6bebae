import {
  type Cell,
  type ColumnType,
  describeGuesses,
  describeLeftOut,
  GUESSES_OF_VALUES,
  identifier,
  type LeftOut,
  type TableDescription,
} from '../data-engine/index.js';
import { isName } from '../modelling/index.js';
import { call, type Steps } from './steps.js';
import { bullets, counted, quote } from './quote.js';
import type { StatementOf } from './statement.js';
import { findFile } from './workspace-file.js';

/** Maximum number of rows and columns that an answer shows from a table, and maximum number of characters per cell. */
const MAX_ROWS = 12;
const MAX_COLUMNS = 8;
const MAX_CELL = 40;
/** Maximum number of columns in a sentence. */
const MAX_NAMES = 12;

type TableStatement = StatementOf<'table'>;

/** Description of a table, as the tool returns it. */
type Described = Pick<TableDescription, 'columns' | 'sheets' | 'dialect'> & {
  left_out: LeftOut[];
  more_columns: number;
  total: number;
  first_rows: Cell[][];
};

/** Answers a question about a table in a paragraph, or explains why the question cannot be answered. */
export async function* answerTable({ of, compute }: TableStatement, files: readonly string[]): Steps<string> {
  const found = findFile(of.path, files);
  if ('problem' in found) return `I cannot open ${quote(of.path)}: ${found.problem}.`;
  const file = { ...of, path: found.path };
  const described = yield* call('describe_table', file);
  if (!described.ok) return `I cannot read ${quote(file.path)}: ${described.error}.`;
  const table = described.result as Described;
  if (compute === undefined) return describeTable(file.path, table);
  if (compute.function === 'count')
    return `${quote(file.path)} has ${counted(table.total, 'row')}${leftOutPhrase(table)}.${guessSentences(table)}`;
  const wanted = [compute.column, ...(compute.by === undefined ? [] : [compute.by])];
  const names = wanted.map((name) => table.columns.find((column) => sameName(column.name, name))?.name);
  const missing = wanted.filter((_, index) => names[index] === undefined);
  const [column = '', by] = names;
  if (missing.length > 0)
    return `${quote(file.path)} has no column ${missing.map((name) => quote(name)).join(' and ')}: ${columnsOf(table)}.`;
  const type = table.columns.find(({ name }) => name === column)?.type ?? 'text';
  if (NEED_NUMBERS.has(compute.function) && !['integer', 'number'].includes(type)) {
    const sentence = `${quote(column)} in ${quote(file.path)} has the type ${type}, so it has no ${WORDS[compute.function].toLowerCase()}. Correct the cells that are not numbers, or choose another column.`;
    return [sentence, ...readingOf(table)].join(' ');
  }
  const reply = yield* call('query_tables', {
    tables: { data: file },
    sql: statementFor(compute.function, column, by),
    limit: MAX_ROWS,
  });
  if (!reply.ok) return `${quote(file.path)} cannot be summarized this way: ${reply.error}`;
  const { rows, columns, truncated } = reply.result as {
    rows: Cell[][];
    columns: { name: string; type: ColumnType }[];
    truncated: boolean;
  };
  const title = `${WORDS[compute.function]} of ${quote(column)}`;
  const notes = readingOf(table);
  if (by === undefined) return [`${title} in ${quote(file.path)}: ${shown(rows[0]?.[0] ?? null)}.`, ...notes].join(' ');
  const more = truncated ? [`These are the first ${MAX_ROWS} groups.`] : [];
  return [`${title} by ${quote(by)} in ${quote(file.path)}:`, toMarkdown(columns, rows), ...more, ...notes].join(
    '\n\n',
  );
}

/** Introduces a newly attached file with examples of questions. Returns undefined if the file is not a table. */
export async function* introduceTable(path: string): Steps<string> {
  const reply = yield* call('describe_table', { path });
  if (!reply.ok) return `I cannot read ${quote(path)} as a table: ${reply.error}.`;
  const table = reply.result as Described;
  const figures = table.columns.find(({ type }) => type === 'integer' || type === 'number');
  const words = table.columns.find(({ type, distinct }) => type === 'text' && distinct < table.total);
  const by = words === undefined ? '' : ` by ${words.name}`;
  const key = table.columns.find(({ distinct, nulls }) => distinct === table.total && nulls === 0);
  const examples = [
    `show ${path}`,
    `how many rows has ${path}`,
    ...(figures === undefined ? [] : [`sum of ${figures.name}${by} in ${path}`]),
  ];
  const asks = `you can ask ${examples.map((text) => quote(text)).join(', ')}`;
  const set = setNameOf(path);
  const plans =
    key === undefined || set === undefined
      ? ''
      : ` To plan with its rows, write ${quote(`${set} from ${path} key ${key.name}`)}.`;
  return `${quote(path)} is a table with ${counted(table.total, 'row')}${leftOutPhrase(table)}; ${asks}.${plans}${guessSentences(table)}`;
}

/** Returns a set name derived from the file name, or undefined if the file name contains no valid name. */
function setNameOf(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.[^.]*$/, '');
  return isName(name) ? name : undefined;
}

function describeTable(path: string, table: Described): string {
  const { columns, total, first_rows: rows, sheets } = table;
  const all = columns.length + table.more_columns;
  const left = all - MAX_COLUMNS;
  const parts = [
    `${quote(path)} has ${counted(total, 'row')} and ${counted(all, 'column')}${left > 0 ? `, of which these are the first ${MAX_COLUMNS}` : ''}:`,
    toMarkdown(columns.slice(0, MAX_COLUMNS), rows),
    ...readingOf(table),
    ...(sheets !== null && sheets.length > 1 ? [`Its sheets:\n${bullets(sheets.map((name) => quote(name)))}`] : []),
  ];
  return parts.join('\n\n');
}

/** Returns a phrase about rows left out of the table, for appending to a sentence. */
function leftOutPhrase({ left_out }: Described): string {
  const phrase = describeLeftOut(left_out);
  return phrase === undefined ? '' : `, ${phrase}`;
}

/** Describes the guesses about the format. Each sentence begins with a space. */
const guessSentences = ({ dialect }: Described): string =>
  describeGuesses(dialect, GUESSES_OF_VALUES)
    .map((guess) => ` ${sentenceOf(guess)}`)
    .join('');

/** Describes in a paragraph how the table was read. Returns an empty list if nothing needs to be checked. */
function readingOf(table: Described): string[] {
  const phrase = describeLeftOut(table.left_out);
  const sentences = [...(phrase === undefined ? [] : [` ${sentenceOf(phrase)}`]), guessSentences(table)].join('');
  return sentences === '' ? [] : [sentences.trim()];
}

const sentenceOf = (phrase: string): string => `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}.`;

const WORDS = {
  sum: 'Sum',
  avg: 'Average',
  min: 'Minimum',
  max: 'Maximum',
  count_distinct: 'Number of different values',
} as const;

/** Functions that only accept numbers. */
const NEED_NUMBERS: ReadonlySet<keyof typeof WORDS> = new Set(['sum', 'avg'] as const);

/** Builds the SQL query. Column names come from the description of the table. */
function statementFor(name: keyof typeof WORDS, column: string, by: string | undefined): string {
  const value = name === 'count_distinct' ? `count(DISTINCT ${identifier(column)})` : `${name}(${identifier(column)})`;
  const title = identifier(`${WORDS[name].toLowerCase()} of ${column}`);
  if (by === undefined) return `SELECT ${value} AS ${title} FROM data`;
  return `SELECT ${identifier(by)}, ${value} AS ${title} FROM data GROUP BY ALL ORDER BY 2 DESC NULLS LAST, 1`;
}

const sameName = (one: string, other: string): boolean => one.trim().toLowerCase() === other.trim().toLowerCase();

function columnsOf({ columns, more_columns }: Described): string {
  const names = columns.slice(0, MAX_NAMES).map(({ name }) => quote(name));
  const left = columns.length + more_columns - names.length;
  return `its columns are ${names.join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
}

function toMarkdown(columns: { name: string; type: ColumnType }[], rows: Cell[][]): string {
  const line = (cells: string[]): string => `| ${cells.join(' | ')} |`;
  const isFigure = ({ type }: { type: ColumnType }): boolean => type === 'integer' || type === 'number';
  return [
    line(columns.map(({ name }) => shown(name))),
    line(columns.map((column) => (isFigure(column) ? '---:' : '---'))),
    ...rows.map((row) => line(columns.map((_, index) => shown(row[index] ?? null)))),
  ].join('\n');
}

/** Formats a cell, escaped for a Markdown table. */
function shown(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number' || typeof cell === 'boolean') return String(cell);
  const text = typeof cell === 'string' ? cell : JSON.stringify(cell);
  return text.trim() === '' ? '' : quote(text, MAX_CELL).replaceAll('|', String.raw`\|`);
}
