import { csvCell } from '../../common/http/csv-text.js';
import { shortened } from '../../../packages/modelling/index.js';
import type { Family, Model, Plan } from '../../../packages/solver/index.js';

/** A file of a result. */
export interface ResultTable {
  /** Of the file. */
  name: string;
  /** CSV in UTF-8. */
  content: Uint8Array;
}

const CONSTRAINTS = 'constraints';
/** Columns behind those of the members. */
const VALUES = ['value', 'reduced_cost'];
/** Most characters that the name of a file has of the name of a variable. */
const MAX_NAME = 60;

/** Most bytes of all tables of a result, and of its members: those that do not fit any more are left out. */
const MAX_BYTES = 64 * 1024 ** 2;
/** Characters that are put together at a time. */
const CHUNK = 1024 ** 2;

/**
 * The plan as tables, for models that have families: for each family of variables its members with their values, and one
 * for all constraints.
 */
export function resultTables(model: Model, plan: Plan): ResultTable[] {
  const { variables, rows } = model.families;
  if (variables.length + rows.length === 0) return [];
  const names = fileNames(variables);
  const room = { bytes: MAX_BYTES };
  const tables = [
    ...variables.map((family, at) => ({
      name: `${names[at]}.csv`,
      content: csv([...titlesBeside(family.keys, VALUES), ...VALUES], membersOf(family, plan), room),
    })),
    {
      name: `${CONSTRAINTS}.csv`,
      content: csv(['name', 'keys', 'activity', 'slack', 'dual'], constraintsOf(model, plan), room),
    },
  ];
  return tables.flatMap(({ name, content }) => (content === undefined ? [] : [{ name, content }]));
}

/** The members of a family: their parts, and what {@link VALUES} calls the rest. */
function* membersOf({ members, from, size }: Family, { values, reducedCosts }: Plan): Generator<string[]> {
  for (let place = 0; place < size; place += 1) {
    const at = from + place;
    yield [...members.map((part) => part[place]!), figure(values[at]!), price(reducedCosts, at)];
  }
}

function* constraintsOf({ families, rows }: Model, { activities, slacks, duals }: Plan): Generator<string[]> {
  const starting = new Map(families.rows.filter(({ size }) => size > 0).map((family) => [family.from, family]));
  let family: Family | undefined;
  for (const [row, { name }] of rows.entries()) {
    family = starting.get(row) ?? (family !== undefined && row < family.from + family.size ? family : undefined);
    const place = row - (family?.from ?? 0);
    const keys = family?.members.map((part) => part[place]).join(', ') ?? '';
    yield [family?.name ?? name, keys, figure(activities[row]!), figure(slacks[row]!), price(duals, row)];
  }
}

/**
 * The members of all families one after the other, as CSV: family and keys as JSON, so that no text of theirs looks like anything
 * else; undefined where there are none, or no room for them.
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

/** Nothing where there are no prices. */
const price = (prices: Float64Array | undefined, at: number): string =>
  prices === undefined ? '' : figure(prices[at]!);

/** Whole numbers of so many digits are read as names of something. */
const LONG = 1e15;

/** A number as every reader takes it for one. */
const figure = (value: number): string => (Math.abs(value) >= LONG ? value.toExponential() : String(value + 0));

/** Titles of columns beside others; what is there already gets a number. */
function titlesBeside(titles: readonly string[], others: readonly string[]): string[] {
  const taken = new Set(others);
  return titles.map((title) => free(title, taken));
}

/** Files are called like their variables; long names are cut, and what is there already gets a number. */
function fileNames(families: readonly Family[]): string[] {
  const taken = new Set([CONSTRAINTS]);
  return families.map(({ name }) => free(shortened(name, MAX_NAME).normalize('NFC'), taken));
}

/** The name, with a number where it is taken; it is then. */
function free(wanted: string, taken: Set<string>): string {
  let name = wanted;
  for (let number = 2; taken.has(name); number += 1) name = `${wanted} ${number}`;
  taken.add(name);
  return name;
}

/** A table in UTF-8; undefined when there is no room for it, of which it takes as much as it has bytes. */
function csv(
  titles: readonly string[],
  rows: Iterable<readonly string[]>,
  room: { bytes: number },
): Uint8Array | undefined {
  const chunks: Uint8Array[] = [];
  let left = room.bytes;
  let text = line(titles);
  const flush = (): void => {
    const chunk = Buffer.from(text);
    chunks.push(chunk);
    left -= chunk.length;
    text = '';
  };
  for (const row of rows) {
    text += line(row);
    if (text.length > CHUNK) flush();
    if (left < 0) return undefined;
  }
  flush();
  if (left < 0) return undefined;
  room.bytes = left;
  return Buffer.concat(chunks);
}

const line = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\n`;
