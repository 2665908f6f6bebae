import { beforeAll, describe, expect, it } from '@jest/globals';
import { hardModel } from '../../../test/support/models.js';
import { readLp } from '../model/lp-reader.js';
import { explainInfeasible } from './explanations.js';
import { type Highs, loadSolver, toArrays } from './highs.js';
import { solveModel } from '../../../test/support/solve-model.js';

const MEMORY_MIB = 256;

let highs: Highs;
let wasRefusedMemory: () => boolean;
beforeAll(async () => {
  ({ highs, wasRefusedMemory } = await loadSolver(MEMORY_MIB));
});

const solve = (text: string) => solveModel(highs, readLp(text), 10);

describe('the result of a solve', () => {
  it.each([
    [
      'relaxed, the solver gives up',
      'max 0 x st r0: 2 x - 3 y - z = 16 bounds 0 <= x <= 0 0 <= y <= 0 0 <= z <= 3 general x y end',
    ],
    ['relaxed, it would branch for ever', 'min 7 x + 4 y st r0: 9 x + 6 y = 22 r1: 2 x + 2 y <= 12 general x y end'],
  ])('says why whole numbers are infeasible where, %s', (_, text) => {
    const { status, conflict, message } = solve(text);
    expect({ status, conflict, message }).toEqual({
      status: 'infeasible',
      conflict: expect.arrayContaining(['r0']),
      message: expect.stringContaining('cannot hold together'),
    });
    expect(wasRefusedMemory()).toBe(false);
  });

  it('takes no unbounded model for an infeasible one', () => {
    const rows = 'r0: 0.25 x - 0.75 y + 0.25 z >= -10 r1: - 0.75 x + y - 1.25 z >= -12';
    expect(solve(`min - 1.5 x + 0.5 y + 0.75 z st ${rows} bounds z free binary y end`)).toMatchObject({
      status: 'unbounded',
      conflict: [],
    });
  });

  it('names no bound that has nothing to do with it', () => {
    expect(
      solve('min x st a: x + y >= 9 b: x + y <= 8 c: z <= 3 bounds x <= 20 z <= 4 general x end').conflict,
    ).toEqual(['a', 'b']);
  });

  it('says how near a plan is to the best one that there may be, also where that is not to be seen', () => {
    const paid = hardModel().replace('miss: ', 'miss: 1e9 one + ').replace('Subject To', 'Subject To\n paid: one = 1');
    expect(solveModel(highs, readLp(paid), 2)).toMatchObject({
      status: 'time_limit',
      gap: 0,
      message: 'The best values found in 2 s, at most 0 % from the best possible',
    });
  });

  it('keeps small coefficients of large numbers', () => {
    expect(solve('max x st c: 1e-10 x <= 1 end')).toMatchObject({ status: 'optimal', objective_value: 1e10 });
  });

  it('leaves a binary variable that is fixed where it is', () => {
    expect(solve('max x + y st c: x + y <= 3 bounds x = 0 binary x y end').variables).toEqual({ x: 0, y: 1 });
  });

  it('explains no longer than it may, however large the model is', () => {
    const rows = Array.from({ length: 6_000 }, (_, at) => `c${at}: x${at} - x${at + 1} >= 1`);
    const model = readLp(`min x0 st ${rows.join(' ')} last: x0 <= 1 end`);
    const before = performance.now();
    const { conflict, message } = explainInfeasible(highs, model, toArrays(model), before + 500);
    // One trial more than there is time for.
    expect(performance.now() - before).toBeLessThan(5_000);
    expect(conflict.length).toBeGreaterThan(0);
    expect(message).toContain('Among these are some that cannot hold together');
  });

  it('says how far a plan may be from the best one, and never less than that', () => {
    const many = Array.from({ length: 30 }, (_, at) => at + 1);
    const sum = (weight: number) => many.map((at) => `${at * weight + (at % 7)} x${at}`).join(' + ');
    const model = readLp(`max ${sum(1)} st c: ${sum(2)} <= 301 binary ${many.map((at) => `x${at}`).join(' ')} end`);
    const best = solveModel(highs, model, 10);
    expect(best).toMatchObject({ status: 'optimal', gap: 0, message: null, bound: best.objective_value });
    // What misses by a few is near to the best one where a hundred are paid anyway.
    const paid = hardModel().replace('miss: ', 'miss: 100 one + ').replace('Subject To', 'Subject To\n paid: one = 1');
    const near = solveModel(highs, readLp(paid), 10, 0.5);
    expect(near).toMatchObject({ status: 'optimal', bound: 100 });
    expect(near.gap).toBeGreaterThan(0);
    expect(near.gap).toBeLessThanOrEqual(0.5);
    const [, told = ''] = /^The search ended, at most (\S+) % from the best possible$/.exec(near.message ?? '') ?? [];
    expect(Number(told)).toBeGreaterThanOrEqual(100 * near.gap!);
    expect(Number(told)).toBeLessThan(100 * near.gap! * 1.1);
  });
});
