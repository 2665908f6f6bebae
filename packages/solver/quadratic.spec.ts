import { beforeAll, describe, expect, it } from '@jest/globals';
import { Dice } from '../../test/support/dice.js';
import { termsOf } from '../../test/support/linear-program.js';
import { solveModel } from '../../test/support/solve-model.js';
import { checkDefinitions } from './definitions.js';
import { type Highs, loadSolver } from './highs.js';
import { emptyModel, type Model, type Row, valueOf, type Variable } from './model.js';
import { checkQuadratic } from './quadratic.js';

const MODELS = 300;
const NEAR = 1e-6;

let highs: Highs;
beforeAll(async () => {
  ({ highs } = await loadSolver(1024));
});

/** Objective `gradient * x + x * matrix * x / 2` over variables within bounds and rows. */
interface Program {
  gradient: number[];
  matrix: number[][];
  upper: number[];
  /** Relations `coefficients * x <= limit`. */
  rows: { coefficients: number[]; limit: number }[];
}

function randomProgram(dice: Dice): Program {
  const size = 2 + dice.below(2);
  const figures = (): number[] => Array.from({ length: size }, () => dice.below(9) - 4);
  // A sum of squares never curves downward.
  const factors = Array.from({ length: size }, figures);
  const matrix = Array.from({ length: size }, (_, row) =>
    Array.from(
      { length: size },
      (__, column) =>
        factors.reduce((sum, factor) => sum + factor[row]! * factor[column]!, 0) + (row === column ? 1 : 0),
    ),
  );
  const rows = Array.from({ length: 1 + dice.below(2) }, () => ({ coefficients: figures(), limit: dice.below(9) - 3 }));
  return { gradient: figures(), matrix, upper: figures().map((one) => one + 5), rows };
}

function toModel({ gradient, matrix, upper, rows }: Program, sense: Model['sense']): Model {
  const variables = upper.map((bound, at): Variable => ({
    name: `x${at}`,
    isInteger: false,
    lower: 0,
    upper: bound,
  }));
  const sign = sense === 'minimize' ? 1 : -1;
  const coefficients = gradient.map((one) => sign * one);
  for (const [row, values] of matrix.entries())
    for (let column = 0; column <= row; column += 1) {
      variables.push({
        name: '',
        isInteger: false,
        lower: -Infinity,
        upper: Infinity,
        definition: {
          kind: 'quadratic',
          of: [row, column],
          place: 'Goal',
          limits: { above: false, below: false },
        },
      });
      coefficients.push((sign * values[column]!) / (row === column ? 2 : 1));
    }
  return {
    ...emptyModel(),
    sense,
    objective: termsOf(coefficients),
    variables,
    rows: rows.map((row, at): Row => ({
      name: `r${at}`,
      terms: termsOf(row.coefficients),
      lower: -Infinity,
      upper: row.limit,
    })),
  };
}

/** Solves a system of linear equations, or returns undefined if it has no unique solution. */
function solved(matrix: number[][], right: number[]): number[] | undefined {
  const rows = matrix.map((row, at) => [...row, right[at]!]);
  for (let at = 0; at < rows.length; at += 1) {
    const pivot = rows.slice(at).reduce((best, row, place) => {
      return Math.abs(row[at]!) > Math.abs(rows[best]![at]!) ? at + place : best;
    }, at);
    [rows[at], rows[pivot]] = [rows[pivot]!, rows[at]!];
    if (Math.abs(rows[at]![at]!) < 1e-9) return undefined;
    for (const [other, row] of rows.entries()) {
      if (other === at) continue;
      const factor = row[at]! / rows[at]![at]!;
      for (let column = at; column < row.length; column += 1) row[column]! -= factor * rows[at]![column]!;
    }
  }
  return rows.map((row, at) => row.at(-1)! / row[at]!);
}

