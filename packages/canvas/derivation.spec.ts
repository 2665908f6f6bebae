import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { CardContent } from './card.js';
import { derive, judge } from './derivation.js';
import { modelDigest } from './model-digest.js';

let made = 0;
const card = (card_type: CardContent['card_type'], data: CardContent['data'] = {}, label = 'Card'): CardContent => ({
  id: `card-${(made += 1)}`,
  card_type,
  label,
  data,
});

const X = card('variable', { name: 'x', domain: 'continuous', unit: 'kg' });
const Y = card('variable', { name: 'y', domain: 'binary' });
const PROFIT = card('objective', { sense: 'maximize', expression: '3x + 2y', confirmed: true }, 'Profit');
const LABOUR = card('constraint', { expression: 'x + y <= 4', classification: 'hard' });
const COMPLETE = [
  X,
  Y,
  PROFIT,
  LABOUR,
  card('kpi', { description: 'Share of orders in time' }),
  card('data', { file_path: 'demand.csv' }),
  card('production_requirement', { description: 'Chairs', quantity: 10 }),
];
const judged = (subject: CardContent, ...others: CardContent[]) => judge([subject, ...others])[0];
const blocking = (subject: CardContent, ...others: CardContent[]): string[] =>
  (judged(subject, ...others)?.gaps ?? []).filter(({ severity }) => severity === 'blocking').map(({ field }) => field);

describe('judge', () => {
  it('returns draft for a card without known fields, needs_input if fields are missing, and complete otherwise', () => {
    expect(judged(card('objective'))?.status).toBe('draft');
    expect(judged(card('objective', { colour: 'red' }))?.status).toBe('draft');
    expect(judged(card('objective', { sense: 'maximize' }))).toEqual({
      status: 'needs_input',
      gaps: [
        { field: 'expression', message: 'What is the formula of the objective?', severity: 'blocking' },
        { field: 'confirmed', message: 'The objective is not confirmed yet', severity: 'info' },
      ],
    });
    for (const [index, { status }] of judge(COMPLETE).entries()) expect([index, status]).toEqual([index, 'complete']);
  });

  it('reports a product as a blocking gap unless it has a yes-or-no variable and the other variable has a bound', () => {
    const rule = (expression: string) => card('constraint', { expression, classification: 'hard' });
    expect(blocking(rule('x * x <= 3'), X)).toEqual(['expression']);
    expect(blocking(rule('x * y <= 3'), { ...X, data: { ...X.data, upper: 9 } }, Y)).toEqual([]);
    expect(blocking(rule('x * y <= 3'), X, Y)).toEqual(['expression']);
    expect(blocking(rule('x * max(x, y) <= 3'), X, Y)).toEqual(['expression']);
  });

  it.each<[string, CardContent, string[]]>([
    ['an invalid sense', card('objective', { sense: 'up', expression: '1' }), ['sense']],
    ['a blank expression', card('objective', { sense: 'minimize', expression: '  ' }), ['expression']],
    ['a name with a space', card('variable', { name: 'x y', domain: 'integer' }), ['name']],
    ['a bound that is not a number', card('variable', { name: 'x', domain: 'integer', lower: '1' }), ['lower']],
    ['crossed bounds', card('variable', { name: 'x', domain: 'integer', lower: 2, upper: 1 }), ['lower']],
    [
      'a soft constraint without penalty',
      card('constraint', { expression: 'x <= 1', classification: 'soft' }),
      ['penalty'],
    ],
    ['a penalty of 0', card('constraint', { expression: 'x <= 1', classification: 'soft', penalty: 0 }), ['penalty']],
    [
      'an objective that is not a formula',
      card('objective', { sense: 'minimize', expression: 'all of it' }),
      ['expression'],
    ],
    ['an objective with a relation', card('objective', { sense: 'minimize', expression: 'x = 1' }), ['expression']],
    [
      'a constraint without a relation',
      card('constraint', { expression: 'x', classification: 'hard' }),
      ['expression'],
    ],
    ['data without values or a file', card('data', { description: 'Demand' }), ['file_path']],
    ['values that are not numbers', card('data', { values: { a: '1' } }), ['values']],
    ['data that is not in the formulas', card('data', { in_formulas: false }), ['file_path']],
    ['an empty list of values', card('data', { values: {} }), ['values']],
  ])('reports %s as a blocking gap', (_, subject, fields) => {
    expect(blocking(subject)).toEqual(fields);
    expect(judged(subject)?.status).toBe('needs_input');
  });

  it.each<[string, CardContent['data']]>([
    ['without other fields', { name: 'x' }],
    ['with bounds', { name: 'x', lower: 0, upper: 4 }],
    ['with an index', { name: 'x', index: 't in weeks', upper: 4 }],
  ])('accepts a variable without a domain and adds a note: %s', (_, data) => {
    const weeks = card('data', { set: 'weeks', members: '1 to 4', description: 'Weeks' });
    const cards = [weeks, card('variable', data)];
    expect(judge(cards)[1]).toMatchObject({ status: 'complete' });
    expect(judge(cards)[1]?.gaps).toContainEqual({
      field: 'domain',
      message: 'It has no domain, so it is continuous and fractions are allowed',
      severity: 'info',
    });
    expect(derive(cards).all_variables_provided).toBe(true);
  });

  it('compares cards to report missing weights, duplicate names and unknown names', () => {
    const second = card('objective', { sense: 'minimize', expression: 'x', weight: 2 });
    expect(blocking(PROFIT, second)).toEqual(['weight']);
    expect(blocking(second, PROFIT)).toEqual([]);
    expect(blocking(X, card('data', { values: { x: 1 } }))).toEqual(['name']);
    expect(blocking(card('data', { values: { x: 1 } }), X)).toEqual(['values']);
    const scaled = card('constraint', { expression: 'price * x / price <= 4', classification: 'hard' });
    expect(blocking(scaled, X, card('data', { values: { price: 2 } }))).toEqual([]);
    expect(blocking(scaled, X, card('data', { values: { price: 0 } }))).toEqual(['expression']);
    expect(judged(card('constraint', { expression: '3x +', classification: 'hard' }))?.gaps).toEqual([
      { field: 'expression', message: 'The formula ends too early', severity: 'blocking' },
    ]);
    expect(judged(LABOUR, X)?.gaps).toEqual([
      { field: 'expression', message: 'No variable or value on the canvas is called y', severity: 'warning' },
    ]);
    expect(judged(LABOUR, X, card('data', { values: { y: 1 } }))?.gaps).toEqual([]);
  });
});

