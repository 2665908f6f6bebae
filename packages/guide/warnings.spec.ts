import { describe, expect, it } from '@jest/globals';
import { Room } from '../../test/support/guide-room.js';

const MODEL =
  'products: a, b; price of products: a 3, b 4; x[p] continuous for p in products; maximize n: sum p in products: x[p]; Tot: sum p in products: x[p] <= 4, hard; kpi: none; confirm';

const isSolved = ({ calls }: { calls: { tool: string }[] }): boolean => calls.some(({ tool }) => tool === 'run_solve');

describe('a warning', () => {
  it.each([
    'requirement: none; Big: x[p] <= 2 for p in products where price[p] > 100, hard',
    'requirement: none; Never: x[p] <= 2 for p in products where price[p] > 5 and price[p] < 3, hard',
    'requirement: none; Part: sum p in products where price[p] > 9: x[p] <= 2, hard',
    'requirement: none; Named: x[p] <= 2 for p in products where p = "c", hard',
    'requirement: x[p] >= 2 for p in products where price[p] > 100',
    'requirement: none; x[p] <= 2 * price[p] for p in products; Big: x[p] >= 2 for p in products where price[p] < 0, hard',
  ])('postpones only the first solve, and is reported again with the result: %s', async (statements) => {
    const room = new Room();
    await room.say(`${MODEL}; ${statements}`);
    const first = await room.say('solve');
    expect(first.text).toContain('Check these warnings, or write `solve` again to solve the model as it is:\n- ');
    expect(isSolved(first)).toBe(false);
    const second = await room.say('solve');
    expect(second.text).toContain('Solved: the objective is 4');
    expect(second.text).toContain('Warnings:\n- ');
  });

  it('postpones another solve if it is new', async () => {
    const room = new Room();
    await room.say(`${MODEL}; requirement: none; Big: x[p] <= 2 for p in products where price[p] > 100, hard`);
    await room.say('solve');
    await room.say('solve');
    const third = await room.say('Huge: x[p] <= 2 for p in products where price[p] > 200, hard; solve');
    expect([isSolved(third), third.text]).toEqual([false, expect.stringContaining('- `Huge`: No price is > 200')]);
    expect(isSolved(await room.say('solve'))).toBe(true);
  });

  it.each(['L: x["a"] <= y, hard', 'y <= x["a"] <= 4', 'L: sum p in products: x[p] <= 3'])(
    'does not allow a solve while a blocking gap remains: %s',
    async (statement) => {
      const room = new Room();
      await room.say(`${MODEL}; requirement: none; ${statement}`);
      for (let time = 0; time < 3; time += 1) expect(isSolved(await room.say('solve'))).toBe(false);
    },
  );
});
