import { describe, expect, it } from '@jest/globals';
import { Room } from '../../test/support/guide-room.js';

const MEMBERS = ['oak', 'pine'];

describe('a table in a message', () => {
  it.each([
    ['tabs', 'product\thours\tprice\noak\t2\t10\npine\t3\t12.5'],
    ['Windows line breaks', 'product\thours\tprice\r\noak\t2\t10\r\npine\t3\t12.5\r\n'],
    ['commas, below a sentence', 'Here is my data:\nproduct,hours,price\noak,2,10\npine,3,12.5'],
    ['bars', '| product | hours | price |\n|---|---:|---:|\n| oak | 2 | 10 |\n| pine | 3 | 12.5 |'],
    ['semicolons and decimal commas', 'product;hours;price\n"oak";2;10\n"pine";3;12,5'],
  ])('becomes a set with columns: %s', async (_, table) => {
    const room = new Room();
    const { text } = await room.say(`${table}\nmake[p] integer for p in products`);
    expect(room.cards).toHaveLength(2);
    expect(room.data('products')).toMatchObject({
      set: 'products',
      members: MEMBERS,
      values: { hours: { oak: 2, pine: 3 }, price: { oak: 10, pine: 12.5 } },
    });
    expect(text).toContain('`hours = (oak 2, pine 3), price = (');
    expect(text).not.toContain('I do not understand');
    expect(text).not.toContain('I could not use');
  });

  it('turns its headings into column names that are valid in formulas', async () => {
    const room = new Room();
    await room.say('City\tUnit cost (€)\nNew York\t2\nParis\t3');
    expect(room.data('Cities')).toMatchObject({ members: ['New York', 'Paris'], values: { Unit_cost: { Paris: 3 } } });
  });

  it.each([
    ['two key columns', 'from\tto\tcost\nLyon\tA\t3\nLyon\tB\t4\nTurin\tA\t5'],
    ['a text column', 'product,region,hours\noak,north,2\npine,south,3'],
    ['an empty cell', 'product\thours\tprice\noak\t2\t\npine\t3\t12'],
    ['no header', 'oak\t2\t10\npine\t3\t12'],
    ['a duplicate member', 'product\thours\noak\t2\noak\t3'],
    ['a currency sign', '| product | hours | price |\n| oak | 2 | $10 |\n| pine | 3 | $12 |'],
  ])('becomes a single card and is reported with the reason if it has %s', async (_, table) => {
    const room = new Room();
    const { text } = await room.say(`${table}\nmaximize profit: 3 x`);
    expect(room.cards.map(({ card_type }) => card_type)).toEqual(['constraint', 'objective']);
    expect(text).toContain('a pasted table needs a different name in each cell of its first row and first column');
  });

  it('is not detected in other lists', async () => {
    const room = new Room();
    await room.say(
      'x, y integer, z <= 3\nshifts: early, late\nmaximize profit: 3 x\n\t+ 2 y\n\t+ 4 z\nprice = 3; cost = 2',
    );
    expect(room.cards.map(({ label }) => label)).toEqual(['x', 'y', 'z', 'shifts', 'profit', 'Values']);
    expect(room.data('profit')).toMatchObject({ expression: '3 x + 2 y + 4 z' });
  });
});
