import { describe, expect, it } from '@jest/globals';
import { Room } from '../../test/support/guide-room.js';
import { HELP } from './describe.js';
import { readStatement } from './grammar.js';
import { thingsOn } from './named-things.js';
import { limitsOnUse, withoutUnit } from './resource-amounts.js';
import { toChange } from './scenarios.js';
import { Sketch } from './sketch.js';
import { toChanges } from './what-if-changes.js';

const WORKSHOP = [
  'tables, chairs integer; tables <= 8; hours = 40',
  'maximize profit: 30 chairs + 50 tables',
  'Labour: 2 chairs + 4 tables <= hours; Oak stock: chairs + tables <= 15',
].join('\n');
const GOODS = [
  'goods: stool, oak chair; weeks: 1 to 3; price of goods: stool 4, oak chair 9; supply of weeks: 1 40, 2 40, 3 40',
  'work of goods: stool 1, oak chair 2; make[p, t] integer for p in goods, t in weeks',
  'maximize profit: sum p in goods, t in weeks: price[p] * make[p, t]',
  'Work time: sum p in goods: work[p] * make[p, t] <= 40 for t in weeks',
  'Supply: make[p, t] <= supply[t] for p in goods, t in weeks',
].join('\n');
const REJECTED = /could not use|do not understand|cannot answer/;
const FINISH = 'all constraints are hard; kpi: none; requirement: none; data: in the formulas; confirm; solve';

async function solved(model: string): Promise<Room> {
  const room = new Room();
  await room.say(model);
  expect((await room.say(FINISH)).text).toContain('Solved');
  return room;
}

/** Returns the reason why a what-if question cannot be solved, or undefined if it can. */
function whyNotTried(question: string, room: Room): string | undefined {
  const { statement } = readStatement(question);
  if (statement?.kind !== 'what_if') return `${question} is not a what-if question`;
  const sketch = new Sketch(room.cards);
  const things = thingsOn(sketch);
  for (const one of statement.changes) {
    const change =
      one.form === 'wanted' ? toChanges(withoutUnit(one, things), things, sketch) : toChange(one, sketch, []);
    if (typeof change === 'string') return change;
  }
  return undefined;
}

describe('advice from the guide', () => {
  it.each<[string, string]>([
    ['what if profit is 40', WORKSHOP],
    ['what if chairs rise by 2', WORKSHOP],
    ['what if we drop hours', WORKSHOP],
    ['what if we drop tables', WORKSHOP],
    ['what if labour is at least 30', WORKSHOP],
    ['why not more tables', WORKSHOP],
    ['why not fewer chairs', WORKSHOP],
    ['shadow price of labour', WORKSHOP],
    ['shadow price of oak stock', WORKSHOP],
    ['how many tables per chair', WORKSHOP],
    ['what if the profit of stools is 40', GOODS],
    ['what if goods = 3', GOODS],
    ['what if we drop goods', GOODS],
    ['what if price of chairs is 5', GOODS],
    ['what if supply in week 9 rises by 3', GOODS],
    ['what if price is at most 5', GOODS],
    ['what if stool price is at most 5', GOODS],
    ['what if oak chair rises by 5', GOODS],
    ['what if oak chair in week 2 rises by 5', GOODS],
    ['what if we drop price', GOODS],
  ])('contains only statements that the guide accepts in answer to %j', async (question, model) => {
    const room = await solved(model);
    const { statement } = readStatement(question);
    const isTried = statement?.kind === 'what_if';
    const answer = isTried ? (whyNotTried(question, room) ?? '') : (await room.say(question)).text;
    const advice = Array.from(answer.matchAll(/`((?:what if|show) [^`]+)`/g), ([, one = '']) => one);
    expect(advice).not.toEqual([]);
    for (const one of advice) {
      if (one.startsWith('what if')) expect([one, whyNotTried(one, room)]).toEqual([one, undefined]);
      else expect((await room.say(one)).text).not.toMatch(REJECTED);
    }
  });

  it('includes a help text whose statements the guide accepts', async () => {
    const statements = Array.from(HELP.matchAll(/`([^`\n]+)`/g), ([, one = '']) => one).filter((one) => one !== ';');
    expect(statements.length).toBeGreaterThan(20);
    for (const statement of statements) {
      const room = new Room();
      await room.say(
        `maximize gain: x; x, chairs, tables integer; labour: x <= 4; wood: x <= 5; shifts: early, late, night`,
      );
      await room.say('cost of shifts: early 10, late 12, night 15; staff[s] integer for s in shifts');
      room.files = ['products.csv', 'demand.csv', 'km.xlsx'];
      const { text } = await room.say(statement);
      expect([statement, text]).not.toEqual([statement, expect.stringMatching(REJECTED)]);
    }
  });
});

