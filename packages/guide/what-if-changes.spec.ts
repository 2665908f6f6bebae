import { describe, expect, it } from '@jest/globals';
import { Room } from '../../test/support/guide-room.js';
import type { Change } from '../canvas/scenarios/change.js';
import { readStatement } from './grammar.js';
import { thingsOn } from './named-things.js';
import { Sketch } from './sketch.js';
import { toChanges } from './what-if-changes.js';

const CARTS =
  'rickshaws, carts >= 0; budget = 200; wages = 3; maximize profit: 30 carts + 22 rickshaws; Budget: 10 carts + 8 rickshaws <= budget; Labour: 2 carts + rickshaws <= 36; Sales: carts >= 2';
const GOODS =
  'goods: stool, oak chair; weeks: 1 to 3; price of goods: stool 4, oak chair 9; supply of weeks: 1 40, 2 40, 3 40; make[p, t] for p in goods, t in weeks; Hours: sum p in goods: make[p, t] <= supply[t] for t in weeks';

/** Returns the changes that a question asks for, or the reason for rejecting it. */
async function changesOf(text: string, model: string): Promise<Change[] | string> {
  const room = new Room();
  await room.say(model);
  const sketch = new Sketch(room.cards);
  const { statement } = readStatement(text);
  if (statement?.kind !== 'what_if') throw new Error(`${text} is no what-if question`);
  const [change] = statement.changes;
  if (change?.form !== 'wanted') throw new Error(`${text} is not in plain words`);
  return toChanges(change, thingsOn(sketch), sketch);
}

const kept = (name: string, to: number): object[] => [
  { kind: 'bound', target: `${name}.lower`, to },
  { kind: 'bound', target: `${name}.upper`, to },
];

