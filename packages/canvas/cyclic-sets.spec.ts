import { beforeAll, describe, expect, it } from '@jest/globals';
import { Dice } from '../../test/support/dice.js';
import { card } from '../../test/support/model-cards.js';
import { solveModel } from '../../test/support/solve-model.js';
import { type Highs, loadSolver } from '../solver/highs.js';
import { judge } from './derivation.js';
import { modelDigest } from './model-digest.js';
import { readCanvas } from './model/canvas-reader.js';
import type { ModelCard } from './model/model-card.js';

const NAMES = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const days = (more: object = { cyclic: true }, need?: number[]) =>
  card('data', 'Days', {
    set: 'days',
    members: NAMES,
    description: 'Days',
    ...(need && { values: { need: Object.fromEntries(NAMES.map((name, at) => [name, need[at]!])) } }),
    ...more,
  });
const begin = (domain = 'integer') =>
  card('variable', 'begin', { name: 'begin', index: 'd in days', domain, unit: 'people' });
const cover = (expression: string, index = 'd in days') =>
  card('constraint', 'Cover', { expression, index, classification: 'hard', description: 'Cover' });
const goal = card('objective', 'Goal', {
  sense: 'minimize',
  expression: 'sum d in days: begin[d]',
  confirmed: true,
  description: 'Staff',
});
const SHIFT = 'begin[d] + begin[d - 1] + begin[d - 2] + begin[d - 3] + begin[d - 4] >= need[d]';
const WRAPPED = SHIFT.replaceAll(' - ', ' -- ');

let highs: Highs;
beforeAll(async () => {
  ({ highs } = await loadSolver(1024));
});
const best = (...cards: ModelCard[]) => solveModel(highs, readCanvas(cards), 10).objective_value;
const gapsOf = (cards: readonly ModelCard[], label: string): string[] =>
  judge(cards)[cards.findIndex((one) => one.label === label)]!.gaps.map(
    ({ field, message, severity }) => `${field} (${severity}): ${message}`,
  );

