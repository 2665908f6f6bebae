import { beforeAll, describe, expect, it } from '@jest/globals';
import { card, problemOf } from '../../test/support/model-cards.js';
import { solveModel } from '../../test/support/solve-model.js';
import { type Highs, loadSolver } from '../solver/highs.js';
import { NO_FILES } from './data-file.js';
import { derive, judge } from './derivation.js';
import { modelDigest } from './model-digest.js';
import { readCanvas } from './model/canvas-reader.js';
import type { ModelCard } from './model/model-card.js';
import { applyChanges } from './scenarios/apply-changes.js';
import type { Change } from './scenarios/change.js';

const lot = (zero_or_between: unknown, more: object = {}) =>
  card('variable', 'x', { name: 'x', domain: 'continuous', unit: 'kg', zero_or_between, ...more });
const goal = (expression: string, sense = 'maximize') =>
  card('objective', 'Goal', { sense, expression, confirmed: true });
const hard = (label: string, expression: string, index?: string) =>
  card('constraint', label, { expression, index, classification: 'hard' });
const goods = (values: object) => card('data', 'Goods', { set: 'goods', members: ['a', 'b', 'c'], values });
const make = (zero_or_between: unknown, more: object = {}) =>
  card('variable', 'make', { name: 'make', index: 'g in goods', domain: 'continuous', zero_or_between, ...more });

let highs: Highs;
beforeAll(async () => {
  ({ highs } = await loadSolver(1024));
});
const solve = (...cards: ModelCard[]) => solveModel(highs, readCanvas(cards), 10);

describe('the gaps of a variable that is 0 or in a range', () => {
  const SHAPE =
    'zero_or_between must be a list of the smallest and the largest amount apart from 0, as numbers or formulas';

  it.each<[unknown, object, string[]]>([
    [[20, 200], {}, []],
    [[20, 200], { upper: 100, lower: 0 }, []],
    [[20, 200], { free: true }, []],
    [[20, 200], { lower: -5 }, []],
    [[20, null], { upper: 100 }, []],
    [['2 * 10', 200], {}, []],
    [[20, 20], { domain: 'integer' }, []],
    [20, {}, [`zero_or_between: ${SHAPE}`]],
    [[20], {}, [`zero_or_between: ${SHAPE}`]],
    [[20, ' '], {}, [`zero_or_between: ${SHAPE}`]],
    [[null, 20], {}, [`zero_or_between: ${SHAPE}`]],
    [[20, null], {}, ['upper: It is 0 or at least 20, so it needs an upper bound']],
    [[-1, 20], {}, ['zero_or_between: The smallest amount apart from 0 must not be negative']],
    [[30, 20], {}, ['zero_or_between: The largest amount 20 is below the smallest amount 30']],
    [[20, 2e6], {}, ['zero_or_between: The largest amount must be at most 1,000,000: use a larger unit']],
    [[20, null], { upper: 2e6 }, ['zero_or_between: The largest amount must be at most 1,000,000: use a larger unit']],
    [[20, 200], { lower: 5 }, ['zero_or_between: It can be 0, but its lower bound is 5: remove one of them']],
    [[20, 200], { upper: 10 }, ['zero_or_between: Only 0 is left, because its upper bound 10 is below 20']],
    [
      [20, 200],
      { domain: 'binary' },
      ['zero_or_between: A yes-or-no variable is 0 or 1: remove the range or change the domain'],
    ],
    [['20 <= 3', 30], {}, ['zero_or_between: A bound cannot contain <=, >= or =']],
  ])('match the range %j and the fields %j', (range, more, messages) => {
    const [judged] = judge([lot(range, more)]);
    const found = judged!.gaps.filter(({ severity }) => severity === 'blocking');
    expect(found.map(({ field, message }) => `${field}: ${message}`)).toEqual(messages);
    expect(derive([lot(range, more)]).all_variables_provided).toBe(messages.length === 0);
  });

  it('include unknown names and missing values in the range formulas', () => {
    const cards = [goods({ lot: { a: 1, b: 2, c: 3 }, cap: { a: 9, b: 8 } }), make(['lot[g]', 'cap[g]'])];
    expect(judge(cards)[0]?.gaps).toContainEqual(expect.objectContaining({ message: 'cap has no value for c' }));
    const [, judged] = judge([goods({}), make(['least[g]', 'rate'])]);
    expect(judged?.gaps.map(({ field, message }) => [field, message])).toEqual([
      ['unit', 'It has no unit'],
      ['zero_or_between', 'No variable or value on the canvas is called least'],
      ['zero_or_between', 'No variable or value on the canvas is called rate'],
    ]);
  });

  it('do not include the warning about a limit that the variable can loosen indefinitely', () => {
    const loose = [hard('Limit', 'y <= 4 + x'), card('variable', 'y', { name: 'y', upper: 9 }), goal('y')];
    const warnings = (first: ModelCard) =>
      judge([first, ...loose])[0]!.gaps.filter(({ severity }) => severity === 'warning');
    expect(warnings(lot(undefined))).toHaveLength(1);
    expect(warnings(lot([20, 200]))).toEqual([]);
  });
});

