import { beforeAll, describe, expect, it } from '@jest/globals';
import { card } from '../../test/support/model-cards.js';
import { solveModel } from '../../test/support/solve-model.js';
import { type Highs, loadSolver } from '../solver/highs.js';
import { derive, judge } from './derivation.js';
import { modelDigest } from './model-digest.js';
import { readCanvas } from './model/canvas-reader.js';
import type { ModelCard } from './model/model-card.js';

const goal = (label: string, sense: string, expression: string, more: object = {}) =>
  card('objective', label, { sense, expression, confirmed: true, ...more });
const variables = ['x', 'y'].map((name) =>
  card('variable', name, { name, domain: 'continuous', upper: 10, unit: 'kg' }),
);
const hours = card('constraint', 'Hours', { expression: 'x + y <= 12', classification: 'hard' });
const plan = [...variables, hours];
const service = (more: object = { priority: 1 }) => goal('service', 'maximize', 'x + y', more);
const cost = (more: object = { priority: 2 }) => goal('cost', 'minimize', '3 x + y + 5', more);

let highs: Highs;
beforeAll(async () => {
  ({ highs } = await loadSolver(1024));
});
const solve = (...cards: ModelCard[]) => solveModel(highs, readCanvas([...plan, ...cards]), 10);
const gapsOf = (...cards: ModelCard[]) =>
  judge([...plan, ...cards])
    .slice(plan.length)
    .flatMap(({ gaps }, at) =>
      gaps.map(({ field, message, severity }) => `${cards[at]!.label}, ${field}: ${message} (${severity})`),
    );

it.each<[string, ModelCard[], number, [string, number][]]>([
  [
    'in any order of the cards',
    [cost(), service()],
    12,
    [
      ['service', 12],
      ['cost', 21],
    ],
  ],
  [
    'with a loss in percent',
    [service({ priority: 1, tolerance_percent: 25 }), cost()],
    9,
    [
      ['service', 9],
      ['cost', 14],
    ],
  ],
  [
    'with a loss as an amount',
    [service({ priority: 3, tolerance: 1 }), cost({ priority: 7 })],
    11,
    [
      ['service', 11],
      ['cost', 18],
    ],
  ],
  ['with one objective', [service()], 12, [['service', 12]]],
  [
    'with weights within a priority',
    [service({ priority: 1, weight: 2 }), goal('most x', 'maximize', 'x', { priority: 1, weight: 1 }), cost()],
    34,
    [
      ['service', 12],
      ['most x', 10],
      ['cost', 37],
    ],
  ],
])('solves objectives by priority %s', (_, cards, optimum, values) => {
  const result = solve(...cards);
  expect(result).toMatchObject({ status: 'optimal', message: null, objective_value: optimum });
  expect(result.objectives?.map(({ label, value }) => [label, value])).toEqual(values);
});

it('calculates prices for objectives that all have the same priority', () => {
  const most = (label: string, expression: string) => goal(label, 'maximize', expression, { priority: 3, weight: 1 });
  const result = solve(most('service', 'x + y'), most('most x', 'x'));
  expect(result).toMatchObject({
    objective_value: 22,
    reduced_costs: { x: 1, y: 0 },
    objectives: [
      { label: 'service', value: 12, priority: 3 },
      { label: 'most x', value: 10, priority: 3 },
    ],
  });
  expect(result).not.toHaveProperty('notes');
});

it('subtracts the penalty for violated constraints from the objective with the first priority', () => {
  const soft = card('constraint', 'Few', { expression: 'x + y <= 4', classification: 'soft', penalty: 0.5 });
  const result = solve(service(), cost(), soft);
  expect(result).toMatchObject({ objective_value: 12 - 0.5 * 8, objectives: [{ value: 12 }, { value: 21 }] });
  const dear = card('constraint', 'Few', { expression: 'x + y <= 4', classification: 'soft', penalty: 2 });
  expect(solve(service(), cost(), dear)).toMatchObject({
    objective_value: 4,
    objectives: [{ value: 4 }, { value: 9 }],
  });
});

const NO_LATER = 'Its tolerance has no effect, because no other objective has a less important priority (warning)';

describe('the gaps of objectives', () => {
  it.each<[ModelCard[], string[]]>([
    [[service(), cost()], []],
    [
      [service(), cost({})],
      [
        'cost, priority: Which priority does it have? The other objectives have one, and 1 is the most important (blocking)',
      ],
    ],
    [
      [service(), cost({ priority: 1, weight: 2 })],
      ['service, weight: If there are several objectives with the same priority, each needs a weight (blocking)'],
    ],
    [[service({ weight: 1 }), cost({ weight: 2 })], []],
    [
      [service({ priority: 1, tolerance: 1, tolerance_percent: 2 }), cost()],
      ['service, tolerance: It has a tolerance as an amount and in percent: remove one of them (blocking)'],
    ],
    [[service({ tolerance: 1 })], [`service, tolerance: ${NO_LATER}`]],
    [[service({ tolerance_percent: 2 })], [`service, tolerance_percent: ${NO_LATER}`]],
    [[service({ priority: 1, tolerance: 1 })], [`service, tolerance: ${NO_LATER}`]],
    [[service(), cost({ priority: 2, tolerance_percent: 2 })], [`cost, tolerance_percent: ${NO_LATER}`]],
    [
      [service({ priority: 1, weight: 1, tolerance: 1 }), cost({ priority: 1, weight: 1 })],
      [`service, tolerance: ${NO_LATER}`],
    ],
    [[service({ priority: 1, tolerance_percent: 2 }), cost()], []],
    [
      [service({ priority: 0, weight: 1 }), cost({ priority: 1.5, weight: 1 })],
      [
        'service, priority: priority must be a whole number from 1, which is the most important (blocking)',
        'cost, priority: priority must be a whole number from 1, which is the most important (blocking)',
      ],
    ],
    [
      [service({ priority: 1, tolerance: -1 }), cost()],
      ['service, tolerance: tolerance must be a number from 0 (blocking)'],
    ],
  ])('match the priorities, weights and tolerances of the objectives: case %#', (cards, gaps) => {
    expect(gapsOf(...cards)).toEqual(gaps);
  });

  it('prevent a solve', () => {
    expect(() => solve(service(), cost({}))).toThrow(
      'The objective card "cost": priority is missing, but other objectives',
    );
    expect(() => solve(service(), cost({ priority: 1 }))).toThrow('The objective card "service": weight is missing');
    expect(() => solve(service({ priority: 'high' }))).toThrow('priority has an invalid value');
  });
});

it('derives the objective type and components', () => {
  expect(derive([service(), cost()])).toMatchObject({
    objective_type: 'priorities',
    objective_components: [
      { label: 'service', priority: 1 },
      { label: 'cost', priority: 2 },
    ],
    objectives_defined: true,
  });
  const { objective_type, objective_components } = derive([service({ weight: 1 }), cost({ weight: 1 })]);
  expect(objective_type).toBe('weighted_sum');
  expect(objective_components[0]).not.toHaveProperty('priority');
});

it('gives models with different priorities or tolerances different digests', () => {
  const digests = [{}, { priority: 1 }, { priority: 2 }, { tolerance: 1 }, { tolerance_percent: 1 }].map((more) =>
    modelDigest([...plan, service(more)]),
  );
  expect(new Set(digests).size).toBe(5);
});
