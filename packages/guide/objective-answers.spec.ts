import { expect, it } from '@jest/globals';
import { Room } from '../../test/support/guide-room.js';

const FINISH = 'x, y integer; kpi: none; requirement: none; data: in the formulas; confirm; solve';

/** Solves a model and returns the answer to a question about the result. */
async function answerTo(question: string, model: string): Promise<string> {
  const room = new Room();
  expect((await room.say(`${model}; ${FINISH}`)).text).toContain('Solved: the objective is');
  return (await room.say(question)).text;
}

it.each([
  [
    'maximize p: 3x + 2y; a: x + y <= 4, soft, penalty 1; b: x + 3y <= 6, hard',
    'The objective `p` is 18, minus 2 for breaking `a`. In total it is 16, the most that the constraints allow.',
  ],
  [
    'minimize p: 3x + 2y; a: x + y >= 4, soft, penalty 1; b: x + 3y >= 3, hard',
    'The objective `p` is 2, plus 3 for breaking `a`. In total it is 5, the least that the constraints allow.',
  ],
  [
    'maximize p: 3x + 2y; a: x + y <= 4, soft, penalty 9; b: x + 3y <= 6, hard',
    'The objective `p` is 12, the most that the constraints allow.',
  ],
])('reports the objective separately from the penalties for violated constraints: %s', async (model, answer) => {
  expect(await answerTo('what is p', model)).toContain(answer);
});

it.each([
  ['what is p', '`p` is 4. The objectives together are 24'],
  ['what is q', '`q` is 10. The objectives together are 24'],
  ['what is the objective', '`p` is 4. `q` is 10. The objectives together are 24, the weighted sum.'],
])('reports the value of each of several objectives: %s', async (question, answer) => {
  const model = 'maximize p: 3x + 2y, weight 1; maximize q: 5y, weight 2; b: x + 3y <= 6, hard';
  expect(await answerTo(question, model)).toContain(answer);
});

it('explains how to see the value of an indexed objective among several objectives', async () => {
  const model = 'weeks: 1 to 2; make[t] integer for t in weeks; maximize p: 3x + y, weight 1; b: x + 3y <= 6, hard';
  const other = 'maximize q: sum t in weeks: make[t], weight 2; c: make[t] <= 4 for t in weeks, hard';
  expect(await answerTo('what is q', `${model}; ${other}`)).toContain(
    'To see `q` alone, write `kpi q alone: sum t in weeks: make[t]` and `solve`.',
  );
});
