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

const CONSTRAINTS = 'constraints.csv';

/**
 * The plan as tables, for models that have families: for each family of variables its members with their values, and one
 * for all constraints.
 */
export function resultTables({ families, rows }: Model, { values, activities, slacks }: Plan): ResultTable[] {
  if (families.variables.length + families.rows.length === 0) return [];
  const ofVariables = families.variables.map((family) => ({
    name: fileOf(family),
    content: csv([...family.keys, 'value'], family.size, (place) => [
      ...family.members.map((part) => part[place] ?? ''),
      values[family.from + place] ?? 0,
    ]),
  }));
  const inFamilies = new Map(families.rows.map((family) => [family.from, family]));
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
  return [...ofVariables, { name: CONSTRAINTS, content: constraints }];
}

/** A variable may be called like the table of all constraints. */
const fileOf = ({ name }: Family): string => (`${name}.csv` === CONSTRAINTS ? `${name} (variable).csv` : `${name}.csv`);

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
