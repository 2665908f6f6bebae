import { readFileSync } from 'node:fs';
import { deserialize } from 'node:v8';
import { type ColumnCells, rowInFile } from '../../data-engine/index.js';
import { type ColumnData, KeyTable, shortened, type Space } from '../../modelling/index.js';
import { type DataContent, noNumber } from '../data-content.js';
import { problemOfMembers } from '../data-gaps.js';
import type { DataFile } from '../data-file.js';
import { filledCells, firstMisfit, keyColumns, textAt, titlesOf } from '../wide-table.js';
import type { ModelCard, SetTable } from './model-card.js';
import { cardProblem } from './card-fields.js';

/** Set of a data card, and the file with its members. */
interface Source {
  space: Space;
  card: ModelCard;
  set: string;
  file: DataFile;
  table: Table;
}
type Table = Extract<SetTable, { file: string }>;

/**
 * Adds a set from a file, in row order, with the columns that formulas use. Adds the filled cells of a wide table, row by row.
 *
 * @throws ModelProblem that identifies the file, and the row and column if they are known
 */
export function readSetOfFile(space: Space, card: ModelCard, { set, file }: DataContent, table: SetTable): void {
  if (set === undefined || file === undefined) throw new Error('Only the file of a set has a table');
  const contradiction = problemOfMembers({ set, file });
  if (contradiction !== undefined) throw cardProblem(card, contradiction.problem);
  if ('problem' in table) throw cardProblem(card, table.problem);
  const { path, key } = file;
  const source = { space, card, set: set.name, file, table };
  const columns = deserialize(readFileSync(table.file)) as ColumnCells[];
  if (key.length === 0) throw cardProblem(card, `which column of ${path} identifies the members of ${set.name}?`);
  const keys = key.map((column) => {
    const texts = textsOf(columns[table.names.indexOf(column)]!);
    const empty = file.isDistinct ? -1 : texts.indexOf('');
    if (empty >= 0) refuse(source, empty, `: ${column} is empty`);
    return texts;
  });
  if (file.isDistinct) {
    // Rows with an empty key cell do not belong to any member.
    const members = [...new Set(keys[0])].filter((text) => text !== '');
    space.addSet(set.name, { titles: key, keys: [members], readings: key.map((one) => table.readings?.get(one)) });
  } else if (table.headers === undefined) addRows(source, keys, columns);
  else addFilledCells(source, keys, table.headers, columns.slice(key.length));
}

function addRows(source: Source, keys: readonly string[][], columns: readonly ColumnCells[]): void {
  const { space, table } = source;
  addMembers(
    source,
    keys.map((texts) => space.codesOf(texts)),
  );
  for (const [name, column] of table.columns) {
    const cells = columns[table.names.indexOf(column)]!;
    const reading = table.readings?.get(column);
    const misfit = misfitOf(source, cells, (row) => ({ row, column }));
    space.addColumn(name, { ...toColumn(source, cells), ...(reading && { reading }), ...misfit });
  }
}

/** Adds the members and the cells of a wide table. */
function addFilledCells(
  source: Source,
  keys: readonly string[][],
  headers: readonly string[],
  columns: readonly ColumnCells[],
): void {
  const { space, set } = source;
  const ofRows = keys.map((texts) => space.codesOf(texts));
  refuseDuplicate(source, ofRows, new KeyTable(ofRows, ofRows[0]!.length));
  const { rows, columns: places, cells } = filledCells(columns, ofRows[0]!.length);
  const at = (codes: Int32Array, indexes: Int32Array): Int32Array => indexes.map((index) => codes[index]!);
  addMembers(source, [...ofRows.map((codes) => at(codes, rows)), at(space.codesOf(headers), places)], rows);
  const misfit = misfitOf(source, cells, (index) => ({ row: rows[index]!, column: headers[places[index]!]! }));
  space.addColumn(set, { ...toColumn(source, cells), ...misfit });
}

/** @param rows table row of each member. Omit if each row is one member. */
function addMembers(source: Source, columns: readonly Int32Array[], rows?: Int32Array): void {
  const { space, set, file, table } = source;
  const readings = keyColumns(file).map((column) => table.readings?.get(column));
  const added = space.addMembers(set, { titles: titlesOf(file), columns, readings });
  refuseDuplicate(source, columns, added.table, rows);
}

function refuseDuplicate(source: Source, columns: readonly Int32Array[], keys: KeyTable, rows?: Int32Array): void {
  const doubled = firstDuplicate(keys);
  if (doubled === undefined) return;
  const { space, table } = source;
  const rowOf = (place: number): number => rows?.[place] ?? place;
  const member = columns.map((codes) => shortened(space.texts.text(codes[doubled]!))).join(', ');
  const before = rowInFile(table, rowOf(keys.ids.indexOf(keys.ids[doubled]!)));
  refuse(source, rowOf(doubled), `: the member ${member} is already in row ${before}`);
}

function refuse({ card, file, table }: Source, row: number, what: string): never {
  throw cardProblem(card, `${file.path}, row ${rowInFile(table, row)}${what}`);
}

/** Describes the first text cell of a column that otherwise contains numbers. */
function misfitOf(
  { file, table }: Source,
  cells: ColumnCells,
  placeOf: (index: number) => { row: number; column: string },
): { misfit?: string } {
  const index = firstMisfit(cells);
  if (index === undefined) return {};
  const { row, column } = placeOf(index);
  return { misfit: noNumber(file.path, { row: rowInFile(table, row), column, text: textAt(cells, index) }) };
}

/** Returns the index of the first duplicate member, or undefined if all members are distinct. */
function firstDuplicate({ ids, size }: KeyTable): number | undefined {
  if (size === ids.length) return undefined;
  let next = 0;
  const place = ids.findIndex((id) => id !== next++);
  return place < 0 ? undefined : place;
}

function toColumn({ set, file: { fallback } }: Source, cells: ColumnCells): ColumnData {
  return cells.type === 'number'
    ? { set, type: 'number', figures: cells.figures, ...(fallback !== undefined && { fallback }) }
    : { set, type: 'text', texts: textsOf(cells) };
}

/** Converts cells to member names. Missing values become empty strings. */
function textsOf(cells: ColumnCells): string[] {
  if (cells.type === 'number')
    return Array.from(cells.figures, (figure) => (Number.isNaN(figure) ? '' : String(figure)));
  return Array.from(cells.places, (place) => (place < 0 ? '' : cells.texts[place]!));
}
