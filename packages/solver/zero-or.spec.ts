import { beforeAll, describe, expect, it } from '@jest/globals';
import Glpk, { type GLPK } from 'glpk.js/node';
import { Dice } from '../../test/support/dice.js';
import { solveModel } from '../../test/support/solve-model.js';
import { type Highs, loadSolver, toArrays } from './highs.js';
import { type Model, ModelProblem, MODEL_LIMITS, valueOf, type Variable } from './model.js';
import { checkSize, sizeOf } from './model-size.js';
import { runOnce } from './run.js';
import { UndecidedError } from './undecided-error.js';

/* A variable with `zeroOr` is 0 or in a range, such as a lot of at least 20. */

const MODELS = 300;
const NEAR = 1e-6;

let highs: Highs;
let glpk: GLPK;
beforeAll(async () => {
  ({ highs } = await loadSolver(1024));
  glpk = await Glpk();
});

const lot = (name: string, lower: number, upper: number, more: Partial<Variable> = {}): Variable => ({
  name,
  isInteger: false,
  lower: 0,
  upper: Infinity,
  zeroOr: { lower, upper },
  ...more,
});
const plain = (name: string, upper = Infinity): Variable => ({ name, isInteger: false, lower: 0, upper });
type RowText = readonly [name: string, coefficients: readonly number[], lower: number, upper: number];
const modelOf = (
  sense: Model['sense'],
  costs: readonly number[],
  variables: Variable[],
  ...rows: readonly RowText[]
): Model => ({
  sense,
  objective: { variables: costs.map((_, at) => at), coefficients: costs },
  constant: 0,
  variables,
  rows: rows.map(([name, coefficients, lower, upper]) => ({
    name,
    terms: { variables: coefficients.map((_, at) => at), coefficients },
    lower,
    upper,
  })),
  families: { variables: [], rows: [] },
  kpis: [],
});
const solve = (model: Model) => solveModel(highs, model, 10);

describe('a variable that is 0 or in a range', () => {
  it.each<[string, Model, Record<string, number>]>([
    // Each lot of x costs less than y, but only lots of at least 20 are sold.
    [
      'is 0 if its smallest amount is too much',
      modelOf(
        'minimize',
        [1, 3],
        [lot('x', 20, 200), plain('y')],
        ['Need', [1, 1], 5, Infinity],
        ['Store', [1, 1], 0, 10],
      ),
      { x: 0, y: 5 },
    ],
    [
      'is at its smallest amount if less is needed',
      modelOf('minimize', [1, 9], [lot('x', 20, 200), plain('y')], ['Need', [1, 1], 5, Infinity]),
      { x: 20, y: 0 },
    ],
    [
      'is at its largest amount',
      modelOf('maximize', [2, 1], [lot('x', 20, 200), plain('y')], ['Hours', [1, 1], 0, 300]),
      { x: 200, y: 100 },
    ],
    ['respects a tighter upper bound', modelOf('maximize', [1], [lot('x', 20, 200, { upper: 50 })]), { x: 50 }],
    [
      'is 0 below an upper bound that excludes its range',
      modelOf('maximize', [1], [lot('x', 20, 200, { upper: 5 })]),
      { x: 0 },
    ],
    [
      'is in its range above a positive lower bound',
      modelOf('minimize', [1], [lot('x', 20, 200, { lower: 3 })]),
      { x: 20 },
    ],
    ['can have a single amount', modelOf('maximize', [1], [lot('x', 20, 20)], ['Hours', [2], 0, 90]), { x: 20 }],
    [
      'can be an integer',
      modelOf('maximize', [1], [lot('x', 2.5, 7.5, { isInteger: true })], ['Hours', [2], 0, 9]),
      { x: 4 },
    ],
  ])('%s', (_, model, variables) => {
    expect(solve(model)).toMatchObject({ status: 'optimal', variables });
  });

  it('has no shadow prices, and a note explains why', () => {
    const model = modelOf('maximize', [2], [lot('x', 20, 200)], ['Hours', [1], 0, 100]);
    const result = solve(model);
    expect(result).toMatchObject({
      status: 'optimal',
      message: null,
      gap: 0,
      constraints: [{ name: 'Hours', slack: 0 }],
    });
    expect(result.notes).toEqual([
      'There are no shadow prices or reduced costs, because some variables are 0 or in a range, which is a yes-or-no decision.',
    ]);
    expect(result).not.toHaveProperty('reduced_costs');
    expect(result.constraints[0]).not.toHaveProperty('dual');
    const whole = modelOf('maximize', [2], [lot('x', 20, 200, { isInteger: true })], ['Hours', [1], 0, 100]);
    expect(solve(whole)).not.toHaveProperty('notes');
  });

  it('appears in conflicts without its helper, which the model size counts separately', () => {
    const model = modelOf(
      'maximize',
      [1, 1],
      [lot('x', 20, 200), plain('y')],
      ['Low', [1, 0], 3, Infinity],
      ['High', [1, 0], -Infinity, 15],
      ['Other', [0, 1], 0, 4],
    );
    const { status, conflict } = solve(model);
    expect({ status, conflict }).toEqual({ status: 'infeasible', conflict: ['x is 0 or 20 to 200', 'Low', 'High'] });
    expect(sizeOf(model)).toEqual({ variables: 2, integer_variables: 0, constraints: 3, terms: 6, helpers: 1 });
    expect(sizeOf(modelOf('maximize', [1], [plain('y', 3)]))).not.toHaveProperty('helpers');
  });

  it('does not hide the name of another variable that is unbounded', () => {
    const model = modelOf('maximize', [1, 1], [lot('x', 20, 200), plain('y')]);
    expect(solve(model)).toMatchObject({
      status: 'unbounded',
      message: expect.stringContaining(': y can grow without'),
    });
  });

  it('counts towards the model limits together with its helper', () => {
    const variables = Array.from({ length: MODEL_LIMITS.variables / 2 + 1 }, () => lot('x', 1, 2));
    expect(() => checkSize(modelOf('maximize', [1], variables))).toThrow(ModelProblem);
    expect(() => checkSize(modelOf('maximize', [1], variables.slice(1)))).not.toThrow();
  });

  it('has a plan in a badly scaled model that the solver cannot solve with a smaller integer tolerance', () => {
    const whole = { isInteger: true };
    const model = modelOf(
      'maximize',
      [-5, -7, 7, -5, -7, 1, -1.239],
      [
        lot('a', 3419, 2e5, whole),
        { ...plain('b', 2e6), ...whole },
        lot('c', 56_584, 138_612),
        { ...plain('d', 2e6), ...whole },
        lot('e', 8, 2e5),
        lot('f', 48, 2e5),
        lot('g', 28, 2e5, whole),
      ],
      ['Hours', [-1906, 6.145, 1734, 6, 0, 0, -0.187], -Infinity, 97],
    );
    const { status, objective_value } = solve(model);
    // Each unit of a makes room for 1906 / 1734 units of c.
    expect({ status, objective_value }).toMatchObject({
      status: 'optimal',
      objective_value: expect.closeTo(539_765.79873, 4),
    });
  });

  it('is exactly 0 or in its range, even if the range is wide', () => {
    // Only an amount of 1 is possible between the rows, which is neither 0 nor at least 20.
    const model = modelOf(
      'maximize',
      [1, 1, -1],
      [lot('x', 20, 1e6), plain('y', 9), plain('z', 9)],
      ['Low', [1, 1, -1], 1, Infinity],
      ['High', [1, 1, 1], -Infinity, 1],
    );
    const { variables, objective_value } = solve(model);
    expect({ variables, objective_value }).toEqual({ variables: { x: 0, y: 1, z: 0 }, objective_value: 1 });
    const between = modelOf('maximize', [1, 0], [lot('x', 20, 1e6), plain('y', 1)], ['Near', [1, -1], 0, 0]);
    expect(solve(between)).toMatchObject({ status: 'optimal', variables: { x: 0, y: 0 } });
  });
});

