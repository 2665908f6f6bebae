import { beforeAll, describe, expect, it } from '@jest/globals';
import { Dice } from '../../test/support/dice.js';
import { card, problemOf } from '../../test/support/model-cards.js';
import { solveModel } from '../../test/support/solve-model.js';
import { type Highs, loadSolver } from '../solver/highs.js';
import { readCanvas } from './model/canvas-reader.js';
import type { ModelCard } from './model/model-card.js';

let highs: Highs;
beforeAll(async () => {
  ({ highs } = await loadSolver(1024));
});

const variable = (name: string, data: object = {}): ModelCard => card('variable', name, { name, ...data });
const hard = (label: string, expression: string, data: object = {}): ModelCard =>
  card('constraint', label, { expression, classification: 'hard', ...data });
const goal = (sense: string, expression: string): ModelCard => card('objective', 'Goal', { sense, expression });
const solve = (...cards: ModelCard[]) => solveModel(highs, readCanvas(cards), 10);

describe('Products and functions of variables', () => {
  it('can multiply a decision and an amount', () => {
    const result = solve(
      variable('open', { domain: 'binary' }),
      variable('make', { upper: 8 }),
      goal('maximize', 'open * (3 make - 4) - make'),
    );
    expect(result).toMatchObject({ status: 'optimal', objective_value: 12, variables: { open: 1, make: 8 } });
    expect(Object.keys(result.variables)).toEqual(['open', 'make']);
  });

  it('stay linear programs if the largest amount is minimized', () => {
    const result = solve(variable('x'), variable('y'), hard('Need', 'x + 2 y >= 9'), goal('minimize', 'max(x, y, 1)'));
    expect(result).toMatchObject({ objective_value: 3, variables: { x: 3, y: 3 } });
    expect(result.notes).toBeUndefined();
    expect(result.constraints[0]).toMatchObject({ name: 'Need', dual: expect.closeTo(1 / 3) });
  });

  it('need decisions if the largest amount is maximized', () => {
    const result = solve(
      variable('x', { upper: 5 }),
      variable('y', { upper: 4 }),
      hard('Limit', 'x + 3 y <= 9'),
      goal('maximize', 'max(x, 2 y) - 0.1 x'),
    );
    expect(result).toMatchObject({ objective_value: 6, variables: { x: 0, y: 3 } });
  });

  it('can be squares that are minimized', () => {
    const result = solve(
      variable('x'),
      variable('y'),
      hard('Sum', 'x + y = 6'),
      goal('minimize', 'x * x + 2 y * y - x * y'),
    );
    expect(result.objective_value).toBeCloseTo(15.75, 5);
    expect(result.variables['x']).toBeCloseTo(3.75, 4);
  });

  it('compare amounts with large constants', () => {
    const [x, y] = [variable('x', { upper: 10 }), variable('y', { upper: 10 })];
    expect(solve(x, goal('maximize', 'abs(x - 2000000)'))).toMatchObject({
      objective_value: 2_000_000,
      variables: { x: 0 },
    });
    expect(solve(x, y, goal('maximize', 'max(x + 3000000, y) - y')).variables).toEqual({ x: 10, y: 0 });
  });

  it('are whole numbers if all numbers in them are', () => {
    const whole = { domain: 'integer', upper: 9 };
    const cards = [variable('x', whole), variable('y', whole), goal('maximize', 'x + y')];
    expect(solve(...cards, hard('Limit', 'max(x, y) < 5'))).toMatchObject({ objective_value: 8 });
  });

  it('keep the exact value of a function for the next priority', () => {
    const whole = (upper: number, lower = 0) => ({ domain: 'integer', lower, upper });
    const result = solve(
      variable('make', whole(2)),
      variable('load', whole(2, -1)),
      variable('z', { domain: 'binary' }),
      variable('lot', { domain: 'integer', zero_or_between: [2, 3] }),
      hard('Lots', 'lot - 2 make >= -1'),
      card('objective', 'First', {
        sense: 'minimize',
        expression: '3 load + abs(2 lot + 2 - max(-2 lot, 2 z))',
        priority: 1,
      }),
      card('objective', 'Second', { sense: 'maximize', expression: '3 make', priority: 2 }),
    );
    expect(result).toMatchObject({ status: 'optimal', message: null, objective_value: -3 });
  });
});

