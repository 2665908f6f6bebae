import type { Card } from './cards';
import { listFirst } from '../frame/list-first';
import { type Decimal, enteredNumber, isEnteredNumber, readColumn, TEXT_COLUMN, toNumber } from './entered-numbers';

/** Small editable table. The first cell of a row is a name or a member. */
export interface ValueTable {
  /** Title of the first column. */
  first: string;
  /** Names of the other columns. */
  columns: string[];
  rows: string[][];
  /** Whether the cells next to the names must be numbers. */
  isNumeric?: boolean;
  /** Names of the columns that contain text even if all of their cells look like numbers. */
  textColumns?: string[];
  /** Decimal sign of numbers such as `1.200`, whose meaning is unclear. Undefined until the user has chosen it. */
  decimal?: Decimal;
}

/** Number that can be read in two ways. */
export interface UnclearNumber {
  entered: string;
  values: Record<Decimal, number>;
}

type Data = Card['data'];
type Cells = Record<string, unknown>;

const RANGE = /^(-?\d{1,9}) to (-?\d{1,9})$/;
/** Maximum number of members into which a range is expanded. */
const MAX_RANGE_MEMBERS = 2_000;

/** Returns the scalar values of a data card. */
export function figuresOf({ values }: Data): ValueTable {
  const rows = entriesOf(values).filter(([, value]) => !isCells(value));
  const table = { first: 'Name', columns: ['Value'], isNumeric: true };
  return asStored({ ...table, rows: rows.map(([name, value]) => [name, textOfCell(value)]) });
}

/** Returns the members of a data card's set in order, with their values. */
export function membersOf({ members, values }: Data): ValueTable {
  const columns = entriesOf(values).filter((entry): entry is [string, Cells] => isCells(entry[1]));
  const names = new Set(listedMembers(members, columns.length > 0));
  for (const [, cells] of columns) for (const member of Object.keys(cells)) names.add(member);
  const textColumns = columns.flatMap(([name, cells]) => (typeof Object.values(cells)[0] === 'string' ? [name] : []));
  return asStored({
    first: 'Member',
    columns: columns.map(([name]) => name),
    ...(textColumns.length > 0 && { textColumns }),
    rows: [...names].map((member) => [
      member,
      ...columns.map(([, cells]) => (Object.hasOwn(cells, member) ? textOfCell(cells[member]) : '')),
    ]),
  });
}

/** Stored numbers have a decimal point. Without this, the form would ask about a stored `1.125`. */
const asStored = (table: ValueTable): ValueTable =>
  unclearNumberOf(table) === undefined ? table : { ...table, decimal: '.' };

/** Returns the readings of all columns next to the names. */
export const readingsOf = ({ columns, rows, isNumeric = false, textColumns = [] }: ValueTable) =>
  columns.map((name, at) =>
    textColumns.includes(name.trim())
      ? TEXT_COLUMN
      : readColumn(
          rows.map((row) => row[at + 1] ?? ''),
          isNumeric,
        ),
  );

/** Whether all cells of a table are empty. */
export const isEmpty = ({ rows }: ValueTable): boolean => rows.every((row) => row.every((cell) => cell.trim() === ''));

/** Returns the reason why a table cannot be saved, or undefined if it is valid. */
export function problemOfTable({ first, columns, rows }: ValueTable): string | undefined {
  const [columnNames, memberNames] = [new Set<string>(), new Set<string>()];
  for (const name of columns) {
    if (name.trim() === '') return 'A column has no name';
    if (columnNames.has(name.trim())) return `Two columns are named ${name.trim()}`;
    columnNames.add(name.trim());
  }
  for (const [index, row] of rows.entries()) {
    if (row.every((cell) => cell.trim() === '')) continue;
    const name = row[0]?.trim() ?? '';
    if (name === '') return `Row ${index + 1} has no ${first.toLowerCase()}`;
    if (memberNames.has(name)) return `${name} appears twice`;
    memberNames.add(name);
  }
  return undefined;
}

