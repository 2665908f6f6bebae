import { describe, expect, it } from '@jest/globals';
import { cpuMs } from '../../test/support/cpu-time.js';
import type { CardContent } from './card.js';
import { judge, judgeAndDerive } from './derivation.js';
import { modelDigest } from './model-digest.js';

let count = 0;
const card = (card_type: CardContent['card_type'], data: CardContent['data']): CardContent => ({
  id: String(count++),
  card_type,
  label: `Card ${count}`,
  data,
});
const blocking = (...cards: CardContent[]): string[] =>
  judge(cards).flatMap(({ gaps }) =>
    gaps.flatMap(({ severity, field, message }) => (severity === 'blocking' ? [`${field}: ${message}`] : [])),
  );
const shifts = (more: object = {}) => card('data', { set: 'shifts', members: ['early', 'late', 3], ...more });
const weeks = card('data', { set: 'weeks', members: '1 to 52' });
const staff = card('variable', { name: 'staff', index: 's in shifts', domain: 'integer' });
const constraint = (expression: string, index?: string) =>
  card('constraint', { expression, classification: 'hard', ...(index !== undefined && { index }) });

describe('judge with sets', () => {
  it('returns complete if every member has all values that formulas use', () => {
    const cost = { early: 10, late: 12, 3: 15 };
    expect(
      blocking(
        shifts({ values: { cost, kind: { early: 'day', late: 'night', 3: 'night' }, rate: 2 } }),
        weeks,
        staff,
        card('objective', { sense: 'minimize', expression: 'rate * (sum s in shifts: cost[s] * staff[s])' }),
        constraint('staff[s] >= 2', 's in shifts where kind[s] = "night" and cost[s] > 12'),
        constraint('staff["early"] + staff[3] <= 4'),
        card('variable', { name: 'stock', index: 't in weeks', domain: 'continuous', upper: '2 * t + rate' }),
      ),
    ).toEqual([]);
  });

  it.each([
    ['a duplicate member', [shifts({ members: ['a', ' a'] })], ['members: The member a appears twice']],
    ['members that are not a list', [shifts({ members: '1 to 9999999' })], ['members: members must be a list']],
    [
      'a cell of an unknown member',
      [shifts({ members: ['a'], values: { cost: { a: 1, b: 2 } } })],
      ['values: cost has values for b'],
    ],
    [
      'a missing cell',
      [shifts({ members: ['a', 'b'], values: { cost: { a: 1 } } })],
      ['values: cost has no value for b'],
    ],
    [
      'cells without a set',
      [card('data', { values: { cost: { a: 1 } } })],
      ['values: The values of cost are given by member'],
    ],
    [
      'cells with numbers and strings',
      [shifts({ values: { cost: { early: 1, late: 'two', 3: 3 } } })],
      ['values: values must be'],
    ],
    [
      'two sets with the same name',
      [shifts(), shifts()],
      ['set: Something else is already called', 'set: Something else is already called'],
    ],
    [
      'a set with the name of a variable',
      [shifts(), card('variable', { name: 'shifts', domain: 'binary' })],
      ['set: ', 'name: '],
    ],
    ['an unknown set', [staff], ['index: No set is called shifts']],
    [
      'an invalid index',
      [shifts(), card('variable', { name: 'x', index: 's of shifts', domain: 'binary' })],
      ['index: '],
    ],
    [
      'a bound with a variable',
      [shifts(), staff, card('variable', { name: 'x', index: 's in shifts', domain: 'integer', upper: 'staff[s]' })],
      ['upper: '],
    ],
    [
      'a bound without an index',
      [card('variable', { name: 'x', domain: 'integer', upper: '2 * 3' })],
      ['upper: upper must be a number'],
    ],
    [
      'an indexed variable without its key',
      [shifts(), staff, constraint('staff <= 4')],
      ['expression: staff is indexed by'],
    ],
    [
      'a key for a variable without an index',
      [shifts(), card('variable', { name: 'x', domain: 'binary' }), constraint('x[s] <= 4', 's in shifts')],
      ['expression: x has no index'],
    ],
  ])('reports %s', (_, cards, messages) => {
    const found = blocking(...cards);
    expect(found.map((text, at) => text.slice(0, messages[at]?.length))).toEqual(messages);
  });

  it('names the first missing cell of a column and counts the others', () => {
    const cards = [shifts({ values: { cost: { late: 1 }, rate: { early: 1, late: 2 } } })];
    expect(blocking(...cards)).toEqual([
      'values: cost has no value for early and 1 more',
      'values: rate has no value for 3',
    ]);
  });

  it('warns about unknown names in bounds', () => {
    const bounded = card('variable', { name: 'x', index: 's in shifts', domain: 'integer', unit: 'h', upper: 'most' });
    const [, judged] = judge([shifts(), bounded]);
    expect(judged).toEqual({
      status: 'complete',
      gaps: [{ field: 'upper', message: 'No variable or value on the canvas is called most', severity: 'warning' }],
    });
    expect(judgeAndDerive([shifts(), bounded]).derived.all_variables_provided).toBe(false);
  });

  it('judges a formula again when one of its names refers to a column instead of a value', () => {
    const formula = constraint('price <= 3');
    const value = card('data', { values: { price: 2 } });
    const column = shifts({ values: { price: { early: 1, late: 2, 3: 3 } } });
    const gapsOf = (...cards: CardContent[]) => judge([...cards, formula]).at(-1)?.gaps;
    const alone = gapsOf(value);
    const beside = gapsOf(value, column);
    expect([gapsOf(column), gapsOf(value), gapsOf(value, column)]).toEqual([gapsOf(column), alone, beside]);
    expect(gapsOf(column)).not.toEqual(alone);
  });

  it.each(['stock[t - 1]', 'stock[twin[t - 1]]'])(
    'adds a note that a lag beyond the ends of a set counts as 0: %s',
    (member) => {
      const calendar = card('data', { set: 'weeks', members: '1 to 3', values: { twin: { 1: 2, 2: 3, 3: 1 } } });
      const stock = card('variable', { name: 'stock', index: 't in weeks', domain: 'integer' });
      const balance = constraint(`stock[t] = ${member} + 2`, 't in weeks');
      expect(judge([calendar, stock, balance]).at(-1)).toEqual({
        status: 'complete',
        gaps: [
          { field: 'expression', message: `\`${member}\` counts as 0 beyond the ends of its set`, severity: 'info' },
        ],
      });
    },
  );

  it.each<[string, string[]]>([
    ['(if t > 1 then stock[t - 1] else 5)', []],
    ['(if "early" in shifts then stock[t - 1] else 5)', ['`stock[t - 1]` counts as 0 beyond the ends of its set']],
    ['(if s = "early" then stock[t - 1] else 5)', ['`stock[t - 1]` counts as 0 beyond the ends of its set']],
    ['stock[t + (-hours + 2)]', ['`stock[t + (...)]` counts as 0 beyond the ends of its set']],
  ])('adds a note on a lag unless a choice handles the ends of its set: %s', (value, messages) => {
    const calendar = card('data', { set: 'weeks', members: '1 to 3', values: { hours: 1 } });
    const stock = card('variable', { name: 'stock', index: 't in weeks', domain: 'integer' });
    const balance = constraint(`stock[t] = ${value}`, 't in weeks, s in shifts');
    expect(
      judge([shifts(), calendar, stock, balance])
        .at(-1)
        ?.gaps.map(({ message }) => message),
    ).toEqual(messages);
  });

  it('treats an unknown name that multiplies a variable as a number', () => {
    const formula = constraint('sum s in shifts: cost[s] * staff[s] <= 3');
    expect(judge([shifts(), staff, formula]).at(-1)?.gaps).toEqual([
      { field: 'expression', message: 'No variable or value on the canvas is called cost', severity: 'warning' },
    ]);
  });

  it('changes the digest when sets, members, cells or indices change', () => {
    const digests = [
      [shifts(), staff],
      [shifts({ members: ['early', 'late'] }), staff],
      [shifts({ values: { cost: { early: 1, late: 2, 3: 3 } } }), staff],
      [shifts({ set: 'teams' }), staff],
      [shifts(), card('variable', { ...staff.data, index: 's in shifts where s <> 3' })],
    ].map((cards) => modelDigest(cards));
    expect(new Set(digests).size).toBe(digests.length);
  });

  it('judges large sets quickly', () => {
    const ranges = Array.from({ length: 500 }, (__, at) => card('data', { set: `s${at}`, members: '1 to 100000' }));
    expect(cpuMs(() => judgeAndDerive(ranges))).toBeLessThan(500);
    const lists = Array.from({ length: 130 }, (__, at) =>
      card('data', { set: `l${at}`, members: Array.from({ length: 8_000 }, (___, member) => member % 1_000) }),
    );
    expect(cpuMs(() => judgeAndDerive(lists))).toBeLessThan(1_000);
    expect(judge(lists).flatMap(({ gaps }) => gaps)).toContainEqual(
      expect.objectContaining({ message: 'The data cards of a canvas can have at most 20000 values in total' }),
    );
  });
});