describe('Squares in objectives', () => {
  it('count in the objective of the last priority', () => {
    const result = solve(
      variable('x', { lower: -10, upper: 10 }),
      variable('z', { upper: 3 }),
      card('objective', 'First', { sense: 'maximize', expression: 'z', priority: 1 }),
      card('objective', 'Second', { sense: 'minimize', expression: 'x^2 + 10 x', priority: 2 }),
    );
    expect(result.variables).toEqual({ x: -5, z: 3 });
  });

  it('name a conflict with a function of variables', () => {
    const result = solve(
      variable('x'),
      variable('y'),
      hard('Most', 'max(x, y) <= 3'),
      hard('Least', 'x >= 5'),
      goal('minimize', 'x^2 + y^2'),
    );
    expect(result).toMatchObject({ status: 'infeasible', conflict: ['Most', 'Least'] });
  });

  it.each([1e-8, 1e-4, 1, 1e5])('have the right optimum in any unit: %d', (unit) => {
    const [x, y] = [variable('x', { upper: 1 }), variable('y', { upper: 1 })];
    const result = solve(x, y, hard('Sum', 'x + y = 1'), goal('minimize', `${unit} * (x^2 + 2 * y^2)`));
    expect(result.variables['x']).toBeCloseTo(2 / 3, 6);
    expect(result.objective_value! / unit).toBeCloseTo(2 / 3, 6);
    expect(result.constraints[0]!.dual! / unit).toBeCloseTo(4 / 3, 5);
  });

  it('have an optimum although they do not curve in all directions', () => {
    const [x, y] = [variable('x', { lower: -20000, upper: 20000 }), variable('y', { upper: 60000 })];
    const z = variable('z');
    const expression = '-2 x^2 + 4 x * y + 2 x * z - 2.5 y^2 - 3 y * z - z^2 + 40000 x + 40000 z';
    const result = solve(x, y, z, goal('maximize', expression));
    expect(result).toMatchObject({ status: 'optimal', objective_value: expect.closeTo(1.6e9, 0) });
  });

  it.each([
    [
      'minimize',
      '(x - 3 y)^2 - x',
      'The objective can become as small as you like: x can grow, y can grow without limit',
    ],
    [
      'maximize',
      '4 x - (x - 3 y)^2 / 2 - 2 y',
      'The objective can become as large as you like: x can grow, y can grow without limit',
    ],
  ])('are unbounded in a direction without curve: %s %s', (sense, expression, message) => {
    const result = solve(variable('x'), variable('y'), goal(sense, expression));
    expect(result).toMatchObject({ status: 'unbounded', message });
  });
});

/** Formula, and its value for a plan. */
interface Sample {
  text: string;
  value: (plan: Plan) => number;
}
type Plan = Record<'a' | 'b' | 'x' | 'y', number>;

/** Returns a sum of variables and other expressions. */
function sum(dice: Dice, depth: number): Sample {
  const parts = Array.from({ length: 1 + dice.below(3) }, () => {
    const times = 1 + dice.below(3);
    const part = depth > 0 && dice.percent(60) ? nonlinear(dice, depth) : atom(dice);
    return { isNegative: dice.percent(40), times, part };
  });
  return {
    text: parts
      .map(({ isNegative, times, part }, at) => {
        const sign = isNegative ? '-' : at === 0 ? '' : '+';
        return `${sign} ${times} * ${part.text}`;
      })
      .join(' '),
    value: (plan) =>
      parts.reduce((total, { isNegative, times, part }) => total + (isNegative ? -1 : 1) * times * part.value(plan), 0),
  };
}

function atom(dice: Dice): Sample {
  const name = dice.one(['a', 'b', 'x', 'y'] as const);
  const number = dice.below(4);
  return dice.percent(20) ? { text: String(number), value: () => number } : { text: name, value: (plan) => plan[name] };
}

function nonlinear(dice: Dice, depth: number): Sample {
  const decision = dice.one(['a', 'b'] as const);
  const of = Array.from({ length: 1 + dice.below(3) }, () => sum(dice, depth - 1));
  const first = of[0]!;
  const list = of.map(({ text }) => text).join(', ');
  const values = (plan: Plan): number[] => of.map(({ value }) => value(plan));
  switch (dice.below(4)) {
    case 0:
      return { text: `${decision} * (${first.text})`, value: (plan) => plan[decision] * first.value(plan) };
    case 1:
      return { text: `abs(${first.text})`, value: (plan) => Math.abs(first.value(plan)) };
    case 2:
      return { text: `max(${list})`, value: (plan) => Math.max(...values(plan)) };
    default:
      return { text: `min(${list})`, value: (plan) => Math.min(...values(plan)) };
  }
}

