import { describe, expect, it } from '@jest/globals';
import { Room } from '../../../test/support/guide-room.js';
import { readStatement } from '../grammar.js';
import { Sketch } from '../sketch.js';
import { meaningsOf } from './planner-sentences.js';

const PLAIN = 'chairs, tables, oak_chairs integer';
const WEEKS =
  'products: chair, table; weeks: 1 to 3; labour of products: chair 2, table 3; weight of products: chair 5, table 9; make[p, t] integer for p in products, t in weeks';
const SHIFTS = 'shifts: early, late; workers[s] integer for s in shifts';
const WOOD = 'oak, pine binary; maximize gain: 3 oak + 2 pine';
const SHOP = 'chairs, tables integer; maximize profit: 30 chairs; Labour: 2 chairs <= 40, hard';

/** Returns the statements that a sentence may mean on a canvas. */
async function meanings(model: string, ...sentences: string[]): Promise<string[]> {
  const room = new Room();
  await room.say(model);
  for (const sentence of sentences) await room.say(sentence);
  return meaningsOf(sentences.at(-1) ?? '', new Sketch(room.cards)).map(({ statements }) => {
    for (const statement of statements) expect(readStatement(statement).statement).toBeDefined();
    return statements.join('; ');
  });
}

describe('a sentence of a planner', () => {
  it.each<[string, string, string[]]>([
    [PLAIN, 'we have 40 hours of labour', ['labour = 40']],
    [PLAIN, 'at most 40 hours of labour a week', ['labour = 40']],
    [PLAIN, 'we can make no more than 200 chairs', ['chairs <= 200']],
    [PLAIN, 'every week at least 5 tables', ['tables >= 5']],
    [PLAIN, 'only 12 tables', ['tables <= 12']],
    [PLAIN, 'make twice as many chairs as tables', ['chairs = 2 * tables', 'chairs >= 2 * tables']],
    [PLAIN, 'at least three times as many chairs as tables', ['chairs >= 3 * tables']],
    [PLAIN, 'half as many tables as chairs', ['tables = 0.5 * chairs', 'tables >= 0.5 * chairs']],
    [PLAIN, 'at least a third of the chairs must be oak', ['oak_chairs >= chairs / 3']],
    [PLAIN, 'at most 30% of the chairs are oak chairs', ['oak_chairs <= 0.3 * chairs']],
    [PLAIN, 'tables make up at least two thirds of the chairs', ['tables >= 2 * chairs / 3']],
    [PLAIN, 'chairs may not exceed tables by more than 5', ['chairs <= tables + 5']],
    [PLAIN, 'chairs exceed tables by at least 2', ['chairs >= tables + 2']],
    [PLAIN, 'at least 3 more chairs than tables', ['chairs >= tables + 3']],
    [PLAIN, 'no more chairs than tables', ['chairs <= tables']],
    [PLAIN, 'profit is 30 per chair', ['maximize profit: 30 chairs']],
    [PLAIN, 'profit is 30 per chair and 50 per table', ['maximize profit: 30 chairs + 50 tables']],
    [PLAIN, 'a chair earns 30, a table 50', ['maximize profit: 30 chairs + 50 tables']],
    [PLAIN, 'a chair costs $20', ['minimize cost: 20 chairs']],
    [
      PLAIN,
      'each chair needs 2 hours of labour and one board',
      ['labour: 2 chairs <= labour_available; board: chairs <= board_available'],
    ],
    [
      PLAIN,
      'each chair needs 2 hours of labour and a table needs 4',
      ['labour: 2 chairs + 4 tables <= labour_available'],
    ],
    [PLAIN, 'every table needs four chairs', ['chairs >= 4 * tables', 'chairs = 4 * tables']],
    [PLAIN, 'exactly one of pine and birch', ['pine, birch binary; choice: pine + birch = 1']],
    [PLAIN, 'if we open the plant we pay 500', ['open_plant binary; minimize cost: 500 open_plant']],
    [
      WEEKS,
      'at most 40 hours of labour a week',
      ['labour_limit: sum p in products: labour[p] * make[p, t] <= 40 for t in weeks'],
    ],
    [
      WEEKS,
      'total weight must stay below 500 kg',
      ['weight_limit: sum p in products, t in weeks: weight[p] * make[p, t] < 500'],
    ],
    [WEEKS, 'every week at least 5 tables', ['make["table", t] >= 5 for t in weeks']],
    [
      WEEKS,
      'we can make no more than 200 chairs',
      ['sum t in weeks: make["chair", t] <= 200', 'make["chair", t] <= 200 for t in weeks'],
    ],
    [WEEKS, 'a chair earns 30, a table 50', ['profit of products: chair 30, table 50']],
    [WEEKS, 'a table needs 4 hours of labour', ['labour of products: chair 2, table 4']],
    [SHIFTS, 'no more than 8 workers per shift', ['workers[s] <= 8 for s in shifts']],
    [SHIFTS, 'exactly 3 workers in every shift', ['workers[s] = 3 for s in shifts']],
    [WOOD, 'either oak or pine but not both', ['choice: oak + pine = 1', 'choice: oak + pine <= 1']],
    [WOOD, 'not both oak and pine', ['choice: oak + pine <= 1']],
    [WOOD, 'if we use oak we pay 20', ['maximize gain: 3 oak + 2 pine - 20 oak']],
    [SHOP, 'we have 60 hours of labour', ['Labour: 2 chairs <= 60']],
    [SHOP, 'each table needs 4 hours of labour', ['Labour: 2 chairs + 4 tables <= 40']],
    [SHOP, 'a table needs 4', ['Labour: 2 chairs + 4 tables <= 40']],
    [SHOP, 'a table earns 50', ['maximize profit: 30 chairs + 50 tables']],
    [SHOP, 'a table costs 5', ['maximize profit: 30 chairs - 5 tables', 'kpi cost: 5 tables']],
    [
      PLAIN,
      'either chairs or tables but not both',
      ['=', '<='].map(
        (sign) =>
          `use_chairs, use_tables binary; if use_chairs = 0 then chairs = 0; if use_tables = 0 then tables = 0; choice: use_chairs + use_tables ${sign} 1`,
      ),
    ],
  ])('has a meaning on the canvas `%s`: %s', async (model, sentence, expected) => {
    expect(await meanings(model, sentence)).toEqual(expected);
  });

  it.each([
    [PLAIN, 'chairs may exceed tables by more than 5'],
    [PLAIN, 'chairs may not exceed tables by at least 5'],
    [PLAIN, 'we have 3 more carpenters than chairs'],
    [PLAIN, 'a customer needs 4 tables'],
    [PLAIN, 'each chair needs 2 hours of labour on Monday, unless it is oak'],
    [PLAIN, 'no chairs on Monday'],
    [PLAIN, 'total weight must stay below 500 kg'],
    [PLAIN, 'a chair earns 30 if it is sold'],
    [PLAIN, 'at most 40 workers in Paris'],
    [PLAIN, 'at least a third of the desks must be oak'],
    [WEEKS, 'at most 40 hours of labour a day'],
    [SHOP, 'a chair earns 35'],
    [WOOD, 'both oak and pine'],
    ['hello', 'at least twice as many chairs as tables'],
    [PLAIN, `each chair needs ${'2 hours and '.repeat(9_000)}`],
  ])('has no certain meaning on the canvas `%s`: %s', async (model, sentence) => {
    expect(await meanings(model, sentence)).toEqual([]);
  });

  it('is combined with other sentences', async () => {
    const room = new Room();
    await room.say(`${PLAIN}; maximize profit: 30 chairs + 50 tables`);
    await room.say(
      'we have 40 hours of labour\neach chair needs 2 hours of labour\neach table needs 4 hours of labour',
    );
    expect(room.cards.filter(({ card_type }) => card_type === 'constraint')).toHaveLength(3);
    await room.say('later');
    const { question } = await room.say('show');
    const [, combined] = question?.options.map(({ label }) => label) ?? [];
    expect(question?.question).toBe('Shall I state `we have 40 hours of labour` like this?');
    expect(combined).toBe('Show me an example');
    await room.say('yes');
    await room.say('yes');
    expect(room.data('labour_limit')).toMatchObject({ expression: '2 chairs + 4 tables <= labour' });
    expect(room.cards.filter(({ card_type }) => card_type === 'constraint')).toHaveLength(1);
  });

  it('is not combined with a sentence that contradicts it', async () => {
    expect(await meanings(PLAIN, 'each chair needs 2 hours of labour', 'each chair needs 3 hours of labour')).toEqual(
      [],
    );
  });

  it('is applied only if the user chooses it', async () => {
    const room = new Room();
    await room.say(PLAIN);
    const { question, text } = await room.say('make twice as many chairs as tables');
    expect(text).toContain('choose what you mean before I can solve the model');
    expect(question?.question).toBe('What did you mean by `make twice as many chairs as tables`?');
    const { text: refused } = await room.say('solve');
    expect(refused).not.toContain('Solved');
    await room.say('chairs >= 2 * tables');
    expect(room.cards.map(({ data }) => data['expression']).filter(Boolean)).toEqual(['chairs >= 2 * tables']);
  });
});
