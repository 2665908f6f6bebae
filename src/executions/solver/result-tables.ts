import { csvCell } from '../../platform/http/csv-text.js';
import { shortened } from '../../modelling/names.js';
import type { Family, Model } from '../model/model.js';

/** What a plan makes of a model: a number for each variable and each row. */
export interface Plan {
  values: Float64Array;
  /** Of rows: the value of the side with the variables, and the distance to the nearer bound. */
  activities: Float64Array;
  slacks: Float64Array;
  /** Of linear programs: what `Prices` has. */
  duals?: Float64Array;
  reducedCosts?: Float64Array;
}

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
export function resultTables({ families, rows }: Model, plan: Plan): ResultTable[] {
  if (families.variables.length + families.rows.length === 0) return [];
  const { values, activities, slacks, duals, reducedCosts } = plan;
  const names = fileNames(families.variables);
  const room = { bytes: MAX_BYTES };
  const ofVariables = families.variables.map((family, at) => ({
    name: `${names[at]}.csv`,
    content: csv([...titlesBeside(family.keys, VALUES), ...VALUES], family.size, room, (place) => [
      ...family.members.map((part) => part[place] ?? ''),
      figure(values[family.from + place] ?? 0),
      price(reducedCosts, family.from + place),
    ]),
  }));
  const inFamilies = new Map(families.rows.filter(({ size }) => size > 0).map((family) => [family.from, family]));
  let family: Family | undefined;
  const constraints = csv(['name', 'keys', 'activity', 'slack', 'dual'], rows.length, room, (row) => {
    family = inFamilies.get(row) ?? (family !== undefined && row < family.from + family.size ? family : undefined);
    const place = row - (family?.from ?? 0);
    const [name, keys] =
      family === undefined
        ? [rows[row]!.name, '']
        : [family.name, family.members.map((part) => part[place]).join(', ')];
    return [name, keys, figure(activities[row] ?? 0), figure(slacks[row] ?? 0), price(duals, row)];
  });
  return [...ofVariables, { name: `${CONSTRAINTS}.csv`, content: constraints }].flatMap(({ name, content }) =>
    content === undefined ? [] : [{ name, content }],
  );
}

/**
 * The members of all families one after the other, as CSV: family and keys as JSON, so that no text of theirs looks like anything
 * else; undefined where there are none.
 */
export function memberTable({ families }: Model, { values, reducedCosts }: Plan): Uint8Array | undefined {
  const { variables } = families;
  const size = variables.reduce((sum, family) => sum + family.size, 0);
  if (size === 0) return undefined;
  const members = variables.flatMap((family) => Array.from({ length: family.size }, (_, place) => ({ family, place })));
  return csv(['family', 'keys', ...VALUES], size, { bytes: MAX_BYTES }, (row) => {
    const { family, place } = members[row]!;
    return [
      JSON.stringify(family.name),
      JSON.stringify(family.members.map((part) => part[place]!)),
      figure(values[family.from + place]!),
      price(reducedCosts, family.from + place),
    ];
  });
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
  rows: number,
  room: { bytes: number },
  row: (place: number) => readonly string[],
): Uint8Array | undefined {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let text = `${titles.map(csvCell).join(',')}\n`;
  for (let place = 0; place <= rows; place += 1) {
    if (text.length > CHUNK || place === rows) {
      const chunk = Buffer.from(text);
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > room.bytes) return undefined;
      text = '';
    }
    if (place < rows) text += `${row(place).map(csvCell).join(',')}\n`;
  }
  room.bytes -= bytes;
  return Buffer.concat(chunks);
}