describe('Random formulas with products and functions of variables', () => {
  const MODELS = 300;
  const NEAR = 1e-6;
  const [MOST_X, MOST_Y] = [5, 3];

  it('have the same optimum as an enumeration of all plans', () => {
    const dice = new Dice(41);
    const seen = { optimal: 0, infeasible: 0 };
    for (let count = 0; count < MODELS; count += 1) {
      const [objective, left, right] = [sum(dice, 2), sum(dice, 2), sum(dice, 1)];
      const sense = dice.one(['minimize', 'maximize']);
      const kpi = sum(dice, 2);
      let best: number | undefined;
      for (const a of [0, 1])
        for (const b of [0, 1])
          for (let x = 0; x <= MOST_X; x += 1)
            for (let y = -2; y <= MOST_Y; y += 1) {
              const plan = { a, b, x, y };
              const value = objective.value(plan);
              const isBetter = best === undefined || (sense === 'maximize' ? value > best : value < best);
              if (left.value(plan) <= right.value(plan) && isBetter) best = value;
            }
      const result = solve(
        variable('a', { domain: 'binary' }),
        variable('b', { domain: 'binary' }),
        variable('x', { domain: 'integer', upper: MOST_X }),
        variable('y', { domain: 'integer', lower: -2, upper: MOST_Y }),
        hard('Rule', `${left.text} <= ${right.text}`),
        goal(sense, objective.text),
        card('kpi', 'Extra', { expression: kpi.text }),
      );
      const isRight =
        best === undefined
          ? result.status === 'infeasible'
          : result.status === 'optimal' && Math.abs(result.objective_value! - best) < NEAR;
      if (!isRight)
        expect({ count, sense, objective: objective.text, rule: `${left.text} <= ${right.text}`, result }).toBe(best);
      seen[best === undefined ? 'infeasible' : 'optimal'] += 1;
      if (best !== undefined)
        expect(result.kpis?.[0]?.value).toBeCloseTo(kpi.value(result.variables as unknown as Plan), 6);
    }
    expect(Math.min(seen.optimal, seen.infeasible)).toBeGreaterThan(MODELS / 30);
  });
});

describe('Formulas that cannot be solved', () => {
  const [x, y, open] = [
    variable('x', { upper: 9 }),
    variable('y', { upper: 9 }),
    variable('open', { domain: 'binary' }),
  ];

  it.each([
    [
      [goal('minimize', 'x^2 - 3 x * y + y^2')],
      'In the objective, x is squared, but the solver can minimize only what never curves downward, as with a sum of squares. This curves downward with y',
    ],
    [
      [goal('minimize', '(x - y)^2 + open')],
      'In the objective, x is squared, so all variables must be amounts, but open is a whole number',
    ],
    [
      [goal('minimize', 'x^2'), hard('Far', 'abs(y - 3) >= 1')],
      'In the objective, x is squared, so no constraint may need yes-or-no decisions, as `max`, `min` and `abs` do here',
    ],
    [
      [goal('minimize', 'max(x, y) * x')],
      'The objective card "Goal": It multiplies a variable with a product or a function of variables: write a variable with a constraint for it',
    ],
    [
      [goal('minimize', 'x'), hard('Area', 'x * y >= 4')],
      'The constraint card "Area": It is not linear: the variables x and y are multiplied, and neither is a yes-or-no variable',
    ],
    [
      [goal('minimize', 'x * y * x')],
      'The objective card "Goal": It multiplies three variables, and an objective can multiply only two',
    ],
    [
      [goal('maximize', 'open * free'), variable('free', { free: true })],
      'The objective card "Goal": open and free are multiplied, and free has no upper bound: give it an upper bound',
    ],
  ])('lead to an error: %#', (cards, reason) => {
    const own = cards.some((one) => JSON.stringify(one.data).includes('open')) ? [x, y, open] : [x, y];
    expect(problemOf(...own, ...cards)).toBe(reason);
  });
});
