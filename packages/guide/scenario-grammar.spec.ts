import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Change } from '../canvas/scenarios/change.js';
import { readStatement } from './grammar.js';
import { splitStatements } from './lines.js';
import { sayChange } from './scenarios.js';
import type { SaidChange } from './statement.js';

const read = (text: string) => readStatement([...splitStatements(text)][0] ?? '');
const changes = (...said: SaidChange[]) => ({ statement: { kind: 'scenario', name: 'two shifts', changes: said } });
const times = (figure: number): SaidChange => ({ form: 'figure', target: 'hours', times: figure });

describe('readScenario', () => {
  it.each<[string, SaidChange[]]>([
    ['scenario "two shifts": hours x 1.5', [times(1.5)]],
    ['Scenario two shifts: hours × 2', [times(2)]],
    ['scenario “two shifts”: hours*.5', [times(0.5)]],
    ['scenario two shifts : hours times 3.', [times(3)]],
    ['scenario two shifts: hours = 300', [{ form: 'figure', target: 'hours', to: 300 }]],
    ['scenario two shifts: hours = -3', [{ form: 'figure', target: 'hours', to: -3 }]],
    ['scenario two shifts: hours + 10', [{ form: 'figure', target: 'hours', plus: 10 }]],
    ['scenario two shifts: hours - 10', [{ form: 'figure', target: 'hours', plus: -10 }]],
    ['scenario two shifts: x x 2', [{ form: 'figure', target: 'x', times: 2 }]],
    ['scenario two shifts: make.upper x 2', [{ form: 'figure', target: 'make.upper', times: 2 }]],
    ['scenario two shifts: without Overtime', [{ form: 'off', target: 'Overtime' }]],
    ['scenario two shifts: without "night, late"', [{ form: 'off', target: 'night, late' }]],
    ['scenario two shifts: products from other.csv', [{ form: 'file', target: 'products', path: 'other.csv' }]],
    [
      'scenario two shifts: price of "oak chair" = 30',
      [{ form: 'figure', target: 'price', key: ['oak chair'], to: 30 }],
    ],
    ['scenario two shifts: price of oak chair = 30', [{ form: 'figure', target: 'price', key: ['oak chair'], to: 30 }]],
    [
      'scenario two shifts: demand["oak, chair", 3] + 1, demand of table, 2 x 2',
      [
        { form: 'figure', target: 'demand', key: ['oak, chair', '3'], plus: 1 },
        { form: 'figure', target: 'demand', key: ['table', '2'], times: 2 },
      ],
    ],
    ['scenario "two shifts": make <= 40', [{ form: 'relation', text: 'make <= 40' }]],
    [
      'scenario "two shifts": make[p, t] <= 40 for p in goods, t in weeks, x + y >= 3, hours x 1.5',
      [
        { form: 'relation', text: 'make[p, t] <= 40 for p in goods, t in weeks' },
        { form: 'relation', text: 'x + y >= 3' },
        times(1.5),
      ],
    ],
    [
      'scenario two shifts: without Overtime, make["oak chair"] <= 5',
      [
        { form: 'off', target: 'Overtime' },
        { form: 'relation', text: 'make["oak chair"] <= 5' },
      ],
    ],
    [
      'scenario two shifts: hours x 1.5, demand + 10 where region = "north, east" and price > 10, and without Overtime, goods from "a b.csv"',
      [
        times(1.5),
        { form: 'figure', target: 'demand', plus: 10, where: 'region = "north, east" and price > 10' },
        { form: 'off', target: 'Overtime' },
        { form: 'file', target: 'goods', path: 'a b.csv' },
      ],
    ],
  ])('parses %s', (text, said) => {
    expect(read(text)).toEqual(changes(...said));
  });

  it.each<[string, object]>([
    ['remove scenario "two shifts"', { kind: 'remove_scenario', name: 'two shifts' }],
    ['delete the scenario two shifts', { kind: 'remove_scenario', name: 'two shifts' }],
    ['show scenarios', { kind: 'show_scenarios' }],
    ['list my scenarios.', { kind: 'show_scenarios' }],
    ['solve scenarios', { kind: 'solve_scenarios' }],
    ['solve all the scenarios!', { kind: 'solve_scenarios' }],
    ['solve scenario "two shifts"', { kind: 'solve_scenarios', names: ['two shifts'] }],
  ])('parses %s as another type of statement', (text, statement) => {
    expect(read(text)).toEqual({ statement });
  });

  it.each([
    'scenario "two shifts": more hours',
    'scenario two shifts: hours y 1.5',
    'scenario two shifts: hours x 1.5, more',
    'scenario two shifts: hours x 1e999',
    'scenario two shifts: price of "a" = 3 where region = "north"',
    'scenario two shifts:',
  ])('rejects %s and gives an example of the syntax', (text) => {
    expect(read(text)).toEqual({ reason: expect.stringMatching(/^say what changes, as in `hours x 1\.5`/) });
  });

  it.each(['scenario 1: x + y <= 4', 'Scenario A: x >= 2 y'])(
    'parses a constraint whose name begins with the word `scenario`: %s',
    (text) => {
      expect(read(text)).toMatchObject({ statement: { kind: 'relation', label: text.slice(0, 10) } });
    },
  );

  it('parses changes as the guide formats them', () => {
    const figure = fc.oneof(fc.integer({ min: -1_000, max: 1_000 }), fc.constantFrom(0.5, 1.25, -2.75));
    const operation = fc.oneof(
      fc.record({ times: figure }),
      fc.record({ plus: figure.filter((one) => one !== 0) }),
      fc.record({ to: figure }),
    );
    const name = fc.constantFrom('hours', 'x', 'Unit_cost', 'größe');
    const change: fc.Arbitrary<[Change, SaidChange]> = fc.oneof(
      fc
        .tuple(name, operation, fc.constantFrom(undefined, 'region = "a, b"', 'price > 3 and not (week = 2)'))
        .map(([target, how, where]): [Change, SaidChange] => {
          const said = { target, ...how, ...(where !== undefined && { where }) };
          return [
            { kind: 'column', ...said },
            { form: 'figure', ...said },
          ];
        }),
      fc
        .tuple(
          name,
          operation,
          fc.array(fc.constantFrom('oak chair', '3', 'a, b', 'x'), { minLength: 1, maxLength: 3 }),
        )
        .map(([target, how, key]): [Change, SaidChange] => [
          { kind: 'cell', target, key, ...how },
          { form: 'figure', target, key, ...how },
        ]),
      fc
        .constantFrom('x <= 4', 'make["oak, chair"] >= 2', 'make[p, t] <= 3 for p in goods, t in weeks where t > 1')
        .map((text): [Change, SaidChange] => [
          { kind: 'add', target: text },
          { form: 'relation', text },
        ]),
      fc.constant<[Change, SaidChange]>([
        { kind: 'off', target: 'Overtime' },
        { form: 'off', target: 'Overtime' },
      ]),
      fc.constant<[Change, SaidChange]>([
        { kind: 'file', target: 'products', to: 'data/other.csv' },
        { form: 'file', target: 'products', path: 'data/other.csv' },
      ]),
    );
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), (pairs) => {
        const text = `scenario "two shifts": ${pairs.map(([one]) => sayChange(one)).join(', ')}`;
        expect(read(text)).toEqual(changes(...pairs.map(([, said]) => said)));
      }),
    );
  });
});
