import { beforeAll, describe, expect, it } from '@jest/globals';
import { hardModel } from '../../test/support/models.js';
import { readLp } from './lp-reader.js';
import { explainInfeasible } from './explanations.js';
import { type Highs, loadSolver, toArrays } from './highs.js';
import { statusOf } from './run.js';
import { explainRun, toPlanResult } from './solve-result.js';
import { UndecidedError } from './undecided-error.js';
import { solveModel } from '../../test/support/solve-model.js';

const MEMORY_MIB = 256;

let highs: Highs;
let ranOutOfMemory: () => boolean;
beforeAll(async () => {
  ({ highs, ranOutOfMemory } = await loadSolver(MEMORY_MIB));
});

/** Solver whose runs always end undecided. */
const noTrials = { withModel: () => ({ status: 'undecided', values: undefined }) } as unknown as Highs;

function errorOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

const solve = (text: string) => solveModel(highs, readLp(text), 10);

describe('numbers in a plan', () => {
  const planOf = (text: string, ...values: number[]) =>
    toPlanResult(
      readLp(text),
      {
        status: 'optimal',
        values: Float64Array.from(values),
        bound: NaN,
        prices: undefined,
      },
      'in 1 s',
    )!;

  it.each([
    ['a value just below a whole number', [91.99999999999991], { x: 92 }, 92, 8],
    ['a value just above a decimal fraction', [0.30000000000000004], { x: 0.3 }, 0.3, 99.7],
    ['a value that is almost 0', [8.5265e-14], { x: 0 }, 0, 100],
    ['a negative value that is almost 0', [-8.5265e-14], { x: 0 }, 0, 100],
    ['a value with many digits', [33.33333333333333], { x: 33.33333333333 }, 33.33333333333, 66.66666666667],
    ['a slack within the tolerance', [99.99999999], { x: 99.99999999 }, 99.99999999, 0],
    ['a slack beyond the tolerance', [99.9999], { x: 99.9999 }, 99.9999, 0.0001],
  ])('have no rounding errors: %s', (_, values, variables, objective_value, slack) => {
    const result = planOf('max x st c: x <= 100 end', ...values);
    expect(result).toMatchObject({ variables, objective_value, constraints: [{ activity: objective_value, slack }] });
    expect(Object.is(result.variables['x'], -0)).toBe(false);
  });

  it('are rounded for integer variables, including the objective and slacks', () => {
    const result = planOf('max 0.1 x + 0.2 y st c: 0.1 x + 0.2 y <= 0.3 general x y end', 1.0000000004, 0.9999999);
    expect(result).toMatchObject({ variables: { x: 1, y: 1 }, objective_value: 0.3, constraints: [{ slack: 0 }] });
  });

  it('are preserved even if they are very small or very large', () => {
    const result = planOf('max x + y st c: x <= 1 end', 0.000012345, 123456789012345);
    expect(result.variables).toEqual({ x: 0.000012345, y: 123456789012345 });
  });
});

