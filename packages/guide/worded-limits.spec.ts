import { describe, expect, it } from '@jest/globals';
import { Room } from '../../test/support/guide-room.js';

const TABLES =
  'chairs, tables integer; chairs <= 30; tables <= 40; minimize cost: 3 chairs + 2 tables; Orders: chairs + tables >= 2, hard; data: in the formulas';
const PROFIT =
  'chairs, tables integer; maximize profit: 30 chairs + 50 tables; Labour: 2 chairs + 4 tables <= 40, hard; data: in the formulas';
const CLOSED = 'kpi: none; requirement: none; confirm';

/** Sends the messages and asks for a solve. */
async function solved(...messages: string[]) {
  const room = new Room();
  for (const message of messages) await room.say(message);
  const { calls, text } = await room.say('solve');
  return { room, text, isSolved: calls.some(({ tool }) => tool === 'run_solve') };
}

describe('a plain-text requirement', () => {
  it.each([
    'requirement: at least 12 of tables',
    'requirement: tables at least 12',
    'requirement: tables must be 12',
    'requirement: at least 12 tables and 3 chairs',
    'produce 5 tables, 3 chairs',
    'produce 12 more tables',
    'produce tables: 12',
    'produce 12 tables a week',
    'requirement: a dozen tables',
    'requirement: at least 12 of tabels',
    'requirement: more chairs than tables',
  ])('prevents a solve if it may limit the plan: %s', async (requirement) => {
    const { isSolved, text } = await solved(TABLES, 'kpi: none; confirm', requirement);
    expect(isSolved).toBe(false);
    expect(text).toMatch(/I do not understand this yet|choose what you mean/);
  });

  it.each(['at most 3 of each', 'boards are limited to 15', 'chairs + tables max 15', 'never over 4 chairs'])(
    'prevents a solve even if it answers a question: %s',
    async (answer) => {
      const { isSolved } = await solved(PROFIT, 'kpi: none; confirm', answer);
      expect(isSolved).toBe(false);
    },
  );

  it.each(['requirement: be nice', 'requirement: ask Ada about tables', 'produce 12 tables'])(
    'does not prevent a solve if it states a quantity or does not limit the plan: %s',
    async (requirement) => {
      const { isSolved } = await solved(TABLES, 'kpi: none; confirm', requirement);
      expect(isSolved).toBe(true);
    },
  );

  it('can be corrected by name', async () => {
    const { room } = await solved(TABLES, 'kpi: none; confirm', 'requirement Least: tables at least 12');
    const { text } = await room.say('requirement Least: tables >= 12; solve');
    expect(text).toContain('the objective is 24');
  });
});

describe('a plain-text KPI that mentions the model', () => {
  it.each([
    'not more chairs than tables',
    'chairs can never exceed twice the tables',
    'tables may not fall below 3',
    'twice as many chairs as tables',
    'chairs + tables max 15',
    'between 3 and 5 tables per chair',
  ])('is not accepted as an answer to the question about KPIs: %s', async (answer) => {
    const { room, isSolved } = await solved(PROFIT, answer, 'requirement: none; confirm');
    expect(isSolved).toBe(false);
    expect(room.cards.map(({ card_type }) => card_type)).not.toContain('kpi');
  });

  it.each(['kpi: tables >= 12', 'kpi: chairs + tables <= 12', 'kpi Tall: tables >= 12', 'indicator: 3 <= chairs'])(
    'prevents a solve because of its relation: %s',
    async (kpi) => {
      const { isSolved, text } = await solved(TABLES, 'requirement: none; confirm', kpi);
      expect(isSolved).toBe(false);
      expect(text).toMatch(/I do not understand this yet|choose what you mean/);
    },
  );

  it.each([
    'kpi: share of tables',
    'kpi: on-time deliveries >= 95%',
    'kpi Both: chairs + tables',
    'least = 2; kpi One: if least >= 2 then chairs else tables',
  ])('becomes a KPI if it does not limit the model: %s', async (kpi) => {
    const { room, isSolved } = await solved(TABLES, 'requirement: none; confirm', kpi);
    expect([isSolved, room.cards.some(({ card_type }) => card_type === 'kpi')]).toEqual([true, true]);
  });
});

describe('a range or step instead of a unit', () => {
  it.each(['x in 2..12', 'x in 2 to 12', 'x from 2..12', 'x within 2-12'])('becomes bounds: %s', async (statement) => {
    const room = new Room();
    await room.say(`maximize n: x + y\n${statement}`);
    expect(room.data('x')).toEqual({ name: 'x', lower: 2, upper: 12 });
  });

  it('limits a declared variable', async () => {
    const { text } = await solved(TABLES.replace('tables <= 40; ', ''), CLOSED, 'tables in 12..40');
    expect(text).toContain('the objective is 24');
  });

  it.each([
    'tables in 12 or more',
    'tables in steps of 5',
    'tables in multiples of 5',
    'tables in lots of 10',
    'tables in two to twelve',
  ])('prevents a solve: %s', async (statement) => {
    const { isSolved } = await solved(TABLES, CLOSED, statement);
    expect(isSolved).toBe(false);
  });

  it.each(['pieces', '1000 kg', 'm3', 'boxes of tiles'])('is not confused with a real unit: %s', async (unit) => {
    const { room, isSolved } = await solved(TABLES, CLOSED, `tables in ${unit}`);
    expect(room.data('tables')).toMatchObject({ unit });
    expect(isSolved).toBe(true);
  });
});

