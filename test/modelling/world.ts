import { STAND_INS } from '../../packages/modelling/expansion/defined-variables.js';
import { Evaluator } from '../../packages/modelling/expansion/evaluator.js';
import { ONE_ROW } from '../../packages/modelling/expansion/frame.js';
import { KeyTable } from '../../packages/modelling/expansion/key-table.js';
import { ExpansionRefusal } from '../../packages/modelling/expansion/refusal.js';
import { rowsOf } from '../../packages/modelling/expansion/relations.js';
import { Space } from '../../packages/modelling/expansion/space.js';
import { type Formula, type Index, isProblem } from '../../packages/modelling/formula.js';
import { parseFormula, parseIndex } from '../../packages/modelling/parse-formula.js';
import { namesOfIndex, type Vocabulary } from '../../packages/modelling/vocabulary.js';
import type { ModelCard } from '../../packages/canvas/model/model-card.js';
import { type Model, ModelProblem } from '../../packages/solver/model.js';
import { readCanvas } from '../../packages/canvas/model/canvas-reader.js';

/** Model before its expansion. */
export interface World {
  /** Members of each set. Each member is an array of its key parts. */
  sets: Record<string, string[][]>;
  /** Cells by member, in the order of the set. An empty cell is null. */
  columns: Record<string, { set: string; cells: (number | string | null)[]; fallback?: number }>;
  values: Record<string, number>;
  variables: WorldVariable[];
  objectives: { sense: 'maximize' | 'minimize'; weight: number; expression: string }[];
  constraints: { label: string; index?: string; expression: string; penalty?: number }[];
}

export interface WorldVariable {
  name: string;
  index?: string;
  domain: 'continuous' | 'integer' | 'binary';
  lower?: number | string;
  upper?: number | string;
  free?: boolean;
}

/**
 * Expanded model with its names. The slack variables of a soft constraint are named after the constraint, followed by
 * `+` or `-`.
 */
export interface Matrix {
  variables: Map<string, { lower: number; upper: number }>;
  rows: Map<string, { lower: number; upper: number; terms: Map<string, number> }>;
  objective: Map<string, number>;
  constant: number;
}

/** Reason why a model cannot be expanded. */
export type Fault = 'missing' | 'zero' | 'figure' | 'other';

const FAULTS: [RegExp, Fault][] = [
  [/has no (?:value|member)/, 'missing'],
  [/It divides by 0/, 'zero'],
  [/is used as a number, but its member/, 'figure'],
];
const faultOf = (message: string): Fault => FAULTS.find(([pattern]) => pattern.test(message))?.[1] ?? 'other';

export function formulaOf(text: string): Formula {
  const read = parseFormula(text);
  if (isProblem(read)) throw new Error(`${text}: ${read.problem}`);
  return read;
}

export function indexOf(text: string | undefined): Index | undefined {
  if (text === undefined) return undefined;
  const read = parseIndex(text);
  if (isProblem(read)) throw new Error(`${text}: ${read.problem}`);
  return read;
}

/** Returns the vocabulary for checking a world's formulas. */
export function vocabularyOf({ sets, columns, variables, values }: World): Vocabulary {
  const indexed = variables.filter(({ index }) => index !== undefined);
  return {
    sets: new Map(Object.entries(sets).map(([name, keys]) => [name, { arity: keys[0]!.length }])),
    columns: new Map(
      Object.entries(columns).map(([name, { set, cells }]) => [
        name,
        [{ set, type: cells.some((cell) => typeof cell === 'string') ? ('text' as const) : ('number' as const) }],
      ]),
    ),
    families: new Map(indexed.map(({ name, index }) => [name, { index: indexOf(index)! }])),
    variables: new Set(variables.filter(({ index }) => index === undefined).map(({ name }) => name)),
    values: new Map(Object.entries(values)),
  };
}

/** Returns the cards for a world whose sets have single members. */
export function cardsOf(world: World): ModelCard[] {
  const card = (card_type: ModelCard['card_type'], label: string, data: object): ModelCard => ({
    id: label,
    card_type,
    label,
    data: JSON.parse(JSON.stringify(data)) as ModelCard['data'],
  });
  const sets = Object.entries(world.sets).map(([set, keys]) => {
    const members = keys.map(([member]) => member!);
    const own = Object.entries(world.columns).filter(([, column]) => column.set === set);
    const values = own.map(([name, { cells }]) => [
      name,
      Object.fromEntries(members.map((key, at) => [key, cells[at]])),
    ]);
    return card('data', set, { set, members, ...(own.length > 0 && { values: Object.fromEntries(values) as object }) });
  });
  return [
    ...(Object.keys(world.values).length > 0 ? [card('data', 'Figures', { values: world.values })] : []),
    ...sets,
    ...world.variables.map((variable) => card('variable', variable.name, variable)),
    ...world.objectives.map((objective, at) => card('objective', `Goal ${at}`, objective)),
    ...world.constraints.map(({ label, penalty, ...data }) =>
      card('constraint', label, { ...data, classification: penalty === undefined ? 'hard' : 'soft', penalty }),
    ),
  ];
}

/** Expands the cards of a world using the service. */
export function matrixOfCards(world: World): Matrix | Fault {
  try {
    return toMatrix(readCanvas(cardsOf(world)));
  } catch (error) {
    if (error instanceof ModelProblem) return faultOf(error.message);
    throw error;
  }
}

