import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Highs, loadSolver } from '../../solver/highs.js';
import { card, problemOf } from '../../../test/support/model-cards.js';
import { solveModel } from '../../../test/support/solve-model.js';
import type { ModelCard } from './model-card.js';
import { readCanvas } from './canvas-reader.js';

const variable = (name: string, more: object = {}) => card('variable', name, { name, domain: 'continuous', ...more });
const objective = (expression: string, more: object = {}) =>
  card('objective', 'Goal', { sense: 'maximize', expression, ...more });
const constraint = (label: string, expression: string, more: object = {}) =>
  card('constraint', label, { expression, classification: 'hard', ...more });

let highs: Highs;
beforeAll(async () => {
  ({ highs } = await loadSolver(1024));
});
const solve = (...cards: ModelCard[]) => solveModel(highs, readCanvas(cards), 10);

describe('KPIs in a plan', () => {
  const plan = [variable('x', { upper: 3 }), variable('y', { upper: 2 }), objective('x + y')];
  const kpi = (label: string, more: object) => card('kpi', label, { description: label, ...more });

  it('have the values of their formulas', () => {
    const goods = card('data', 'Goods', { set: 'goods', members: ['a', 'b'], values: { hours: { a: 2, b: 3 } } });
    const make = variable('make', { index: 'g in goods', upper: 10 });
    const rate = card('data', 'Rate', { values: { rate: 2 } });
    const result = solve(
      ...[goods, make, rate, ...plan],
      kpi('Hours', { expression: 'sum g in goods: hours[g] * make[g] + 5', unit: 'h', target: 40 }),
      kpi('Share', { expression: '(x - y) / rate' }),
      kpi('Nothing', { expression: '0 * x' }),
      kpi('Area', { expression: 'x * (y + 1)' }),
      kpi('In time', {}),
    );
    expect(result.kpis).toEqual([
      { label: 'Hours', value: 5, unit: 'h', target: 40 },
      { label: 'Share', value: 0.5, unit: null, target: null },
      { label: 'Nothing', value: 0, unit: null, target: null },
      { label: 'Area', value: 9, unit: null, target: null },
    ]);
  });

  it.each(['x * y * x', 'x <= 3', 'delivery on time', 'unknown', 'x[', '1 / 0', 'x / y'])(
    'are null if their formula cannot be computed, without preventing a solve: %s',
    (expression) => {
      expect(solve(...plan, kpi('K', { expression }))).toMatchObject({
        objective_value: 5,
        kpis: [{ label: 'K', value: null }],
      });
    },
  );

  it('are absent if no KPI card has a formula, or if there is no plan', () => {
    expect(solve(...plan)).not.toHaveProperty('kpis');
    const never = constraint('Never', 'x >= 4');
    expect(solve(...plan, never, kpi('K', { expression: 'x' }))).not.toHaveProperty('kpis');
  });
});

