import { describe, expect, it } from '@jest/globals';
import {
  figuresOf,
  membersOf,
  problemOfNumbers,
  readColumns,
  valuesFrom,
  type ValueTable,
  withDecimal,
} from './value-tables';

type Rows = string[][];
const figures = (...rows: Rows): ValueTable => ({ ...figuresOf({}), rows });
const members = (columns: string[], ...rows: Rows): ValueTable => ({ ...membersOf({}), columns, rows });
/** Returns the table with additional rows. */
const extended = (table: ValueTable, ...rows: Rows): ValueTable => ({ ...table, rows: [...table.rows, ...rows] });
const valuesOfFigures = (table: ValueTable) => valuesFrom({}, { figures: table });
const valuesOfMembers = (table: ValueTable) => valuesFrom({}, { members: table });
const questions = (table: ValueTable): string[] => readColumns(table).flatMap(({ unclear }) => unclear ?? []);

describe('a table of numbers', () => {
  it('accepts numbers in any notation', () => {
    const table = figures(['a', '1.234,5'], ['b', '1,234.5'], ['c', '12 %'], ['d', '-3']);
    expect(problemOfNumbers(table)).toBeUndefined();
    expect(valuesOfFigures(table)).toEqual({ a: 1234.5, b: 1234.5, c: 0.12, d: -3 });
  });

  it.each([
    ['0,12', 1200],
    ['0.12', 1.2],
  ])('interprets 1.200 in the notation of %s in the same column', (other, value) => {
    const table = figures(['hours', '1.200'], ['rate', other]);
    expect(problemOfNumbers(table)).toBeUndefined();
    expect(valuesOfFigures(table)).toEqual({ hours: value, rate: 0.12 });
  });

  it.each<[Rows]>([
    [[['wages', '3']]],
    [
      [
        ['a', '0,5'],
        ['b', '0.5'],
      ],
    ],
  ])('asks what 1.200 means next to %j', (others) => {
    const table = figures(['hours', '1.200'], ...others);
    expect(questions(table)).toEqual(['1.200']);
    expect(problemOfNumbers(table)).toBe('Choose what 1.200 means');
    for (const [decimal, hours] of [
      ['.', 1.2],
      [',', 1200],
    ] as const) {
      const chosen = withDecimal(table, 0, decimal);
      expect(problemOfNumbers(chosen)).toBeUndefined();
      expect(valuesOfFigures(chosen)).toMatchObject({ hours });
      expect(valuesOfFigures(extended(chosen, ['later', '7,5']))).toMatchObject({ hours, later: 7.5 });
    }
  });

  it('lists the names whose value is not a number', () => {
    const table = figures(['a', 'many'], ['b', ''], ['c', '007'], ['', 'x']);
    expect(problemOfNumbers(table)).toBe('Enter a number for a, b, c, such as 2.5');
  });
});

describe('a table with stored numbers', () => {
  it.each([1.125, 2.5, 1e21, 1e-7, -0.001, 123456789012345680000])(
    'keeps the stored number %d without asking',
    (weight) => {
      const table = figuresOf({ values: { weight } });
      for (const row of [
        ['b', '3'],
        ['b', '7,5'],
        ['b', '0.5'],
      ]) {
        expect(problemOfNumbers(extended(table, row))).toBeUndefined();
        expect(valuesOfFigures(extended(table, row))).toMatchObject({ weight });
      }
    },
  );

  it('ignores stored numbers when it reads entered numbers', () => {
    const table = extended(figuresOf({ values: { weight: 1.125, rate: 2.5 } }), ['hours', '1.200']);
    expect(questions(table)).toEqual(['1.200']);
    expect(valuesOfFigures(withDecimal(table, 0, ','))).toEqual({ weight: 1.125, rate: 2.5, hours: 1200 });
  });

  it('keeps stored values if only the other table of the card has changed', () => {
    const before = { values: { rate: '0,12', hours: 1.125, cost: { a: 2.5 }, code: { a: '1,200' } } };
    expect(valuesFrom(before, { members: membersOf(before) })).toEqual(before.values);
    expect(valuesFrom(before, { figures: figures(['wages', '3']) })).toEqual({
      wages: 3,
      cost: { a: 2.5 },
      code: { a: '1,200' },
    });
  });
});

describe('a table of members', () => {
  it('interprets the numbers of each column separately', () => {
    const table = members(['cost', 'share', 'code'], ['a', '2,5', '0.125', 'x'], ['b', '3.500', '', '1,200']);
    expect(problemOfNumbers(table)).toBeUndefined();
    expect(valuesOfMembers(table)).toEqual({
      cost: { a: 2.5, b: 3500 },
      share: { a: 0.125 },
      code: { a: 'x', b: '1,200' },
    });
  });

  it('asks once for each column with an ambiguous number', () => {
    const table = members(['cost', 'share'], ['a', '1.200', '1.125']);
    expect(questions(table)).toEqual(['1.200', '1.125']);
    const chosen = withDecimal(withDecimal(table, 0, ','), 1, '.');
    expect(valuesOfMembers(chosen)).toEqual({ cost: { a: 1200 }, share: { a: 1.125 } });
  });

  it('keeps a column as text if its first row is a heading, but not if that row is empty', () => {
    const table = members(['cost'], ['Product', 'Cost'], ['a', '1.200']);
    expect(valuesOfMembers(table)).toEqual({ cost: { Product: 'Cost', a: '1.200' } });
    expect(problemOfNumbers(members(['cost'], ['', ''], ['a', '1.200']))).toBe('Choose what 1.200 means');
  });

  it('keeps a column as text if it has leading zeros or was stored as text, even if it is renamed', () => {
    expect(valuesOfMembers(members(['zip'], ['a', '01234'], ['b', '10115']))).toEqual({
      zip: { a: '01234', b: '10115' },
    });
    const stored = membersOf({ members: ['a', 'b'], values: { code: { a: '1,200', b: '10' } } });
    expect(questions(stored)).toEqual([]);
    expect(valuesOfMembers({ ...stored, columns: ['sku'] })).toEqual({ sku: { a: '1,200', b: '10' } });
  });
});
