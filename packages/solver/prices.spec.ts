import { beforeAll, expect, it } from '@jest/globals';
import Glpk, { type GLPK } from 'glpk.js/node';
import { Dice } from '../../test/support/dice.js';
import type { Model, Row, Variable } from './model.js';
import { type Highs, loadSolver } from './highs.js';
import type { Plan } from './plan.js';
import { solveModel } from '../../test/support/solve-model.js';

/*
 * A price is the change in the objective per unit change of a row's bound (dual) or of a variable (reduced cost). This
 * definition applies to both maximization and minimization.
 */

const MODELS = 300;
const COMPARED = 20;
const NEAR = 1e-6;

let highs: Highs;
let glpk: GLPK;

beforeAll(async () => {
  ({ highs } = await loadSolver(1024));
  glpk = await Glpk();
});

/** Returns a feasible linear program with random coefficients, so that its prices are unique. */
function randomProgram(dice: Dice): Model {
  const figure = (): number => Math.round((dice.next() * 20 - 10) * 1e6) / 1e6;
  const inside: number[] = [];
  const variables = Array.from({ length: 2 + dice.below(8) }, (_, at): Variable => {
    const value = figure();
    inside.push(value);
    const lower = dice.percent(20) ? -Infinity : value - dice.next() * 9;
    const upper = dice.percent(25) ? Infinity : value + dice.next() * 9;
    return { name: `x${at}`, isInteger: false, lower, upper };
  });
  const rows = Array.from({ length: 1 + dice.below(6) }, (_, at): Row => {
    const used = variables.map((__, place) => place).filter(() => dice.percent(70));
    const coefficients = used.map(figure);
    const value = used.reduce((sum, place, nth) => sum + coefficients[nth]! * inside[place]!, 0);
    const kind = dice.weighted({ below: 4, above: 4, between: 1, equal: 1 });
    const lower = kind === 'below' ? -Infinity : kind === 'equal' ? value : value - dice.next() * 5;
    const upper = kind === 'above' ? Infinity : kind === 'equal' ? value : value + dice.next() * 5;
    return { name: `r${at}`, terms: { variables: used, coefficients }, lower, upper };
  });
  return {
    sense: dice.one(['minimize', 'maximize']),
    objective: { variables: variables.map((_, at) => at), coefficients: variables.map(figure) },
    constant: figure(),
    variables,
    rows,
    families: { variables: [], rows: [] },
    kpis: [],
  };
}

/** Returns random programs that have an optimal plan, with their plans. */
function optima(seed: number, count: number) {
  const dice = new Dice(seed);
  const found: { model: Model; plan: Required<Plan>; objective: number }[] = [];
  while (found.length < count) {
    const model = randomProgram(dice);
    const { status, plan, objective_value } = solveModel(highs, model, 10);
    if (status === 'unbounded') continue;
    expect(status).toBe('optimal');
    expect(plan?.duals).toBeDefined();
    found.push({ model, plan: plan as Required<Plan>, objective: objective_value! });
  }
  return found;
}

const near = (one: number, other: number): boolean => Math.abs(one - other) <= NEAR * Math.max(1, Math.abs(one));

/** Returns whether the sign of a price matches the binding bound. Relaxing a bound never makes the objective worse. */
function fits(price: number, value: number, { lower, upper }: { lower: number; upper: number }, sign: number): boolean {
  if (Math.abs(price) <= NEAR) return true;
  if (lower === upper) return near(value, lower);
  return price * sign > 0 ? near(value, lower) : near(value, upper);
}

