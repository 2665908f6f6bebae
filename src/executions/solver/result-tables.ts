import { shortened } from '../../modelling/names.js';
import type { Family, Model } from '../model/model.js';

/** What a plan makes of a model: a number for each variable and each row. */
export interface Plan {
  values: Float64Array;
  /** Of rows: the value of the side with the variables, and the distance to the nearer bound. */
  activities: Float64Array;
  slacks: Float64Array;
}

/** A file of a result. */
export interface ResultTable {
  /** Of the file. */
  name: string;
  /** CSV in UTF-8. */
  content: Uint8Array;
}

const CONSTRAINTS = 'constraints';
/** Most characters that the name of a file has of the name of a variable. */
const MAX_NAME = 60;

/**
 * The plan as tables, for models that have families: for each family of variables its members with their values, and one
 * for all constraints.
 */
export function resultTables({ families, rows }: Model, { values, activities, slacks }: Plan): ResultTable[] {
  if (families.variables.length + families.rows.length === 0) return [];
  const names = fileNames(families.variables);
  const ofVariables = families.variables.map((family, at) => ({
    name: `${names[at]}.csv`,
    content: csv([...family.keys, 'value'], family.size, (place) => [
      ...family.members.map((part) => part[place] ?? ''),
      values[family.from + place] ?? 0,
    ]),
  }));
  const inFamilies = new Map(families.rows.filter(({ size }) => size > 0).map((family) => [family.from, family]));
  let family: Family | undefined;
  const constraints = csv(['name', 'keys', 'activity', 'slack'], rows.length, (row) => {
    family = inFamilies.get(row) ?? (family !== undefined && row < family.from + family.size ? family : undefined);
    const place = row - (family?.from ?? 0);
    const [name, keys] =
      family === undefined
        ? [rows[row]!.name, '']
        : [family.name, family.members.map((part) => part[place]).join(', ')];
    return [name, keys, activities[row] ?? 0, slacks[row] ?? 0];
  });
  return [...ofVariables, { name: `${CONSTRAINTS}.csv`, content: constraints }];
}

/** Files are called like their variables; long names are cut, and what is there already gets a number. */
function fileNames(families: readonly Family[]): string[] {
  const taken = new Set([CONSTRAINTS]);
  return families.map(({ name }) => {
    const wanted = shortened(name, MAX_NAME).normalize('NFC');
    let free = wanted;
    for (let number = 2; taken.has(free); number += 1) free = `${wanted} ${number}`;
    taken.add(free);
    return free;
  });
}

function csv(
  titles: readonly string[],
  rows: number,
  row: (place: number) => readonly (string | number)[],
): Uint8Array {
  const lines = [titles.map(cell).join(',')];
  for (let place = 0; place < rows; place += 1) lines.push(row(place).map(cell).join(','));
  return Buffer.from(`${lines.join('\n')}\n`);
}

/** As RFC 4180 quotes it. */
const cell = (value: string | number): string =>
  typeof value === 'number' || !/[",\r\n]|^\s|\s$/.test(value) ? String(value) : `"${value.replaceAll('"', '""')}"`;