/** Returns a model with integer coefficients. Its variables are integers between -2 and 9, most of them 0 or in a range. */
function randomModel(dice: Dice, isInteger: boolean): Model {
  const figure = (): number => dice.below(11) - 5;
  const variables = Array.from({ length: 2 + dice.below(3) }, (_, at): Variable => {
    const lower = 1 + dice.below(4);
    const bounds = {
      name: `x${at}`,
      isInteger,
      lower: dice.weighted({ zero: 8, below: 1, above: 1 }) === 'zero' ? 0 : dice.one([-2, 1]),
      upper: dice.percent(70) ? 9 : 1 + dice.below(6),
    };
    return dice.percent(75) ? { ...bounds, zeroOr: { lower, upper: lower + dice.below(6) } } : bounds;
  });
  const rows = Array.from({ length: 1 + dice.below(4) }, (_, at): RowText => {
    const middle = dice.below(21) - 6;
    const kind = dice.weighted({ below: 4, above: 3, between: 1, equal: 1 });
    const lower = kind === 'below' ? -Infinity : middle;
    const upper = kind === 'above' ? Infinity : kind === 'between' ? middle + dice.below(5) : middle;
    return [`r${at}`, variables.map(figure), lower, upper];
  });
  return modelOf(dice.one(['minimize', 'maximize']), variables.map(figure), variables, ...rows);
}

const isAllowed = ({ lower, upper, zeroOr }: Variable, value: number): boolean =>
  value >= lower &&
  value <= upper &&
  (zeroOr === undefined || value === 0 || (value >= zeroOr.lower && value <= zeroOr.upper));

/** Returns the best objective on the grid of integers, or undefined if no point of the grid is feasible. */
function bestOnGrid({ sense, objective, variables, rows }: Model): number | undefined {
  let best: number | undefined;
  const values: number[] = [];
  const visit = (at: number): void => {
    if (at < variables.length) {
      for (values[at] = -2; values[at] <= 9; values[at] += 1) if (isAllowed(variables[at]!, values[at])) visit(at + 1);
      return;
    }
    const fits = rows.every(({ terms, lower, upper }) => {
      const activity = valueOf(terms, values);
      return activity >= lower && activity <= upper;
    });
    const value = valueOf(objective, values);
    if (fits && (best === undefined || (sense === 'maximize' ? value > best : value < best))) best = value;
  };
  visit(0);
  return best;
}

