import { describe, expect, it } from '@jest/globals';
import { figuresOf, membersOf, problemOfNumbers, unclearNumberOf, valuesFrom } from './value-tables';

const NO_MEMBERS = membersOf({});
const figures = (...rows: [string, string][]) => ({ ...figuresOf({}), rows });
const members = (columns: string[], ...rows: string[][]) => ({ ...membersOf({}), columns, rows });

describe('figures', () => {
  it('are read with the decimal sign that fits all of them', () => {
    const table = figures(['hours', '1.200'], ['rate', '0,12']);
    expect(problemOfNumbers(table)).toBeUndefined();
    expect(valuesFrom(table, NO_MEMBERS)).toEqual({ hours: 1200, rate: 0.12 });
  });

  it('need a choice if their meaning is unclear', () => {
    const table = figures(['hours', '1.200'], ['wages', '3']);
    expect(unclearNumberOf(table)).toEqual({ entered: '1.200', values: { '.': 1.2, ',': 1200 } });
    expect(problemOfNumbers(table)).toBe('Choose what 1.200 means');
    expect(problemOfNumbers({ ...table, decimal: ',' })).toBeUndefined();
    expect(valuesFrom({ ...table, decimal: ',' }, NO_MEMBERS)).toEqual({ hours: 1200, wages: 3 });
    expect(valuesFrom({ ...table, decimal: '.' }, NO_MEMBERS)).toEqual({ hours: 1.2, wages: 3 });
  });

  it('have a problem if they contradict each other or are not numbers', () => {
    expect(problemOfNumbers(figures(['a', '1.234,5'], ['b', '1,234.5'], ['c', '1.200']))).toBe(
      'Use the same decimal sign for all numbers in Value',
    );
    expect(problemOfNumbers(figures(['a', 'many'], ['b', ''], ['', 'x']))).toBe('Enter a number for a, b, such as 2.5');
  });

  it('keep stored numbers without a question', () => {
    const table = figuresOf({ values: { weight: 1.125 } });
    expect(problemOfNumbers(table)).toBeUndefined();
    expect(valuesFrom(table, NO_MEMBERS)).toEqual({ weight: 1.125 });
  });
});

describe('values of members', () => {
  it('are read by column', () => {
    const table = members(['cost', 'share', 'code'], ['a', '2,5', '0.125', 'x'], ['b', '3.500', '', '1,200']);
    expect(problemOfNumbers(table)).toBeUndefined();
    expect(valuesFrom(figuresOf({}), table)).toEqual({
      cost: { a: 2.5, b: 3500 },
      share: { a: 0.125 },
      code: { a: 'x', b: '1,200' },
    });
  });

  it('stay text below a heading, and are read without it', () => {
    const rows = [
      ['Product', 'Cost'],
      ['a', '1.200'],
    ];
    expect(valuesFrom(figuresOf({}), members(['cost'], ...rows))).toEqual({ cost: { Product: 'Cost', a: '1.200' } });
    expect(problemOfNumbers(members(['cost'], ['', ''], ['a', '1.200']))).toBe('Choose what 1.200 means');
  });

  it('stay text if the column was stored as text', () => {
    const table = membersOf({ members: ['a', 'b'], values: { code: { a: '1,200', b: '10' } } });
    expect(problemOfNumbers(table)).toBeUndefined();
    expect(valuesFrom(figuresOf({}), table)).toEqual({ code: { a: '1,200', b: '10' } });
  });
});
