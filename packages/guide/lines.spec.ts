import { describe, expect, it } from '@jest/globals';
import { splitStatements } from './lines.js';

const statementsOf = (...lines: string[]): string[] => [...splitStatements(lines.join('\n'))];

describe('a continuation line', () => {
  it.each<[string, string[]]>([
    ['maximize profit: 30 chairs + 50 tables', ['maximize profit: 30 chairs', '  + 50 tables']],
    ['maximize profit: 30 chairs - 50 tables', ['maximize profit: 30 chairs', '- 50 tables']],
    ['maximize profit: 30 chairs +50 tables -2 z', ['maximize profit: 30 chairs', '+50 tables', '-2 z']],
    ['maximize profit: 30 chairs + 50 tables', ['maximize profit:', '30 chairs', '+ 50 tables']],
    ['maximize profit: 30 chairs + 50 tab%les', ['maximize profit: 30 chairs', '+ 50 tab%les']],
    ['labour: 2 chairs + 4 tables <= 40, hard', ['labour: 2 chairs', '+ 4 tables', '<= 40, hard']],
    ['labour: 2 chairs + 4 tables <= 40', ['labour: 2 chairs +', '4 tables <=', '40']],
    ['labour: 2 * ( chairs + tables) <= 40', ['labour: 2 * (', 'chairs', '+ tables) <= 40']],
    ['labour: 2 * chairs <= 40', ['labour: 2', '* chairs <= 40']],
    ['x + y <= 4', ['x', '+ y', '<= 4']],
    ['x + y <= 4 - 2 z', ['x + y <= 4', '- 2 z']],
    ['shifts: early, late, night', ['shifts: early,', 'late, night']],
    ['x, y, z integer', ['x, y,', 'z integer']],
    [
      'Demand: make[p, t] <= need[p, t] for p in products, t in weeks',
      ['Demand: make[p, t]', '<= need[p, t] for p in products,', 't in weeks'],
    ],
    [
      'maximize cost: sum p in products, t in weeks: price[p] * make[p, t]',
      ['maximize cost: sum p in products,', 't in weeks: price[p]', '* make[p, t]'],
    ],
    ['cost of shifts: early 10, late 12', ['cost of shifts: early 10,', 'late 12']],
    [
      'Cap: make[p] <= lim[p] for p in ps where lim[p] < 4 and lim[p] > 1, hard',
      ['Cap: make[p] <= lim[p]', 'for p in ps', 'where lim[p] < 4', 'and lim[p] > 1, hard'],
    ],
    ['make[p] integer for p in ps where lim[p] < 4', ['make[p] integer', '  for p in ps', '    where lim[p] < 4']],
    ['Cap: make[p] <= 3 for p in ps where big = 1', ['Cap: make[p] <= 3 for p in ps', 'where big = 1']],
    [
      'Cap: make[p] <= 3 for p in ps, t in ts where t > 1',
      ['Cap: make[p] <= 3 for p in ps,', 't in ts', 'where t > 1'],
    ],
    ['Cap: make[p] <= 3 for p in ps where p <> "a"', ['- Cap: make[p] <= 3 for p in ps', '  where p <> "a"']],
    ['Cap: make[p] <= 3 for p in ps with lim[p] < 4', ['Cap: make[p] <= 3 for p in ps', 'with lim[p] < 4']],
    [
      'Cost: sum p in products: price[p] - sum p in products: cost[p] <= 4',
      ['Cost: sum p in products: price[p]', '- sum p in products: cost[p] <= 4'],
    ],
  ])('is joined to the previous line: %s', (statement, lines) => {
    expect(statementsOf(...lines)).toEqual([statement]);
    expect([...splitStatements(lines.join('\r\n'))]).toEqual([statement]);
  });
});

describe('a comment', () => {
  it.each<[string[], string[]]>([
    [['maximize profit: 30 chairs + 50 tables'], ['maximize profit: 30 chairs', '# tables are dear', '  + 50 tables']],
    [['maximize profit: 30 chairs + 50 tables'], ['maximize profit: 30 chairs', '// a; b', '+ 50 tables']],
    [
      ['labour: 2 chairs + 4 tables <= 40'],
      ['labour: 2 chairs + # hours', '# of all shifts', '4 tables // too', '<= 40'],
    ],
    [['shifts: early, late'], ['shifts: early, // from 6', '# and', 'late']],
    [
      ['x + y <= 4', 'y <= 3'],
      ['x + y <= 4 # glue; in barrels', 'y <= 3 //kg'],
    ],
    [
      ['Demand: make[p] <= need[p] for p in goods, t in weeks'],
      ['Demand: make[p] # each', '<= need[p] for p in goods, // all', 't in weeks'],
    ],
    [['x <= 4'], ['# limits; of today', 'x <= 4', '  // the end']],
  ])('is removed from %j', (statements, lines) => {
    expect(statementsOf(...lines)).toEqual(statements);
    expect([...splitStatements(lines.join('\r\n'))]).toEqual(statements);
  });

  it.each([
    'data: https://example.com/a.csv',
    'machine #2: x <= 4',
    'item # 5 <= 3',
    'make["oak # 3", "a // b"] <= 4',
    'please see // this and that',
  ])('is not detected in %s', (line) => {
    expect(statementsOf(line)).toEqual([line]);
  });
});