it('changes the digest of a model with its range, but not the digest of models without ranges', () => {
  const rest = [goal('x')];
  const digests = [undefined, [20, 200], [20, 100]].map((range) => modelDigest([lot(range), ...rest]));
  expect(new Set(digests).size).toBe(3);
  expect(digests[0]).toBe(modelDigest([lot(null), ...rest]));
  expect(digests[0]).toBe('7123f8cf2007da3c96ed02ba221f5d1367f702424bde9dc3c10adb3a6a66de4a');
});

describe('a variable that is 0 or in a range', () => {
  it('has a range for each member if columns define its ends', () => {
    const data = goods({ lot: { a: 5, b: 8, c: 0 }, cap: { a: 9, b: 20, c: 4 }, cost: { a: 3, b: 1, c: 2 } });
    const cards = [data, make(['lot[g]', 'cap[g]']), goal('sum g in goods: cost[g] * make[g]', 'minimize')];
    const model = readCanvas([...cards, hard('Need', 'sum g in goods: make[g] >= 7')]);
    expect(model.variables.map(({ name, lower, upper, zeroOr }) => ({ name, lower, upper, zeroOr }))).toEqual([
      { name: 'make[a]', lower: 0, upper: Infinity, zeroOr: { lower: 5, upper: 9 } },
      { name: 'make[b]', lower: 0, upper: Infinity, zeroOr: { lower: 8, upper: 20 } },
      { name: 'make[c]', lower: 0, upper: 4, zeroOr: undefined },
    ]);
    expect(solveModel(highs, model, 10)).toMatchObject({
      status: 'optimal',
      objective_value: 8,
      variables: { make: 8 },
    });
  });

  it('uses its upper bound as the end of an open range, even if the bound is 0 for some members', () => {
    const data = goods({ cap: { a: 9, b: 0, c: 3 } });
    const total = goal('sum g in goods: make[g]');
    expect(solve(data, make([5, null], { upper: 'cap[g]' }), total)).toMatchObject({ objective_value: 9 });
  });

  it('is listed in a conflict with the name of its member', () => {
    const data = goods({ need: { a: 3, b: 0, c: 0 } });
    const cards = [data, make([20, 200]), goal('sum g in goods: make[g]', 'minimize')];
    const need = hard('Need', 'make[g] = need[g]', 'g in goods');
    expect(solve(...cards, need)).toMatchObject({
      status: 'infeasible',
      conflict: ['make[a] is 0 or 20 to 200', 'Need[a]'],
    });
  });

  it.each<[unknown, object, string]>([
    [[20, null], {}, 'make[a] is 0 or at least 20, so it needs an upper bound'],
    [['0 - 1', 4], {}, 'make[a] is 0 or -1 to 4: the smallest amount apart from 0 must not be negative'],
    [['lot[g]', 4], {}, 'make[b] is 0 or 5 to 4: the largest amount is below the smallest amount'],
    [
      ['lot[g]', '1e5 * lot[g] * 3'],
      {},
      'make[b] is 0 or 5 to 1500000: the largest amount must be at most 1,000,000, so use a larger unit',
    ],
    [['lot[g] + make[g]', 4], {}, 'No variable or column is called make'],
    [{ lower: 3 }, {}, 'zero_or_between has an invalid value'],
  ])('is rejected with an error that names the card: %j', (range, more, message) => {
    const cards = [goods({ lot: { a: 1, b: 5, c: 1 } }), make(range, more), goal('sum g in goods: make[g]')];
    expect(problemOf(...cards)).toBe(`The variable card "make": ${message}`);
  });

  it('is rejected if its name is misspelled', () => {
    const stray = card('variable', 'tabels', { name: 'tabels', zero_or_between: [20, 200] });
    expect(problemOf(stray, card('variable', 'tables', { name: 'tables', upper: 3 }), goal('tables'))).toContain(
      'Did you mean tables?',
    );
  });
});

describe('scenarios with a variable that is 0 or in a range', () => {
  const data = goods({ lot: { a: 10, b: 20, c: 30 } });
  const cards = [data, lot([20, 200]), make(['lot[g]', 50]), goal('x + (sum g in goods: make[g])')];
  const outcome = (...changes: Change[]) => {
    const { cards: changed, problems } = applyChanges(cards, changes, { files: NO_FILES, name: 'S' });
    expect(problems).toEqual([]);
    return solve(...changed);
  };

  it.each<[Change, number]>([
    [{ kind: 'bound', target: 'x.upper', to: 100 }, 250],
    [{ kind: 'bound', target: 'x.upper', to: 10 }, 150],
    [{ kind: 'bound', target: 'make.upper', to: 15 }, 215],
    [{ kind: 'column', target: 'lot', times: 1.5 }, 350],
    [{ kind: 'add', target: 'x <= 19' }, 150],
  ])('have the right optimum after the change %j', (change, optimum) => {
    expect(outcome(change)).toMatchObject({ status: 'optimal', objective_value: optimum });
  });

  it('can use a lower bound to rule out 0', () => {
    const lower: Change = { kind: 'bound', target: 'x.lower', to: 1 };
    expect(outcome(lower, { kind: 'add', target: 'x <= 30' })).toMatchObject({ variables: { x: 30 } });
    expect(outcome(lower, { kind: 'add', target: 'x <= 19' })).toMatchObject({
      status: 'infeasible',
      conflict: ['x >= 1', 'x is 0 or 20 to 200', 'x <= 19'],
    });
  });
});
