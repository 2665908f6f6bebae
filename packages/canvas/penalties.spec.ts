import { beforeAll, describe, expect, it } from '@jest/globals';
import { Dice } from '../../test/support/dice.js';
import { card, problemOf } from '../../test/support/model-cards.js';
import { solveModel } from '../../test/support/solve-model.js';
import { type Highs, loadSolver } from '../solver/highs.js';
import { NO_FILES } from './data-file.js';
import { derive, judge } from './derivation.js';
import { modelDigest } from './model-digest.js';
import { readCanvas } from './model/canvas-reader.js';
import type { ModelCard } from './model/model-card.js';
import { applyChanges } from './scenarios/apply-changes.js';

const orders = card('data', 'Orders', {
  set: 'orders',
  members: ['a', 'b'],
  values: { due: { a: 3, b: 4 }, late_cost: { a: 5, b: 1 }, kind: { a: 'x', b: 'y' }, bonus: { a: 0, b: -1 } },
  description: 'Orders',
});
const rate = card('data', 'Rate', { values: { rate: 2 }, description: 'Rate' });
const make = card('variable', 'make', {
  name: 'make',
  index: 'o in orders',
  domain: 'continuous',
  upper: 9,
  unit: 't',
});
const room = card('constraint', 'Room', { expression: 'sum o in orders: make[o] <= 5', classification: 'hard' });
const goal = card('objective', 'Goal', { sense: 'minimize', expression: '0 * make["a"]', confirmed: true });
const soft = (penalty: unknown, more: object = {}) =>
  card('constraint', 'Due', {
    expression: 'make[o] >= due[o]',
    index: 'o in orders',
    classification: 'soft',
    penalty,
    description: 'Due',
    ...more,
  });
const cardsWith = (penalty: unknown, more: object = {}) => [orders, rate, make, room, goal, soft(penalty, more)];

let highs: Highs;
beforeAll(async () => {
  ({ highs } = await loadSolver(1024));
});
const best = (cards: readonly ModelCard[]) => solveModel(highs, readCanvas(cards), 10).objective_value;
const messagesOf = (cards: readonly ModelCard[]): string[] =>
  judge(cards)
    [cards.findIndex(({ label }) => label === 'Due')]!.gaps.filter(({ severity }) => severity !== 'info')
    .map(({ field, message, severity }) => `${field} (${severity}): ${message}`);

