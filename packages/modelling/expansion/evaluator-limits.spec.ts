import { describe, expect, it } from '@jest/globals';
import { type Expression, type Index, isProblem } from '../formula.js';
import { parseIndex } from '../parse-formula.js';
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
  return new Evaluator(space, () => 'x');
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

describe('the rows of one formula', () => {
  it('are counted before two sets without a key are put together', () => {
    const evaluator = over({ suppliers: 5_000, customers: 5_000 });
    const all = index('s in suppliers, c in customers');
    const before = process.memoryUsage().arrayBuffers;
    expect(refusal(() => evaluator.rows(all))).toMatch(/^It goes through more than 20000000 combinations/);
    // Four columns of 25,000,000 numbers would be 400 MB.
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50 * MB);
  });

  it('are those of all its parts', () => {
    const evaluator = over({});
    // Nothing is called so: that ends each formula once its rows are counted, and saves the time of the figures.
    const unknown = sum('unknown');
    expect(refusal(() => evaluator.finite(unknown, frameOf(10_000_000)))).toMatch(/ is called unknown$/);
    expect(refusal(() => evaluator.finite(unknown, ONE_ROW))).toMatch(
      /^It goes through more than 20000000 combinations/,
    );
    evaluator.rows(undefined);
    expect(refusal(() => evaluator.finite(unknown, ONE_ROW))).toMatch(/ is called unknown$/);
  });
});

describe('the rows of all formulas', () => {
  // A product that is refused is counted, and costs nothing: 4,000 rows and 4,000 times 9,999 are 40,000,000.
  const product = index('d in depots, s in stops');
  const single = index('d in depots');
  const refused = (times: number): Evaluator => {
    const evaluator = over({ depots: 4_000, stops: 9_999 });
    for (let time = 0; time < times; time += 1)
      expect(refusal(() => evaluator.rows(product))).toMatch(/^It goes through more than/);
    return evaluator;
  };

  it('may be many', () => {
    const evaluator = refused(4);
    expect(refusal(() => evaluator.rows(single))).toBe('none');
  });

  it('are 200,000,000 at most', () => {
    const evaluator = refused(5);
    expect(refusal(() => evaluator.rows(single))).toMatch(
      /^The formulas up to this one go through more than 200000000/,
    );
  });
});

describe('the terms of one sum', () => {
  const rows = frameOf(1_000_000);
  const most = Array.from({ length: 10 }, () => 'x');

  it('may be 10,000,000 before they are added up', () => {
    // What ends it is the part behind them: adding them up takes longer.
    expect(refusal(() => over({}).finite(sum(...most, 'unknown'), rows))).toMatch(/ is called unknown$/);
  });

  it('are no more than that', () => {
    expect(refusal(() => over({}).finite(sum(...most, 'x'), rows))).toBe('It has more than 10000000 terms');
  });
});
