import { beforeAll, describe, expect, it } from '@jest/globals';
import { Dice } from '../../test/support/dice.js';
import { card, problemOf } from '../../test/support/model-cards.js';
import { solveModel } from '../../test/support/solve-model.js';
import { type Highs, loadSolver } from '../solver/highs.js';
import { readCanvas } from './model/canvas-reader.js';
import type { ModelCard } from './model/model-card.js';

const NEAR = 1e-6;

let highs: Highs;
beforeAll(async () => {
  ({ highs } = await loadSolver(1024));
});

const tiers = (name: string, members: (string | number)[], rates: readonly number[]): ModelCard =>
  card('data', name, {
    set: `${name}_tiers`,
    members,
    values: { [name]: Object.fromEntries(members.map((member, at) => [member, rates[at]])) },
  });
const variable = (name: string, data: object = {}): ModelCard => card('variable', name, { name, ...data });
const hard = (label: string, expression: string, data: object = {}): ModelCard =>
  card('constraint', label, { expression, classification: 'hard', ...data });
const goal = (sense: string, expression: string): ModelCard => card('objective', 'Goal', { sense, expression });
const solve = (...cards: ModelCard[]) => solveModel(highs, readCanvas(cards), 10);

/** Returns the cost of an amount by adding the cost of each unit. */
function costOf(amount: number, ends: readonly number[], rates: readonly number[]): number {
  let cost = 0;
  for (let unit = 1; unit <= amount; unit += 1) {
    const tier = ends.findIndex((end) => unit <= end);
    cost += rates[tier < 0 ? ends.length : tier]!;
  }
  return cost;
}

describe('Costs by tiers', () => {
  it('are a linear program if the rates increase', () => {
    const result = solve(
      tiers('price', [100, 250, 'beyond'], [0.2, 0.3, 0.45]),
      card('data', 'Weeks', { set: 'weeks', members: '1 to 2' }),
      variable('use', { index: 't in weeks' }),
      hard('Need', '(sum t in weeks: use[t]) >= 400'),
      hard('First', 'use[1] <= 120'),
      goal('minimize', 'sum t in weeks: tiered(price, use[t])'),
    );
    expect(result).toMatchObject({ status: 'optimal', objective_value: 104.5, variables: { use: 400 } });
    expect(result.constraints[0]).toMatchObject({ name: 'Need', dual: expect.closeTo(0.45) });
    expect(Object.keys(result.variables)).toEqual(['use']);
  });

  it('can have members that are the starts of the tiers', () => {
    const cards = (members: (string | number)[]) => [
      tiers('price', members, [5, 4, 2]),
      variable('buy', { upper: 50 }),
      hard('Need', 'buy >= 30'),
      goal('minimize', 'tiered(price, buy)'),
    ];
    expect(solve(...cards([0, 10, 20])).objective_value).toBe(110);
    expect(solve(...cards([10, 20, 'more'])).objective_value).toBe(110);
  });

  it('work with known amounts, in data, limits and KPIs', () => {
    const result = solve(
      tiers('price', [10, 'beyond'], [1, 3]),
      card('data', 'Amount', { values: { amount: 12 } }),
      card('data', 'Fee', { computed: { fee: 'tiered(price, amount)' } }),
      variable('x'),
      hard('Cap', 'x <= tiered(price, amount) - 10'),
      goal('maximize', 'x + fee'),
      card('kpi', 'Cost', { expression: 'tiered(price, 3 x)' }),
    );
    expect(result).toMatchObject({ objective_value: 22, variables: { x: 6 }, kpis: [{ value: 34 }] });
  });

  it('have the same optimum as an enumeration of all plans', () => {
    const MODELS = 300;
    const dice = new Dice(61);
    let infeasible = 0;
    for (let count = 0; count < MODELS; count += 1) {
      const ends = Array.from({ length: 1 + dice.below(3) }, () => 1 + dice.below(4)).map((_, at, steps) =>
        steps.slice(0, at + 1).reduce((sum, step) => sum + step, 0),
      );
      const rates = Array.from({ length: ends.length + 1 }, () => dice.below(8) - 1);
      const sense = dice.one(['minimize', 'maximize']);
      const [times, value, limit] = [dice.below(5) - 2, dice.below(9) - 4, dice.below(25) - 3];
      let best: number | undefined;
      for (let x = 0; x <= 12; x += 1)
        for (let y = 0; y <= 3; y += 1) {
          const cost = costOf(x, ends, rates);
          const objective = cost + value * x - 2 * y;
          const isBetter = best === undefined || (sense === 'maximize' ? objective > best : objective < best);
          if (times * cost + y >= limit && isBetter) best = objective;
        }
      const result = solve(
        tiers('price', [...ends, 'beyond'], rates),
        variable('x', { domain: 'integer', upper: 12 }),
        variable('y', { domain: 'integer', upper: 3 }),
        hard('Rule', `${times} * tiered(price, x) + y >= ${limit}`),
        goal(sense, `tiered(price, x) + ${value} * x - 2 y`),
      );
      const isRight =
        best === undefined
          ? result.status === 'infeasible'
          : Math.abs((result.objective_value ?? NaN) - best) < NEAR * Math.max(1, Math.abs(best));
      if (!isRight) expect({ count, ends, rates, sense, times, value, limit, result }).toBe(best);
      if (best === undefined) infeasible += 1;
    }
    expect(infeasible).toBeGreaterThan(MODELS / 30);
    expect(infeasible).toBeLessThan(MODELS / 2);
  });

  const DEFINE = 'price is not a list of rates: define it, as in `price: 0.20 to 100, 0.30 to 250, 0.45 beyond`';
  const ORDER =
    'The members of price_tiers must be the ends of the tiers of price in ascending order, followed by a word, as in `100, 250, beyond`, or their starts, as in `0, 100, 250`';
  it.each([
    ['a missing column', [], DEFINE],
    ['a constant', [card('data', 'Price', { values: { price: 3 } })], DEFINE],
    ['ends without a word after them', [tiers('price', [10, 20], [1, 2])], ORDER],
    ['ends in the wrong order', [tiers('price', [20, 10, 'beyond'], [1, 2, 3])], ORDER],
    ['starts in the wrong order', [tiers('price', [0, 20, 10], [1, 2, 3])], ORDER],
    ['a negative end', [tiers('price', [-5, 'beyond'], [1, 2])], ORDER],
    ['words before the last member', [tiers('price', ['low', 'high', 'beyond'], [1, 2, 3])], ORDER],
    ['a member called 0 at the end', [tiers('price', [10, 0], [1, 2])], ORDER],
  ])('are rejected for %s', (_, data, reason) => {
    const cards = [...data, variable('x', { upper: 9 }), goal('minimize', 'tiered(price, x)')];
    expect(problemOf(...cards)).toBe(`The objective card "Goal": ${reason}`);
  });

  it.each([
    ['tiered(price)', 'Write the column with the rates and an amount in parentheses, as in `tiered(price, use)`'],
    ['tiered(3, x)', 'Write the column with the rates and an amount in parentheses, as in `tiered(price, use)`'],
    ['tiered(price, )', '`)` at character 15 is not expected here'],
  ])('are rejected if they are written as %s', (expression, reason) => {
    const cards = [tiers('price', [10, 'beyond'], [1, 2]), variable('x'), goal('minimize', expression)];
    expect(problemOf(...cards)).toBe(`The objective card "Goal": ${reason}`);
  });
});