describe('a relation that is not a chain', () => {
  it.each([
    'tables >= 12 => chairs >= 3',
    '12 <= tables >= 3',
    '12 <= tables >= 3 integer',
    'Both: tables >= 12 <= chairs',
    'tables => 3 => chairs',
  ])('prevents a solve: %s', async (statement) => {
    const { isSolved, text } = await solved(TABLES, CLOSED, statement);
    expect(isSolved).toBe(false);
    expect(text).toContain('All relations of a chain must point the same way');
  });

  it('becomes two limits if both names are variables', async () => {
    const { text } = await solved(TABLES, CLOSED, 'tables>=12 chairs>=3');
    expect(text).toContain('the objective is 33');
  });

  it('is not confused with a chain that begins with a named constant', async () => {
    const { room } = await solved(TABLES, CLOSED, 'least = 6', 'least <= 2 chairs <= 10');
    expect(room.cards.map(({ data }) => data['expression'])).toContain('least <= 2 chairs <= 10');
  });
});

describe('a value with the name of another card', () => {
  it.each(['Orders = 12', 'cost = 12', 'orders = 0'])('is rejected: %s', async (statement) => {
    const { room, isSolved, text } = await solved(TABLES, CLOSED, statement);
    expect([isSolved, room.data('Values')]).toEqual([false, undefined]);
    expect(text).toMatch(/is the name of the (?:constraint|objective), not a variable: write its formula/);
  });
});

it.each([
  ['produce at least 8 tables', 'produce at least 5 tables', '8 tables'],
  ['produce 8 tables', 'requirement: 3 tables', '8 tables'],
  ['requirement Least: 8 tables', 'requirement Least: tables >= 2', '8 tables'],
])('reports the quantity that a requirement replaces: %s, then %s', async (first, second, replaced) => {
  const room = new Room();
  await room.say(`${TABLES}\n${first}`);
  const { text } = await room.say(second);
  expect(text).toContain(`This replaces \`${replaced}\``);
});

describe('a limit after an objective keyword', () => {
  const room = async (...more: string[]) => {
    const opened = new Room();
    await opened.say(PROFIT);
    for (const message of [CLOSED, ...more]) await opened.say(message);
    return opened;
  };

  it.each([
    'max {chairs, tables} <= 12',
    'max 12 tables',
    'max 12 * tables',
    'max 12',
    'min 3 chairs',
    'min tables >= 12',
    'max tables <= 12',
    'max tables = 12',
    'maximize tables <= 12',
    'maximize chairs + * tables',
    'maximise 3 chairs tables',
  ])('leaves the objective unchanged and prevents a solve: %s', async (statement) => {
    const { cards, ...rest } = await room(statement);
    const objectives = cards.filter(({ card_type }) => card_type === 'objective');
    expect(objectives).toMatchObject([
      { label: 'profit', data: { expression: '30 chairs + 50 tables', confirmed: true } },
    ]);
    expect(rest.messages.at(-1)?.content).toMatch(/I do not understand this yet|choose what you mean/);
    const again = await room(statement, 'solve');
    expect(again.feasibility).toBe('unchecked');
    const removed = await room(statement, `remove ${statement}`, 'solve');
    expect(removed.feasibility).toBe('pass');
  });

  it.each([
    ['max(chairs, tables) <= 12', 560],
    ['min(chairs, tables) >= 3', 570],
  ])('is a constraint if it is a function of variables: %s', async (statement, objective) => {
    const { messages, feasibility } = await room(statement, 'all constraints are hard', 'solve');
    expect([feasibility, messages.at(-1)?.content]).toEqual([
      'pass',
      expect.stringContaining(`the objective is ${objective},`),
    ]);
  });

  it.each<[string, string]>([
    ['max 12 tables', 'tables <= 12'],
    ['min 3 chairs', 'chairs >= 3'],
  ])('is proposed as a limit: %s', async (statement, proposal) => {
    const opened = await room();
    const { question } = await opened.say(statement);
    expect(question?.options.map(({ label }) => label)).toContain(proposal);
  });

  it.each(['maximize 12 tables', 'max tables', 'max 3 chairs + 2 tables', 'min cost: 3 chairs'])(
    'is not confused with an objective without a limit: %s',
    async (statement) => {
      const opened = await room(statement);
      expect(opened.cards.filter(({ card_type }) => card_type === 'constraint')).toHaveLength(1);
    },
  );

  it('makes the guide explain how to undo a new objective', async () => {
    const opened = await room();
    const { text } = await opened.say('maximize 12 tables');
    expect(text).toContain('This replaces `maximize 30 chairs + 50 tables`\n\nWrite `undo` to undo these changes.');
    await opened.say('undo');
    expect(opened.data('profit')).toMatchObject({ expression: '30 chairs + 50 tables', confirmed: true });
  });

  it('can be replaced by the intended objective', async () => {
    const opened = await room('maximise 3 chairs + * tables', 'maximize 3 chairs + tables; confirm; solve');
    expect(opened.feasibility).toBe('pass');
  });
});
