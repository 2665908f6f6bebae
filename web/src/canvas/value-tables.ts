import type { Card } from './cards';
import { listFirst } from '../frame/list-first';
import { type Decimal, isEnteredNumber, isUnclear, readNumber, type Readings, toNumber } from './entered-numbers';

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
  /** Stored numbers, apart from integers. They have a decimal point, whatever notation the user prefers. */
  stored?: string[];
  /** Decimal sign of unclear numbers, as chosen by the user. */
  decimal?: Decimal;
}

/** How the cells of a column are read. */
interface ColumnReading {
  /** Whether the column contains numbers. Otherwise, it contains text. */
  isNumeric: boolean;
  /** Entered number whose meaning is unclear, unless the other cells decide it. */
  unclear: string | undefined;
  /** Decimal sign of unclear numbers. */
  decimal: Decimal | undefined;
}

/** Number of a column that can be read in two ways. */
export interface UnclearNumber {
  column: number;
  entered: string;
  values: Readings;
  decimal: Decimal | undefined;
}

type Data = Card['data'];
type Cells = Record<string, unknown>;

const RANGE = /^(-?\d{1,9}) to (-?\d{1,9})$/;
/** Maximum number of members into which a range is expanded. */
const MAX_RANGE_MEMBERS = 2_000;

/** Returns the scalar values of a data card. */
export function figuresOf({ values }: Data): ValueTable {
  const rows = entriesOf(values).filter(([, value]) => !isCells(value));
  const cells = rows.map(([, value]) => value);
  return {
    first: 'Name',
    columns: ['Value'],
    rows: rows.map(([name, value]) => [name, textOfCell(value)]),
    isNumeric: true,
    facts: [factsOf(cells)],
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
  const stored = texts.filter((text) => {
    const { '.': point, ',': comma } = readNumber(text);
    return point !== comma || point === undefined;
  });
  return { ...(typeof cells[0] === 'string' && { isText: true }), ...(stored.length > 0 && { stored }) };
}

/** Returns how to read each column next to the names. */
export const readingsOf = (table: ValueTable): ColumnReading[] =>
  table.columns.map((_, at) =>
    readColumn(
      table.rows.map((row) => row[at + 1] ?? ''),
      table.isNumeric === true,
      table.facts?.[at] ?? {},
    ),
  );

function readColumn(
  cells: readonly string[],
  mustBeNumeric: boolean,
  { isText = false, stored = [], decimal }: ColumnFacts,
): ColumnReading {
  const storedTexts = new Set(stored);
  const signs = new Set<Decimal>();
  let unclear: string | undefined;
  for (const cell of cells) {
    const text = cell.trim();
    if (text === '' || storedTexts.has(text)) continue;
    const { '.': point, ',': comma } = readNumber(text);
    const isNumber = point !== undefined || comma !== undefined;
    if (!mustBeNumeric && (isText || !isNumber)) return { isNumeric: false, unclear: undefined, decimal: undefined };
    if (isUnclear({ '.': point, ',': comma })) unclear ??= text;
    else if (point === undefined && isNumber) signs.add(',');
    else if (comma === undefined && isNumber) signs.add('.');
  }
  // As in files, the other numbers of the column decide.
  const [sign] = signs.size === 1 ? signs : [];
  const isDecided = decimal === undefined && sign !== undefined;
  return { isNumeric: mustBeNumeric || !isText, unclear: isDecided ? undefined : unclear, decimal: decimal ?? sign };
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

/** Returns the numbers whose meaning the user has to choose or has chosen, at most one for each column. */
export const unclearNumbers = (readings: readonly ColumnReading[]): UnclearNumber[] =>
  readings.flatMap(({ unclear, decimal }, column) =>
    unclear === undefined ? [] : [{ column, entered: unclear, values: readNumber(unclear), decimal }],
  );

/** Returns the table with the user's answer to an unclear number. */
export const withDecimal = (table: ValueTable, column: number, decimal: Decimal): ValueTable => ({
  ...table,
  facts: table.columns.map((_, at) => ({ ...table.facts?.[at], ...(at === column && { decimal }) })),
});

/** Returns the reason why the numbers of a table cannot be saved, or undefined if they are valid. */
export function problemOfNumbers(table: ValueTable): string | undefined {
  const names = table.rows.flatMap(([name = '', value = '']) =>
    table.isNumeric === true && name.trim() !== '' && !isEnteredNumber(value) ? [name.trim()] : [],
  );
  if (names.length > 0) return `Enter a number for ${listFirst(names)}, such as 2.5`;
  const unclear = unclearNumbers(readingsOf(table)).find(({ decimal }) => decimal === undefined);
  return unclear && `Choose what ${unclear.entered} means`;
}

/**
 * Returns `values` of a data card. A column is numeric if all of its cells are numbers, and contains text otherwise. Figures or
 * members that have not changed are undefined and keep their stored values.
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
  const [numberOf] = numberReaders(table);
  return table.rows.flatMap(([name = '', value = '']) =>
    name.trim() === '' ? [] : [[name.trim(), numberOf?.(value)]],
  );
}

const valuesOfMembers = (table: ValueTable): [string, unknown][] =>
  numberReaders(table).flatMap((numberOf, at): [string, unknown][] => {
    const cells = table.rows.flatMap((row): [string, unknown][] => {
      const [member = '', cell = ''] = [row[0], row[at + 1]];
      return cell.trim() === '' ? [] : [[member.trim(), numberOf === undefined ? cell.trim() : numberOf(cell)]];
    });
    return cells.length === 0 ? [] : [[table.columns[at]?.trim() ?? '', Object.fromEntries(cells)]];
  });

/** Returns a function for each column that reads its numbers. Undefined for a column with text. */
const numberReaders = (table: ValueTable): (((cell: string) => number | undefined) | undefined)[] =>
  readingsOf(table).map(({ isNumeric, decimal }, at) => {
    const stored = new Set(table.facts?.[at]?.stored);
    if (!isNumeric) return undefined;
    return (cell) => {
      if (stored.has(cell.trim())) return Number(cell);
      const readings = readNumber(cell);
      return isUnclear(readings) ? decimal && readings[decimal] : (readings['.'] ?? readings[',']);
    };
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
