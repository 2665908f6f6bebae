import { csvCell } from '../../common/http/csv-text.js';
import { shortened } from '../../../packages/modelling/index.js';
import type { Family, Model, Plan } from '../../../packages/solver/index.js';

/** CSV file that belongs to a result. */
export interface ResultTable {
  /** File name. */
  name: string;
  /** CSV in UTF-8. */
  content: Uint8Array;
}

const CONSTRAINTS = 'constraints';
/** Columns after the key columns of the members. */
const VALUES = ['value', 'reduced_cost'];
/** Maximum length of a variable name in a file name, in characters. */
const MAX_NAME = 60;

/** Maximum total size of a result's tables, and of its member table, in bytes. Tables that exceed it are omitted. */
const MAX_BYTES = 64 * 1024 ** 2;
/** Number of characters after which the collected rows are encoded. */
const CHUNK = 1024 ** 2;

/**
 * Returns the plan of an indexed model as tables. Each indexed variable has a table with the values of its members, and all
 * constraints share a table.
 */
export function resultTables(model: Model, plan: Plan): ResultTable[] {
  const { variables, rows } = model.families;
  if (variables.length + rows.length === 0) return [];
  const names = fileNames(variables);
  const room = { bytes: MAX_BYTES };
  const tables = [
    ...variables.map((family, at) => ({
      name: `${names[at]}.csv`,
      content: csv([...uniqueTitles(family.keys, VALUES), ...VALUES], membersOf(family, plan), room),
    })),
    {
      name: `${CONSTRAINTS}.csv`,
      content: csv(['name', 'keys', 'activity', 'slack', 'dual'], constraintsOf(model, plan), room),
    },
  ];
  return tables.flatMap(({ name, content }) => (content === undefined ? [] : [{ name, content }]));
}

/** Yields a row for each member of a family: its key parts, followed by the columns {@link VALUES}. */
function* membersOf({ members, from, size }: Family, { values, reducedCosts }: Plan): Generator<string[]> {
  for (let place = 0; place < size; place += 1) {
    const at = from + place;
    yield [...members.map((part) => part[place]!), figure(values[at]!), price(reducedCosts, at)];
  }
}

function* constraintsOf({ families, rows }: Model, { activities, slacks, duals, inForce }: Plan): Generator<string[]> {
  const starting = new Map(families.rows.filter(({ size }) => size > 0).map((family) => [family.from, family]));
  let family: Family | undefined;
  for (const [row, { name }] of rows.entries()) {
    family = starting.get(row) ?? (family !== undefined && row < family.from + family.size ? family : undefined);
    if (inForce?.[row] === false) continue;
    const place = row - (family?.from ?? 0);
    const keys = family?.members.map((part) => part[place]).join(', ') ?? '';
    yield [family?.name ?? name, keys, figure(activities[row]!), figure(slacks[row]!), price(duals, row)];
  }
}

/**
 * Returns the members of all families as a single CSV file. Returns undefined if there are no members, or if they exceed the
 * maximum size. The columns for the family and the keys contain JSON, so that readers cannot mistake their values for numbers
 * or other types.
 */
export function memberTable({ families: { variables } }: Model, plan: Plan): Uint8Array | undefined {
  if (variables.every(({ size }) => size === 0)) return undefined;
  return csv(['family', 'keys', ...VALUES], allMembersOf(variables, plan), { bytes: MAX_BYTES });
}

function* allMembersOf(families: readonly Family[], plan: Plan): Generator<string[]> {
  for (const family of families) {
    const name = JSON.stringify(family.name);
    for (const row of membersOf(family, plan)) {
      const figures = row.splice(-VALUES.length);
      yield [name, JSON.stringify(row), ...figures];
    }
  }
}

/** Formats a reduced cost or shadow price. Returns an empty string if the plan does not contain any. */
const price = (prices: Float64Array | undefined, at: number): string =>
  prices === undefined ? '' : figure(prices[at]!);

/** Integers of at least this size are written with an exponent. CSV readers mistake longer integers for identifiers. */
const LONG = 1e15;

/** Formats a number so that every reader recognizes it as a number. */
const figure = (value: number): string => (Math.abs(value) >= LONG ? value.toExponential() : String(value + 0));

/** Returns the column titles, with numbers appended to make them unique among themselves and `others`. */
function uniqueTitles(titles: readonly string[], others: readonly string[]): string[] {
  const usedNames = new Set(others);
  return titles.map((title) => free(title, usedNames));
}

/** Returns a file name for each variable. Long names are shortened, and duplicates get a number. */
function fileNames(families: readonly Family[]): string[] {
  const usedNames = new Set([CONSTRAINTS]);
  return families.map(({ name }) => free(shortened(name, MAX_NAME).normalize('NFC'), usedNames));
}

/** Returns the name, with a number appended if it is already used, and adds it to the used names. */
function free(preferred: string, usedNames: Set<string>): string {
  let name = preferred;
  for (let number = 2; usedNames.has(name); number += 1) name = `${preferred} ${number}`;
  usedNames.add(name);
  return name;
}

/** Returns a table in UTF-8 and deducts its size from `room`. Returns undefined if it does not fit. */
function csv(
  titles: readonly string[],
  rows: Iterable<readonly string[]>,
  room: { bytes: number },
): Uint8Array | undefined {
  const chunks: Uint8Array[] = [];
  let remaining = room.bytes;
  let text = line(titles);
  const flush = (): void => {
    const chunk = Buffer.from(text);
    chunks.push(chunk);
    remaining -= chunk.length;
    text = '';
  };
  for (const row of rows) {
    text += line(row);
    if (text.length > CHUNK) flush();
    if (remaining < 0) return undefined;
  }
  flush();
  if (remaining < 0) return undefined;
  room.bytes = remaining;
  return Buffer.concat(chunks);
}

const line = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\n`;
