import { expect, it } from '@jest/globals';
import { Room } from '../../test/support/guide-room.js';

it.each<[string[], string, string[]]>([
  [['price: 3', 'hours: 40'], 'remove Values', ['remove price: 3', 'remove hours: 40']],
  [['price: 3'], 'remove price', ['remove price: 3']],
])('suggests the exact removals after %j', async (statements, removal, suggested) => {
  const room = new Room();
  for (const statement of statements) await room.say(statement);
  const cards = room.cards.length;
  const { text } = await room.say(removal);
  for (const one of suggested) {
    expect(text).toContain(`\`${one}\``);
    await room.say(one);
  }
  expect(room.cards.length).toBeLessThan(cards);
  expect(room.cards.map(({ label }) => label)).not.toContain('remove Values');
});

it.each(['remove Values', 'remove the values', 'remove price; remove hours'])(
  'removes values that were typed into the chat: %s',
  async (removal) => {
    const room = new Room();
    await room.say('price = 3');
    await room.say('hours = 40; kpi: none');
    const { text } = await room.say(removal);
    expect(text).not.toContain('nothing on the canvas is called');
    expect(room.cards.map(({ card_type }) => card_type)).toEqual(['kpi']);
  },
);

it('suggests how to remove values on other cards without adding a card for the failed removal', async () => {
  const room = new Room();
  await room.say('price = 3, hours = 40; set Values label: Shop; kpi: none');
  const { text } = await room.say('remove values');
  expect(text).toContain('write `remove price`, `remove hours`');
  expect(room.cards.map(({ label }) => label)).toEqual(['Shop', 'Objective value']);
});

it.each(['price: 3', 'price is 3', 'price = 3', '3'])(
  'accepts a value for the number that the guide asked for: %s',
  async (answer) => {
    const room = new Room();
    await room.say('maximize profit: price * chairs; chairs integer; chairs <= 4');
    await room.say(answer);
    expect(room.data('Values')).toMatchObject({ values: { price: 3 } });
    expect(room.cards.map(({ card_type }) => card_type)).toEqual(['objective', 'variable', 'data']);
  },
);
