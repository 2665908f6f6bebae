import type { Card } from './cards';
import { listFirst } from '../frame/list-first';
import { type Decimal, isNumber, isUnclear, readNumber, type Readings, toNumber } from './entered-numbers';

/** Small editable table. The first cell of a row is a name or a member. */
export interface ValueTable {
  /** Title of the first column. */
  first: string;
  /** Names of the other columns. */
  columns: string[];
  rows: string[][];
  /** Whether the cells next to the names must be numbers. */
  isNumeric?: boolean;
  /** Facts about the columns, by position. */
  facts?: (ColumnFacts | null)[];
}

interface ColumnFacts {
  /** Whether the column contains text even if all of its cells look like numbers. */
  isText?: boolean;
  /** Stored numbers that are not integers. They have a decimal point, regardless of the user's notation. */
  stored?: string[];
  /** Decimal separator of unclear numbers, as chosen by the user. */
  decimal?: Decimal;
}

/** How the cells of a column are read. */
export interface ColumnReading {
  /** Whether the column contains numbers. Otherwise, it contains text. */
  isNumeric: boolean;
  /** A number whose meaning the user has to choose or has chosen, such as `1.200`. */
  unclear: string | undefined;
  /** Decimal separator of unclear numbers. Undefined until it is known. */
  decimal: Decimal | undefined;
  /** Reads a cell with each decimal separator. */
  readingsOf: (cell: string) => Readings;
}

type Data = Card['data'];
type Cells = Record<string, unknown>;

const RANGE = /^(-?\d{1,9}) to (-?\d{1,9})$/;
/** Maximum number of members into which a range is expanded. */
const MAX_RANGE_MEMBERS = 2_000;

/** Returns the scalar values of a data card. */
export function figuresOf({ values }: Data): ValueTable {
  const rows = entriesOf(values).filter(([, value]) => !isCells(value));
  return {
    first: 'Name',
    columns: ['Value'],
    rows: rows.map(([name, value]) => [name, textOfCell(value)]),
    isNumeric: true,
    facts: [factsOf(rows.map(([, value]) => value))],
  };
}

/** Returns the members of a data card's set in order, with their values. */
export function membersOf({ members, values }: Data): ValueTable {
  const columns = entriesOf(values).filter((entry): entry is [string, Cells] => isCells(entry[1]));
  const names = new Set(listedMembers(members, columns.length > 0));
  for (const [, cells] of columns) for (const member of Object.keys(cells)) names.add(member);
  return {
    first: 'Member',
    columns: columns.map(([name]) => name),
    facts: columns.map(([, cells]) => factsOf(Object.values(cells))),
    rows: [...names].map((member) => [
      member,
      ...columns.map(([, cells]) => (Object.hasOwn(cells, member) ? textOfCell(cells[member]) : '')),
    ]),
  };
}

/** Returns the facts about the stored cells of a column. */
function factsOf(cells: readonly unknown[]): ColumnFacts {
  const texts = cells.flatMap((cell) => (typeof cell === 'number' ? [JSON.stringify(cell)] : []));
  const stored = texts.filter((text) => !Number.isSafeInteger(Number(text)));
  return { ...(typeof cells[0] === 'string' && { isText: true }), ...(stored.length > 0 && { stored }) };
}

/** Returns how to read each column next to the names. */
export const readColumns = ({ columns, rows, isNumeric = false, facts }: ValueTable): ColumnReading[] =>
  columns.map((_, at) => {
    const cells = rows.flatMap((row) => {
      const cell = row[at + 1]?.trim() ?? '';
      return cell === '' ? [] : [cell];
    });
    return readColumn(cells, isNumeric, facts?.[at] ?? {});
  });