describe('the checklist', () => {
  const flagsOf = (cards: CardContent[]): string[] =>
    Object.entries(derive(cards)).flatMap(([field, value]) => (value === true ? [field] : []));

  it('has all flags for a complete model and none for an empty canvas', () => {
    expect(flagsOf([])).toEqual([]);
    expect(flagsOf(COMPLETE).sort()).toEqual([
      'all_constraints_classified',
      'all_variables_provided',
      'data_available',
      'kpis_defined',
      'objective_confirmed',
      'objective_drafted',
      'objectives_defined',
      'production_requirements_defined',
    ]);
  });

  it.each<[string, CardContent, string[]]>([
    [
      'an incomplete objective',
      card('objective', { sense: 'minimize' }),
      ['objectives_defined', 'objective_confirmed'],
    ],
    ['an unnamed variable', card('variable', { domain: 'integer' }), ['all_variables_provided']],
    [
      'an unknown name',
      card('constraint', { expression: 'z <= 1', classification: 'hard' }),
      ['all_variables_provided'],
    ],
    [
      'a constraint that is neither hard nor soft',
      card('constraint', { expression: 'x <= 1' }),
      ['all_constraints_classified'],
    ],
    ['an empty KPI', card('kpi'), ['kpis_defined']],
    ['an empty data card', card('data'), ['data_available']],
    ['an empty requirement', card('production_requirement'), ['production_requirements_defined']],
  ])('clears only the flags that %s contradicts', (_, extra, lost) => {
    const whole = flagsOf(COMPLETE);
    expect(whole.filter((flag) => !flagsOf([...COMPLETE, extra]).includes(flag)).sort()).toEqual(lost.sort());
  });

  it('contains the type, description and components of the objective', () => {
    expect(derive([PROFIT, X, Y])).toMatchObject({
      card_count: 3,
      objective_type: 'maximize',
      objective_description: 'Profit',
      objective_components: [
        { card_id: PROFIT.id, label: 'Profit', sense: 'maximize', expression: '3x + 2y', weight: null },
      ],
    });
    expect(derive([PROFIT, card('objective', { description: 'Few changes' })])).toMatchObject({
      objective_type: 'weighted_sum',
      objective_description: 'Profit; Few changes',
      objective_confirmed: false,
    });
    expect(derive([X])).toMatchObject({ objective_type: null, objective_description: null });
  });

  it('depends only on the card content', () => {
    const anything = fc.record({
      id: fc.uuid(),
      card_type: fc.constantFrom(...COMPLETE.map(({ card_type }) => card_type)),
      label: fc.string(),
      data: fc.dictionary(
        fc.oneof(fc.constantFrom('name', 'expression', 'sense', 'values', 'weight', '__proto__'), fc.string()),
        fc.jsonValue() as fc.Arbitrary<unknown>,
      ),
    });
    fc.assert(
      fc.property(fc.array(anything, { maxLength: 12 }), (cards) => {
        const copy = structuredClone(cards);
        const statuses = judge(cards).map(({ status }) => status);
        const derived = derive(cards);
        expect([judge(copy).map(({ status }) => status), derive(copy)]).toEqual([statuses, derived]);
        expect(cards).toEqual(copy);
        const complete = (type: string) =>
          cards.every(({ card_type }, at) => card_type !== type || statuses[at] === 'complete');
        if (derived.objectives_defined)
          expect([complete('objective'), derived.objective_drafted]).toEqual([true, true]);
        if (derived.kpis_defined) expect(complete('kpi')).toBe(true);
      }),
    );
  });
});

describe('modelDigest', () => {
  it('depends only on content that a solve reads', () => {
    const digest = modelDigest(COMPLETE);
    const changed = (at: number, data: CardContent['data']): string =>
      modelDigest(COMPLETE.map((one, index) => (index === at ? { ...one, data: { ...one.data, ...data } } : one)));
    const same = [
      modelDigest(COMPLETE.toReversed()),
      modelDigest(COMPLETE.map((one) => ({ ...one, data: Object.fromEntries(Object.entries(one.data).reverse()) }))),
      modelDigest([...COMPLETE, card('kpi', { description: 'Speed' }), card('constraint', { description: 'Soon' })]),
      changed(0, { unit: 'g', description: 'Sugar' }),
      changed(2, { confirmed: false, weight: null }),
      changed(5, { file_path: 'forecast.csv', in_formulas: true }),
    ];
    const others = [
      modelDigest(COMPLETE.slice(1)),
      changed(0, { lower: 1 }),
      changed(0, { domain: 'integer' }),
      changed(2, { expression: '3x' }),
      changed(2, { sense: 'minimize' }),
      changed(3, { classification: 'soft' }),
      changed(5, { values: { a: 1 } }),
      changed(5, { values: { a: 2 } }),
    ];
    expect(new Set(same)).toEqual(new Set([digest]));
    expect(new Set([digest, ...others]).size).toBe(others.length + 1);
  });
});
