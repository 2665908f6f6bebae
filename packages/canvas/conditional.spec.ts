import { beforeAll, describe, expect, it } from '@jest/globals';
import { card, problemOf } from '../../test/support/model-cards.js';
import { solveModel } from '../../test/support/solve-model.js';
import { type Highs, loadSolver } from '../solver/highs.js';
import { judge, judgeForSolve } from './derivation.js';
import { readCanvas } from './model/canvas-reader.js';
import type { ModelCard } from './model/model-card.js';
import { applyChanges } from './scenarios/apply-changes.js';
import { NO_FILES } from './data-file.js';

const variable = (name: string, more: object = {}) =>
  card('variable', name, { name, domain: 'continuous', unit: 't', ...more });
const binary = (name: string, more: object = {}) => variable(name, { domain: 'binary', ...more });
const goal = (expression: string, sense = 'maximize') =>
  card('objective', 'Goal', { sense, expression, confirmed: true, description: 'Goal' });
const rule = (expression: string, more: object = {}) =>
  card('constraint', 'Rule', { expression, classification: 'hard', description: 'Rule', ...more });
const sites = card('data', 'Sites', {
  set: 'sites',
  members: ['a', 'b'],
  values: { cost: { a: 5, b: 9 }, size: { a: 10, b: 20 } },
  description: 'Sites',
});
const towns = card('data', 'Towns', { set: 'towns', members: ['x', 'y'], values: { need: { x: 4, y: 6 } } });

let highs: Highs;
beforeAll(async () => {
  ({ highs } = await loadSolver(1024));
});
const solve = (...cards: ModelCard[]) => solveModel(highs, readCanvas(cards), 10);
const messagesOf = (cards: readonly ModelCard[], label = 'Rule'): string[] =>
  judge(cards)
    [cards.findIndex((one) => one.label === label)]!.gaps.filter(({ severity }) => severity !== 'info')
    .map(({ severity, message }) => `${severity}: ${message}`);

const x = variable('x', { upper: 10 });
const y = variable('y', { upper: 10 });
const [a, b] = [binary('a'), binary('b')];

