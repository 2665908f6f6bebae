import { describe, expect, it } from '@jest/globals';
import { Room } from '../../test/support/guide-room.js';

const MODEL = 'maximize profit: 3x + 2y; labour: x + y <= 4, hard; x, y >= 0 integer';

async function after(...texts: string[]): Promise<Room> {
  const room = new Room();
  for (const text of texts) await room.say(text);
  return room;
}

describe('undo', () => {
  it('removes the cards that the last change created', async () => {
    const room = await after(MODEL, 'wood: x <= 3; z integer');
    const { text } = await room.say('undo');
    expect(room.cards.map(({ label }) => label)).toEqual(['profit', 'labour', 'x', 'y']);
    expect(text).toContain('I undid the change of `wood: x <= 3; z integer`:\n- Removed: Constraint `wood`');
  });

  it('restores the data and labels of changed cards', async () => {
    const room = await after(MODEL, 'labour: x + y <= 9 soft, penalty 5; set x label: chairs');
    await room.say('undo');
    expect(room.data('labour')).toEqual({ expression: 'x + y <= 4', classification: 'hard' });
    expect(room.data('x')).toMatchObject({ name: 'x', domain: 'integer' });
  });

  it('recreates removed cards', async () => {
    const room = await after(MODEL, 'remove labour');
    await room.say('undo');
    expect(room.data('labour')).toEqual({ expression: 'x + y <= 4', classification: 'hard' });
  });

  it('reverts one earlier change each time it is repeated', async () => {
    const room = await after(MODEL, 'labour: x + y <= 5', 'labour: x + y <= 6', 'remove labour');
    await room.say('undo');
    expect(room.data('labour')).toMatchObject({ expression: 'x + y <= 6' });
    await room.say('undo');
    expect(room.data('labour')).toMatchObject({ expression: 'x + y <= 5' });
    await room.say('undo');
    expect(room.data('labour')).toMatchObject({ expression: 'x + y <= 4' });
    await room.say('undo');
    expect(room.cards).toEqual([]);
    expect((await room.say('undo')).text).toContain('no changes of cards in this conversation that I can undo');
  });

  it('keeps and reports changes if the conversation does not show the earlier content', async () => {
    const room = await after(MODEL);
    room.messages = [];
    await room.say('labour: x + y <= 9');
    const { text } = await room.say('undo');
    expect(text).toContain(
      'I could not undo the change of `labour: x + y <= 9`:\n- `labour`: this conversation does not show',
    );
    expect(room.data('labour')).toMatchObject({ expression: 'x + y <= 9' });
  });

  it('keeps cards that another client has changed in the meantime', async () => {
    const room = await after(MODEL, 'labour: x + y <= 9');
    const card = room.cards.find(({ label }) => label === 'labour')!;
    Object.assign(card, { version: card.version + 1, data: { ...card.data, expression: 'x + y <= 7' } });
    const { text } = await room.say('undo');
    expect(text).toContain('`labour`: it has been changed since then');
    expect(room.data('labour')).toMatchObject({ expression: 'x + y <= 7' });
  });

  it('reports that there is nothing to undo in a new conversation', async () => {
    expect((await new Room().say('undo')).text).toContain('no changes of cards in this conversation that I can undo');
  });
});

describe('a repeated question', () => {
  it('is shortened to a single sentence and can still be answered', async () => {
    const room = new Room();
    const { question } = await room.say(MODEL);
    expect(question?.question).toContain('Which figures besides the objective show whether a plan is good');
    const again = await room.say('wood: x <= 3, hard');
    expect(again.question).toBeUndefined();
    expect(again.text).toContain(`Still open: ${question?.question}`);
    expect((await room.say('thanks')).question).toBeUndefined();
    const other = await room.say('speed');
    expect(room.data('speed')).toMatchObject({ description: 'speed' });
    expect(other.question?.question).toBe('Where does the data come from?');
  });

  it('appears in full again if it was answered in the meantime', async () => {
    const room = await after(`${MODEL}; kpi: none; data: in the formulas; requirement: none; confirm`, 'solve');
    expect((await room.say('labour: x + y <= 5')).question?.question).toBe('Shall I solve the model?');
  });

  it('appears in full again if its options have changed', async () => {
    const room = new Room();
    room.files = ['a.csv'];
    await room.say(`${MODEL}; kpi: none`);
    room.files = ['a.csv', 'b.csv'];
    expect((await room.say('thanks')).question?.options.map(({ label }) => label)).toContain('b.csv');
  });
});

it('explains how to redo a change', async () => {
  const room = new Room();
  await room.say('maximize profit: 3x; x integer');
  await room.say('undo');
  const { text } = await room.say('redo');
  expect(room.cards).toEqual([]);
  expect(text).toContain('an undone change comes back only if you write its statements again');
});
