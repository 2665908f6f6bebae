import { beforeAll, describe, expect, it } from '@jest/globals';
import { Dice } from '../../test/support/dice.js';
import { solveModel } from '../../test/support/solve-model.js';
import { type Highs, loadSolver } from './highs.js';
import { type Goal, type Model, type StatedObjective, valueOf, type Variable } from './model.js';
import { byPriority } from './priorities.js';
import type { Run } from './run.js';
import { toPlanResult } from './solve-result.js';

const MODELS = 300;

let highs: Highs;
beforeAll(async () => {
  ({ highs } = await loadSolver(1024));
});

interface Wanted {
  sense: Goal['sense'];
  coefficients: readonly number[];
  tolerance?: number;
  toleranceShare?: number;
}
type RowText = readonly [coefficients: readonly number[], lower: number, upper: number];

const termsOf = (coefficients: readonly number[]) => ({ variables: coefficients.map((_, at) => at), coefficients });

/** Returns a model whose objectives have the priorities 1, 2, ... */
function modelOf(variables: Variable[], wanted: readonly Wanted[], ...rows: readonly RowText[]): Model {
  const goals = wanted.map(({ sense, coefficients }) => ({ sense, objective: termsOf(coefficients), constant: 0 }));
  const stated = wanted.map(({ sense, coefficients, tolerance = 0, toleranceShare = 0 }, at): StatedObjective => {
    const figure = { constant: 0, terms: termsOf(coefficients) };
    return { label: `o${at + 1}`, sense, priority: at + 1, weight: 1, figure, tolerance, toleranceShare };
  });
  const [first, ...later] = goals;
  return {
    ...first!,
    priorities: { later: later.map((goal, at) => ({ ...goal, priority: at + 2 })), stated },
    variables,
    rows: rows.map(([coefficients, lower, upper], at) => ({
      name: `r${at}`,
      terms: termsOf(coefficients),
      lower,
      upper,
    })),
    families: { variables: [], rows: [] },
    kpis: [],
  };
}
const variable = (name: string, upper = Infinity, isInteger = false): Variable => ({
  name,
  isInteger,
  lower: 0,
  upper,
});
const solve = (model: Model) => solveModel(highs, model, 10);

/** Service of a shop: as much of x and y as possible, then as cheap as possible. */
const shop = (more: Partial<Wanted> = {}, isInteger = false) =>
  modelOf(
    [variable('x', 10, isInteger), variable('y', 10, isInteger)],
    [
      { sense: 'maximize', coefficients: [1, 1], ...more },
      { sense: 'minimize', coefficients: [3, 1] },
    ],
    [[1, 1], 0, 12],
  );

describe('objectives with priorities', () => {
  it.each<[string, Model, Record<string, number>, number[]]>([
    ['keep the best value of the first objective', shop(), { x: 2, y: 10 }, [12, 16]],
    ['can worsen the first objective by an amount', shop({ tolerance: 1 }), { x: 1, y: 10 }, [11, 13]],
    ['can worsen the first objective by a share', shop({ toleranceShare: 0.25 }), { x: 0, y: 9 }, [9, 9]],
    ['can leave part of a tolerance unused', shop({ tolerance: 1.5 }, true), { x: 1, y: 10 }, [11, 13]],
  ])('%s', (_, model, variables, values) => {
    const result = solve(model);
    expect(result).toMatchObject({
      status: 'optimal',
      message: null,
      objective_value: values[0],
      bound: 12,
      variables,
    });
    expect(result.objectives).toEqual([
      { label: 'o1', sense: 'maximize', value: values[0], priority: 1 },
      { label: 'o2', sense: 'minimize', value: values[1], priority: 2 },
    ]);
  });

  it('have no shadow prices, and a note explains why', () => {
    const result = solve(shop());
    expect(result.notes).toEqual([
      'There are no shadow prices or reduced costs, because the objectives have priorities and no price covers all of them.',
    ]);
    expect(result).not.toHaveProperty('reduced_costs');
    expect(solve(shop({}, true))).not.toHaveProperty('notes');
  });

  it('have shadow prices if all of them have the same priority', () => {
    const model = modelOf(
      [variable('x', 10), variable('y', 10)],
      [{ sense: 'maximize', coefficients: [2, 1] }],
      [[1, 1], 0, 12],
    );
    const result = solve(model);
    expect(result).toMatchObject({
      status: 'optimal',
      message: null,
      objective_value: 22,
      bound: 22,
      reduced_costs: { x: 1, y: 0 },
      constraints: [{ name: 'r0', slack: 0, dual: 1 }],
      objectives: [{ label: 'o1', sense: 'maximize', value: 22, priority: 1 }],
    });
    expect(result).not.toHaveProperty('notes');
  });

  it('lead to an explanation if a later objective is unbounded or no plan exists', () => {
    const unbounded = modelOf(
      [variable('x', 4), variable('y')],
      [
        { sense: 'maximize', coefficients: [1, 0] },
        { sense: 'maximize', coefficients: [0, 1] },
      ],
    );
    expect(solve(unbounded)).toMatchObject({
      status: 'unbounded',
      message: 'Priority 2: The objective can become as large as you like: y can grow without limit',
    });
    const never = modelOf([variable('x', 4)], [{ sense: 'maximize', coefficients: [1] }], [[1], 5, Infinity]);
    expect(solve(never)).toMatchObject({ status: 'infeasible', conflict: ['x <= 4', 'r0'] });
  });

  it('keep the plan for the first objective if time runs out before a better plan for the second is found', () => {
    const stages = byPriority(shop());
    stages.next();
    const first: Run = { status: 'optimal', values: Float64Array.of(10, 2), bound: 12, prices: undefined };
    expect(stages.next(first)).toMatchObject({ done: false, value: { priority: 2, start: first.values } });
    const last = stages.next({ status: 'time_limit', values: undefined, bound: NaN, prices: undefined });
    if (last.done !== true) throw new Error('There is another stage');
    expect(toPlanResult(shop(), last.value.run, 'in 5 s')).toMatchObject({
      status: 'time_limit',
      objective_value: 12,
      bound: 12,
      gap: 0,
      message: 'The best values found in 5 s: the search for the best value of priority 2 was not finished',
      objectives: [{ value: 12 }, { value: 32 }],
    });
  });

  it.each(['infeasible', 'stopped', 'undecided'] as const)(
    'keep the plan for the first objective without blaming the time limit if the search for the second ends as %s',
    (status) => {
      const stages = byPriority(shop());
      stages.next();
      stages.next({ status: 'optimal', values: Float64Array.of(10, 2), bound: 12, prices: undefined });
      const last = stages.next({ status, values: undefined, bound: NaN, prices: undefined });
      if (last.done !== true) throw new Error('There is another stage');
      expect(toPlanResult(shop(), last.value.run, 'in 5 s')).toMatchObject({
        status: 'time_limit',
        message: 'The search for the best value of priority 2 was not finished',
        objectives: [{ value: 12 }, { value: 32 }],
      });
    },
  );

  it('add rows that are named after their priorities', () => {
    const model = shop();
    const [first, ...stated] = model.priorities!.stated;
    const stages = byPriority({
      ...model,
      priorities: { ...model.priorities!, stated: [{ ...first!, priority: 3 }, ...stated] },
    });
    stages.next();
    const next = stages.next({ status: 'optimal', values: Float64Array.of(10, 2), bound: 12, prices: undefined });
    if (next.done === true) throw new Error('There is no other stage');
    expect(next.value.model.rows.map(({ name }) => name)).toEqual(['r0', 'priority 3']);
  });

  it('keep an earlier plan that is better than the best plan of an interrupted search', () => {
    const stages = byPriority(shop());
    stages.next();
    stages.next({ status: 'optimal', values: Float64Array.of(3, 9), bound: 12, prices: undefined });
    const last = stages.next({ status: 'time_limit', values: Float64Array.of(9, 3), bound: 0, prices: undefined });
    expect(last).toMatchObject({ done: true, value: { run: { values: Float64Array.of(3, 9), unfinished: 2 } } });
  });
});