describe('a constraint under a condition', () => {
  it.each<[string, string, number]>([
    ['if a = 0 then x <= 0', 'x - 4 a', 6],
    ['if a = 0 then x <= 0', 'x - 40 a', 0],
    ['if a = 1 then x <= 3', 'x + 4 a', 10],
    ['if a = 1 then x <= 3', 'x + 8 a', 11],
    ['if a <> 1 then x <= 3', 'x - a', 9],
    ['if a < 1 then x <= 3', 'x - a', 9],
    ['if a >= 1 then x <= 3', 'x + 8 a', 11],
    ['if 1 = a then x <= 3', 'x + 8 a', 11],
    ['if not a = 0 then x <= 3', 'x + 8 a', 11],
    ['if a = 1 then x >= 7', '20 a - x', 13],
    ['if a = 1 then x = 7', '20 a + x', 27],
    ['if a = 1 then x = 7', '20 a - x', 13],
    ['if a = 1 then 2 <= x <= 3', '8 a + x', 11],
    ['if a = 1 and b = 1 then x <= 3', 'x + 4 a + 4 b', 14],
    ['if a = 1 or b = 1 then x <= 3', 'x + 4 a + 4 b', 11],
    ['if a = 1 and b = 0 then x + y <= 3', 'x + y + 20 a - 5 b', 35],
    ['if not (a = 0 and b = 0) then x <= 3', 'x + 4 a + 4 b', 11],
    ['if a = 1 then x + 2 a <= 3', 'x + 8 a', 10],
    ['if a = 1 then b = 1', '5 a - 2 b', 3],
    ['if a = 1 then x <= y', 'x - y + 4 a', 10],
    ['if a then x <= 3', 'x + 8 a', 11],
    ['if not a then x <= 3', 'x - a', 9],
    ['if a and not b then x <= 3', 'x + 8 a - b', 17],
    ['if a is 1 then x <= 3', 'x + 8 a', 11],
    ['if a is not yes then x <= 3', 'x - a', 9],
    ['if a is no then x <= 3', 'x - a', 9],
    ['(if 1 > 0 then x else y) <= 3', 'x + y', 13],
  ])('%s: %s is at most %d', (expression, objective, optimum) => {
    const cards = [x, y, a, b, rule(expression), goal(objective)];
    expect(messagesOf(cards)).toEqual([]);
    expect(judgeForSolve(cards).flatMap(({ unknown }) => unknown)).toEqual([]);
    expect(solve(...cards).objective_value).toBeCloseTo(optimum, 6);
  });

  it('can have an index, variables with an index and bounds that follow from other constraints', () => {
    const cards = [
      sites,
      towns,
      binary('open', { index: 's in sites' }),
      variable('ship', { index: 's in sites, t in towns' }),
      rule('if open[s] = 0 then sum t in towns: ship[s, t] <= 0', { index: 's in sites' }),
      card('constraint', 'Size', {
        expression: 'sum t in towns: ship[s, t] <= size[s]',
        index: 's in sites',
        classification: 'hard',
      }),
      card('constraint', 'Need', {
        expression: 'sum s in sites: ship[s, t] >= need[t]',
        index: 't in towns',
        classification: 'hard',
      }),
      goal('sum s in sites: cost[s] * open[s]', 'minimize'),
    ];
    const result = solve(...cards);
    expect(result).toMatchObject({ status: 'optimal', objective_value: 5 });
    expect(
      readCanvas(cards)
        .rows.slice(0, 2)
        .map(({ name, when }) => [name, when?.above]),
    ).toEqual([
      ['Rule[a]', 20],
      ['Rule[b]', 40],
    ]);
    expect(result.constraints.find(({ name }) => name.startsWith('Rule'))).toEqual({
      name: 'Rule[b]',
      activity: 0,
      slack: 0,
    });
  });

  it('counts a variable before the first week as 0', () => {
    const weeks = card('data', 'Weeks', { set: 'weeks', members: '1 to 3' });
    const on = binary('on', { index: 't in weeks' });
    const level = variable('level', { index: 't in weeks', upper: 5 });
    const at = (expression: string) =>
      solve(weeks, on, level, rule(expression, { index: 't in weeks' }), goal('sum t in weeks: (level[t] - on[t])'))
        .objective_value;
    expect(at('if on[t - 1] = 0 then level[t] <= 1')).toBeCloseTo(9, 6);
    expect(at('if on[t - 1] = 1 then level[t] <= 1')).toBeCloseTo(15, 6);
  });

  it('may be a soft equation', () => {
    const cards = [x, a, rule('if a = 1 then x = 7', { classification: 'soft', penalty: 0.5 }), goal('x + 4 a')];
    expect(solve(...cards).objective_value).toBeCloseTo(12.5, 6);
  });

  it('cannot be soft with alternatives', () => {
    const soft = rule('if a = 1 or b = 1 then x <= 3', { classification: 'soft', penalty: 1 });
    const sentence =
      'A soft constraint cannot have `or` in its condition: write a constraint for each alternative, or make it hard';
    expect(messagesOf([x, a, b, soft, goal('x')])).toEqual([`blocking: ${sentence}`]);
    expect(problemOf(x, a, b, soft, goal('x'))).toBe(`The constraint card "Rule": ${sentence}`);
  });

  it('may be soft', () => {
    const cards = [x, a, rule('if a = 1 then x <= 3', { classification: 'soft', penalty: 0.5 }), goal('x + 4 a')];
    expect(solve(...cards).objective_value).toBeCloseTo(10.5, 6);
  });

  it('is not listed in a result if its condition is not met', () => {
    const cards = [x, a, rule('if a = 1 then x <= 3')];
    expect(solve(...cards, goal('x - a'))).toMatchObject({ objective_value: 10, constraints: [] });
    expect(solve(...cards, goal('x + 9 a')).constraints).toEqual([{ name: 'Rule', activity: 3, slack: 0 }]);
  });

  it('is represented by its tightest member whose condition is met', () => {
    const weeks = card('data', 'Weeks', { set: 'weeks', members: '1 to 3' });
    const on = binary('on', { index: 't in weeks' });
    const level = variable('level', { index: 't in weeks', upper: 5 });
    const limit = rule('if on[t - 1] = 1 then level[t] <= 4.5', { index: 't in weeks' });
    const { constraints, objective_value } = solve(weeks, on, level, limit, goal('sum t in weeks: (level[t] + on[t])'));
    expect(objective_value).toBeCloseTo(17, 6);
    expect(constraints).toEqual([{ name: 'Rule[2]', activity: 4.5, slack: 0 }]);
  });

  it('has the right decisions even if wrong decisions are within the tolerance of the solver', () => {
    const sites6 = card('data', 'Sites', { set: 'sites', members: '1 to 6' });
    const model = (upper: number, need: number) => [
      sites6,
      binary('open', { index: 's in sites' }),
      variable('x', { index: 's in sites', upper }),
      variable('short', { upper: 1 }),
      rule('if open[s] = 0 then x[s] <= 0', { index: 's in sites' }),
      card('constraint', 'Need', { expression: `sum s in sites: x[s] + short >= ${need}`, classification: 'hard' }),
      goal('sum s in sites: 1000 * open[s] + 5000 short', 'minimize'),
    ];
    for (const [upper, need] of [
      [1e6, 0.3],
      [1e5, 0.03],
      [1e4, 0.003],
    ] as const)
      expect(solve(...model(upper, need))).toMatchObject({
        status: 'optimal',
        objective_value: expect.closeTo(Math.min(1000, 5000 * need), 3),
      });
  });

  it('does not disturb integers that its condition does not contain', () => {
    const cards = [x, a, variable('n', { domain: 'integer', upper: 10 }), goal('x - a')];
    const near = card('constraint', 'Near', { expression: '0.3333334 n = 1', classification: 'hard' });
    expect(solve(...cards, near, rule('if a = 1 then x <= 3')).objective_value).toBeCloseTo(10, 6);
  });

  it('is named in a conflict', () => {
    const { status, conflict } = solve(
      x,
      a,
      rule('if a = 1 then x = 20'),
      card('constraint', 'Must', { expression: 'a >= 1', classification: 'hard' }),
      goal('x'),
    );
    expect(status).toBe('infeasible');
    expect(conflict.sort()).toEqual(['Must', 'Rule', 'x <= 10']);
  });

  it('is counted as a single constraint without helper variables', () => {
    const model = readCanvas([x, a, rule('if a = 1 then x = 3'), goal('x')]);
    expect(model.rows).toHaveLength(1);
    expect(model.rows[0]).toMatchObject({ when: { variables: [1], values: [1], above: 7, below: 3 } });
  });

  it('can be added by a scenario', () => {
    const cards = [x, a, goal('x + 8 a')];
    const change = { kind: 'add', target: 'if a = 1 then x <= 3' } as const;
    const { cards: changed, problems } = applyChanges(cards, [change], { files: NO_FILES, name: 'Test' });
    expect(problems).toEqual([]);
    expect(solve(...changed).objective_value).toBeCloseTo(11, 6);
  });

  it('can have an upper bound of up to a million', () => {
    const at = (upper: number) => [variable('x', { upper }), a, rule('if a = 0 then x <= 0'), goal('x - a')];
    expect(solve(...at(1e6))).toMatchObject({
      objective_value: 999_999,
      notes: [
        'The bounds of the variables in Rule leave a range of 1,000,000 if its condition is not met. Tighter bounds make the search faster and more reliable.',
      ],
    });
    expect(solve(...at(1e4)).notes).toBeUndefined();
    expect(problemOf(...at(1_000_001))).toBe(
      'The constraint Rule only holds under a condition, and the upper bound of x, 1,000,001, is too large for this: give it a smaller upper bound, or use a larger unit',
    );
  });

  it('needs bounds on the side that it limits', () => {
    const free = variable('x', { free: true });
    const noUpper =
      'The constraint Rule only holds under a condition, and x has no upper bound: give it an upper bound';
    expect(problemOf(variable('x'), a, rule('if a = 0 then x <= 0'), goal('x'))).toBe(noUpper);
    expect(problemOf(variable('x'), a, rule('if a = 0 then x >= 5'), goal('x'))).toBe('');
    expect(problemOf(free, a, rule('if a = 0 then x >= 5'), goal('x'))).toBe(
      'The constraint Rule only holds under a condition, and x has no lower bound: give it a lower bound',
    );
    expect(problemOf(variable('x'), a, rule('if a = 0 then -2 x >= 5'), goal('x'))).toBe(noUpper);
  });
});

