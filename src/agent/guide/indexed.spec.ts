import { describe, expect, it } from '@jest/globals';
import { Room } from '../../../test/support/guide-room.js';

it('try', async () => {
  const room = new Room();
  for (const text of [
    'weeks: 1 to 4\ndemand of weeks: 1 30, 2 45, 3 20, 4 50\nmake[t] integer for t in weeks; stock[t] continuous for t in weeks\nminimize cost: sum t in weeks: 3 make[t] + stock[t]',
    'Balance: stock[t] = stock[t - 1] + make[t] - demand[t] for t in weeks\nCapacity: make[t] <= 40 for t in weeks where t <> 2',
    'all constraints are hard',
    'make[t] <= 42 for t in weeks',
    'First: make[1] >= 5, hard',
    'staff[s] >= need[s] for s in shifts',
    'x: make[q] <= 2 for t in weeks',
    'solve',
    'show',
  ]) {
    const { text: said, question } = await room.say(text);
    console.log(said + '\n\n' + JSON.stringify(question));
  }
  expect(1).toBe(1);
});
