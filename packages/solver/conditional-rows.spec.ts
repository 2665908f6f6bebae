import { beforeAll, describe, expect, it } from '@jest/globals';
import Glpk, { type GLPK } from 'glpk.js/node';
import { Dice } from '../../test/support/dice.js';
import { isBetter, optimumOf, termsOf } from '../../test/support/linear-program.js';
import { solveModel } from '../../test/support/solve-model.js';
import { relaxConditionalRows } from './conditional-rows.js';
import { type Highs, loadSolver } from './highs.js';
import { emptyModel, type Model, type Priorities, type Row, valueOf, type Variable } from './model.js';
import { sizeOf } from './model-size.js';
import { byPriority, type Outcome } from './priorities.js';
import type { Run } from './run.js';
import { UndecidedError } from './undecided-error.js';

const MODELS = 300;
const NEAR = 1e-6;

let highs: Highs;
let glpk: GLPK;
beforeAll(async () => {
  ({ highs } = await loadSolver(1024));
  glpk = await Glpk();
});

const conditionOf = (decisions: readonly (readonly [variable: number, value: 0 | 1])[]) => ({
  variables: decisions.map(([variable]) => variable),
  values: decisions.map(([, value]) => value),
  below: 0,
  above: 0,
});

/** Returns a model whose first variables are yes-or-no variables. Most of its rows are conditional. */
function randomModel(dice: Dice, isInteger: boolean): Model {
  const figure = (): number => dice.below(11) - 5;
  const decisions = 1 + dice.below(3);
  const amounts = 1 + dice.below(3);
  const variables = Array.from({ length: decisions + amounts }, (_, at): Variable => {
    const name = `x${at}`;
    if (at < decisions) return { name, isInteger: true, lower: 0, upper: 1 };
    // A bound may also follow from the last row.
    const upper = dice.percent(30) ? Infinity : 1 + dice.below(7);
    return { name, isInteger, lower: dice.percent(80) ? 0 : -2, upper };
  });
  const rows = Array.from({ length: 1 + dice.below(4) }, (_, at): Row => {
    const middle = dice.below(17) - 5;
    const kind = dice.weighted({ below: 4, above: 3, between: 1, equal: 1 });
    const chosen = Array.from({ length: decisions }, (__, place) => place).filter(() => dice.percent(50));
    return {
      name: `r${at}`,
      terms: termsOf(variables.map((__, place) => (place < decisions && dice.percent(60) ? 0 : figure()))),
      lower: kind === 'below' ? -Infinity : middle,
      upper: kind === 'above' ? Infinity : kind === 'between' ? middle + dice.below(5) : middle,
      ...(chosen.length > 0 && { when: conditionOf(chosen.map((place) => [place, dice.one([0, 1])] as const)) }),
    };
  });
  const most: Row = {
    name: 'most',
    terms: termsOf(variables.map((_, at) => (at < decisions ? 0 : 1))),
    lower: -Infinity,
    upper: 7,
  };
  return {
    ...emptyModel(),
    sense: dice.one(['minimize', 'maximize']),
    objective: termsOf(variables.map(figure)),
    variables,
    rows: [...rows, most],
  };
}

const isNear = (one: number | null | undefined, other: number | undefined): boolean =>
  other === undefined ? one === null || one === undefined : Math.abs((one ?? NaN) - other) < NEAR;

/** Whether the condition of a row is met. */
const isInForce = ({ when }: Row, values: readonly number[]): boolean =>
  when === undefined || Array.from(when.variables).every((at, place) => values[at] === when.values[place]);

/** Returns the best objective on the grid of integers, or undefined if no point of the grid is feasible. */
function bestOnGrid(model: Model): number | undefined {
  const { objective, variables, rows } = model;
  let best: number | undefined;
  const values: number[] = [];
  const visit = (at: number): void => {
    const variable = variables[at];
    if (variable !== undefined) {
      for (values[at] = variable.lower; values[at] <= Math.min(variable.upper, 15); values[at] += 1) visit(at + 1);
      return;
    }
    const fits = rows.every((row) => {
      const activity = valueOf(row.terms, values);
      return !isInForce(row, values) || (activity >= row.lower && activity <= row.upper);
    });
    const value = valueOf(objective, values);
    if (fits && isBetter(model, value, best)) best = value;
  };
  visit(0);
  return best;
}

/** Solves a model with GLPK, with a linear program for each combination of decisions. */
function bestOfDecisions(model: Model): number | undefined {
  const { variables, rows } = model;
  const decisions = variables.flatMap(({ upper, isInteger }, at) => (isInteger && upper === 1 ? [at] : []));
  let best: number | undefined;
  for (let choice = 0; choice < 2 ** decisions.length; choice += 1) {
    const values = variables.map((_, at) => Math.floor(choice / 2 ** decisions.indexOf(at)) % 2);
    const value = optimumOf(glpk, {
      ...model,
      rows: rows.filter((row) => isInForce(row, values)),
      bounds: variables.map((variable, at) =>
        decisions.includes(at) ? { lower: values[at]!, upper: values[at]! } : variable,
      ),
    });
    if (value !== undefined && isBetter(model, value, best)) best = value;
  }
  return best;
}

