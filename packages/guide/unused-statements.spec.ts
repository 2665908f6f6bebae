import { expect, it } from '@jest/globals';
import { Room } from '../../test/support/guide-room.js';

const MODEL =
  'maximize p: 3x + 2y; c: x + y <= 4, hard; d: x + 3y <= 6, hard; x, y integer; kpi: none; requirement: none; data: in the formulas; confirm; solve';

/** Solves a model in a new room, sends the messages and returns the room. */
async function after(...texts: string[]): Promise<Room> {
  const room = new Room();
  for (const text of [MODEL, ...texts]) await room.say(text);
  return room;
}

it('lists the unused statements since the last solve, but only once', async () => {
  const room = await after('minimize', 'remove b');
  const { text } = await room.say('x <= 3; solve');
  expect(text).toContain('Said since the last solve, and not in this plan:\n- `minimize`\n- `remove b`');
  expect((await room.say('x <= 2; solve')).text).not.toContain('Said since');
});

it('omits statements that were later repeated and applied', async () => {
  const room = await after('remove e', 'e: x <= 3, hard', 'remove e');
  expect((await room.say('solve')).text).not.toContain('Said since');
});

it.each([
  ['remove c and d', []],
  ['remove d, c', []],
  ['c is hard, d is soft, penalty 2', [{ classification: 'hard' }, { classification: 'soft', penalty: 2 }]],
  ['c is soft at a cost of 3 and d is soft, penalty 2', [{ penalty: 3 }, { classification: 'soft', penalty: 2 }]],
  ['c and d are soft, penalty 2', [{ penalty: 2 }, { penalty: 2 }]],
  ['make d soft', [{ classification: 'hard' }, { classification: 'soft' }]],
  ['make c and d soft, penalty 7', [{ penalty: 7 }, { penalty: 7 }]],
  ['make all constraints soft, penalty 7', [{ penalty: 7 }, { penalty: 7 }]],
  ['d is soft; set d penalty 3', [{ classification: 'hard' }, { penalty: 3 }]],
])('applies every part of a statement: %s', async (text, constraints) => {
  const room = await after(text);
  const found = room.cards.filter(({ card_type }) => card_type === 'constraint');
  expect(found.map(({ data }) => data)).toEqual(constraints.map((data) => expect.objectContaining(data)));
});

it('does not remove any card if one of the listed names is unknown', async () => {
  const room = await after();
  expect((await room.say('remove c and e')).text).toContain('nothing on the canvas is called `e`');
  expect(room.data('c')).toBeDefined();
});
