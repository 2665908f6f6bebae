import { describe, expect, it } from '@jest/globals';
import { type Cursor, type Following, MAX_MESSAGES, MAX_TEXT } from './stream-reads.repository.js';
import { stepAfter } from './stream-step.js';

const turn = { id: '01a1fdd8-aae9-7686-bf03-000000000001', state: 'streaming' as const, next_seq: 1 };
const cursor: Cursor = { turn_id: '01a1fdd8-aae9-7686-bf03-000000000000', next_seq: 3, sequence: 2, announced: true };
const saying = (texts: string[], last_sequence: number): Following => ({
  last_sequence,
  messages: texts.map((text, index) => ({ sequence: 3 + index, json: JSON.stringify({ text }), answered: null })),
  turn,
  events: [{ seq: 0, type: 'turn.started', data: '{}' }],
});

describe('stepAfter', () => {
  it.each([
    ['the maximum number of messages', Array<string>(MAX_MESSAGES).fill('x')],
    ['the maximum length of text', ['x', 'x'.repeat(MAX_TEXT)]],
  ])('does not send the turn while more messages may follow: %s', (_, texts) => {
    const step = stepAfter(cursor, saying(texts, 200));
    expect(step?.events.map(({ type }) => type)).toEqual(texts.map(() => 'message.created'));
    expect([step?.cursor, step?.more]).toEqual([{ ...cursor, sequence: 2 + texts.length }, true]);
  });

  it('sends the turn after the last message', () => {
    const step = stepAfter(cursor, saying(['x'], 4));
    expect(step?.events.map(({ type }) => type)).toEqual(['message.created', 'turn.dispatched', 'turn.started']);
    expect(step?.cursor).toEqual({ turn_id: turn.id, next_seq: 1, sequence: 4, announced: true });
    expect(step?.more).toBe(false);
  });
});