/** Returns the best plans on the grid for one objective after the other. */
function bestOnGrid({ sense, objective, priorities, variables, rows }: Model): number[] | undefined {
  const points: number[][] = [];
  const values: number[] = [];
  const visit = (at: number): void => {
    const { upper = -1 } = variables[at] ?? {};
    if (at === variables.length) {
      const fits = rows.every(({ terms, lower, upper: most }) => {
        const activity = valueOf(terms, values);
        return activity >= lower && activity <= most;
      });
      if (fits) points.push([...values]);
      return;
    }
    for (let value = 0; value <= upper; value += 1) {
      values[at] = value;
      visit(at + 1);
    }
  };
  visit(0);
  if (points.length === 0) return undefined;
  const goals = [{ sense, objective }, ...priorities!.later];
  const results: number[] = [];
  let left = points;
  for (const [at, goal] of goals.entries()) {
    const sign = goal.sense === 'maximize' ? 1 : -1;
    const best = Math.max(...left.map((point) => sign * valueOf(goal.objective, point)));
    const { tolerance, toleranceShare } = priorities!.stated[at]!;
    const least = best - tolerance - toleranceShare * Math.abs(best);
    left = left.filter((point) => sign * valueOf(goal.objective, point) >= least - 1e-9);
    results.push(sign * best);
  }
  return results;
}

it(`finds the right optima of prioritized objectives in ${MODELS} random models`, () => {
  const dice = new Dice(21);
  let solved = 0;
  for (let count = 0; count < MODELS; count += 1) {
    const figure = (): number => dice.below(11) - 5;
    const variables = Array.from({ length: 2 + dice.below(3) }, (_, at) => variable(`x${at}`, 1 + dice.below(6), true));
    const wanted = Array.from({ length: 2 + dice.below(2) }, () => ({
      sense: dice.one(['minimize', 'maximize'] as const),
      coefficients: variables.map(figure),
      ...(dice.percent(30) && { tolerance: dice.below(6) }),
      ...(dice.percent(20) && { toleranceShare: dice.below(5) / 10 }),
    }));
    const rows = Array.from({ length: 1 + dice.below(3) }, (): RowText => {
      const middle = dice.below(15) - 4;
      return dice.percent(60)
        ? [variables.map(figure), -Infinity, middle]
        : [variables.map(figure), middle - 4, middle + 4];
    });
    const model = modelOf(variables, wanted, ...rows);
    const { status, objectives } = solve(model);
    const best = bestOnGrid(model);
    if (best === undefined) expect(status).toBe('infeasible');
    else {
      // Plans with the same value of the last objective may differ in earlier ones, within their tolerances.
      const values = objectives?.map(({ value }) => value) ?? [];
      expect({ count, status, last: values.at(-1) }).toEqual({ count, status: 'optimal', last: best.at(-1)! + 0 });
      for (const [at, value] of values.entries()) {
        const { tolerance, toleranceShare } = model.priorities!.stated[at]!;
        expect(Math.abs(value - best[at]!)).toBeLessThanOrEqual(
          tolerance + toleranceShare * Math.abs(best[at]!) + 1e-6,
        );
      }
      solved += 1;
    }
  }
  expect(solved).toBeGreaterThan(MODELS / 3);
});
