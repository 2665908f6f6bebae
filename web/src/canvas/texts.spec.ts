import { describe, expect, it } from '@jest/globals';
import type { Card } from './cards';
import { kindOf } from './kinds';
import { statementOf } from './statement';
import { changesOf, problemOf, textsOf } from './texts';

const kind = kindOf('variable')!;
const field = kind.fields.find(({ name }) => name === 'zero_or_between')!;
const card = (data: Card['data']) => ({ card_type: 'variable', label: 'x', data }) as Card;

describe('the form of a variable that is 0 or in a range', () => {
  it.each<[string, unknown]>([
    ['20 to 200', [20, 200]],
    ['2.5 to 1e3', [2.5, 1000]],
    ['lot[p] to 2 * most[p]', ['lot[p]', '2 * most[p]']],
    ['at least 20', [20, null]],
    ['at least lot[p]', ['lot[p]', null]],
  ])('accepts and displays %s', (text, range) => {
    expect(problemOf(field, text)).toBeUndefined();
    const changes = changesOf(kind, {}, { zero_or_between: text }, ['zero_or_between']);
    expect(changes).toEqual({ zero_or_between: range });
    const shown = textsOf(kind, card(changes))['zero_or_between'] ?? '';
    expect(changesOf(kind, {}, { zero_or_between: shown }, ['zero_or_between'])).toEqual(changes);
  });

  it.each(['20', '20 to', ' to 200', '20 to 30 to 40', '20-200', 'at least'])('rejects %j', (text) => {
    expect(problemOf(field, text)).toBe('Enter the smallest and the largest amount, such as 20 to 200, or at least 20');
  });

  it('removes the range if the field is empty', () => {
    expect(changesOf(kind, {}, { zero_or_between: ' ' }, ['zero_or_between'])).toEqual({ zero_or_between: null });
  });
});

describe('the form of computed numbers', () => {
  const data = kindOf('data')!;
  const computed = data.fields.find(({ name }) => name === 'computed')!;

  it.each<[string, Record<string, string>]>([
    ['margin = price[p] - cost[p]', { margin: 'price[p] - cost[p]' }],
    ['a = 1\n\n b=if x = 2 then 3 else 4 ', { a: '1', b: 'if x = 2 then 3 else 4' }],
  ])('accepts %j', (text, formulas) => {
    expect(problemOf(computed, text)).toBeUndefined();
    const changes = changesOf(data, {}, { computed: text }, ['computed']);
    expect(changes).toEqual({ computed: formulas });
    const shown = textsOf(data, { label: '', data: changes })['computed'] ?? '';
    expect(changesOf(data, {}, { computed: shown }, ['computed'])).toEqual(changes);
  });

  it.each(['margin', '= 5', 'margin =', 'a = 1\na = 2', 'a = 1\nb', 'margin[p] = price[p]', 'a <= 5', '2a = 5'])(
    'rejects %j',
    (text) => {
      expect(problemOf(computed, text)).toBe('Enter a line such as margin = price[p] - cost[p] for each name');
    },
  );

  it('shows a single definition as a statement', () => {
    const statement = (formulas: object) =>
      statementOf({ ...card({ computed: formulas, index: 'p in goods' }), card_type: 'data' });
    expect(statement({ margin: 'price[p] - 1' })).toMatchObject({
      formula: 'margin = price[p] - 1',
      index: 'p in goods',
    });
    expect(statement({ margin: 'price[p] - 1', share: '2' })).toBeUndefined();
  });
});

describe('the form of sets from other sets', () => {
  const data = kindOf('data')!;

  it.each<[string, unknown]>([
    ['products', 'products'],
    ['(o, d) in lanes', '(o, d) in lanes'],
    ['plants, customers', ['plants', 'customers']],
  ])('accepts and displays %s', (text, of) => {
    const changes = changesOf(data, {}, { of: text }, ['of']);
    expect(changes).toEqual({ of });
    expect(textsOf(data, { label: 'fast', data: changes })['of']).toBe(text);
  });
});

describe('statementOf', () => {
  it.each<[Card['data'], string, string]>([
    [{ name: 'x', zero_or_between: [20, 200] }, 'x = 0 or 20 ≤ x ≤ 200', ''],
    [
      { name: 'make', index: 'p in goods', zero_or_between: ['lot[p]', null], upper: 9 },
      'make = 0 or make ≥ lot[p]',
      'p in goods',
    ],
    [{ name: 'x', upper: 9 }, '0 ≤ x ≤ 9', ''],
  ])('shows the possible values of a variable: %j', (data, formula, index) => {
    expect(statementOf(card(data))).toMatchObject({ formula, index });
  });

  it('does not report the upper bound as covered if the variable is 0 or in a range', () => {
    expect(statementOf(card({ name: 'x', zero_or_between: [20, null], upper: 90 }))?.coveredFields).not.toContain(
      'upper',
    );
  });
});
