import { describe, expect, it } from '@jest/globals';
import { Room } from '../../test/support/guide-room.js';

const TABLES = [
  'tables, chairs integer',
  'maximize profit: 50 tables + 30 chairs',
  'wood: 2 tables + chairs <= 40',
  'labour: tables + chairs <= 30',
].join('\n');
const FINISH = 'all constraints are hard; kpi: none; requirement: none; data: in the formulas';

/** Sends the messages and asks for a solve. */
async function solved(...messages: string[]) {
  const room = new Room();
  for (const message of messages) await room.say(message);
  const { calls, text } = await room.say('confirm; solve');
  return { room, text, isSolved: calls.some(({ tool }) => tool === 'run_solve') };
}

const LIMITS = [
  'tables must not exceed 5',
  'tables must not exceed 5!',
  'stools must not exceed 5',
  'we need at least 12 tables',
  'only 12 tables',
  'up to 12 tables',
  'exactly 12 tables',
  'no more chairs than tables',
  'tables are limited to 5',
  'a customer needs 4 tables',
  'boards must not exceed 35',
  'a maximum of 35 boards',
  'every table needs four chairs',
  'four chairs per table',
  'each table needs a chair',
  'we have forty hours',
  'twenty boards are there',
  'Constraints: no chairs on Monday, tables on Friday',
  'we cannot paint on Mondays',
  'Steak: It gives you 14 grams of protein, 6 of fat',
];

describe('a limit stated in words', () => {
  it.each(LIMITS)('prevents a solve as the first message: %s', async (limit) => {
    const { room, text, isSolved } = await solved(limit, `${TABLES}\n${FINISH}`);
    expect(isSolved).toBe(false);
    expect(text).toContain(`- \`${limit}\``);
    expect((await room.say(`remove ${limit}; solve`)).text).toContain('the objective is 1100');
  });

  it.each(LIMITS)('prevents a solve in the middle of a model: %s', async (limit) => {
    const { isSolved } = await solved(`${TABLES}\n${limit}\n${FINISH}`);
    expect(isSolved).toBe(false);
  });

  it.each(LIMITS)('prevents a solve as the last message: %s', async (limit) => {
    const { isSolved } = await solved(`${TABLES}\n${FINISH}`, limit);
    expect(isSolved).toBe(false);
  });

  it('still prevents a solve if its variable is declared later', async () => {
    const { isSolved } = await solved(
      `${TABLES}\n${FINISH}`,
      'stools must not exceed 5',
      'stools integer\nmaximize profit: 50 tables + 30 chairs + 60 stools\nwood: 2 tables + chairs + stools <= 40',
    );
    expect(isSolved).toBe(false);
  });

  it.each(['tables: no more than a dozen', 'chairs: at most 5 or 6'])(
    'still prevents a solve if its variable is declared below it: %s',
    async (limit) => {
      const { isSolved } = await solved(`${limit}\n${TABLES}\n${FINISH}`);
      expect(isSolved).toBe(false);
    },
  );
});

describe('a limit that begins with an objective keyword', () => {
  it.each([
    'min stock 10',
    'max tables 5',
    'max hours per week 20',
    'goal: at most 5 tables',
    'objective is no more than 5 tables',
    'minimum is 5 tables',
    'maximize 30% x',
    'max of plants: A 5, B 9',
    'max five tables',
  ])('prevents a solve in the same message: %s', async (statement) => {
    const together = await solved(`${statement}\n${TABLES}\n${FINISH}`);
    expect(together.isSolved).toBe(false);
    expect(together.text).toMatch(/I do not understand this yet|choose what you mean/);
  });

  it.each(['min stock 10', 'max tables 5', 'max hours per week 20', 'goal: at most 5 tables', 'max five tables'])(
    'prevents a solve even in a separate message: %s',
    async (statement) => {
      const { isSolved } = await solved(statement, `${TABLES}\n${FINISH}`);
      expect(isSolved).toBe(false);
    },
  );

  it('is not replaced by an unnamed objective in the same message', async () => {
    const { isSolved } = await solved(`${TABLES.replace('profit: ', '')}\n${FINISH}`, 'undo');
    expect(isSolved).toBe(false);
    const second = await solved(`maximize 30% x\n${TABLES.replace('profit: ', '')}\n${FINISH}`);
    expect(second.isSolved).toBe(false);
    expect(second.room.cards.map(({ label }) => label)).toContain('maximize 50 tables + 30 chairs');
  });
});

