import { describe, expect, it } from '@jest/globals';
import { Room } from '../../test/support/guide-room.js';

const PRODUCTS = [
  'products: oak, pine, ash',
  'price of products: oak 3, pine 5, ash -2',
  'batch = 4',
  'maximize profit: sum p in products: price[p] * make[p]',
  'make[p] integer for p in products',
];

/** Sends the statements, and returns the guide's answer to a solve. */
async function solve(...statements: string[]): Promise<string> {
  const room = new Room();
  await room.say([...PRODUCTS, ...statements, 'requirement: none; kpi: none'].join('\n'));
  return (await room.say('all constraints are hard; confirm; solve')).text;
}

describe('functions of values', () => {
  it.each([
    ['Cap: make[p] <= ceil(10 / batch) for p in products', 24],
    ['Cap: make[p] <= max(price[p], 0) for p in products', 34],
    ['Cap: make[p] <= min(abs(price[p]), batch) for p in products', 29],
    ['All: sum p in products: make[p] <= max p in products: price[p]', 25],
    ['All: sum p in products: make[p] <= count p in products where price[p] > 0', 10],
    ['make[p] <= round(max(price[p], 0) / 2) for p in products', 21],
    [
      'Best: make[p] <= 2 for p in products where price[p] = (max q in products: price[q])\nRest: make["oak"] <= floor(9.99)',
      37,
    ],
  ])('limit the plan in %j', async (statement, objective) => {
    expect(await solve(statement)).toContain(`the objective is ${objective}`);
  });

  it.each([
    [
      'Cap: make[p] <= floor(make["oak"]) for p in products',
      '`floor` needs known values, but it contains the variable make',
    ],
    ['Cap: make[p] <= max(make["oak"], 3) for p in products', 'make[oak] has no upper bound: give it an upper bound'],
    ['Cap: make[p] <= abs(1, 2) for p in products', '`abs` takes a single value'],
    ['All: make["oak"] <= max p in products where price[p] > 9: price[p]', '`max` has no members to compare'],
  ])('prevent a solve if they are used incorrectly, as in %j', async (statement, problem) => {
    const text = await solve(statement);
    expect(text).not.toContain('the objective is');
    expect(text).toContain(problem);
  });
});