describe('a line that does not continue another line', () => {
  it.each<[string[], string[]]>([
    [
      ['- maximize profit: 30 chairs', '- 50 tables'],
      ['maximize profit: 30 chairs', '50 tables'],
    ],
    [
      ['- x integer', '- y binary'],
      ['x integer', 'y binary'],
    ],
    [
      ['maximize profit: 30 chairs', '- chairs integer', '- labour: chairs <= 4'],
      ['maximize profit: 30 chairs', 'chairs integer', 'labour: chairs <= 4'],
    ],
    [
      ['maximize profit: 30 chairs', '- chairs <= 4'],
      ['maximize profit: 30 chairs', 'chairs <= 4'],
    ],
    [
      ['maximize profit: 30 chairs', '- make["oak chair"] >= 2', '- 2 <= chairs'],
      ['maximize profit: 30 chairs', 'make["oak chair"] >= 2', '- 2 <= chairs'],
    ],
    [
      ['maximize profit: 30 chairs', '- chairs + tables <= 15', '- 2 chairs + 4 tables <= 40'],
      ['maximize profit: 30 chairs', 'chairs + tables <= 15', '2 chairs + 4 tables <= 40'],
    ],
    [
      ['labour: x + y <= 4', '- x + y <= 2'],
      ['labour: x + y <= 4', '- x + y <= 2'],
    ],
    [
      ['labour: x + y <= 4', '-x + y <= 2'],
      ['labour: x + y <= 4', '-x + y <= 2'],
    ],
    [
      ['labour: x + y <= 4', '* labour is hard'],
      ['labour: x + y <= 4', 'labour is hard'],
    ],
    [
      ['labour: x + y <= 4', '- remember to water the plants'],
      ['labour: x + y <= 4', 'remember to water the plants'],
    ],
    [
      ['Limits', '- x <= 3', '- y <= 4'],
      ['Limits', 'x <= 3', 'y <= 4'],
    ],
    [
      ['maximize n: sum p in ps: make[p]', 'where make[p] <= 4 for p in ps'],
      ['maximize n: sum p in ps: make[p]', 'where make[p] <= 4 for p in ps'],
    ],
    [
      ['L: x + y <= budget', 'where budget = 200'],
      ['L: x + y <= budget', 'where budget = 200'],
    ],
    [
      ['Cap: make[p] <= 3 for p in ps', 'for example, a week has two shifts'],
      ['Cap: make[p] <= 3 for p in ps', 'for example, a week has two shifts'],
    ],
    [
      ['Here is what I have -', 'x integer'],
      ['Here is what I have -', 'x integer'],
    ],
    [
      ['Dear guide,', 'x integer'],
      ['Dear guide,', 'x integer'],
    ],
    [
      ['price = 3,', 'cost = 2'],
      ['price = 3,', 'cost = 2'],
    ],
    [
      ['labour: 2 x +', '', '3 y <= 4'],
      ['labour: 2 x +', '3 y <= 4'],
    ],
    [['labour: 2 x + ; 3 y <= 4'], ['labour: 2 x +', '3 y <= 4']],
    [
      ['labour: 2 x +', 'wood: 3 y <= 4'],
      ['labour: 2 x +', 'wood: 3 y <= 4'],
    ],
    [
      ['labour: 2 x +', 'y integer'],
      ['labour: 2 x +', 'y integer'],
    ],
    [
      ['labour: x <= 4', '---', '+ y'],
      ['labour: x <= 4', 'y'],
    ],
  ])('is kept as a separate statement: %j', (lines, statements) => {
    expect(statementsOf(...lines)).toEqual(statements);
  });
});

it.each(['---', '===', '***', '___', '|---|', '| :--- | :-: | ---: |', '--- | ---', '```text'])(
  'drops a line without content: %s',
  (line) => {
    expect([...splitStatements(`x <= 4\n${line}\ny <= 4`)]).toEqual(['x <= 4', 'y <= 4']);
  },
);

it('limits the length of joined lines', () => {
  const lines = Array.from({ length: 2_000 }, () => '+ 3 x');
  const [first = '', ...others] = statementsOf('maximize profit: x', ...lines);
  expect(first.length).toBeGreaterThan(2_000);
  expect(first.length).toBeLessThan(2_020);
  expect(others.length).toBeGreaterThan(1_000);
});

describe('a number in a numbered list', () => {
  it.each<[string[], string[]]>([
    [
      ['1. minimize 3 x + 2 y', '2. x + y >= 4', '3. x - y >= 1', '4. x, y >= 0'],
      ['minimize 3 x + 2 y', 'x + y >= 4', 'x - y >= 1', 'x, y >= 0'],
    ],
    [['4. chairs + tables <= 15'], ['chairs + tables <= 15']],
    [['4.chairs + tables <= 15'], ['chairs + tables <= 15']],
    [['- 4. chairs + tables <= 15'], ['chairs + tables <= 15']],
    [['4) chairs + tables <= 15'], ['chairs + tables <= 15']],
    [['4.) chairs + tables <= 15'], ['chairs + tables <= 15']],
    [['2. labour: chairs + tables <= 15'], ['labour: chairs + tables <= 15']],
    [['2. chairs <= 7'], ['chairs <= 7']],
    [['4. 2 chairs + tables <= 15'], ['2 chairs + tables <= 15']],
    [
      ['1. x + y <= 4', '2. - x + y <= 2'],
      ['x + y <= 4', '- x + y <= 2'],
    ],
    [
      ['(1) x + y <= 4', '(2) x - y >= 1'],
      ['x + y <= 4', 'x - y >= 1'],
    ],
  ])('is removed from the formula: %j', (lines, statements) => {
    expect(statementsOf(...lines)).toEqual(statements);
  });

  it.each<[string[]]>([
    [['2.5 chairs + tables <= 15']],
    [['2.e1 chairs + tables <= 15']],
    [['2. <= x']],
    [['2. + x <= 4']],
    [['(2) x + (3) y <= 4']],
    [['(2) x + (3) y <= 4', '(5) x + (1) y <= 4']],
    [['x + 2. y <= 4']],
  ])('is not confused with a factor: %j', (lines) => {
    expect(statementsOf(...lines)).toEqual(lines);
  });
});