describe('a formula below the heading of an objective', () => {
  it.each(['- ', '* ', '• '])(
    'is not used if its first character may be a minus sign or a bullet: %j',
    async (mark) => {
      const lines = `labour: tables + chairs <= 30\nchairs, tables integer\nmaximize profit:\n${mark}30 chairs\n${mark}50 tables`;
      const { room, isSolved } = await solved(`${lines}\n${FINISH}`);
      expect(isSolved).toBe(false);
      expect(room.data('profit')).not.toHaveProperty('expression');
    },
  );

  it('is used if its line has no list marker', async () => {
    const room = new Room();
    await room.say('maximize profit:\n30 chairs + 50 tables');
    expect(room.data('profit')).toMatchObject({ expression: '30 chairs + 50 tables' });
  });
});

describe('a list of amounts or rules', () => {
  it.each([
    'Demand: five chairs, two tables',
    'Minimums: chairs five, tables two',
    'Capacity: forty hours, ten boards',
    'Rules: no overtime, no night shifts',
    'Rules: only oak, never pine',
  ])('does not become a set: %s', async (list) => {
    const { room, isSolved } = await solved(`${TABLES}\n${list}\n${FINISH}`);
    expect(isSolved).toBe(false);
    expect(room.cards.map(({ data }) => data['set'])).not.toContain(list.split(':')[0]);
  });

  it.each(['shifts: one, two, three', 'lines: line one, line two', 'woods: oak, pine'])(
    'does not prevent a list of names from becoming a data card: %s',
    async (list) => {
      const room = new Room();
      await room.say(list);
      expect(room.cards).toMatchObject([{ card_type: 'data' }]);
    },
  );

  it.each([
    ['cost of products: a 2, a 3, b 4', 'a'],
    ['cost of products: a 2, b 4, b 4', 'b'],
    ['cost of products: "a" 2, a: 3', 'a'],
    ['colours: red, blue, red', 'red'],
  ])('is rejected with a duplicate member: %s', async (list, member) => {
    const room = new Room();
    await room.say('products: a, b');
    const { text } = await room.say(list);
    expect(text).toContain(`: the member ${member} appears twice`);
    expect(room.data('products')).toEqual({ set: 'products', members: ['a', 'b'] });
    expect((await room.say('solve')).text).toContain(`: the member ${member} appears twice`);
  });
});

describe('an open question that asks for a formula', () => {
  const BOATS = [
    'boat, canoe integer',
    'minimize time: 20 boat + 40 canoe',
    'ducks: 10 boat + 8 canoe >= 300',
    'share: canoe >= 60% * (boat + canoe)',
    FINISH,
    'confirm',
  ].join('\n');

  it.each(['boat must not exceed 40', 'we own 12 boat', 'at most 40 of them', 'boat 40 max', 'canoe >= 60 % of 12'])(
    'does not accept a sentence without a formula as an answer: %s',
    async (sentence) => {
      const room = new Room();
      await room.say(BOATS);
      await room.say(sentence);
      expect(room.data('share')).toMatchObject({ expression: 'canoe >= 60% * (boat + canoe)' });
      await room.say('share: canoe >= 0.6 * (boat + canoe), hard');
      const { text } = await room.say('solve');
      expect(text).toContain('The model cannot be solved yet');
      expect(text).toContain(`- \`${sentence}\``);
    },
  );

  it('accepts a formula as an answer', async () => {
    const room = new Room();
    await room.say('x, y integer\nmaximize profit');
    await room.say('3 x + 2 y');
    expect(room.data('profit')).toMatchObject({ expression: '3 x + 2 y' });
  });
});

it.each(['stools must not exceed 5', 'a maximum of 35 boards', 'no chairs on Mondays'])(
  'does not treat a limit as a file name: %s',
  async (limit) => {
    const room = new Room();
    await room.say(`${TABLES}\nall constraints are hard; kpi: none`);
    const { text } = await room.say(limit);
    expect(text).not.toContain('no file');
    expect(room.cards.map(({ label }) => label)).toContain(limit);
  },
);