describe('random models with conditional rows', () => {
  it.each([
    ['integers, compared with a grid search', true],
    ['fractions, compared with a linear program for each decision', false],
  ])(`have the right optimum with ${'%s'}`, (_, isInteger) => {
    const dice = new Dice(isInteger ? 21 : 22);
    const seen = { optimal: 0, infeasible: 0 };
    for (let count = 0; count < MODELS; count += 1) {
      const model = randomModel(dice, isInteger);
      const best = isInteger ? bestOnGrid(model) : bestOfDecisions(model);
      relaxConditionalRows(model);
      const { status, objective_value, constraints } = solveModel(highs, model, 10);
      if (!isNear(objective_value, best)) expect({ count, model, status, objective_value }).toEqual(best);
      expect(constraints.every(({ slack }) => slack >= -NEAR)).toBe(true);
      seen[best === undefined ? 'infeasible' : 'optimal'] += 1;
    }
    expect(Math.min(seen.optimal, seen.infeasible)).toBeGreaterThan(MODELS / 30);
  });

  it.each(['above', 'below'] as const)('expose a relaxation of the bound %s that is too small', (side) => {
    const dice = new Dice(23);
    let different = 0;
    for (let count = 0; count < MODELS; count += 1) {
      const model = randomModel(dice, true);
      const best = bestOnGrid(model);
      relaxConditionalRows(model);
      for (const { when } of model.rows) if (when !== undefined) when[side] = Math.max(0, when[side] - 2);
      try {
        if (!isNear(solveModel(highs, model, 10).objective_value, best)) different += 1;
      } catch (error) {
        if (!(error instanceof UndecidedError)) throw error;
        different += 1;
      }
    }
    expect(different).toBeGreaterThan(MODELS / 60);
  });
});

describe('a search with inexact decisions', () => {
  const COUNT = 200_000;
  const decision: Variable = { name: 'a', isInteger: true, lower: 0, upper: 1 };
  const amount: Variable = { name: 'x', isInteger: false, lower: 0, upper: 10 };
  const model: Model = {
    ...emptyModel(),
    sense: 'maximize',
    objective: termsOf([0, 1]),
    variables: [decision, amount, ...Array.from({ length: COUNT }, () => amount)],
    rows: [{ name: 'Rule', terms: termsOf([0, 1]), lower: -Infinity, upper: 3, when: conditionOf([[0, 1]]) }],
  };
  const run = (first: number, second: number): Run => {
    const values = new Float64Array(COUNT + 2);
    values.set([first, second]);
    return { status: 'optimal', values, bound: 10, prices: undefined };
  };
  const NOTHING_FOUND: Run = { status: 'infeasible', values: undefined, bound: NaN, prices: undefined };
  const PRIORITIES: Priorities = { later: [{ ...model, priority: 2 }], stated: [] };

  it('determines the amounts again, even in a large model', () => {
    relaxConditionalRows(model);
    const search = byPriority(model);
    search.next();
    expect(search.next(run(1e-6, 3)).value).toMatchObject({ start: expect.any(Float64Array) });
    const { done, value } = search.next(run(0, 3));
    expect(done).toBe(true);
    expect((value as Outcome).run.values?.slice(0, 2)).toEqual(Float64Array.of(0, 3));
  });

  it('keeps the plan of an earlier priority if a later search finds no exact decisions', () => {
    relaxConditionalRows(model);
    const search = byPriority({ ...model, priorities: PRIORITIES });
    search.next();
    search.next(run(0, 10));
    search.next(run(1e-6, 10));
    search.next(NOTHING_FOUND);
    const { done, value } = search.next(NOTHING_FOUND);
    expect(done).toBe(true);
    expect((value as Outcome).run).toMatchObject({ status: 'undecided', unfinished: 2 });
    expect((value as Outcome).run.values?.slice(0, 2)).toEqual(Float64Array.of(0, 10));
  });
});

describe('a conditional row', () => {
  const modelOf = (...rows: Row[]): Model => ({
    ...emptyModel(),
    sense: 'maximize',
    objective: termsOf([-1, 1]),
    variables: [
      { name: 'a', isInteger: true, lower: 0, upper: 1 },
      { name: 'x', isInteger: false, lower: 0, upper: 10 },
    ],
    rows,
  });
  const rule = (lower: number, upper: number): Row => ({
    name: 'Rule',
    terms: termsOf([0, 1]),
    lower,
    upper,
    when: conditionOf([[0, 0]]),
  });

  it('counts as a single constraint with its stated terms', () => {
    const model = modelOf(rule(2, 3));
    relaxConditionalRows(model);
    expect(sizeOf(model)).toEqual({ variables: 2, integer_variables: 1, constraints: 1, terms: 2 });
  });

  it('leads to an error if the solver violates it because of its tolerances', () => {
    const model = modelOf(rule(-Infinity, 3));
    relaxConditionalRows(model);
    const broken = {
      ...highs,
      withModel: () => ({ status: 'optimal', values: Float64Array.of(1e-7, 4), bound: 4, prices: undefined }),
    };
    expect(() => solveModel(broken as unknown as Highs, model, 10)).toThrow(UndecidedError);
  });

  it.each([
    ['its limit does not matter', rule(-Infinity, 0), termsOf([0, 1]), 12, ['x <= 10', 'Must']],
    ['its limit matters', rule(-Infinity, 0), termsOf([-1, 1]), 10, ['x <= 10', 'Rule', 'Must']],
    ['its value is out of range', rule(20, 20), termsOf([-1, 0]), 0, ['x <= 10', 'Rule', 'Must']],
  ])('is in a conflict only if it contributes: %s', (_, row, terms, lower, conflict) => {
    const model = modelOf(row, { name: 'Must', terms, lower, upper: Infinity });
    relaxConditionalRows(model);
    expect(solveModel(highs, model, 10)).toMatchObject({ status: 'infeasible', conflict });
  });
});
