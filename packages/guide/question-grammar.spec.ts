import { describe, expect, it } from '@jest/globals';
import { Room } from '../../test/support/guide-room.js';
import { readStatement } from './grammar.js';

describe('a question about results', () => {
  it.each<[string, object]>([
    ['how many carts', { ask: 'value', subject: 'carts' }],
    ['How many ox carts do we build?', { ask: 'value', subject: 'ox carts do we build' }],
    ['show carts', { ask: 'value', subject: 'carts' }],
    ['what is the profit', { ask: 'value', subject: 'profit' }],
    ["What's our total cost?", { ask: 'value', subject: 'cost', pick: 'total' }],
    ['what is the largest make', { ask: 'value', subject: 'make', pick: 'largest' }],
    ['how much budget is left?', { ask: 'left', subject: 'budget' }],
    ['how much of the labour is still unused', { ask: 'left', subject: 'labour' }],
    ['how many hours do we have left', { ask: 'left', subject: 'hours' }],
    ['what is the average make', { ask: 'value', subject: 'make', pick: 'average' }],
    ['how much oak chair', { ask: 'value', subject: 'oak chair' }],
    ['show make["oak chair"]', { ask: 'value', subject: 'make["oak chair"]' }],
    ['show the result', { ask: 'result' }],
    ['What is the plan?', { ask: 'result' }],
    ['show me the KPIs', { ask: 'kpis' }],
    ['which limits bind', { ask: 'binding' }],
    ['which limits are not tight', { ask: 'slack' }],
    ['which constraints do not bind?', { ask: 'slack' }],
    ["which limits aren't binding", { ask: 'slack' }],
    ['which limits have room left?', { ask: 'slack' }],
    ['how much room is left in the paint?', { ask: 'left', subject: 'paint' }],
    ['how much slack is there in wood', { ask: 'left', subject: 'wood' }],
    ['shaddow price of wood', { ask: 'shadow_price', subject: 'wood' }],
    ['what is tight?', { ask: 'binding' }],
    ['which constraints are binding', { ask: 'binding' }],
    ['what are the bottlenecks', { ask: 'binding' }],
    ['shadow price of the budget', { ask: 'shadow_price', subject: 'budget' }],
    ['show the shadow prices', { ask: 'shadow_price' }],
    ['what is one more hour of labour worth?', { ask: 'shadow_price', subject: 'labour' }],
    ['reduced cost of x', { ask: 'reduced_cost', subject: 'x' }],
    ['why not more rickshaws?', { ask: 'why_not', subject: 'rickshaws', wants: 'more' }],
    ['Why are there no rickshaws', { ask: 'why_not', subject: 'rickshaws', wants: 'more' }],
    ['why so many carts?', { ask: 'why_not', subject: 'carts', wants: 'less' }],
  ])('is parsed from %j', (text, about) => {
    expect(readStatement(text)).toEqual({ statement: { kind: 'question', about } });
  });

  it.each<[string, object]>([
    ['total cost', { ask: 'value', subject: 'cost', pick: 'total' }],
    ['results', { ask: 'result' }],
    ['tables?', { ask: 'value', subject: 'tables' }],
    ['oak chair?', { ask: 'value', subject: 'oak chair' }],
    ['slack of paint', { ask: 'value', subject: 'paint' }],
    ['room left in the paint', { ask: 'value', subject: 'paint' }],
    ['binding constraints', { ask: 'binding' }],
    ['make of elm', { ask: 'value', subject: 'make of elm' }],
    ['make for elm', { ask: 'value', subject: 'make for elm' }],
    ['make in week 2', { ask: 'value', subject: 'make in week 2' }],
    ['make for oak chair in week 2', { ask: 'value', subject: 'make for oak chair in week 2' }],
    ['make by product', { ask: 'value', subject: 'make by product' }],
    ['make by product?', { ask: 'value', subject: 'make by product' }],
    ['make per week', { ask: 'value', subject: 'make per week' }],
    ['make for each product', { ask: 'value', subject: 'make for each product' }],
    ['utilisation of wood', { ask: 'value', subject: 'wood' }],
    ['make["oak chair", 2]', { ask: 'value', subject: 'make["oak chair", 2]' }],
  ])('is parsed without a question word from %j', (text, about) => {
    expect(readStatement(text)).toEqual({ statement: { kind: 'question', about, isBare: true } });
  });

  it.each([
    ['show the model', 'show'],
    ['show scenarios', 'show_scenarios'],
    ['how many rows has demand.csv', 'table'],
    ['total cost <= 5', undefined],
    ['minimize total cost', 'objective'],
    ['undo', 'undo'],
    ['Undo the last change, please', 'undo'],
    ['take that back', 'undo'],
  ])('is not parsed from %j', (text, kind) => {
    expect(readStatement(text).statement?.kind).toBe(kind);
  });
});