describe('the solve result', () => {
  it.each([
    [
      'the solver gives up on its relaxation',
      'max 0 x st r0: 2 x - 3 y - z = 16 bounds 0 <= x <= 0 0 <= y <= 0 0 <= z <= 3 general x y end',
    ],
    [
      'its relaxation leads to endless branching',
      'min 7 x + 4 y st r0: 9 x + 6 y = 22 r1: 2 x + 2 y <= 12 general x y end',
    ],
  ])('explains an infeasible integer model (%s)', (_, text) => {
    const { status, conflict, message } = solve(text);
    expect({ status, conflict, message }).toEqual({
      status: 'infeasible',
      conflict: expect.arrayContaining(['r0']),
      message: expect.stringContaining('cannot hold together'),
    });
    expect(ranOutOfMemory()).toBe(false);
  });

  it.each([
    [
      'ends without a status',
      'max - 908000000 a + 0.000998 b + 89100 c - 5560000 d st r1: 3.88 a - 0.0000313 b + 12100000000 c + 0.0526 d <= -0.0000982 ' +
        'r2: - 5830000000 a - 939000000 c <= 0.000436 r3: 102000 a - 3730000 b - 0.622 c = -1760 ' +
        'r4: 528000 a + 32500 b - 6.12e-9 d <= 6.94e-7 bounds -inf <= c <= 22700 end',
      ['6.12e-9', '12100000000'],
    ],
    [
      'ends without a status when minimizing',
      'min - 3.34e-9 a - 5.29e-9 b - 0.633 c + 0.0000803 d + 0.0000102 e st r1: - 7.67e-8 a + 532000 b - 2550000000 c <= 873000000 ' +
        'r2: 0.0527 a + 0.0774 b + 7.39 e >= -468 r3: - 0.00000377 b + 6.32e-7 d >= -0.000696 ' +
        'r4: 0.0000809 a - 0.0000776 b + 0.000099 d - 9020000 e >= 0.00000837 ' +
        'bounds b <= 4100000000 c <= 4.11 d <= 0.00000545 e free end',
      ['3.34e-9', '2550000000'],
    ],
    [
      'gives up',
      'max - 998000 a - 16100 b + 5.39 c - 0.867 d - 2180 e st r1: - 2.56e-8 a - 0.0152 c <= 976000 ' +
        'r2: 453 b - 9.79e-7 c + 5.94e-8 e <= 24.9 ' +
        'bounds -inf <= a <= 367000 -inf <= b <= 48700000 c free -inf <= d <= 88300 -inf <= e <= 9.7 end',
      ['2.56e-8', '998000'],
    ],
  ])('names the smallest and the largest coefficient if the solver %s', (_, text, sizes) => {
    const error = errorOf(() => solve(text));
    expect(error).toBeInstanceOf(UndecidedError);
    const [least = '', most = ''] = sizes;
    expect(error).toMatchObject({ message: expect.stringContaining(`between ${least} and ${most}. Choose units`) });
  });

  it('has a message for every run without a result', () => {
    const model = readLp('max x st c: x + y <= 3 end');
    for (const status of ['undecided', 'stopped', 'optimal', 'unbounded_or_infeasible'] as const) {
      const run = { status, values: undefined, bound: NaN, prices: undefined };
      const explain = () => toPlanResult(model, run, 'in 1 s') ?? explainRun(noTrials, model, run);
      expect(explain).toThrow(UndecidedError);
      expect(explain).toThrow(/^The solver [a-z ]+\b.*[a-z]$/);
      expect(explain).not.toThrow(/status|HiGHS|_/);
    }
  });

  it('is unbounded, not infeasible, for an unbounded model', () => {
    const rows = 'r0: 0.25 x - 0.75 y + 0.25 z >= -10 r1: - 0.75 x + y - 1.25 z >= -12';
    expect(solve(`min - 1.5 x + 0.5 y + 0.75 z st ${rows} bounds z free binary y end`)).toMatchObject({
      status: 'unbounded',
      conflict: [],
    });
  });

  it('omits unrelated bounds from a conflict', () => {
    expect(
      solve('min x st a: x + y >= 9 b: x + y <= 8 c: z <= 3 bounds x <= 20 z <= 4 general x end').conflict,
    ).toEqual(['a', 'b']);
  });

  it('has a message with the gap even if the gap rounds to 0 %', () => {
    const paid = hardModel().replace('miss: ', 'miss: 1e9 one + ').replace('Subject To', 'Subject To\n paid: one = 1');
    expect(solveModel(highs, readLp(paid), 2)).toMatchObject({
      status: 'time_limit',
      gap: 0,
      message: 'The best values found in 2 s, at most 0 % from the best possible',
    });
  });

  it('preserves small coefficients of variables with large values', () => {
    expect(solve('max x st c: 1e-10 x <= 1 end')).toMatchObject({ status: 'optimal', objective_value: 1e10 });
  });

  it('keeps a fixed binary variable at its fixed value', () => {
    expect(solve('max x + y st c: x + y <= 3 bounds x = 0 binary x y end').variables).toEqual({ x: 0, y: 1 });
  });

  it('explains the infeasibility of a large model within a time limit', () => {
    const rows = Array.from({ length: 6_000 }, (_, at) => `c${at}: x${at} - x${at + 1} >= 1`);
    const model = readLp(`min x0 st ${rows.join(' ')} last: x0 <= 1 end`);
    const before = performance.now();
    const { conflict, message } = explainInfeasible(highs, model, toArrays(model), before + 500);
    // The explanation can exceed its time limit by the duration of a single trial solve.
    expect(performance.now() - before).toBeLessThan(5_000);
    expect(conflict.length).toBeGreaterThan(0);
    expect(message).toContain('Some of these cannot hold together');
  });

  it('has a message with the gap, rounded up', () => {
    const many = Array.from({ length: 30 }, (_, at) => at + 1);
    const sum = (weight: number) => many.map((at) => `${at * weight + (at % 7)} x${at}`).join(' + ');
    const model = readLp(`max ${sum(1)} st c: ${sum(2)} <= 301 binary ${many.map((at) => `x${at}`).join(' ')} end`);
    const best = solveModel(highs, model, 10);
    expect(best).toMatchObject({ status: 'optimal', gap: 0, message: null, bound: best.objective_value });
    // A fixed cost of 100 turns a small absolute difference into a small relative gap.
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

describe('statusOf', () => {
  it('maps every solver status', () => {
    const { modelStatus } = highs.constants;
    const statuses = new Map(Object.entries(modelStatus).map(([name, code]) => [name, statusOf(highs, code)]));
    expect([...statuses].filter(([, status]) => status === 'undecided').map(([name]) => name)).toEqual([
      'notSet',
      'loadError',
      'modelError',
      'presolveError',
      'solveError',
      'postsolveError',
      'empty',
      'unknown',
    ]);
    expect(statuses.get('iterationLimit')).toBe('stopped');
    expect(statuses.get('timeLimit')).toBe('time_limit');
  });

  it('returns undecided for an unknown code', () => {
    expect(statusOf(highs, 99)).toBe('undecided');
  });
});