function toMatrix({ variables, rows, objective, constant }: Model): Matrix {
  const names = variables.map(({ name }) => name);
  for (const row of rows)
    for (const [at, variable] of Array.from(row.terms.variables).entries())
      if (variables[variable]!.isSlack === true)
        names[variable] = `${row.name} ${row.terms.coefficients[at]! > 0 ? '+' : '-'}`;
  const terms = (of: Model['objective']): Map<string, number> =>
    summed(Array.from(of.variables, (variable, at) => [names[variable]!, of.coefficients[at]!]));
  return {
    variables: new Map(
      variables.filter(({ isSlack }) => isSlack !== true).map(({ name, lower, upper }) => [name, { lower, upper }]),
    ),
    rows: new Map(rows.map((row) => [row.name, { lower: row.lower, upper: row.upper, terms: terms(row.terms) }])),
    objective: terms(objective),
    constant,
  };
}

function summed(terms: readonly [string, number][]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const [name, coefficient] of terms) sums.set(name, (sums.get(name) ?? 0) + coefficient);
  return sums;
}

/**
 * Expands a world directly with the service's `Evaluator`, without cards. The world can have sets of any kind. It must have a
 * single objective and no soft constraints.
 */
export function matrixOfSpace(world: World): Matrix | Fault {
  try {
    return expandSpace(world);
  } catch (error) {
    if (error instanceof ExpansionRefusal) return faultOf(error.message);
    throw error;
  }
}

function expandSpace(world: World): Matrix {
  const space = new Space();
  const names: string[] = [];
  const evaluator = new Evaluator(space, (variable) => names[variable]!, STAND_INS);
  const matrix: Matrix = { variables: new Map(), rows: new Map(), objective: new Map(), constant: 0 };
  for (const [name, keys] of Object.entries(world.sets)) {
    const parts = keys[0]!.map((_, part) => keys.map((key) => key[part]!));
    space.addSet(name, { titles: parts.map((_, part) => String(part)), keys: parts as [string[], ...string[][]] });
  }
  for (const [name, { set, cells, fallback }] of Object.entries(world.columns)) {
    if (cells.some((cell) => typeof cell === 'string'))
      space.addColumn(name, { set, type: 'text', texts: cells as (string | null)[] });
    else
      space.addColumn(name, {
        set,
        type: 'number',
        figures: Float64Array.from(cells, (cell) => (cell === null ? NaN : Number(cell))),
        ...(fallback !== undefined && { fallback }),
      });
  }
  for (const [name, value] of Object.entries(world.values)) space.values.set(name, value);
  for (const { name, index: text, domain, lower, upper, free } of world.variables) {
    const index = indexOf(text);
    const frame = evaluator.rows(index);
    const bound = (given: number | string | undefined, otherwise: number): Float64Array =>
      typeof given === 'string'
        ? evaluator.figures(formulaOf(given).sides[0], frame, 'A bound')
        : new Float64Array(frame.size).fill(given ?? otherwise);
    const [lowest, highest] = [bound(lower, free === true ? -Infinity : 0), bound(upper, Infinity)];
    const from = names.length;
    const keys = index === undefined ? [] : namesOfIndex(index);
    const columns = keys.map((key) => frame.codes.get(key)!);
    for (let row = 0; row < frame.size; row += 1) {
      const member = columns.map((column) => space.texts.text(column[row]!));
      names.push(index === undefined ? name : `${name}[${member.join(', ')}]`);
      const [low, high] = domain === 'binary' ? [Math.max(0, lowest[row]!), Math.min(1, highest[row]!)] : [];
      matrix.variables.set(names.at(-1)!, { lower: low ?? lowest[row]!, upper: high ?? highest[row]! });
    }
    if (index === undefined) space.variables.set(name, from);
    else {
      const table = new KeyTable(columns, frame.size);
      space.families.set(name, { name, names: keys, columns, size: frame.size, table, readings: [], from });
    }
  }
  for (const { expression } of world.objectives) {
    const { constant, terms } = evaluator.figureOf(formulaOf(expression).sides[0]);
    matrix.constant += constant;
    for (let at = 0; at < terms.size; at += 1)
      matrix.objective.set(names[terms.columns[at]!]!, terms.coefficients[at]!);
  }
  for (const { label, index: text, expression } of world.constraints) {
    const index = indexOf(text);
    const frame = index === undefined ? ONE_ROW : evaluator.rows(index);
    const all = rowsOf(evaluator, formulaOf(expression), frame);
    for (const [part, { terms, starts, lower, upper }] of all.entries()) {
      const numbered = all.length > 1 ? `${label} (${part + 1})` : label;
      for (let row = 0; row < frame.size; row += 1) {
        const member = index === undefined ? [] : namesOfIndex(index).map((key) => frame.codes.get(key)![row]!);
        const name =
          index === undefined ? numbered : `${numbered}[${member.map((code) => space.texts.text(code)).join(', ')}]`;
        const own = new Map<string, number>();
        for (let at = starts[row]!; at < starts[row + 1]!; at += 1)
          own.set(names[terms.columns[at]!]!, terms.coefficients[at]!);
        matrix.rows.set(name, { lower: lower[row]!, upper: upper[row]!, terms: own });
      }
    }
  }
  return matrix;
}