describe('a what-if question', () => {
  it.each([
    'what would the profit be with more friendly staff?',
    'how many tables would we make if it rains',
    'what is the profit with 3 people more or fewer',
  ])('is never interpreted as a question about the current plan: %s', (text) => {
    expect(readStatement(text).statement?.kind).not.toBe('question');
  });

  it.each([
    'the sum of chairs and tables is at most 12',
    'total of chairs and tables below 13',
    'the largest order must stay within the budget',
  ])('is not recognized in a limit: %s', (text) => {
    expect(readStatement(text).statement).toBeUndefined();
  });

  it('is not recognized in a question about a name that contains a word such as `with`', () => {
    expect(readStatement('what is the profit with tax').statement).toMatchObject({
      kind: 'question',
      about: { subject: 'profit with tax' },
    });
  });

  it.each<[string, object[]]>([
    ['what if the budget is 300?', [{ subject: 'budget', to: 300 }]],
    ['what if budget = 300', [{ subject: 'budget', to: 300 }]],
    ['What if the budget were only $1,300', [{ subject: 'budget', to: 1300 }]],
    ['what happens if the budget drops to 150 euros', [{ subject: 'budget', to: 150, unit: 'euros' }]],
    ['what if labour is 44 hours per week', [{ subject: 'labour', to: 44, unit: 'hours per week' }]],
    ['what if the budget is 10% of 300', [{ subject: 'budget', to: 30 }]],
    ['what if budget = 2 wages', [{ subject: 'budget', to: 2, factor: 'wages' }]],
    ['what if we have 5 carpenters more', [{ subject: 'carpenters', plus: 5, isAmount: true }]],
    ['what if there are 2 trucks fewer', [{ subject: 'trucks', plus: -2, isAmount: true }]],
    ['what would the profit be with labour at 44?', [{ subject: 'labour', to: 44 }]],
    ['how many tables if wood is 20', [{ subject: 'wood', to: 20 }]],
    ['what is the profit with labour at 44', [{ subject: 'labour', to: 44 }]],
    ['what if we leave out wood', [{ subject: 'wood', isOff: true }]],
    ['what if we drop the paint limit', [{ subject: 'paint limit', isOff: true }]],
    ['what if we raise labour to 44', [{ subject: 'labour', to: 44 }]],
    ['what if we cut the wood by 10%', [{ subject: 'wood', times: 0.9 }]],
    ['what if demand rises by 10 %', [{ subject: 'demand', times: 1.1 }]],
    ['what if demand falls 7%', [{ subject: 'demand', times: 0.93 }]],
    ['what if demand is 20 percent higher', [{ subject: 'demand', times: 1.2 }]],
    ['what if demand doubles', [{ subject: 'demand', times: 2 }]],
    ['what if we have 2 more carpenters', [{ subject: 'carpenters', plus: 2, isAmount: true }]],
    ['what if we had two fewer trucks', [{ subject: 'trucks', plus: -2, isAmount: true }]],
    ['what if there are 8 carpenters', [{ subject: 'carpenters', to: 8, isAmount: true }]],
    ['what if 10% more demand', [{ subject: 'demand', times: 1.1, isAmount: true }]],
    ['what if we make at least 5 rickshaws', [{ subject: 'rickshaws', to: 5, side: 'lower', isAmount: true }]],
    ['what if carts <= 3', [{ subject: 'carts', to: 3, side: 'upper' }]],
    ['what if there is no overtime', [{ subject: 'overtime', isNone: true }]],
    ['what if price of oak chair is 30', [{ subject: 'price of oak chair', to: 30 }]],
    [
      'what if the budget is 300 and demand rises by 10 %',
      [
        { subject: 'budget', to: 300 },
        { subject: 'demand', times: 1.1 },
      ],
    ],
  ])('is parsed from %j', (text, changes) => {
    const wanted = changes.map((change) => ({ form: 'wanted', ...change }));
    expect(readStatement(text)).toEqual({ statement: { kind: 'what_if', changes: wanted } });
  });

  it('accepts the syntax of scenario changes', () => {
    expect(readStatement('what if demand x 1.2 where region = "north"').statement).toEqual({
      kind: 'what_if',
      changes: [{ form: 'figure', target: 'demand', where: 'region = "north"', times: 1.2 }],
    });
  });

  it.each([
    'what if budget is 300 or 400',
    'what if budget is 300 or more',
    'what if the budget is 10%',
    'what if the budget is at most 90 percent',
    'what if the budget is 2 times 40',
    'what if budget is 3 dozen',
    'what if the budget is 40 than before',
  ])('is rejected if only a part of it can be parsed: %s', (text) => {
    const reason = expect.stringContaining('is not a change that I understand');
    expect(readStatement(text)).toEqual({ statement: { kind: 'unclear_question', reason } });
  });

  it('is answered with an explanation of the syntax if it cannot be parsed', () => {
    const reason = expect.stringContaining('what if the budget is 300');
    expect(readStatement('what if everything goes wrong').statement).toEqual({ kind: 'unclear_question', reason });
  });

  it.each([
    'what if carts cost 5 more',
    'what if carts need 5 labour',
    'what if budget is between 100 and 150',
    'what if budget is 2.5k',
    'what if Labour is soft',
    'what if carts <= 5 + rickshaws',
    'how many carts if Labour <= 2 carts',
  ])('does not change any card if it is not understood: %s', async (text) => {
    const room = new Room();
    await room.say(
      'rickshaws, carts >= 0; budget = 200; maximize profit: 30 carts + 22 rickshaws; Labour: 2 carts <= 36',
    );
    const before = structuredClone(room.cards);
    const { text: answer } = await room.say(text);
    expect(room.cards).toEqual(before);
    expect(answer).toContain('I cannot try that');
  });
});
