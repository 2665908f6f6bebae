import { describe, expect, it } from '@jest/globals';
import { Room } from '../../test/support/guide-room.js';

const FINISH = 'all constraints are hard; kpi: none; requirement: none; data: in the formulas; confirm; solve';
const START = ['maximize profit: 5 x - 20 open', 'x <= 10', 'open binary'];

async function after(...texts: string[]) {
  const room = new Room();
  let last = await room.say('Hello');
  for (const text of texts) last = await room.say(text);
  const constraints = room.cards.filter(({ card_type }) => card_type === 'constraint');
  return { room, text: last.text, data: constraints.map(({ data }) => data) };
}

describe('a constraint under a condition in the chat', () => {
  it.each([
    'if open = 0 then x <= 0',
    'Setup: if open = 0 then x <= 0',
    'if open = 0 then x = 0',
    'if not open then x <= 0',
    'if open is 0 then x <= 0',
    'if open is no then x <= 0',
  ])('becomes a constraint, not a bound: %s', async (line) => {
    const { room, data, text } = await after(...START, line, FINISH);
    expect(data).toEqual([{ expression: line.replace(/^Setup: /, ''), classification: 'hard' }]);
    expect(room.cards.find(({ label }) => label === 'x')?.data).toEqual({ name: 'x', upper: 10 });
    expect(text).toContain('the objective is 30, with `x = 10`, `open = 1`');
  });

  it('may stand in one message with the rest of the model', async () => {
    const { text } = await after([...START, 'if open = 0 then x <= 0'].join('\n'), FINISH);
    expect(text).toContain('the objective is 30');
  });

  it('may have an index, a class and a name', async () => {
    const { data } = await after(
      'sites: a, b',
      'open[s] binary for s in sites',
      '0 <= make[s] <= 5 for s in sites',
      'Setup: if open[s] = 0 then make[s] <= 0 for s in sites, soft, penalty 3',
    );
    expect(data).toEqual([
      { expression: 'if open[s] = 0 then make[s] <= 0', index: 's in sites', classification: 'soft', penalty: 3 },
    ]);
  });

  it('may be a requirement', async () => {
    const { text } = await after(
      ...START,
      'requirement: if open = 1 then x >= 12',
      'kpi: none; data: none; confirm; solve',
    );
    expect(text).toContain('the objective is 50, with `x = 10`, `open = 0`');
  });

  it.each<[string, string]>([
    ['if x > 3 then open = 1', 'To link an amount to a decision, turn it around, as in `if open = 0 then x <= 0`'],
    ['if it rains then x <= 2', 'A condition must compare two values'],
    ['x <= 3 if open = 1', 'or a condition on a yes-or-no variable first, as in `if open = 0 then x <= 5`'],
    ['if open = 1 then x <= 3 else x <= 5', 'Write a second constraint for the other case'],
    ['if open = 1 then x >= 2, x <= 5', 'repeat the condition for each further relation'],
    ['if open = 1 then x >= 2 and x <= 5', 'repeat the condition for each further relation'],
  ])('is explained and not solved if it cannot be used: %s', async (line, reason) => {
    const { room, text } = await after(...START, line);
    expect(text + JSON.stringify(room.cards.map(({ gaps }) => gaps))).toContain(reason);
    expect((await room.say(FINISH)).text).not.toContain('the objective is');
  });

  it('asks about unknown names in the condition', async () => {
    const room = new Room();
    await room.say('Hello');
    await room.say('maximize profit: 5 x; x <= 10');
    await room.say('Setup: if opened = 0 then x <= 0');
    expect(JSON.stringify(room.cards.map(({ gaps }) => gaps))).toContain('is called opened');
  });
});
