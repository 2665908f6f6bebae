import { describe, expect, it } from '@jest/globals';
import { changedLimit } from './changed-limit.js';

const isVariable = (name: string): boolean => ['x', 'y', 'a', 'b', 'make'].includes(name);

describe('changedLimit', () => {
  it.each([
    ['3x + 2y <= 200', { to: 300 }, '3x + 2y <= 300'],
    ['3x + 2y <= 200', { plus: -20 }, '3x + 2y <= 180'],
    ['200 >= 3x + 2y', { times: 1.5 }, '300 >= 3x + 2y'],
    ['x + y = crew', { plus: 2 }, 'x + y = (crew) + 2'],
    ['make[p] <= cap[p] + 5', { times: 1.1 }, 'make[p] <= (cap[p] + 5) * 1.1'],
    [
      'sum p in products where cost[p] <= 3: make[p] <= 40',
      { to: 50 },
      'sum p in products where cost[p] <= 3: make[p] <= 50',
    ],
    [
      'make[p] >= sum q in parts where size[q] > 2: need[q]',
      { times: 2 },
      'make[p] >= (sum q in parts where size[q] > 2: need[q]) * 2',
    ],
    ['0 <= x - y <= x + 3', { to: 1 }, '1 <= x - y <= x + 3'],
    ['if a = 1 then x <= 3', { to: 5 }, 'if a = 1 then x <= 5'],
    ['if a = 1 and not b then 3 >= x', { plus: 1 }, 'if a = 1 and not b then 4 >= x'],
    ['if a = 1 then x <= (if n = 1 then 3 else 4)', { to: 5 }, 'if a = 1 then x <= 5'],
    ['if a = (if n = 1 then 0 else 1) then x <= 3', { to: 5 }, 'if a = (if n = 1 then 0 else 1) then x <= 5'],
    ['(if n = 1 then 3 else 4) >= x', { to: 5 }, '5 >= x'],
  ])('changes the constant side of %j by %j', (text, change, expected) => {
    expect(changedLimit(text, change, isVariable)).toBe(expected);
  });

  it.each([
    ['x <= 2y', 'its formula has variables on both sides, so it has no single limit'],
    ['1 <= x <= 5', 'its formula has two limits: change the card instead'],
    ['if a = 1 then x <= 2y', 'its formula has variables on both sides, so it has no single limit'],
    ['x <= ', expect.any(String)],
  ])('returns a problem for %j', (text, problem) => {
    expect(changedLimit(text, { to: 4 }, isVariable)).toMatchObject({ problem });
  });
});