describe('a cyclic set', () => {
  it('continues lags at the other end', () => {
    const need = [17, 13, 15, 19, 14, 16, 11];
    const cards = (expression: string, more?: object) => [days(more, need), begin(), cover(expression), goal];
    expect(best(...cards(SHIFT))).toBeCloseTo(23, 9);
    expect(best(...cards(WRAPPED, {}))).toBeCloseTo(23, 9);
    expect(best(...cards(SHIFT, {}))).not.toBeCloseTo(23, 9);
    expect(gapsOf(cards(SHIFT), 'Cover')).toEqual([]);
    expect(gapsOf(cards(SHIFT, {}), 'Cover')).toEqual([
      'expression (info): `begin[d - 1]` counts as 0 beyond the ends of its set',
    ]);
  });

  it.each<[string, string, ModelCard[], number]>([
    ['a calculated lag', 'begin[d] + begin[d - lag] >= 2', [card('data', 'Lag', { values: { lag: 1 } })], 7],
    ['a lead', 'begin[d] + begin[d + 1] >= 2', [], 7],
    ['a lag of a column', 'begin[d] >= need[d - 1]', [], 28],
    ['a lag of more than a cycle', 'begin[d] >= need[d + 8]', [], 28],
  ])('is used for %s', (_, expression, more, optimum) => {
    const cards = [days(undefined, [1, 2, 3, 4, 5, 6, 7]), begin('continuous'), ...more, cover(expression), goal];
    expect(gapsOf(cards, 'Cover')).toEqual([]);
    expect(best(...cards)).toBeCloseTo(optimum, 9);
  });

  it('can have the members of another set', () => {
    const work = card('data', 'Work', { set: 'work', of: 'd in days', where: 'need[d] > 3', cyclic: true });
    const cards = [
      days({}, [1, 2, 3, 4, 5, 6, 7]),
      work,
      begin('continuous'),
      cover('begin[d] >= need[d - 1]', 'd in work'),
      goal,
    ];
    expect(gapsOf(cards, 'Cover')).toEqual([]);
    expect(best(...cards)).toBeCloseTo(4 + 5 + 6 + 7, 9);
    expect(readCanvas(cards).rows.map(({ lower }) => lower)).toEqual([7, 4, 5, 6]);
  });

  it('never needs an alternative to a lag', () => {
    const cards = [days(undefined, [1, 2, 3, 4, 5, 6, 7]), begin(), cover('begin[d] >= (need[d - 1] else 99)'), goal];
    expect(best(...cards)).toBeCloseTo(28, 9);
  });

  it('is part of the model', () => {
    expect(modelDigest([days()])).not.toBe(modelDigest([days({})]));
    expect(modelDigest([days({ description: 'Other' })])).toBe(modelDigest([days({})]));
  });

  it('is judged again if the flag changes', () => {
    for (const [more, count] of [
      [{}, 1],
      [{ cyclic: true }, 0],
      [{ cyclic: false }, 1],
    ] as const)
      expect(
        gapsOf(
          [
            days(
              more,
              NAMES.map(() => 1),
            ),
            begin(),
            cover(SHIFT),
            goal,
          ],
          'Cover',
        ),
      ).toHaveLength(count);
  });

  it.each<[string, object, string[]]>([
    ['a text', { set: 'days', members: NAMES, cyclic: 'yes' }, ['cyclic (blocking): cyclic must be true or false']],
    ['a number', { set: 'days', members: NAMES, cyclic: 1 }, ['cyclic (blocking): cyclic must be true or false']],
    ['a list', { set: 'days', members: NAMES, cyclic: [true] }, ['cyclic (blocking): cyclic must be true or false']],
    ['no set', { values: { a: 1 }, cyclic: true }, ['cyclic (warning): It has no effect without a set']],
    [
      'pairs',
      { set: 'shifts', file_path: 'shifts.csv', key: ['day', 'shift'], cyclic: true },
      [
        'cyclic (blocking): The members of shifts have 2 parts, so they have no cycle: set `cyclic` for the set of a single part, such as the days',
        'file_path (blocking): shifts.csv has not been read yet',
      ],
    ],
    ['false', { set: 'days', members: NAMES, cyclic: false }, []],
  ])('is reported for %s', (_, data, expected) => {
    expect(gapsOf([card('data', 'Days', { description: 'Days', ...data })], 'Days')).toEqual(expected);
  });

  it('has the optimum of an enumeration in random models', () => {
    const dice = new Dice(3);
    for (let round = 0; round < 100; round += 1) {
      const size = 2 + dice.below(3);
      const members = NAMES.slice(0, size);
      const lag = 1 + dice.below(3);
      const need = members.map(() => dice.below(4));
      const cost = members.map(() => 1 + dice.below(4));
      const place = (at: number): number => ((at % size) + size) % size;
      let optimum = Infinity;
      for (let plan = 0; plan < 4 ** size; plan += 1) {
        const amounts = members.map((_, at) => Math.floor(plan / 4 ** at) % 4);
        if (!members.every((_, at) => amounts[at]! + amounts[place(at - lag)]! >= need[at]!)) continue;
        optimum = Math.min(
          optimum,
          amounts.reduce((sum, one, at) => sum + one * cost[at]!, 0),
        );
      }
      const byMember = (figures: number[]) => Object.fromEntries(members.map((member, at) => [member, figures[at]!]));
      const cards = [
        card('data', 'Days', {
          set: 'days',
          members,
          cyclic: true,
          values: { need: byMember(need), cost: byMember(cost) },
        }),
        card('variable', 'begin', { name: 'begin', index: 'd in days', domain: 'integer', upper: 3 }),
        cover(`begin[d] + begin[d - ${lag}] >= need[d]`),
        card('objective', 'Goal', { sense: 'minimize', expression: 'sum d in days: cost[d] * begin[d]' }),
      ];
      expect(best(...cards)).toBeCloseTo(optimum, 9);
    }
  });
});
