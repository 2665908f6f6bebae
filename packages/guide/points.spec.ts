import { expect, it } from '@jest/globals';
import { Room } from '../../test/support/guide-room.js';

const TABLES =
  'tables, chairs integer; maximize profit: 50 tables + 30 chairs; labour: tables + chairs <= hours; hours = 30; kpi: none';

it.each([
  ['chairs <= 1.000', '1.000', '1', '1000'],
  ['Cap: chairs + tables <= 12.500', '12.500', '12.5', '12500'],
  ['budget = 1.200', '1.200', '1.2', '1200'],
  ['requirement: 1.000 tables', '1.000', '1', '1000'],
  ['what if hours = 1.000', '1.000', '1', '1000'],
])(
  'reports a decimal point that may be meant as a thousands separator: %s',
  async (statement, written, figure, thousands) => {
    const room = new Room();
    await room.say(TABLES);
    const { text } = await room.say(statement);
    expect(text).toContain(`\`${written}\` is read as ${figure}: if you mean thousands, write ${thousands}.`);
  },
);

it('adds a note about the decimal point to the card', async () => {
  const room = new Room();
  await room.say(`${TABLES}; Cap: chairs + tables <= 12.500`);
  const card = room.cards.find(({ label }) => label === 'Cap');
  expect(card?.gaps).toContainEqual(
    expect.objectContaining({
      severity: 'info',
      message: '`12.500` is read as 12.5: if you mean thousands, write 12500',
    }),
  );
});

it.each(['chairs <= 1.5', 'chairs <= 0.500', 'chairs <= 1000', 'chairs <= 1.2345', 'set labour description: "1.000"'])(
  'does not report unambiguous numbers: %s',
  async (statement) => {
    const room = new Room();
    await room.say(TABLES);
    expect((await room.say(statement)).text).not.toContain('is read as');
  },
);
