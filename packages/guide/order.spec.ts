import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Room } from '../../test/support/guide-room.js';

const CLOSED = 'all constraints are hard; data: in the formulas; kpi: none; requirement: none; confirm';

const SCALAR = [
  'chairs, tables integer',
  'maximize profit: 30 chairs + 50 tables',
  'Labour: 2 chairs + 4 tables <= hours, hard',
  'hours = 40',
  'produce 5 tables',
  'chairs <= 8',
];
const WORDS = [
  'chairs, tables integer',
  'minimize cost: 3 chairs + 2 tables',
  'Orders: chairs + tables >= 2',
  'produce 12 more tables',
  'tables <= 40',
  'chairs <= 30',
];
const FAMILY = [
  'ps: a, b',
  'cap of ps: a 3, b 4',
  'make[p] integer for p in ps',
  'make[p] <= cap[p] for p in ps',
  'maximize n: sum p in ps: make[p]',
  'Tot: sum p in ps: make[p] <= 5',
];
const KPI = [...WORDS.slice(0, 3), 'kpi: tables >= 12', ...WORDS.slice(4)];
const TAKEN = [...SCALAR.slice(0, 4), 'profit >= 700', 'Labour = 12'];

/** Sends messages in the given order and asks for a solve. Returns the checklist and the outcome. */
async function outcomeOf(messages: readonly string[]): Promise<object> {
  const room = new Room();
  for (const message of messages) await room.say(message);
  await room.say(CLOSED);
  const { text } = await room.say('solve');
  const flags = Object.entries(room.checklist).filter(([, value]) => typeof value !== 'object');
  const end = /Solved: the objective is [\d.]+|The model cannot be solved yet/.exec(text)?.[0];
  return { ...Object.fromEntries(flags), end };
}

const ordersOf = (statements: readonly string[]) =>
  fc.shuffledSubarray([...statements], { minLength: statements.length });

describe('the order of statements', () => {
  it.each([
    ['a model', SCALAR, 'Solved: the objective is 540'],
    ['a requirement in words', WORDS, 'The model cannot be solved yet'],
    ['an indexed model', FAMILY, 'Solved: the objective is 5'],
  ])('does not matter within a message: %s', async (_, statements, end) => {
    const expected = await outcomeOf([statements.join('\n')]);
    expect(expected).toMatchObject({ end });
    await fc.assert(
      fc.asyncProperty(ordersOf(statements), async (order) =>
        expect(await outcomeOf([order.join('\n')])).toEqual(expected),
      ),
      { numRuns: 15 },
    );
  });

  it.each([
    ['a model', SCALAR, 'Solved: the objective is 540'],
    ['a requirement in words', WORDS, 'The model cannot be solved yet'],
    ['a KPI that contains a limit', KPI, 'The model cannot be solved yet'],
    ['limits on the names of an objective and a constraint', TAKEN, 'The model cannot be solved yet'],
  ])('does not matter even if the statements are sent separately: %s', async (_, statements, end) => {
    await fc.assert(
      fc.asyncProperty(ordersOf(statements), async (order) => {
        expect(await outcomeOf(order)).toMatchObject({ end });
        expect(await outcomeOf([order.join('\n')])).toMatchObject({ end });
      }),
      { numRuns: 5 },
    );
  });
});

it.each([
  'wood: oak, pine; use[w] for w in wood; maximize n: sum w in wood: use[w]; Use: sum w in wood: use[w] <= 4',
  'ps: a, b; limit = 3; make[p] for p in ps; make[p] <= limit for p in ps; maximize n: sum p in ps: make[p]; Limit: make["a"] <= 2',
  'ps: a, b; cap = 3; need of ps: a 2, b 5; make[p] for p in ps; maximize n: sum p in ps: make[p]; Cap: make[p] <= 4 for p in ps where need[p] > cap; Tot: sum p in ps: make[p] <= 9',
  'x <= 4; maximize x: 3 x; X: 2 x <= 6',
  'x integer; budget = 6; maximize n: x; Budget: 2 x <= budget',
])('allows a constraint to share a name with something else in the model: %s', async (model) => {
  expect(await outcomeOf([model])).toMatchObject({ end: expect.stringContaining('Solved') as unknown });
});