describe('readCanvas', () => {
  it('reads domains, bounds, values on data cards, relations with variables on both sides, and chains', () => {
    const result = solve(
      variable('x', { upper: 10 }),
      variable('y', { domain: 'integer' }),
      variable('z', { domain: 'binary' }),
      variable('w', { lower: -5, upper: 5 }),
      card('data', 'Figures', { values: { price: 3, room: 7.5 } }),
      objective('price * x + 2y + 7z - w + 1'),
      constraint('Room', 'x + y <= room - 2 z'),
      constraint('Band', '1 <= x <= y + 3'),
    );
    expect(result).toMatchObject({ status: 'optimal', variables: { z: 1, w: -5 } });
    // z uses two units of Room. x and y share the remaining 5.5 units. y is an integer, and x is at most y + 3.
    expect(result.variables).toMatchObject({ x: 3.5, y: 2 });
    expect(result.objective_value).toBeCloseTo(3 * 3.5 + 4 + 7 + 5 + 1);
    expect(result.constraints.map(({ name, slack }) => [name, slack])).toEqual([
      ['Room', 0],
      ['Band (1)', 2.5],
      ['Band (2)', 1.5],
    ]);
  });

  it('combines several weighted objectives according to their senses', () => {
    const result = solve(
      variable('x', { upper: 4 }),
      objective('x', { weight: 2 }),
      card('objective', 'Cost', { sense: 'minimize', expression: '3 x', weight: 0.5 }),
    );
    expect(result).toMatchObject({ objective_value: 2 * 4 - 0.5 * 12, variables: { x: 4 } });
    const cheaper = solve(
      variable('x', { upper: 4 }),
      objective('x', { weight: 1 }),
      card('objective', 'Cost', { sense: 'minimize', expression: '3 x', weight: 0.5 }),
    );
    expect(cheaper.variables).toEqual({ x: 0 });
  });

  it.each(['maximize', 'minimize'])(
    'lets a solve violate soft constraints if that improves the objective: %s',
    (sense) => {
      const expression = sense === 'maximize' ? '5 x' : '-5 x';
      const broken = solve(
        variable('x', { upper: 10 }),
        objective(expression, { sense }),
        constraint('Limit', 'x <= 4', { classification: 'soft', penalty: 3 }),
      );
      const sign = sense === 'maximize' ? 1 : -1;
      expect(broken).toMatchObject({ objective_value: sign * (50 - 18), variables: { x: 10 } });
      // A violation costs 3 per unit, so relaxing the limit by a unit is worth 3.
      expect(broken.constraints).toEqual([{ name: 'Limit', activity: 10, slack: -6, dual: sign * 3 }]);
      const kept = solve(
        variable('x', { upper: 10 }),
        objective(expression, { sense }),
        constraint('Limit', 'x = 4', { classification: 'soft', penalty: 7 }),
      );
      expect(kept).toMatchObject({ objective_value: sign * 20, variables: { x: 4 } });
    },
  );

  it('names conflicting constraints and bounds after their cards', () => {
    const { status, conflict } = solve(
      variable('x', { upper: 3 }),
      variable('y'),
      objective('x + y'),
      constraint('Demand', 'x >= 5'),
      constraint('Other', 'y <= 7'),
    );
    expect({ status, conflict }).toEqual({ status: 'infeasible', conflict: ['x <= 3', 'Demand'] });
    const never = solve(variable('x'), objective('x'), constraint('Never', '2 <= 1 + x - x'));
    expect(never).toMatchObject({ status: 'infeasible', conflict: ['Never'] });
  });

  it('reads sets, families and columns, and rejects ambiguous columns', () => {
    const products = card('data', 'P', { set: 'products', members: ['a', 'b'], values: { cost: { a: 1, b: 3 } } });
    const sites = card('data', 'S', { set: 'sites', members: ['a'], values: { cost: { a: 5 } } });
    const goal = objective('sum p in products: -cost[p] * make[p]');
    const floor = constraint('Floor', 'make[p] >= cost[p]', { index: 'p in products' });
    const make = variable('make', { index: 'p in products' });
    const { objective_value, variables } = solve(products, make, goal, floor);
    expect([objective_value, variables]).toEqual([-10, { make: 4 }]);
    expect(problemOf(products, sites, make, goal)).toBe(
      'The objective card "Goal": cost is a column of both products and sites: rename one of them in the field `columns` of its data card, as in `sites_cost of sites: column "cost"`, or in `values` if the card has no file',
    );
    expect(problemOf(products, sites, make, objective('sum p in products: make[p]'))).toBe('');
  });

  describe('with requirements', () => {
    const required = (label: string, data: object) => card('production_requirement', label, data);

    it.each([
      { description: 'at least 3 of x' },
      { description: 'an order', quantity: 3, product: 'x of it' },
      { description: '3 xs', quantity: 3, product: 'X' },
    ])('rejects plain text that limits a variable: %j', (data) => {
      const plan = [variable('x', { upper: 9 }), objective('x', { sense: 'minimize' })];
      expect(problemOf(required('Order', data), ...plan)).toBe(
        'The production requirement card "Order": Its words do not constrain the plan: write a relation such as `chairs >= 10`',
      );
      expect(problemOf(required('Order', { description: 'at least 3 of z' }), ...plan)).toBe('');
    });

    const goods = card('data', 'Goods', {
      set: 'products',
      members: ['oak chair', 'table'],
      values: { minimum: { 'oak chair': 2, table: 3 } },
    });
    const make = variable('make', { index: 'p in products', upper: 4 });
    const least = objective('x + (sum p in products: make[p])', { sense: 'minimize' });
    const minimum = { expression: 'make[p] >= minimum[p]', index: 'p in products' };

    it('adds constraints for expressions, descriptions with a relation, and quantities of variables', () => {
      const result = solve(
        ...[goods, make, variable('x', { lower: -9 }), least],
        required('Minimum', minimum),
        required('All', { description: 'sum p in products: make[p] >= 6' }),
        required('x', { quantity: -3, product: 'x', description: '-3 x' }),
        constraint('Loose', 'x <= 5'),
      );
      expect(result).toMatchObject({ status: 'optimal', objective_value: 3, variables: { x: -3, make: 6 } });
      expect(result.constraints.map(({ name, slack }) => [name, slack])).toEqual([
        ['Loose', 8],
        ['Minimum[table]', 0],
        ['All', 0],
        ['x', 0],
      ]);
    });

    it('names a requirement and its member in the conflict if the requirement cannot be met', () => {
      const more = { ...minimum, expression: 'make[p] >= 2 * minimum[p]' };
      const { status, conflict } = solve(goods, make, variable('x'), least, required('Minimum', more));
      expect({ status, conflict }).toEqual({
        status: 'infeasible',
        conflict: ['make[table] <= 4', 'Minimum[table]'],
      });
    });

    it.each([
      ['plain text', { description: 'Be nice > be quick', quantity: 10 }],
      ['an unknown product', { quantity: 10, product: 'sofas' }],
      ['a quantity that is not a number', { quantity: 'ten', product: 'x', index: 3 }],
      ['a quantity of 0', { description: 'Nothing except the constraints', quantity: 0 }],
    ])('ignores a requirement with %s', (_, data) => {
      expect(solve(goods, make, variable('x'), least, required('R', data))).toMatchObject({
        objective_value: 0,
        constraints: [],
      });
    });

    it.each([
      [
        { quantity: 10, product: 'make' },
        'Its words do not constrain the plan: write a relation such as `chairs >= 10`',
      ],
      [{ expression: 'x + 3' }, 'The formula needs <=, >= or ='],
      [{ expression: 3, quantity: 1, product: 'x' }, 'expression has an invalid value'],
      [{ expression: 'x >= 3', index: 4 }, 'index has an invalid value'],
      [
        { expression: 'x * x >= 3' },
        'It is not linear: the variables x and x are multiplied, and neither is a yes-or-no variable',
      ],
      [{ description: 'y >= 3' }, 'no variable or value is called y'],
      [{ description: 'make[p] >= 3 for p in goods' }, 'No set is called goods: define it, as in `goods: a, b, c`'],
    ])('rejects an invalid requirement with an explanation: %j', (data, reason) => {
      const message = `The production requirement card "R": ${reason}`;
      expect(problemOf(goods, make, variable('x'), least, required('R', data))).toBe(message);
    });
  });

  it.each([
    [[], 'The canvas has no variables: a model needs at least one'],
    [[variable('x')], 'The canvas has no objective: what should be maximized or minimized?'],
    [
      [card('variable', 'X', { name: 'x', domain: 'whole' }), objective('x')],
      'The variable card "X": domain has an invalid value',
    ],
    [[variable('x', { lower: 'low' }), objective('x')], 'The variable card "x": lower has an invalid value'],
    [[variable('x'), variable('x'), objective('x')], 'The variable card "x": another variable is already called x'],
    [
      [variable('x'), card('data', 'D', { values: { x: 1 } }), objective('x')],
      'The data card "D": something else is already called x',
    ],
    [[variable('x'), objective('x + y')], 'The objective card "Goal": no variable or value is called y'],
    [[variable('x'), objective('x'), objective('x')], 'The objective card "Goal": weight is missing'],
    [[variable('x'), objective('x <= 3')], 'The objective card "Goal": an objective cannot contain <=, >= or ='],
    [
      [variable('x'), objective('x * x')],
      'In the objective, x is squared, but the solver can maximize only what never curves upward, as with a sum of squares after a minus. This curves upward with x',
    ],
    [
      [variable('x'), objective('x'), constraint('C', 'x + 3')],
      'The constraint card "C": The formula needs <=, >= or =',
    ],
    [
      [variable('x'), objective('x'), constraint('C', 'x <= 3', { classification: 'soft' })],
      'The constraint card "C": penalty is missing',
    ],
    [[variable('x'), objective('1e15 x')], 'The objective card "Goal": the number must be smaller than 1e15'],
  ])('rejects invalid cards: %#', (cards, message) => {
    expect(problemOf(...cards)).toBe(message);
  });
});