/** Returns a number whose meaning the user has to choose, with the value for each decimal sign. */
export function unclearNumberOf(table: ValueTable): UnclearNumber | undefined {
  const entered = readingsOf(table).find(({ unclear }) => unclear !== undefined)?.unclear;
  if (entered === undefined) return undefined;
  return { entered, values: { '.': enteredNumber(entered, '.') ?? NaN, ',': enteredNumber(entered, ',') ?? NaN } };
}

/** Returns the reason why the numbers of a table cannot be saved, or undefined if they are valid. */
export function problemOfNumbers(table: ValueTable): string | undefined {
  const names = table.rows.flatMap(([name = '', value = '']) =>
    table.isNumeric === true && name.trim() !== '' && !isEnteredNumber(value) ? [name.trim()] : [],
  );
  if (names.length > 0) return `Enter a number for ${listFirst(names)}, such as 2.5`;
  const contradiction = readingsOf(table).findIndex(({ isNumeric, decimals }) => isNumeric && decimals.length === 0);
  if (contradiction >= 0) return `Use the same decimal sign for all numbers in ${table.columns[contradiction]}`;
  const unclear = unclearNumberOf(table);
  return unclear === undefined || table.decimal !== undefined ? undefined : `Choose what ${unclear.entered} means`;
}

/** Returns `values` of a data card. A column is numeric if all of its cells are numbers, and contains text otherwise. */
export function valuesFrom(figures: ValueTable, members: ValueTable): Data | null {
  const [numberOfFigure] = numberReaders(figures);
  const values: [string, unknown][] = figures.rows.flatMap(([name = '', value = '']) =>
    name.trim() === '' ? [] : [[name.trim(), numberOfFigure?.(value)]],
  );
  for (const [index, numberOf] of numberReaders(members).entries()) {
    const cells = members.rows.flatMap((row): [string, string][] => {
      const [member = '', cell = ''] = [row[0], row[index + 1]];
      return cell.trim() === '' ? [] : [[member.trim(), cell.trim()]];
    });
    if (cells.length > 0)
      values.push([
        members.columns[index]?.trim() ?? '',
        Object.fromEntries(cells.map(([member, cell]) => [member, numberOf === undefined ? cell : numberOf(cell)])),
      ]);
  }
  return values.length === 0 ? null : Object.fromEntries(values);
}

/** Returns a function for each column that reads its numbers. Undefined for a column with text. */
const numberReaders = (table: ValueTable): (((cell: string) => number | undefined) | undefined)[] =>
  readingsOf(table).map(({ isNumeric, decimals, unclear }) => {
    const decimal = unclear === undefined ? decimals[0] : table.decimal;
    return isNumeric && decimal !== undefined ? (cell) => enteredNumber(cell, decimal) : undefined;
  });

/** Returns `members` of a data card as a list. */
export function listFrom({ rows }: ValueTable): (string | number)[] | null {
  const members = rows.flatMap(([name = '']) => (name.trim() === '' ? [] : [name.trim()]));
  return members.length === 0
    ? null
    : members.map((member) => (String(toNumber(member)) === member ? Number(member) : member));
}

export const isRange = (text: string): boolean => RANGE.test(text.trim());

/** Returns the listed members. A range is expanded only if its members have values. */
function listedMembers(members: unknown, isUsed: boolean): string[] {
  if (Array.isArray(members)) return members.map(textOfCell);
  return typeof members === 'string' && isUsed ? membersOfRange(members) : [];
}

/** Expands a range into its members, up to a limit. Returns no members for any other text. */
export function membersOfRange(text: string): string[] {
  const [, from, to] = RANGE.exec(text.trim()) ?? [];
  if (from === undefined || to === undefined) return [];
  const [first, last] = [Number(from), Number(to)];
  const length = Math.min(MAX_RANGE_MEMBERS, Math.abs(last - first) + 1);
  return Array.from({ length }, (_, index) => String(last < first ? first - index : first + index));
}

const entriesOf = (values: unknown): [string, unknown][] => (isCells(values) ? Object.entries(values) : []);

const isCells = (value: unknown): value is Cells =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textOfCell = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
