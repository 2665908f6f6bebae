import { describe, expect, it } from '@jest/globals';
import { Room } from '../../test/support/guide-room.js';
import { type FileFacts, fileKey } from '../canvas/data-file.js';
import { readStatement } from './grammar.js';

describe('a set in a file', () => {
  it.each<[string, object]>([
    ['products from data/products.csv', { path: 'data/products.csv' }],
    ['products from data/products.csv key product', { path: 'data/products.csv', key: ['product'] }],
    ['products from "my key list.xlsx", key Product no', { path: 'my key list.xlsx', key: ['Product no'] }],
    [
      'products from the file a.parquet keys a, b and c default -2.5',
      { path: 'a.parquet', key: ['a', 'b', 'c'], fallback: -2.5 },
    ],
    [
      'Products from lanes.xlsx sheet "Week 1" key origin',
      { set: 'Products', path: 'lanes.xlsx', sheet: 'Week 1', key: ['origin'] },
    ],
    ['products from products.csv column region', { path: 'products.csv', column: 'region' }],
    [
      'products FROM a.xlsx sheet "Unit default 2" key "a, b", c',
      { path: 'a.xlsx', sheet: 'Unit default 2', key: ['a, b', 'c'] },
    ],
    ['products from km.xlsx key plant, columns customer', { path: 'km.xlsx', key: ['plant'], columnsAs: 'customer' }],
    [
      'products from km.xlsx sheet Cost, key Plant no and kind, columns are customers default 0',
      { path: 'km.xlsx', sheet: 'Cost', key: ['Plant no', 'kind'], columnsAs: 'customers', fallback: 0 },
    ],
    [
      'products from "a columns b.csv" columns "weeks" key p',
      { path: 'a columns b.csv', key: ['p'], columnsAs: 'weeks' },
    ],
  ])('is parsed from %s', (text, statement) => {
    expect(readStatement(text)).toEqual({ statement: { kind: 'file_set', set: 'products', ...statement } });
  });

  it.each<[string, string]>([
    ['products from a.csv key a default none', 'none is not a number'],
    ['products from a.csv key a key b', '`key` appears twice'],
    [
      'products from a.csv key a columns b c',
      '`b c` is not the name of a set: write a name for the set that the other columns form, as in `products from a.csv key plant, columns customer`',
    ],
    ['products from a.csv column a columns b', 'with `columns`, use `key` for the columns that identify a row'],
    ['products from a.csv key a column b', 'use either `key` or `column` to define the members, not both'],
  ])('is rejected with a reason: %s', (text, reason) => expect(readStatement(text)).toEqual({ reason }));

  it.each(['sum of price from products.csv', 'data from products.doc', 'x = 3 from now on'])(
    'is not parsed from %s',
    (text) => {
      expect(readStatement(text).statement?.kind).not.toBe('file_set');
    },
  );

  it('becomes a card, and a new definition replaces the entire card', async () => {
    const room = new Room();
    room.files = ['data/products.csv', 'weeks.csv'];
    await room.say('products from products.csv key product default 0\nregions from products.csv column region');
    expect(room.data('products')).toEqual({
      set: 'products',
      file_path: 'data/products.csv',
      key: ['product'],
      default: 0,
    });
    expect(room.data('regions')).toEqual({ set: 'regions', file_path: 'data/products.csv', column: 'region' });
    await room.say('products from weeks.csv key a, b');
    expect(room.data('products')).toEqual({ set: 'products', file_path: 'weeks.csv', key: ['a', 'b'] });
    await room.say('products: 1 to 4');
    expect(room.data('products')).toEqual({ set: 'products', members: '1 to 4' });
    const turn = await room.say('others from others.csv key a');
    expect(turn.text).toContain('the workspace has no file `others.csv`: upload it and send this again');
  });

  it('keeps the dialect of its file until the set is read from another table', async () => {
    const room = new Room();
    room.files = ['products.xlsx', 'weeks.csv'];
    const dialect = { decimal: ',' };
    const withDialect = async (text: string) => {
      await room.say('products from products.xlsx sheet Lanes key product');
      Object.assign(room.data('products')!, { dialect });
      await room.say(text);
      return room.data('products');
    };
    expect(await withDialect('products from products.xlsx sheet Lanes key a default 0')).toMatchObject({ dialect });
    expect(await withDialect('products from products.xlsx sheet Costs key a')).not.toHaveProperty('dialect');
    expect(await withDialect('products from weeks.csv key a')).not.toHaveProperty('dialect');
    expect(await withDialect('products: 1 to 4')).toEqual({ set: 'products', members: '1 to 4' });
  });

  describe('with a column for each member of a second set', () => {
    const wide: FileFacts = {
      columns: [
        { name: 'plant', type: 'text', values: ['north', 'south'], cells: [0, 0, 1] },
        { name: ' headers', type: 'text', values: ['2024', '2025'], cells: [0, 1, 0] },
        { name: ' cells', type: 'number', range: [3, 7], cells: [3, 5, 7] },
      ],
      rows: 3,
      headers: ['2024', '2025'],
      notes: ['left out: column 4 (no header)'],
    };
    const roomOf = async (facts: FileFacts): Promise<Room> => {
      const room = new Room();
      room.files = ['cost.csv', 'plants.csv'];
      const request = { path: 'cost.csv', key: ['plant'], isDistinct: false, columnsAs: 'years' };
      const plants: FileFacts = { columns: [{ name: 'plant', type: 'text', values: ['north', 'south'] }], rows: 2 };
      room.fileStates = new Map([
        [fileKey(request), facts],
        [fileKey({ path: 'plants.csv', key: ['plant'], isDistinct: false }), plants],
      ]);
      await room.say('plants from plants.csv key plant');
      return room;
    };

    it('is a single card and does not require statements about its columns', async () => {
      const room = await roomOf(wide);
      const { text } = await room.say('cost from cost.csv key plant, columns years default 0');
      expect(text).toContain('- Data `cost`: file `cost.csv`, set `cost`, key `plant`, columns form `years`, else `0`');
      expect(text).toContain('- cost.csv: left out: column 4 (no header)');
      expect(room.data('cost')).toEqual({
        ...{ set: 'cost', file_path: 'cost.csv', key: ['plant'], columns_as: 'years', default: 0 },
      });
      await room.say(
        'make[p, y] <= 10 for p in plants, y in years\nminimize total: sum p in plants, y in years: cost[p, y] * make[p, y]',
      );
      const { text: after } = await room.say(
        'Need: sum p in plants: make[p, y] >= 4 for y in years, hard\nkpi: none; requirement: none',
      );
      expect(after).toContain('Checklist, 7 of 8 met');
      expect(room.cards.flatMap(({ gaps }) => gaps.filter(({ severity }) => severity !== 'info'))).toEqual([]);
      const { question } = await room.say('price of cost: column plant');
      expect(question).toMatchObject({
        question: '`cost`: The other columns are the members of years, so they cannot be renamed: remove `columns`.',
        options: [{ label: 'Remove cost' }, { label: 'Later' }],
      });
      await room.say('cost from cost.csv key plant');
      expect(room.data('cost')).toEqual({ set: 'cost', file_path: 'cost.csv', key: ['plant'] });
      await room.say('undo');
      expect(room.data('cost')).toMatchObject({ columns_as: 'years' });
      await room.say('set cost columns_as: customers');
      expect(room.data('cost')).toMatchObject({ columns_as: 'customers' });
      await room.say('remove cost');
      expect(room.data('cost')).toBeUndefined();
    });

    it('makes the guide ask for the key column if the file does not contain it', async () => {
      const columns: FileFacts['columns'] = [
        { name: 'Site', type: 'text' },
        { name: '2024', type: 'number' },
      ];
      const { question } = await (
        await roomOf({ columns, rows: 2 })
      ).say('cost from cost.csv key plant, columns years\nminimize total: x; x integer; Most: x <= 1, hard; kpi: none');
      expect(question).toMatchObject({
        question: '`cost`: cost.csv has no column plant. Its columns are Site, 2024.',
        options: ['Site', '2024', 'Remove cost'].map((label) => ({ label })),
      });
    });
  });

  describe('and its columns', () => {
    const facts: FileFacts = {
      columns: [
        { name: 'product', type: 'text' },
        { name: 'region', type: 'text' },
        { name: 'Unit price', type: 'number' },
      ],
    };
    const goal = 'maximize gain: x; x integer; Most: x <= 1, hard; kpi: none';
    const roomOf = async (...files: Parameters<typeof fileKey>[0][]) => {
      const room = new Room();
      room.files = ['products.csv'];
      room.fileStates = new Map(files.map((file) => [fileKey(file), facts]));
      await room.say(`${goal}\nproducts from products.csv key product`);
      return room;
    };
    const byKey = { path: 'products.csv', key: ['product'], isDistinct: false };
    const byColumn = { path: 'products.csv', key: ['region'], isDistinct: true };

    it('can be mapped by name, and the guide asks about a missing column', async () => {
      const room = await roomOf(byKey);
      const { text, question } = await room.say('price of products: column "Unit prise"\ncost of weeks: column Cost');
      expect(room.data('products')).toMatchObject({ columns: { price: 'Unit prise' } });
      expect(text).toContain(
        '- Data `products`: file `products.csv`, set `products`, key `product`, columns `price = Unit prise`',
      );
      expect(text).toContain(
        'no set from a file is called `weeks`: define it first, as in `weeks from file.csv key ...`',
      );
      expect(question).toMatchObject({
        question: '`products`: products.csv has no column Unit prise. Its columns are product, region, Unit price.',
        options: ['product', 'region', 'Unit price', 'Remove products'].map((label) => ({ label })),
      });
      await room.choose('Unit price');
      expect(room.data('products')).toMatchObject({ columns: { price: 'Unit price' } });
      await room.say('kind of products: column region');
      expect(room.data('products')).toMatchObject({ columns: { price: 'Unit price', kind: 'region' } });
    });

    it('make the guide ask about the members if the card has both `key` and `column`', async () => {
      const room = await roomOf(byKey, byColumn);
      const { question } = await room.say('set products column: region');
      expect(question).toMatchObject({
        question:
          '`products`: It has both `key` and `column`: keep `key` if product identifies each row, or `column` if the members are the distinct values of region.',
        options: ['Rows identified by product', 'Distinct values of region', 'Remove products'].map((label) => ({
          label,
        })),
      });
      await room.choose('Distinct values of region');
      expect(room.data('products')).toEqual({ set: 'products', file_path: 'products.csv', column: 'region' });
    });
  });

  it('is reported with notes on how the file was read, and each note appears only once', async () => {
    const room = new Room();
    room.files = ['limits.csv'];
    const notes = [
      'left out: row 4 (total: Total 3)',
      'some numbers can be read with a decimal point or a decimal comma',
    ];
    const facts: FileFacts = { columns: [{ name: 'item', type: 'text' }], notes };
    room.fileStates = new Map([[fileKey({ path: 'limits.csv', key: ['item'], isDistinct: false }), facts]]);
    const told = `Check how the files were read:\n- limits.csv: ${notes[0]}\n- limits.csv: ${notes[1]}`;
    expect((await room.say('items from limits.csv key item')).text).toContain(told);
    for (const message of ['show', 'solve', 'goods from limits.csv key item'])
      expect((await room.say(message)).text).not.toContain('limits.csv: ');
    notes.push('the table may end at row 7');
    const { text } = await room.say('show');
    expect(text).toContain('Check how the files were read:\n- limits.csv: the table may end at row 7');
    expect(text).not.toContain('decimal');
  });

  it('does not offer its columns as variables', async () => {
    const room = new Room();
    room.files = ['products.csv'];
    const facts: FileFacts = {
      columns: [
        { name: 'product', type: 'text' },
        { name: 'price', type: 'number' },
      ],
    };
    room.fileStates = new Map([[fileKey({ path: 'products.csv', key: ['product'], isDistinct: false }), facts]]);
    const turn = await room.say(
      'products from products.csv key product\nmaximize profit: sum p in products: price[p] * make[p]',
    );
    expect(turn.question?.question).toContain('What is `make[p]`?');
  });
});

it.each(['plants are in plants.csv', 'plants in data/plants.xlsx'])(
  'explains how to read a set from a file: %s',
  async (sentence) => {
    const { text } = await new Room().say(sentence);
    expect(text).toContain(`write \`plants from ${sentence.split(' ').at(-1)} key name\``);
  },
);