function readColumn(
  cells: readonly string[],
  mustBeNumeric: boolean,
  { isText = false, stored, decimal }: ColumnFacts,
): ColumnReading {
  const storedNumbers = new Set(stored);
  const readingsOf = (cell: string): Readings => {
    const text = cell.trim();
    return storedNumbers.has(text) ? { '.': Number(text), ',': Number(text) } : readNumber(text);
  };
  const signs = new Set<Decimal>();
  let unclear: string | undefined;
  let isNumeric = mustBeNumeric || !isText;
  for (const cell of cells) {
    const readings = readingsOf(cell);
    if (isUnclear(readings)) unclear ??= cell;
    else if (!isNumber(readings)) isNumeric &&= mustBeNumeric;
    else if (readings['.'] === undefined) signs.add(',');
    else if (readings[','] === undefined) signs.add('.');
  }
  // As in files, the other numbers in the column decide.
  const [sign] = signs.size === 1 ? signs : [];
  const isOpen = isNumeric && (decimal !== undefined || sign === undefined);
  return { isNumeric, unclear: isOpen ? unclear : undefined, decimal: decimal ?? sign, readingsOf };
}

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

/** Returns the table with the user's answer to an unclear number. */
export const withDecimal = (table: ValueTable, column: number, decimal: Decimal): ValueTable => ({
  ...table,
  facts: table.columns.map((_, at) => ({ ...table.facts?.[at], ...(at === column && { decimal }) })),
});

/** Returns the reason why the numbers in a table cannot be saved, or undefined if they are valid. */
export function problemOfNumbers(table: ValueTable): string | undefined {
  const columns = readColumns(table);
  const names = table.rows.flatMap(([name = '', ...cells]) =>
    name.trim() !== '' &&
    table.isNumeric === true &&
    !columns.every((column, at) => isNumber(column.readingsOf(cells[at] ?? '')))
      ? [name.trim()]
      : [],
  );
  if (names.length > 0) return `Enter a number for ${listFirst(names)}, such as 2.5`;
  const open = columns.find(({ unclear, decimal }) => unclear !== undefined && decimal === undefined);
  return open && `Choose what ${open.unclear} means`;
}

/**
 * Returns the `values` for a data card. A column that was stored as text stays text. Any other column of members is numeric if
 * all of its cells are numbers. Pass undefined for figures or members that have not changed. They keep their stored values.
 */
export function valuesFrom(
  before: Data,
  { figures, members }: { figures?: ValueTable | undefined; members?: ValueTable | undefined },
): Data | null {
  const stored = entriesOf(before['values']);
  const values = [
    ...(figures === undefined ? stored.filter(([, value]) => !isCells(value)) : valuesOfFigures(figures)),
    ...(members === undefined ? stored.filter(([, value]) => isCells(value)) : valuesOfMembers(members)),
  ];
  return values.length === 0 ? null : Object.fromEntries(values);
}

function valuesOfFigures(table: ValueTable): [string, unknown][] {
  const [column] = readColumns(table);
  return table.rows.flatMap(([name = '', cell = '']) =>
    name.trim() === '' ? [] : [[name.trim(), valueOf(cell, column)]],
  );
}

const valuesOfMembers = (table: ValueTable): [string, unknown][] =>
  readColumns(table).flatMap((column, at): [string, unknown][] => {
    const cells = table.rows.flatMap((row): [string, unknown][] => {
      const [member = '', cell = ''] = [row[0], row[at + 1]];
      return cell.trim() === '' ? [] : [[member.trim(), valueOf(cell, column)]];
    });
    return cells.length === 0 ? [] : [[table.columns[at]?.trim() ?? '', Object.fromEntries(cells)]];
  });

/** Returns the number in a cell of a numeric column, and the text of any other cell. */
function valueOf(cell: string, column: ColumnReading | undefined): number | string {
  const readings = column?.isNumeric === true ? column.readingsOf(cell) : undefined;
  const number = column?.decimal === undefined ? undefined : readings?.[column.decimal];
  return number ?? readings?.['.'] ?? readings?.[','] ?? cell.trim();
}

/** Returns the `members` for a data card as a list. */
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