describe('a what-if question in plain words', () => {
  it.each<[string, object[]]>([
    ['what if budget is 300', [{ kind: 'value', target: 'budget', to: 300 }]],
    ['what if the budget is 300 euros', [{ kind: 'value', target: 'budget', to: 300 }]],
    ['what if budget = 300 euros', [{ kind: 'value', target: 'budget', to: 300 }]],
    ['what if the budget limit is 300', [{ kind: 'value', target: 'budget', to: 300 }]],
    ['what if the budget is 10% of 300', [{ kind: 'value', target: 'budget', to: 30 }]],
    ['what if budget = 2 wages', [{ kind: 'value', target: 'budget', to: 6 }]],
    ['what if budget = 2 * wages', [{ kind: 'value', target: 'budget', to: 6 }]],
    ['what if we have 5 rickshaws', kept('rickshaws', 5)],
    ['what if the number of rickshaws is 5', kept('rickshaws', 5)],
    ['what if we have 5 ricksaws', kept('rickshaws', 5)],
    ['what if the maximum of carts is 3', [{ kind: 'bound', target: 'carts.upper', to: 3 }]],
    ['what if the limit on carts is 3', [{ kind: 'bound', target: 'carts.upper', to: 3 }]],
    ['what if the maximum number of carts is 3', [{ kind: 'bound', target: 'carts.upper', to: 3 }]],
    ['what if the lower bound of carts is 3', [{ kind: 'bound', target: 'carts.lower', to: 3 }]],
    ['what if the limit of labour is 40', [{ kind: 'limit', target: 'Labour', to: 40 }]],
    ['what if we drop the labour limit', [{ kind: 'off', target: 'Labour' }]],
    ['what if the minimum of sales is 3', [{ kind: 'limit', target: 'Sales', to: 3 }]],
  ])('is converted to scenario changes: %s', async (text, changes) => {
    expect(await changesOf(text, CARTS)).toEqual(changes);
  });

  it.each([
    ['what if the cost of rickshaws is 5', /called `cost of rickshaws`: I do not understand `cost`/],
    ['what if the price of carts is 40', /I do not understand `price`/],
    ['what if the weight of carts rises by 10 %', /I do not understand `weight`/],
    ['what if budget for carts is 20', /I do not understand `carts`/],
    ['what if labour in week 2 is 20', /I do not understand `in week 2`/],
    ['what if the spare labour is 20', /I do not understand `spare`/],
    ['what if budget is 2 wages', /`wages` after the number is a name on the canvas/],
    ['what if budget = 2 carts', /`carts` after the number is a name on the canvas/],
    ['what if we have 5 rickshaws more', /`rickshaws` is decided by the plan and has no upper bound/],
    ['what if labour is at least 30', /`Labour` limits its formula only from above/],
    ['what if the minimum of labour is 3', /`Labour` limits its formula only from above/],
    ['what if sales <= 3', /`Sales` limits its formula only from below/],
  ])('is rejected with the unknown word: %s', async (text, reason) => {
    expect(await changesOf(text, CARTS)).toMatch(reason);
  });

  it.each<[string, object[]]>([
    ['what if price of stool is 5', [{ kind: 'cell', target: 'price', key: ['stool'], to: 5 }]],
    ['what if price of stools is 5', [{ kind: 'cell', target: 'price', key: ['stool'], to: 5 }]],
    ['what if the price of the Oak Chairs is 5', [{ kind: 'cell', target: 'price', key: ['oak chair'], to: 5 }]],
    ['what if supply in week 2 is 50', [{ kind: 'cell', target: 'supply', key: ['2'], to: 50 }]],
    ['what if supply for 2 is 50', [{ kind: 'cell', target: 'supply', key: ['2'], to: 50 }]],
    ['what if supply rises by 10 %', [{ kind: 'column', target: 'supply', times: 1.1 }]],
  ])('can change a column or one of its cells: %s', async (text, changes) => {
    expect(await changesOf(text, GOODS)).toEqual(changes);
  });

  it.each<[string, object[]]>([
    ['what if carts <= 3', [{ kind: 'bound', target: 'carts.upper', to: 3 }]],
    ['what if carts <= 9', [{ kind: 'add', target: 'carts <= 9' }]],
    ['what if we make 9 carts', [{ kind: 'add', target: 'carts = 9' }]],
    ['what if the maximum of carts is 9', [{ kind: 'bound', target: 'carts.upper', to: 9 }]],
    ['what if at most 40 make', [{ kind: 'add', target: 'make[p] <= 40 for p in goods' }]],
    ['what if make = 40', [{ kind: 'add', target: 'make[p] = 40 for p in goods' }]],
    ['what if make >= 2', [{ kind: 'bound', target: 'make.lower', to: 2 }]],
    ['what if there are no carts', kept('carts', 0)],
  ])('becomes an additional limit unless it can replace a bound: %s', async (text, changes) => {
    const model =
      'carts <= 5; goods: elm, oak; cap of goods: elm 20, oak 50; make[p] <= cap[p] for p in goods; Wood: carts <= 9';
    expect(await changesOf(text, model)).toEqual(changes);
  });

  it.each<[string, string]>([
    ['what if oak chair <= 5', 'make[p, t] <= 5 for p in goods, t in weeks where p = "oak chair"'],
    ['what if there are no stools', 'make[p, t] = 0 for p in goods, t in weeks where p = "stool"'],
    ['what if at least 3 stools in week 2', 'make["stool", "2"] >= 3'],
    ['what if make of oak chair in week 1 is 4', 'make["oak chair", "1"] = 4'],
    ['what if the limit on oak chairs in week 3 is 7', 'make["oak chair", "3"] <= 7'],
  ])('limits only the members that it mentions: %s', async (text, target) => {
    expect(await changesOf(text, GOODS)).toEqual([{ kind: 'add', target }]);
  });

  it.each([
    ['what if stool price is 5', [{ kind: 'cell', target: 'price', key: ['stool'], to: 5 }]],
    ['what if oak chair price rises by 2', [{ kind: 'cell', target: 'price', key: ['oak chair'], plus: 2 }]],
  ])('may mention a member before the name of its column: %s', async (text, changes) => {
    expect(await changesOf(text, GOODS)).toEqual(changes);
  });

  it.each([
    ['what if oak chiar <= 5', /nothing on the canvas is called `oak chiar`; did you mean `oak chair`\?/],
    ['what if oak chair rises by 5', /`oak chair` is decided by the plan. Give an amount/],
    ['what if stool price is at most 5', /`price` is a column of the data/],
    ['what if elm = 3', /`elm` is a member of `make` and of `store`. Say which one you mean/],
  ])('is rejected if it does not state clearly what should change: %s', async (text, reason) => {
    const trees = 'trees: elm, ash; make[e] for e in trees; store[e] for e in trees';
    expect(await changesOf(text, text.includes('elm') ? trees : GOODS)).toMatch(reason);
  });

  it.each([
    ['what if Hours in week 2 is 50', /I do not understand `in week 2`/],
    ['what if supply in week 9 is 50', /`9` is not a member of `weeks`/],
    ['what if price of pine is 5', /`pine` is not a member of `goods`/],
    ['what if supply of the night shift is 50', /`night shift` is not a member of `weeks`/],
    ['what if price is at most 5', /`price` is a column of the data and has no limit/],
  ])('never changes the values of all members instead of a single member: %s', async (text, reason) => {
    expect(await changesOf(text, GOODS)).toMatch(reason);
  });
});

describe('a what-if question about doing without a resource or limit', () => {
  it.each<[string, string[]]>([
    ['what if there is no labour?', ['what if Labour = 0', 'what if without Labour']],
    ['what if no sales', ['what if Sales = 0', 'what if without Sales']],
    [
      'what if no labour and carts <= 3',
      ['what if carts.upper = 3, Labour = 0', 'what if carts.upper = 3, without Labour'],
    ],
  ])('makes the guide ask whether the amount is 0 or the limit does not apply: %s', async (text, statements) => {
    const room = new Room();
    await room.say(`${CARTS}; all constraints are hard; kpi: none; requirement: none; data: in the formulas`);
    const { question } = await room.say(text);
    expect(question?.options.map(({ description }) => description)).toEqual([...statements, 'later']);
    for (const statement of statements) expect(readStatement(statement).statement?.kind).toBe('what_if');
  });

  it('can be answered with options that are parsed for any constraint name', () => {
    expect(readStatement('what if carts.upper = 3, Wood hours = 0').statement).toEqual({
      kind: 'what_if',
      changes: [
        { form: 'figure', target: 'carts.upper', to: 3 },
        { form: 'wanted', subject: 'Wood hours', to: 0 },
      ],
    });
  });

  it.each<[string, object[]]>([
    ['what if there is no limit on labour', [{ kind: 'off', target: 'Labour' }]],
    ['what if we drop labour', [{ kind: 'off', target: 'Labour' }]],
    ['what if without labour', [{ kind: 'off', target: 'Labour' }]],
  ])('leaves out a constraint if the wording is unambiguous: %s', async (text, changes) => {
    expect(await changesOf(text, CARTS)).toEqual(changes);
  });
});
