import type { Card } from './cards';

/** Small editable table. The first cell of a row is a name or a member. */
export interface ValueTable {
  /** Title of the first column. */
  first: string;
  /** Names of the other columns. */
  columns: string[];
  rows: string[][];
}

type Data = Card['data'];
type Cells = Record<string, unknown>;

const RANGE = /^(-?\d{1,9}) to (-?\d{1,9})$/;
/** Maximum number of rows that a message names. */
const MAX_NAMED_ROWS = 5;
/** Maximum number of members into which a range is expanded. */
const MAX_RANGE_MEMBERS = 2_000;

/** Returns the scalar values of a data card. */
export function figuresOf({ values }: Data): ValueTable {
  const rows = entriesOf(values).filter(([, value]) => !isCells(value));
  return { first: 'Name', columns: ['Value'], rows: rows.map(([name, value]) => [name, textOfCell(value)]) };
}

/** Returns the members of a data card's set in order, with their values. */
export function membersOf({ members, values }: Data): ValueTable {
  const columns = entriesOf(values).filter((entry): entry is [string, Cells] => isCells(entry[1]));
  const names = new Set(listedMembers(members, columns.length > 0));
  for (const [, cells] of columns) for (const member of Object.keys(cells)) names.add(member);
  return {
    first: 'Member',
    columns: columns.map(([name]) => name),
    rows: [...names].map((member) => [
      member,
      ...columns.map(([, cells]) => (Object.hasOwn(cells, member) ? textOfCell(cells[member]) : '')),
    ]),
  };
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

/** Returns the reason why figures cannot be saved, or undefined if they are valid. */
export function problemOfFigures(table: ValueTable): string | undefined {
  const names = table.rows.flatMap(([name = '', value = '']) =>
    name.trim() !== '' && toNumber(value) === undefined ? [name.trim()] : [],
  );
  const others = names.length - MAX_NAMED_ROWS;
  const named = names.slice(0, MAX_NAMED_ROWS).join(', ') + (others > 0 ? ` and ${others} more` : '');
  return problemOfTable(table) ?? (names.length > 0 ? `Enter a number for ${named}, such as 2.5` : undefined);
}

/**
 * Returns `values` of a data card. Text columns stay text. All other columns become numeric if all of their cells are numbers.
 */
export function valuesFrom(figures: ValueTable, members: ValueTable, before: Data): Data | null {
  const values: [string, unknown][] = figures.rows.flatMap(([name = '', value = '']) =>
    name.trim() === '' ? [] : [[name.trim(), toNumber(value)]],
  );
  const previousValues = new Map(entriesOf(before['values']));
  for (const [index, name] of members.columns.entries()) {
    const cells = members.rows.flatMap((row): [string, string][] => {
      const [member = '', cell = ''] = [row[0], row[index + 1]];
      return cell.trim() === '' ? [] : [[member.trim(), cell.trim()]];
    });
    const previous = previousValues.get(name.trim());
    const wasText = isCells(previous) && typeof Object.values(previous)[0] === 'string';
    const isText = wasText || cells.some(([, cell]) => toNumber(cell) === undefined);
    if (cells.length > 0)
      values.push([
        name.trim(),
        Object.fromEntries(cells.map(([member, cell]) => [member, isText ? cell : toNumber(cell)])),
      ]);
  }
  return values.length === 0 ? null : Object.fromEntries(values);
}

/** Returns `members` of a data card as a list. */
export function listFrom({ rows }: ValueTable): (string | number)[] | null {
  const members = rows.flatMap(([name = '']) => (name.trim() === '' ? [] : [name.trim()]));
  return members.length === 0
    ? null
    : members.map((member) => (String(toNumber(member)) === member ? Number(member) : member));
}

/** Parses a number. Returns undefined for any other text. */
export function toNumber(text: string): number | undefined {
  const number = Number(text);
  return text.trim() === '' || !Number.isFinite(number) ? undefined : number;
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