describe('penalties for members', () => {
  it.each<[string, unknown, object, number]>([
    ['a number', 3, {}, 6],
    ['a column', 'late_cost[o]', {}, 2],
    ['a formula', '2 * late_cost[o] + rate', {}, 8],
    ['a formula without an index', 'rate', {}, 4],
    ['a sum', 'sum p in orders: late_cost[p]', {}, 12],
    ['a choice', 'if kind[o] = "x" then 10 else 1', {}, 2],
    ['a column under a condition on the members', 'late_cost[o]', { index: 'o in orders where kind[o] = "x"' }, 0],
  ])('can be %s', (_, penalty, more, optimum) => {
    const cards = cardsWith(penalty, more);
    expect(messagesOf(cards)).toEqual([]);
    expect(best(cards)).toBeCloseTo(optimum, 9);
    expect(derive(cards)).toMatchObject({ all_constraints_classified: true });
  });

  it('follow the data in a scenario', () => {
    const change = (kind: 'cell' | 'column', rest: object) =>
      applyChanges(cardsWith('late_cost[o]'), [{ kind, target: 'late_cost', ...rest }], {
        files: NO_FILES,
        name: 'Test',
      });
    expect(best(change('column', { times: 3 }).cards)).toBeCloseTo(6, 9);
    expect(best(change('cell', { key: ['b'], to: 4 }).cards)).toBeCloseTo(8, 9);
    expect(() => readCanvas(change('cell', { key: ['b'], to: 0 }).cards)).toThrow(
      'The constraint card "Due": A penalty must be above 0, but it is 0 for 1 member',
    );
  });

  it('are part of the model', () => {
    const digests = [3, 'late_cost[o]', '2 * late_cost[o]'].map((penalty) => modelDigest(cardsWith(penalty)));
    expect(new Set(digests).size).toBe(3);
  });

  it.each<[string, unknown, string]>([
    ['0', 0, 'penalty (blocking): penalty must be a number above 0, or a formula if the constraint has an index'],
    [
      'a negative text',
      '-3',
      'penalty (blocking): penalty must be a number above 0, or a formula if the constraint has an index',
    ],
    [
      'a list',
      ['rate'],
      'penalty (blocking): penalty must be a number above 0, or a formula if the constraint has an index',
    ],
    [
      'an empty text',
      ' ',
      'penalty (blocking): penalty must be a number above 0, or a formula if the constraint has an index',
    ],
    [
      'an unknown name',
      'late_costs[o]',
      'penalty (warning): No variable or value on the canvas is called late_costs. Did you mean late_cost?',
    ],
    [
      'a column without a key',
      'late_cost',
      'penalty (blocking): late_cost is a column of orders: write `late_cost[o]`',
    ],
    [
      'an unknown index',
      'late_cost[p]',
      'penalty (blocking): It is unclear which members p refers to: add `for p in ...` or `sum p in ...` with a set, or write "p" in quotes for the member of that name (at character 11: p])',
    ],
    [
      'a variable',
      'make[o]',
      'penalty (blocking): A penalty must be known before a solve, but it contains the variable make: use values and columns',
    ],
    ['a relation', 'rate <= 3', 'penalty (blocking): A penalty cannot contain <=, >= or ='],
    ['a formula that ends early', '2 *', 'penalty (blocking): The formula ends too early'],
    [
      'a column of texts',
      'kind[o]',
      'penalty (blocking): kind contains texts, so you cannot calculate with it: compare it in a condition, as in `where kind[...] = "..."` (at character 1: kind[o])',
    ],
    [
      'amounts that are not above 0',
      'bonus[o]',
      'penalty (blocking): A penalty must be above 0, but it is 0 for 2 members: exclude such members with a condition after the index',
    ],
    [
      'an amount that is not above 0',
      'rate - 2',
      'penalty (blocking): A penalty must be above 0, but it is 0 for 2 members: exclude such members with a condition after the index',
    ],
  ])('are reported for %s', (_, penalty, message) => {
    expect(messagesOf(cardsWith(penalty))).toEqual([message]);
    expect(problemOf(...cardsWith(penalty))).toContain('The constraint card "Due"');
  });

  it('must be a number without an index', () => {
    const cards = cardsWith('rate', { expression: 'sum o in orders: make[o] >= 9', index: undefined });
    expect(messagesOf(cards)).toEqual([
      'penalty (blocking): penalty must be a number above 0, or a formula if the constraint has an index',
    ]);
    expect(problemOf(...cards)).toBe('The constraint card "Due": penalty has an invalid value');
  });

  it('have the optimum of an enumeration in random models', () => {
    const dice = new Dice(5);
    for (let round = 0; round < 100; round += 1) {
      const members = ['a', 'b', 'c'];
      const cells = (least: number, below: number) =>
        Object.fromEntries(members.map((member) => [member, least + dice.below(below)]));
      const [due, late, worth] = [cells(0, 4), cells(1, 5), cells(0, 6)];
      const most = dice.below(8);
      let optimum = -Infinity;
      for (let plan = 0; plan < 4 ** 3; plan += 1) {
        const amounts = members.map((_, at) => Math.floor(plan / 4 ** at) % 4);
        if (amounts.reduce((sum, one) => sum + one, 0) > most) continue;
        const values = amounts.map((amount, at) => {
          const member = members[at]!;
          return amount * worth[member]! - 2 * late[member]! * Math.max(0, due[member]! - amount);
        });
        optimum = Math.max(
          optimum,
          values.reduce((sum, one) => sum + one, 0),
        );
      }
      const cards = [
        card('data', 'Orders', { set: 'orders', members, values: { due, late, worth } }),
        card('variable', 'make', { name: 'make', index: 'o in orders', domain: 'integer', upper: 3 }),
        soft('2 * late[o]'),
        card('constraint', 'Room', { expression: `sum o in orders: make[o] <= ${most}`, classification: 'hard' }),
        card('objective', 'Goal', { sense: 'maximize', expression: 'sum o in orders: worth[o] * make[o]' }),
      ];
      expect(best(cards)).toBeCloseTo(optimum, 9);
    }
  });
});
