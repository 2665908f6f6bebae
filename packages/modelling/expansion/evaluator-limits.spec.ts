import { describe, expect, it } from '@jest/globals';
import { type Expression, type Index, isProblem } from '../formula.js';
import { parseIndex } from '../parse-formula.js';
import { STAND_INS } from './defined-variables.js';
import { Evaluator } from './evaluator.js';
import { type Frame, ONE_ROW } from './frame.js';
import { ExpansionRefusal } from './refusal.js';
import { Space } from './space.js';

const MB = 1024 ** 2;

function over(sizes: Record<string, number>): Evaluator {
  const space = new Space();
  space.variables.set('x', 0);
  for (const [name, size] of Object.entries(sizes))
    space.addSet(name, { titles: [name], keys: [Array.from({ length: size }, (_, at) => `${at}`)] });
  return new Evaluator(space, () => 'x', STAND_INS);
}

function index(text: string): Index {
  const read = parseIndex(text);
  if (isProblem(read)) throw new Error(read.problem);
  return read;
}

const frameOf = (size: number): Frame => ({ size, codes: new Map(), homes: new Map(), readings: new Map() });

const sum = (...names: string[]): Expression => ({
  kind: 'sum',
  parts: names.map((name) => ({ negative: false, of: { kind: 'name', name } })),
});

function refusal(expand: () => unknown): string {
  try {
    expand();
  } catch (error) {
    if (error instanceof ExpansionRefusal) return error.reason.problem;
    throw error;
  }
  return 'none';
}

describe('the row limit of a formula', () => {
  it('counts rows before joining two sets without a key', () => {
    const evaluator = over({ suppliers: 5_000, customers: 5_000 });
    const all = index('s in suppliers, c in customers');
    const before = process.memoryUsage().arrayBuffers;
    expect(refusal(() => evaluator.rows(all))).toMatch(/^It runs over more than 20000000 combinations/);
    // Expanding the index would allocate several columns of 25,000,000 numbers.
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50 * MB);
  });

  it('applies to the total number of rows in all parts of the formula', () => {
    const evaluator = over({});
    // Rows are counted before names are resolved. The unknown name makes the formula fail before it computes values.
    const unknown = sum('unknown');
    expect(refusal(() => evaluator.finite(unknown, frameOf(10_000_000)))).toMatch(/ is called unknown$/);
    expect(refusal(() => evaluator.finite(unknown, ONE_ROW))).toMatch(/^It runs over more than 20000000 combinations/);
    evaluator.rows(undefined);
    expect(refusal(() => evaluator.finite(unknown, ONE_ROW))).toMatch(/ is called unknown$/);
  });
});

describe('the row limit of all formulas', () => {
  // A rejected index counts towards the limit but takes no time. It has 4,000 + 4,000 * 9,999 = 40,000,000 rows.
  const product = index('d in depots, s in stops');
  const single = index('d in depots');
  const refused = (times: number): Evaluator => {
    const evaluator = over({ depots: 4_000, stops: 9_999 });
    for (let time = 0; time < times; time += 1)
      expect(refusal(() => evaluator.rows(product))).toMatch(/^It runs over more than/);
    return evaluator;
  };

  it('allows fewer than 200,000,000 rows', () => {
    const evaluator = refused(4);
    expect(refusal(() => evaluator.rows(single))).toBe('none');
  });

  it('rejects more than 200,000,000 rows', () => {
    const evaluator = refused(5);
    expect(refusal(() => evaluator.rows(single))).toMatch(/^The formulas up to this one run over more than 200000000/);
  });
});

describe('the term limit of a sum', () => {
  const rows = frameOf(1_000_000);
  const most = Array.from({ length: 10 }, () => 'x');

  it('allows 10,000,000 terms, counted before like terms are combined', () => {
    // The unknown name makes the formula fail before its terms are added up, because adding them would take too long.
    expect(refusal(() => over({}).finite(sum(...most, 'unknown'), rows))).toMatch(/ is called unknown$/);
  });

  it('rejects more than 10,000,000 terms', () => {
    expect(refusal(() => over({}).finite(sum(...most, 'x'), rows))).toBe('It has more than 10000000 terms');
  });
});
