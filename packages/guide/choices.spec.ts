import { describe, expect, it } from '@jest/globals';
import { Room } from '../../test/support/guide-room.js';

/** Sends the statements, and returns the guide's answers to them and to a solve. */
async function solve(...statements: string[]): Promise<string> {
  const room = new Room();
  const { text } = await room.say([...statements, 'requirement: none; kpi: none'].join('\n'));
  return `${text}\n${(await room.say('all constraints are hard; confirm; solve')).text}`;
}

const STOCK = [
  'weeks: 1 to 4',
  'demand of weeks: 1 3, 2 8, 3 2, 4 6',
  'start = 5',
  'make[t] <= 5 for t in weeks',
  'stock[t] >= 0 for t in weeks',
  'minimize cost: sum t in weeks: (2 make[t] + stock[t])',
];

describe('a plan for several weeks', () => {
  it.each([
    ['Balance: stock[t] = stock[t - 1] else start + make[t] - demand[t] for t in weeks'],
    ['Balance: stock[t] = (if t = 1 then start else stock[t - 1]) + make[t] - demand[t] for t in weeks'],
    ['Balance: stock[t] = (if t = first(weeks) then start else stock[t - 1]) + make[t] - demand[t] for t in weeks'],
    ['Balance: stock[t] = (if position(t) > 1 then stock[t - 1] else start) + make[t] - demand[t] for t in weeks'],
  ])('starts with the initial stock in %s', async (balance) => {
    const text = await solve(...STOCK, balance);
    expect(text).toContain('the objective is 32');
    expect(text).not.toContain('counts as 0 beyond the ends');
  });

  it.each([
    ['End: stock[last(weeks)] >= 4', 'the objective is 52'],
    ['Late: make[t] <= 3 for t in weeks where t in busy\nbusy: 2, 4', 'the objective is 36'],
    ['Pause: make[t] = 0 for t in weeks where t not in busy\nbusy: 1, 2, 4, 9', 'the objective is 38'],
    ['Steady: make[t] - make[t -- 1] <= 1 for t in weeks', 'the objective is 34'],
  ])('obeys %j', async (statement, objective) => {
    const balance = 'Balance: stock[t] = stock[t - 1] else start + make[t] - demand[t] for t in weeks';
    expect(await solve(...STOCK, balance, statement)).toContain(objective);
  });
});

describe('a formula with labels as keys', () => {
  it('looks up the value of each order by its kind', async () => {
    const text = await solve(
      'orders: a, b, c',
      'amount of orders: a 2, b 1, c 4',
      'kind of orders: a 1, b 2, c 1',
      'kinds: 1, 2',
      'worth of kinds: 1 3, 2 5',
      'take[o] binary for o in orders',
      'maximize income: sum o in orders: worth[kind[o]] * amount[o] * take[o]',
      'Room: sum o in orders: amount[o] * take[o] <= 5',
    );
    expect(text).toContain('the objective is 17');
  });
});

describe('a calculated lag', () => {
  it('lets goods be ordered before they are needed', async () => {
    const text = await solve(
      'weeks: 1 to 4',
      'need of weeks: 1 0, 2 0, 3 7, 4 5',
      'lead of weeks: 1 0, 2 0, 3 2, 4 1',
      'price of weeks: 1 4, 2 9, 3 1, 4 1',
      'order[t] >= 0 for t in weeks',
      'minimize cost: sum t in weeks: price[t] * order[t]',
      'Arrival: order[t - lead[t]] >= need[t] for t in weeks',
    );
    expect(text).toContain('the objective is 33');
  });
});