/** Solves a model with GLPK, with one linear program for each choice between 0 and the range of its variables. */
function bestOfChoices({ sense, objective, variables, rows }: Model): number | undefined {
  const limits = (lower: number, upper: number) => ({
    type:
      lower === upper
        ? glpk.GLP_FX
        : lower === -Infinity
          ? glpk.GLP_UP
          : upper === Infinity
            ? glpk.GLP_LO
            : glpk.GLP_DB,
    lb: Number.isFinite(lower) ? lower : 0,
    ub: Number.isFinite(upper) ? upper : 0,
  });
  const chosen = variables.flatMap(({ zeroOr }, at) => (zeroOr === undefined ? [] : [at]));
  let best: number | undefined;
  for (let choice = 0; choice < 2 ** chosen.length; choice += 1) {
    const bounds = variables.map(({ lower, upper, zeroOr }, at) => {
      if (zeroOr === undefined) return { lower, upper };
      const range = Math.floor(choice / 2 ** chosen.indexOf(at)) % 2 === 1 ? zeroOr : { lower: 0, upper: 0 };
      return { lower: Math.max(lower, range.lower), upper: Math.min(upper, range.upper) };
    });
    if (bounds.some(({ lower, upper }) => lower > upper)) continue;
    const { status, z } = glpk.solve(
      {
        name: 'choice',
        objective: {
          direction: sense === 'minimize' ? glpk.GLP_MIN : glpk.GLP_MAX,
          name: 'objective',
          vars: variables.map(({ name }, at) => ({ name, coef: objective.coefficients[at]! })),
        },
        subjectTo: rows.map(({ name, terms, lower, upper }) => ({
          name,
          vars: variables.map((variable, at) => ({ name: variable.name, coef: terms.coefficients[at]! })),
          bnds: limits(lower, upper),
        })),
        bounds: bounds.map(({ lower, upper }, at) => ({ name: variables[at]!.name, ...limits(lower, upper) })),
      },
      { msglev: glpk.GLP_MSG_OFF, presol: false },
    ).result;
    if (status !== glpk.GLP_OPT) continue;
    if (best === undefined || (sense === 'maximize' ? z > best : z < best)) best = z;
  }
  return best;
}

const isNear = (one: number | null | undefined, other: number | undefined): boolean =>
  one == null || other === undefined
    ? (one ?? undefined) === other
    : Math.abs(one - other) <= NEAR * Math.max(1, Math.abs(other));

describe('random models', () => {
  it.each([
    ['integers, compared with a grid search', true],
    ['fractions, compared with a linear program for each choice', false],
  ])(`have the right optimum with ${'%s'}`, (_, isInteger) => {
    const dice = new Dice(isInteger ? 11 : 12);
    const seen = { optimal: 0, infeasible: 0 };
    for (let count = 0; count < MODELS; count += 1) {
      const model = randomModel(dice, isInteger);
      const { status, objective_value, plan } = solve(model);
      const best = isInteger ? bestOnGrid(model) : bestOfChoices(model);
      if (!isNear(objective_value, best)) expect({ count, model, status, objective_value }).toEqual(best);
      for (const [at, variable] of model.variables.entries())
        if (plan !== undefined)
          expect([variable, plan.values[at], isAllowed(variable, plan.values[at]!)]).toContain(true);
      seen[best === undefined ? 'infeasible' : 'optimal'] += 1;
    }
    expect(Math.min(seen.optimal, seen.infeasible)).toBeGreaterThan(MODELS / 20);
  });

  it.each([
    ['the upper end of a range', 2],
    ['the lower end of a range', 1],
  ])('expose an error in the helper row for %s', (_, side) => {
    const dice = new Dice(13);
    let different = 0;
    for (let count = 0; count < MODELS / 3; count += 1) {
      const model = randomModel(dice, true);
      const arrays = toArrays(model);
      // The helper rows follow the rows of the model. Each has a term of its variable and a term of its helper.
      for (let row = model.rows.length + side - 1; row + 1 < arrays.starts.length; row += 2)
        arrays.values[arrays.starts[row]! + 1]! -= side === 2 ? -1 : 1;
      const { values } = runOnce(highs, arrays, { seconds: 10 });
      const wrong = values && valueOf(model.objective, values);
      if (!isNear(wrong, bestOnGrid(model))) different += 1;
    }
    expect(different).toBeGreaterThan(MODELS / 30);
  });
});

it('rejects a plan with a value that is neither 0 nor in the range of its variable', () => {
  const model = modelOf('maximize', [1], [lot('x', 20, 200)]);
  const broken = {
    ...highs,
    withModel: () => ({ status: 'optimal', values: Float64Array.of(3, 0), bound: 3, prices: undefined }),
  };
  expect(() => solveModel(broken as unknown as Highs, model, 10)).toThrow(UndecidedError);
});
