import { expect, it } from '@jest/globals';
import { Room } from '../../test/support/guide-room.js';

const TABLE = 'products: oak, pine\nhours of products: oak 2, pine 3\nprice of products: oak 10, pine 12\n';
const MODEL = `${TABLE}make[p] integer for p in products\nmaximize profit: sum p in products: price[p] * make[p]\n`;

it.each<[string, string, string, { expression: string; index?: string }]>([
  [
    'a percentage of a sum',
    'x, y integer; minimize cost: x + y',
    'share: x >= 60% * (x + y)',
    { expression: 'x >= 0.6 * (x + y)' },
  ],
  [
    'a percentage of a name',
    'x, y integer; minimize cost: x + y',
    'share: x >= 12.5 % of y',
    { expression: 'x >= 0.125 * y' },
  ],
  [
    'a percentage without a sign',
    'x, y integer; minimize cost: x + y',
    'share: x >= 3 + 5% y',
    { expression: 'x >= 3 + 0.05 * y' },
  ],
  [
    'a column in a sum',
    MODEL,
    'share: sum q in products: hours * make[q] <= 40, hard',
    { expression: 'sum q in products: hours[q] * make[q] <= 40' },
  ],
  [
    'a column in a family',
    MODEL,
    'share: make[p] <= hours for p in products, hard',
    { expression: 'make[p] <= hours[p]', index: 'p in products' },
  ],
  [
    'a variable in a sum',
    MODEL,
    'share: sum p in products: hours * make <= 40, hard',
    { expression: 'sum p in products: hours[p] * make[p] <= 40' },
  ],
])('offers the repaired formula: %s', async (_, model, statement, data) => {
  const room = new Room();
  await room.say(`${model}\n${statement}\nshare is hard; kpi: none; requirement: none; data: in the formulas`);
  const { expression, index } = data;
  await room.choose(index === undefined ? expression : `${expression} for ${index}`);
  expect(room.data('share')).toMatchObject(data);
  expect((await room.say('confirm; solve')).text).toContain('Solved: ');
});

it('offers the repaired formula of an objective', async () => {
  const room = new Room();
  await room.say(`${TABLE}make[p] integer for p in products\nmaximize profit: sum p in products: price * make`);
  await room.choose('sum p in products: price[p] * make[p]');
  expect(room.data('profit')).toMatchObject({ expression: 'sum p in products: price[p] * make[p]' });
});

it('does not offer a repair if several indexes fit', async () => {
  const room = new Room();
  const { question } = await room.say(
    `${MODEL}pair[p, q] integer for p in products, q in products\nshare: sum p in products, q in products: hours * pair[p, q] <= 40, hard`,
  );
  expect(question?.options.map(({ label }) => label).join()).not.toContain('hours[');
});