describe('the gaps of a constraint under a condition', () => {
  it.each([
    [
      'if x = 0 then y <= 3',
      'x is not a yes-or-no variable: declare it with `x binary`, or use a yes-or-no variable in the condition, as in `if open = 0 then ...`',
    ],
    [
      'if rate = 0 then y <= 3',
      'rate is known before a solve: write the condition after the index, as in `for w in warehouses where ...`',
    ],
    [
      'if a = 2 then y <= 3',
      'The condition of a constraint compares yes-or-no variables with 0 or 1. To link an amount to a decision, turn it around, as in `if open = 0 then x <= 0` (at character 6: = 2 then y <= 3)',
    ],
    [
      'if a >= 0 then y <= 3',
      'The condition of a constraint compares yes-or-no variables with 0 or 1. To link an amount to a decision, turn it around, as in `if open = 0 then x <= 0` (at character 6: >= 0 then y <= 3)',
    ],
    [
      'if a = b then y <= 3',
      'The condition of a constraint compares yes-or-no variables with 0 or 1, as in `if open[w] = 0 then ...`: write other conditions after the index, as in `for w in warehouses where ...` (at character 6: = b then y <= 3)',
    ],
    ['if a = 1 then y', 'Write `else` and another value, as in `if t = 1 then start else 0`'],
    [
      `if ${Array.from({ length: 5 }, () => '(a = 1 or b = 1)').join(' and ')} then y <= 3`,
      'The condition has more than 16 alternatives: write several constraints',
    ],
  ])('explain %s', (expression, problem) => {
    const rate = card('data', 'Rate', { values: { rate: 3 } });
    expect(messagesOf([x, y, a, b, rate, rule(expression), goal('x')])).toEqual([`blocking: ${problem}`]);
  });

  it('report variables without an upper bound', () => {
    const [open, start] = [variable('x'), variable('z')];
    const needed = (names: string) => [`blocking: A constraint under a condition needs an upper bound of ${names}`];
    expect(messagesOf([open, start, a, rule('if a = 0 then x + z <= 0'), goal('x')])).toEqual(needed('x, z'));
    expect(messagesOf([open, y, a, rule('if a = 0 then x + y <= 0'), goal('x')])).toEqual(needed('x'));
    expect(messagesOf([open, a, rule('if a = 1 then x >= 5'), goal('x')])).toEqual([]);
    const size = card('constraint', 'Size', { expression: 'x <= 5 + y', classification: 'hard' });
    expect(messagesOf([open, y, a, size, rule('if a = 0 then x <= 0'), goal('x')])).toEqual([]);
  });

  it('report variables of a requirement without an upper bound', () => {
    const required = (data: object) => card('production_requirement', 'Rule', data);
    const cards = (data: object) => [variable('x'), a, required(data), goal('x')];
    const message = 'blocking: A constraint under a condition needs an upper bound of x';
    expect(messagesOf(cards({ expression: 'if a = 1 then x <= 5' }))).toEqual([message]);
    expect(messagesOf(cards({ description: 'if a = 1 then x <= 5' }))).toEqual([message]);
  });

  it('ask about unknown names', () => {
    expect(messagesOf([y, rule('if opened = 1 then y <= 3'), goal('y')])).toEqual([
      'warning: No variable or value on the canvas is called opened',
    ]);
  });

  it('refuse a condition outside a constraint', () => {
    expect(messagesOf([x, a, goal('if a = 1 then x <= 3')], 'Goal')).toEqual([
      'blocking: An objective cannot contain <=, >= or =',
    ]);
  });
});
