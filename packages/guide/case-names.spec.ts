import { describe, expect, it } from '@jest/globals';
import { Room } from '../../test/support/guide-room.js';

const MODEL =
  'x, y integer; maximize profit: 3x + 2y; L: x + y <= budget, hard; budget = 10; ps: a, b; lim of ps: a 1, b 5; make[p] integer for p in ps; make[p] <= lim[p] for p in ps';
const CLOSED = 'kpi: none; requirement: none; confirm';

describe('a name that differs from another name only in case', () => {
  it.each([
    'X <= 12',
    '0 <= X <= 12',
    'X = 3',
    'X in 2..12',
    'Budget = 300',
    'BUDGET = 5',
    'PS: a, b, c',
    'Ps from ps.csv key name',
    'Lim of ps: a 3, b 4',
    'Make[p] <= 3 for p in ps',
    'Make[p] binary for p in ps',
    'X integer',
    'X, z >= 2',
  ])('leaves all cards unchanged and prevents a solve: %s', async (statement) => {
    const room = new Room();
    room.files = ['ps.csv'];
    await room.say(`${MODEL}\n${CLOSED}`);
    const before = structuredClone(room.cards);
    const { text, calls, question } = await room.say(`${statement}; solve`);
    expect(room.cards.slice(0, before.length)).toMatchObject(before.map(({ label, data }) => ({ label, data })));
    expect(calls.some(({ tool }) => tool === 'run_solve')).toBe(false);
    expect(`${text} ${question?.question ?? ''}`).toMatch(/only in case|there is a similar name/);
  });

  it.each(['X = 40', 'X <= 12', '2 <= X <= 12', 'X = 40\nsolve'])('is reported immediately: %j', async (statement) => {
    const room = new Room();
    await room.say('x integer');
    const { text } = await room.say(statement);
    expect(text).toContain('`X` differs from `x` only in case: write `x`, or use `X` in a formula first');
    expect((await room.say('maximize n: x + X; X = 40')).text).not.toContain('only in case');
  });

  it.each(['X <= 1', 'X = 1'])('can be corrected by choosing an option of the question: %s', async (statement) => {
    const room = new Room();
    await room.say(`${MODEL}\n${CLOSED}`);
    await room.say(statement);
    await room.choose('X is the variable x');
    const { text } = await room.say('all constraints are hard; solve');
    expect(text).toContain('`x = 1`');
  });

  it.each([
    'x, X integer; maximize n: x + X; X <= 3; x <= 4',
    'X <= 3; x integer; maximize n: x + X; x <= 4; X integer',
    'x integer; X = 3; L: x <= X, hard; x <= 4; maximize n: x',
    'sum_x integer; X = 3; maximize n: sum_x; L: sum_x <= X, hard',
  ])('is treated as a separate name if formulas use it: %s', async (model) => {
    const room = new Room();
    const { text } = await room.say(model);
    expect(text).not.toMatch(/only in case|I do not understand/);
    expect(room.cards.map(({ card_type }) => card_type).filter((type) => type === 'objective')).toHaveLength(1);
  });
});