describe('an amount in a what-if question that names a column', () => {
  const limitsIn = async (question: string, model = GOODS): Promise<object | undefined> => {
    const room = new Room();
    await room.say(model);
    const sketch = new Sketch(room.cards);
    const { statement } = readStatement(question);
    const [change] = statement?.kind === 'what_if' ? statement.changes : [];
    if (change?.form !== 'wanted') throw new Error(`${question} is not in plain words`);
    return limitsOnUse(withoutUnit(change, thingsOn(sketch)), thingsOn(sketch), sketch);
  };

  it.each<[string, string[]]>([
    ['what if we had 200 work', ['Work time']],
    ['what if 10 more work', ['Work time']],
    ['what if we had only 20 work', ['Work time']],
  ])('is ambiguous if a constraint limits the use of the column: %s', async (question, limits) => {
    expect(await limitsIn(question)).toEqual({ column: 'work', limits });
  });

  it('is reported with the value that limits the use of the column', async () => {
    const model = `budget = 40; ${GOODS.replace('<= 40 for', '<= budget for')}`;
    expect(await limitsIn('what if we had 200 work', model)).toEqual({ column: 'work', limits: ['budget'] });
  });

  it.each([
    'what if work = 200',
    'what if work rises by 10',
    'what if 10 % more work',
    'what if we had 20 supply',
    'what if we had 20 stools',
    'what if there is no work',
  ])('is unambiguous in %j', async (question) => {
    expect(await limitsIn(question)).toBeUndefined();
  });

  it('makes the guide ask which number to change', async () => {
    const room = await solved(GOODS);
    const { question, calls } = await room.say('what if we had 200 work');
    expect(calls.map(({ tool }) => tool)).toEqual(['ask_user_question']);
    expect(question?.options).toEqual([
      { label: 'The limit Work time is 200', description: 'what if Work time is 200' },
      { label: 'Each value of work is 200', description: 'what if work is 200' },
      { label: 'Later', description: 'later' },
    ]);
    for (const { description = '' } of question?.options.slice(0, 2) ?? [])
      expect(whyNotTried(description, room)).toBeUndefined();
  });

  it.each<[string, string, object]>([
    ['what if we had 200 hours of labour', WORKSHOP, { kind: 'limit', target: 'Labour', to: 200 }],
    ['what if 10 more hours of labour', WORKSHOP, { kind: 'limit', target: 'Labour', plus: 10 }],
    ['what if we had 200 boards of oak stock', WORKSHOP, { kind: 'limit', target: 'Oak stock', to: 200 }],
    ['what if we had 200 hours', WORKSHOP, { kind: 'value', target: 'hours', to: 200 }],
  ])('may have a unit: %s', async (question, model, change) => {
    const room = new Room();
    await room.say(model);
    const sketch = new Sketch(room.cards);
    const things = thingsOn(sketch);
    const { statement } = readStatement(question);
    const [one] = statement?.kind === 'what_if' ? statement.changes : [];
    if (one?.form !== 'wanted') throw new Error(`${question} is not in plain words`);
    expect(toChanges(withoutUnit(one, things), things, sketch)).toEqual([change]);
  });

  it.each(['what if we had 200 tables of labour', 'what if 5 chairs of hours'])(
    'is rejected if its unit is another name in the model: %s',
    async (question) => {
      const room = new Room();
      await room.say(WORKSHOP.replace('2 chairs + 4 tables <= hours', '2 chairs <= hours'));
      expect(whyNotTried(question, room)).toMatch(/I do not understand|is decided by the plan/);
    },
  );
});
