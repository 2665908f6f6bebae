import { expect, it } from '@jest/globals';
import { Room } from '../../test/support/guide-room.js';

it.each<[string, string[]]>([
  ['I run 3 plants', ['plants: first, second', 'plants = 3']],
  ['We operate three plants in Germany.', ['plants: first, second', 'plants = 3']],
  ['We have 3 plants', ['plants: first, second', 'plants = 3']],
  ['There are 4 products and 2 machines', ['products: first, second', 'products = 4']],
  ['Our company has two factories', ['factories: first, second', 'factories = 2']],
  ['We own 3 plants and 5 warehouses', ['plants: first, second', 'plants = 3']],
  ['I run three plants: Lyon, Turin and Hamburg', ['plants: Lyon, Turin, Hamburg']],
])('asks for the names of the things that a sentence counts: %s', async (sentence, advice) => {
  const room = new Room();
  const { text } = await room.say(sentence);
  expect(room.cards).toEqual([]);
  expect(text).toContain('I could not use this:');
  for (const one of advice) {
    expect(text).toContain(`\`${one}\``);
    const other = new Room();
    await other.say(one);
    expect(other.cards).toMatchObject([{ card_type: 'data' }]);
  }
  expect((await room.say('solve')).calls.map(({ tool }) => tool)).not.toContain('run_solve');
});

it('keeps a sentence that contains a name from the model, because it may be a limit', async () => {
  const room = new Room();
  await room.say('plants integer; maximize profit: 3 plants; land: plants <= 4');
  const { text } = await room.say('we run 3 plants');
  expect(text).toContain('I do not understand this yet');
});

it.each([
  'We have 4 hours',
  'We have 15 boards',
  'There are 3 boards of wood',
  'We have 2.5 trucks',
  'We run at most 3 plants',
  'we operate 40 hours of labour',
])('does not ask for names if the sentence may be a limit: %s', async (sentence) => {
  const room = new Room();
  expect((await room.say(sentence)).text).toMatch(/(?:so I cannot|before I can) solve the model/);
});

it('quotes the sentence with the next result if the items that it counts still have no names', async () => {
  const room = new Room();
  await room.say('chairs integer; maximize profit: 3 chairs; wood: chairs <= 15, hard');
  await room.say('We have 3 trucks');
  await room.say('kpi: none; requirement: none; confirm');
  const { text } = await room.say('solve');
  expect(text).toContain('Solved: the objective is 45');
  expect(text).toContain('not in this plan:\n- `We have 3 trucks`');
});
