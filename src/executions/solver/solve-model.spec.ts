import { beforeAll, describe, expect, it } from '@jest/globals';
import { readLp } from '../model/lp-reader.js';
import { type Highs, loadSolver } from './highs.js';
import { solveModel } from './solve-model.js';

const MEMORY_MIB = 256;

let highs: Highs;
let wasRefusedMemory: () => boolean;
beforeAll(async () => {
  ({ highs, wasRefusedMemory } = await loadSolver(MEMORY_MIB));
});

const solve = (text: string) => solveModel(highs, readLp(text), 10);

describe('solveModel', () => {
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

  it('keeps small coefficients of large numbers', () => {
    expect(solve('max x st c: 1e-10 x <= 1 end')).toMatchObject({ status: 'optimal', objective_value: 1e10 });
  });

  it('leaves a binary variable that is fixed where it is', () => {
    expect(solve('max x + y st c: x + y <= 3 bounds x = 0 binary x y end').variables).toEqual({ x: 0, y: 1 });
  });
});