it(`returns prices that satisfy the optimality conditions in ${MODELS} programs`, () => {
  for (const { model, plan, objective } of optima(1, MODELS)) {
    const { variables, rows, sense, constant } = model;
    const { values, activities, duals, reducedCosts } = plan;
    const sign = sense === 'minimize' ? 1 : -1;
    // Stationarity: a variable's reduced cost is its objective coefficient minus the price of the resources it uses.
    const left = Float64Array.from(model.objective.coefficients);
    for (const [row, { terms }] of rows.entries())
      for (let at = 0; at < terms.variables.length; at += 1)
        left[terms.variables[at]!]! -= duals[row]! * terms.coefficients[at]!;
    for (const [at] of variables.entries()) expect(near(left[at]!, reducedCosts[at]!)).toBe(true);
    // Complementary slackness: a bound with a price is binding, on the side that the sign indicates.
    for (const [at, variable] of variables.entries())
      expect(fits(reducedCosts[at]!, values[at]!, variable, sign)).toBe(true);
    for (const [at, row] of rows.entries()) expect(fits(duals[at]!, activities[at]!, row, sign)).toBe(true);
    // Strong duality: the total value of the used resources at their prices equals the objective.
    const worth =
      duals.reduce((sum, dual, at) => sum + dual * activities[at]!, constant) +
      reducedCosts.reduce((sum, cost, at) => sum + cost * values[at]!, 0);
    expect(near(worth, objective)).toBe(true);
  }
});

it('returns prices that predict how the objective changes when a bound changes', () => {
  const step = 1e-4;
  for (const { model, plan, objective } of optima(2, 40)) {
    for (const [at, { lower, upper }] of model.rows.entries()) {
      const dual = plan.duals[at]!;
      if (Math.abs(dual) <= NEAR) continue;
      const moved = model.rows.map((row, other) =>
        other === at ? { ...row, lower: lower + step, upper: upper + step } : row,
      );
      const { objective_value } = solveModel(highs, { ...model, rows: moved }, 10);
      expect(Math.abs((objective_value! - objective) / step - dual)).toBeLessThan(1e-3 * Math.max(1, Math.abs(dual)));
    }
  }
});

it(`returns the same prices as GLPK in ${COMPARED} programs`, () => {
  let compared = 0;
  for (const { model, plan, objective } of optima(3, COMPARED)) {
    const { result } = byGlpk(model);
    expect(near(result.z + model.constant, objective)).toBe(true);
    for (const [at, { name }] of model.rows.entries()) {
      expect(near(result.dual?.[name] ?? NaN, plan.duals[at]!)).toBe(true);
      compared += 1;
    }
  }
  expect(compared).toBeGreaterThan(COMPARED);
});

it('does not return prices for a model with integer variables', () => {
  const model = optima(4, 1)[0]!.model;
  const [first, ...others] = model.variables;
  const whole = { ...model, variables: [{ ...first!, isInteger: true, lower: 0, upper: 0 }, ...others] };
  const rows = [{ name: 'all', terms: { variables: [0], coefficients: [1] }, lower: -Infinity, upper: 1 }];
  const { plan, reduced_costs, constraints } = solveModel(highs, { ...whole, rows }, 10);
  expect(plan?.duals).toBeUndefined();
  expect(reduced_costs).toBeUndefined();
  expect(constraints).toEqual([{ name: 'all', activity: 0, slack: 1 }]);
});

function byGlpk({ sense, objective, variables, rows }: Model) {
  const bounds = (lower: number, upper: number) => {
    const [isBelow, isAbove] = [lower === -Infinity, upper === Infinity];
    const type =
      lower === upper
        ? glpk.GLP_FX
        : isBelow && isAbove
          ? glpk.GLP_FR
          : isBelow
            ? glpk.GLP_UP
            : isAbove
              ? glpk.GLP_LO
              : glpk.GLP_DB;
    return { type, lb: isBelow ? 0 : lower, ub: isAbove ? 0 : upper };
  };
  return glpk.solve(
    {
      name: 'program',
      objective: {
        direction: sense === 'minimize' ? glpk.GLP_MIN : glpk.GLP_MAX,
        name: 'objective',
        vars: variables.map(({ name }, at) => ({ name, coef: objective.coefficients[at]! })),
      },
      subjectTo: rows.map(({ name, terms, lower, upper }) => ({
        name,
        vars: Array.from(terms.variables, (variable, at) => ({
          name: variables[variable]!.name,
          coef: terms.coefficients[at]!,
        })),
        bnds: bounds(lower, upper),
      })),
      bounds: variables.map(({ name, lower, upper }) => ({ name, ...bounds(lower, upper) })),
    },
    { msglev: glpk.GLP_MSG_OFF, presol: false },
  );
}
