import { describe, expect, it } from '@jest/globals';
import { Room } from '../../test/support/guide-room.js';

const MODEL =
  'chairs, tables integer; maximize profit: 30 chairs + 50 tables; Labour: 2 chairs + 4 tables <= 40, hard; data: in the formulas; kpi: none; requirement: none; confirm';

describe('an answer that does not fit the open question', () => {
  it.each(['no nothing', 'yes please', 'rather much'])('does not become a penalty: %s', async (text) => {
    const room = new Room();
    await room.say(`${MODEL}\nWood: chairs + tables <= 15, soft`);
    await room.say(text);
    expect(room.data('Wood')).toEqual({ expression: 'chairs + tables <= 15', classification: 'soft' });
    await room.say('5');
    expect(room.data('Wood')).toMatchObject({ penalty: 5 });
  });

  it.each(['No, nothing.', 'YES SOLVE IT', 'Cap: tables at the most 3', 'whatever you like'])(
    'does not become a formula: %s',
    async (text) => {
      const room = new Room();
      await room.say(`${MODEL}\nShare: chairs at the most 4`);
      await room.say(text);
      expect(room.data('Share')).toMatchObject({ expression: 'chairs at the most 4' });
    },
  );

  it.each(['Cap: chairs <= 4 for p in', 'whatever you like', 'p of items'])(
    'does not become an index: %s',
    async (text) => {
      const room = new Room();
      await room.say(`${MODEL}\nitems: a, b\nShare: chairs <= 4 for p in`);
      await room.say(text);
      expect(room.data('Share')).toMatchObject({ expression: 'chairs <= 4', index: 'p in' });
      await room.say('p in items');
      expect(room.data('Share')).toMatchObject({ index: 'p in items' });
    },
  );

  it.each(['total cost', 'export the result'])('does not become the sense of an objective: %s', async (text) => {
    const room = new Room();
    await room.say('objective profit: 3x + 2y');
    await room.say(text);
    expect(room.data('profit')).not.toHaveProperty('sense');
  });
});

it.each(['yes', 'Yes, solve it', 'sure'])('starts the offered solve after the answer `%s`', async (text) => {
  const room = new Room();
  const { question } = await room.say(MODEL);
  expect(question?.question).toContain('Shall I solve');
  expect((await room.say(text)).text).toContain('Solved: the objective is 600');
});

describe('an answer that is not a name', () => {
  const START = 'x integer; maximize p: x; C: x <= 4, hard';
  const STOCK =
    'weeks: 1 to 3; x[t] integer for t in weeks; maximize p: sum t in weeks: x[t]; C: x[t] <= stock0 for t in weeks, hard';
  it.each([
    [STOCK, 'yes'],
    [STOCK, 'yes please'],
    [STOCK, 'No.'],
    [STOCK, 'formulas'],
    [START, 'yes'],
    [START, 'all'],
    [START, 'maybe'],
    [`${START}; kpi: none`, 'yes'],
    [`${START}; kpi: none; data: in the formulas`, 'yes'],
    [`${START}; kpi: none; data: in the formulas`, 'both'],
    ['Hello', 'yes'],
    ['maximize p: 3 a + 2 b', 'nothing'],
  ])('does not change any card: %s, answered with %s', async (text, answer) => {
    const room = new Room();
    await room.say(text);
    const before = structuredClone(room.cards);
    const turn = await room.say(answer);
    expect(room.cards).toEqual(before);
    expect(turn.text).toContain(`I could not use this:\n- \`${answer.replace('.', '')}`);
    expect(turn.text).toContain('Still open:');
  });

  it.each(['none', 'nothing', 'no'])('can say that a list is empty: %s', async (answer) => {
    const room = new Room();
    await room.say(START);
    await room.say(answer);
    expect(room.data('Objective value')).toBeDefined();
    await room.say(answer);
    expect(room.data('Figures in the formulas')).toBeDefined();
    await room.say(answer);
    expect(room.data('No further requirements')).toBeDefined();
  });

  it.each(['formulas', 'the formulas', 'in formulas', 'from the formulas', 'They are in the formulas.'])(
    'can say that the numbers are in the formulas: %s',
    async (answer) => {
      const room = new Room();
      await room.say(`${START}; kpi: none`);
      await room.say(answer);
      expect(room.data('Figures in the formulas')).toBeDefined();
      expect(room.cards.filter(({ card_type }) => card_type === 'constraint')).toHaveLength(1);
    },
  );

  it.each(['last', 'the last one'])('can refer to the last option: %s', async (answer) => {
    const room = new Room();
    await room.say(START);
    await room.say(answer);
    expect(room.cards.filter(({ card_type }) => card_type === 'kpi')).toMatchObject([{ label: 'Use of capacity' }]);
  });
});