/** Returns the least objective over all sets of relations that may hold exactly at the optimum. */
function bestOf({ gradient, matrix, upper, rows }: Program): number | undefined {
  const size = gradient.length;
  const unit = (at: number, value: number): number[] =>
    Array.from({ length: size }, (_, place) => (place === at ? value : 0));
  const relations = [
    ...rows,
    ...upper.map((bound, at) => ({ coefficients: unit(at, 1), limit: bound })),
    ...upper.map((_, at) => ({ coefficients: unit(at, -1), limit: 0 })),
  ];
  let best: number | undefined;
  for (let choice = 0; choice < 2 ** relations.length; choice += 1) {
    const active = relations.filter((_, at) => Math.floor(choice / 2 ** at) % 2 === 1);
    if (active.length > size) continue;
    const system = [
      ...matrix.map((row, at) => [...row, ...active.map(({ coefficients }) => coefficients[at]!)]),
      ...active.map(({ coefficients }) => [...coefficients, ...active.map(() => 0)]),
    ];
    const point = solved(system, [...gradient.map((one) => -one), ...active.map(({ limit }) => limit)])?.slice(0, size);
    if (point === undefined) continue;
    const isFeasible = relations.every(
      ({ coefficients, limit }) => valueOf(termsOf(coefficients), point) <= limit + 1e-9,
    );
    const value = point.reduce(
      (sum, one, row) => sum + one * (gradient[row]! + valueOf(termsOf(matrix[row]!), point) / 2),
      0,
    );
    if (isFeasible && (best === undefined || value < best)) best = value;
  }
  return best;
}

describe('random models with products of variables in the objective', () => {
  it.each(['minimize', 'maximize'] as const)('have the right optimum: %s', (sense) => {
    const dice = new Dice(sense === 'minimize' ? 51 : 52);
    const seen = { optimal: 0, infeasible: 0 };
    for (let count = 0; count < MODELS / 2; count += 1) {
      const program = randomProgram(dice);
      const best = bestOf(program);
      const model = toModel(program, sense);
      checkDefinitions(model);
      checkQuadratic(model);
      const { status, objective_value } = solveModel(highs, model, 10);
      const expected = best === undefined ? null : sense === 'minimize' ? best : -best;
      const isNear =
        expected === null
          ? objective_value === null
          : Math.abs((objective_value ?? NaN) - expected) < NEAR * Math.max(1, Math.abs(expected));
      if (!isNear) expect({ count, program, status, objective_value }).toEqual(expected);
      seen[best === undefined ? 'infeasible' : 'optimal'] += 1;
    }
    expect(Math.min(seen.optimal, seen.infeasible)).toBeGreaterThan(MODELS / 60);
  });

  it('are rejected if they curve the wrong way', () => {
    const dice = new Dice(53);
    let rejected = 0;
    for (let count = 0; count < MODELS / 3; count += 1) {
      const program = randomProgram(dice);
      // This makes the squares too small for some of the products.
      for (const [at, row] of program.matrix.entries()) row[at]! -= 3;
      const isConvex = isPositive(program.matrix);
      const check = () => checkQuadratic(toModel(program, 'minimize'));
      if (isConvex) expect(check).not.toThrow();
      else expect(check).toThrow('never curves downward');
      if (!isConvex) rejected += 1;
    }
    expect(rejected).toBeGreaterThan(MODELS / 30);
    expect(rejected).toBeLessThan(MODELS / 3);
  });
});

/** Whether all principal minors of a symmetric matrix are at least 0. */
function isPositive(matrix: number[][]): boolean {
  const size = matrix.length;
  for (let choice = 1; choice < 2 ** size; choice += 1) {
    const places = matrix.flatMap((_, at) => (Math.floor(choice / 2 ** at) % 2 === 1 ? [at] : []));
    if (determinant(places.map((row) => places.map((column) => matrix[row]![column]!))) < -1e-9) return false;
  }
  return true;
}

function determinant([first, ...rest]: number[][]): number {
  if (first === undefined) return 1;
  return first.reduce(
    (sum, value, column) =>
      sum + (column % 2 === 0 ? 1 : -1) * value * determinant(rest.map((row) => row.toSpliced(column, 1))),
    0,
  );
}