describe('a variable without a domain', () => {
  const pair = card('data', 'Goods', { set: 'goods', members: ['a', 'b'], values: { most: { a: 2.5, b: 3.25 } } });

  it.each<[string, ModelCard[], number]>([
    ['without other variables', [card('variable', 'x', { name: 'x', upper: 2.5 }), objective('x')], 2.5],
    [
      'next to an integer variable',
      [
        card('variable', 'x', { name: 'x', upper: 2.5 }),
        variable('y', { domain: 'integer', upper: 2.5 }),
        objective('x + y'),
      ],
      4.5,
    ],
    [
      'with an index',
      [
        pair,
        card('variable', 'make', { name: 'make', index: 'g in goods', upper: 'most[g]' }),
        objective('sum g in goods: make[g]'),
      ],
      5.75,
    ],
    ['with a domain of null', [card('variable', 'x', { name: 'x', domain: null, upper: 0.5 }), objective('x')], 0.5],
  ])('is continuous: %s', (_, cards, optimum) => {
    expect(solve(...cards)).toMatchObject({ status: 'optimal', objective_value: optimum });
  });
});

describe('a strict relation', () => {
  const goods = card('data', 'Goods', { set: 'goods', members: ['a', 'b'], values: { least: { a: 2, b: 3.5 } } });
  const whole = (name: string, more: object = {}) => variable(name, { domain: 'integer', ...more });
  const least = (expression: string) => objective(expression, { sense: 'minimize' });

  it.each<[string, ModelCard[], number]>([
    ['x > 3', [whole('x'), least('x')], 4],
    ['3 < x', [whole('x'), least('x')], 4],
    ['2x > 5', [whole('x'), least('x')], 3],
    ['x > 0.1 * 30', [whole('x'), least('x')], 4],
    ['x > 3.5', [whole('x'), least('x')], 4],
    ['x > 0', [variable('x', { domain: 'binary' }), least('x')], 1],
    ['x + y < 10', [whole('x'), whole('y'), objective('x + y')], 9],
    ['x < y', [whole('x'), whole('y', { upper: 5 }), objective('x')], 4],
    ['3 < x < 9', [whole('x'), objective('x')], 8],
    ['x > -2', [whole('x', { lower: -9 }), least('x')], -1],
    ['0.5 x > 1', [whole('x'), least('x')], 2],
    ['x > 3', [variable('x'), least('x')], 3],
    ['x + y > 3', [whole('x'), variable('y'), least('x + y')], 3],
  ])('requires a difference of 1 only between integers: %s, %#', (expression, cards, optimum) => {
    expect(solve(...cards, constraint('C', expression))).toMatchObject({ objective_value: optimum });
  });

  it('holds for each member of a family', () => {
    const make = whole('make', { index: 'g in goods' });
    const more = constraint('More', 'make[g] > least[g]', { index: 'g in goods' });
    expect(solve(goods, make, least('sum g in goods: make[g]'), more)).toMatchObject({ objective_value: 7 });
  });

  it.each([
    ['3 > 3', 'infeasible'],
    ['3 > 2.9', 'optimal'],
    ['0.000000000001 > 0', 'optimal'],
  ])('compares constants exactly: %s', (expression, status) => {
    expect(solve(whole('x'), least('x'), constraint('C', expression))).toMatchObject({ status });
  });
});

describe('a limit on a misspelled name', () => {
  const plan = [variable('chairs', { upper: 3 }), variable('tables', { upper: 2 }), objective('chairs + tables')];
  const limited = (name: string, limits: object) => card('variable', name, { name, ...limits });

  it.each([
    ['tabels', { upper: 1 }, 'tables'],
    ['Chairs', { lower: 1 }, 'chairs'],
    ['chair', { lower: 1, upper: 2 }, 'chairs'],
  ])('is rejected with a suggestion of a similar name: %s', (name, limits, meant) => {
    expect(problemOf(...plan, limited(name, limits))).toBe(
      `The variable card "${name}": No objective and no other variable depends on ${name}. Did you mean ${meant}?`,
    );
  });

  it('is accepted if its variable has a domain', () => {
    expect(problemOf(...plan, limited('tabels', { upper: 1, domain: 'continuous' }))).toBe('');
  });
});
