import { describe, expect, it } from '@jest/globals';
import { Room } from '../../test/support/guide-room.js';

const TABLES =
  'tables, chairs integer; maximize profit: 50 tables + 30 chairs; wood: 2 tables + chairs <= 40; labour: tables + chairs <= 30';
const FINISH = 'all constraints are hard; kpi: none; requirement: none; data: in the formulas';

async function roomWith(...messages: string[]): Promise<Room> {
  const room = new Room();
  for (const message of messages) await room.say(message);
  return room;
}
const names = (room: Room): unknown[] => room.cards.flatMap(({ data }) => data['name'] ?? []);

describe('a word that is not a name', () => {
  it.each(['they are whole', 'both integer', 'these are binary'])('does not declare a variable: %s', async (text) => {
    const room = await roomWith(`${TABLES}; ${FINISH}`, text);
    expect(names(room)).toEqual(['tables', 'chairs']);
    expect((await room.say('confirm; solve')).text).toContain(`- \`${text}\``);
  });

  it.each(['yes, chairs <= 5', 'ok, chairs <= 5', 'sure, chairs <= 5'])(
    'is ignored at the beginning of a statement: %s',
    async (text) => {
      const room = await roomWith(TABLES, text);
      expect(names(room)).toEqual(['tables', 'chairs']);
      expect(room.data('chairs')).toMatchObject({ upper: 5 });
    },
  );
});

it.each(['must hold', 'must always hold', 'have to hold'])(
  'classifies all unclassified constraints as hard: %s',
  async (text) => {
    const room = await roomWith(TABLES, text);
    expect(room.data('wood')).toMatchObject({ classification: 'hard' });
  },
);

it('accepts `no` when it offers to solve the model', async () => {
  const room = await roomWith(`${TABLES}; ${FINISH}`);
  const { text, calls } = await room.say('no');
  expect(text).not.toContain('could not use');
  expect(calls).toEqual([]);
});

it.each(['maximize', 'minimize', 'objective'])(
  'does not fail on an objective keyword without a formula: %s',
  async (text) => {
    const turn = await new Room().say(text);
    expect(turn.text).not.toContain('The input is invalid');
  },
);

it('treats `max` and `min` as values if they are set to numbers', async () => {
  const room = await roomWith('max = 12; min = 2; maximize n: x; cap: x <= max; floor: x >= min; x continuous', FINISH);
  expect(room.data('Values')).toMatchObject({ values: { max: 12, min: 2 } });
  expect((await room.say('confirm; solve')).text).toContain('the objective is 12');
});

it.each(['M: sum t in weeks: make[t] <= 8 for t in weeks', 'M: 2 >= sum t in weeks: make[t] for t in weeks'])(
  'rejects a sum over the index of its constraint: %s',
  async (constraint) => {
    const room = await roomWith(
      `weeks: 1 to 3; make[t] continuous for t in weeks; maximize n: sum t in weeks: make[t]; ${constraint}; ${FINISH}`,
    );
    expect((await room.say('confirm; solve')).text).toContain('The index t already runs over weeks');
  },
);

it.each(['tables may exceed 5', 'tables can be more than 5', 'tables are allowed to exceed 5'])(
  'does not propose a limit for a statement that only permits something: %s',
  async (text) => {
    const room = await roomWith(`${TABLES}; ${FINISH}`);
    const { question } = await room.say(text);
    expect(question?.options.map(({ label }) => label)).not.toContain('tables > 5');
  },
);

it.each(['utilisation of wood', 'profit of elm', 'demand of elm', 'make of elm in week 2', 'suppose the budget is 60'])(
  'answers a question without adding a card: %s',
  async (text) => {
    const room = await roomWith(`${TABLES}; ${FINISH}`, 'confirm; solve');
    const { length } = room.cards;
    await room.say(text);
    expect(room.cards).toHaveLength(length);
  },
);
