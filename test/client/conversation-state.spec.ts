import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  applyEvent,
  type ConversationState,
  initialState,
  OutOfSyncError,
} from '../../client/src/conversation-state.js';
import type { ChatEvent } from '../../client/src/schemas.js';
import {
  type BodyEvent,
  EMPTY_BODY,
  fold,
  type MessageBody,
  toBodyEvent,
} from '../../src/chat/messages/message-body.js';
import { agentEvents } from '../support/agent-events.js';

const LIMIT = 3;
const AT = new Date(0);
const IDLE = { state: 'idle', message_id: null, turn_id: null, next_seq: 0 } as const;

const message = (sequence: number, body: object = {}): ConversationState['messages'][number] => ({
  id: `m-${sequence}`,
  project_id: 'p',
  conversation_id: 'c',
  role: 'user',
  content: `Message ${sequence}`,
  sequence,
  created_at: AT.toISOString(),
  affected_card_ids: [],
  ...body,
});
const wire = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;
const answer = (sequence: number, body: MessageBody, is_partial: boolean) =>
  message(sequence, { role: 'assistant', is_partial, ...wire(body) });
const begun: ConversationState = { conversation_id: 'c', messages: [message(1)], turn: IDLE };
const event = (name: string, data: object, id?: string): ChatEvent =>
  ({ ...(id !== undefined && { id }), event: name, data: wire(data) }) as ChatEvent;

/** Returns the events that the service stores for the agent's actions in a turn, each with the resulting message. */
function turnOf(turn: string, sequence: number, agent: Parameters<typeof toBodyEvent>[1][]) {
  const steps: { event: ChatEvent; shown: ReturnType<typeof answer> }[] = [];
  let body = EMPTY_BODY;
  const add = (name: string, data: object, partial = true): void => {
    steps.push({ event: event(name, data, `${turn}:${steps.length}`), shown: answer(sequence, body, partial) });
  };
  add('turn.started', { message_id: `m-${sequence}`, message: answer(sequence, body, true) });
  for (const said of agent) {
    const step: BodyEvent | null = toBodyEvent(body, said, turn, AT);
    if (step === null) continue;
    body = fold(body, step);
    const { type, ...data } = step;
    add(type, data);
  }
  add('turn.ended', { outcome: 'completed', message: answer(sequence, body, false) }, false);
  return steps;
}

describe('applyEvent', () => {
  it('returns the same message as the service after each event, and ignores repeated events', () => {
    fc.assert(
      fc.property(agentEvents(20), fc.nat(), (agent, from) => {
        const steps = turnOf('t', 2, agent);
        const created = event('message.created', { message: message(1) });
        const dispatched = event('turn.dispatched', { turn_id: 't' });
        let followed = applyEvent(applyEvent(initialState(begun), created, LIMIT), dispatched, LIMIT);
        expect(followed.state.turn).toEqual({ state: 'dispatched', message_id: null, turn_id: 't', next_seq: 0 });
        for (const [index, step] of steps.entries()) {
          const before = wire(followed);
          const next = applyEvent(followed, step.event, LIMIT);
          expect(wire(followed)).toEqual(before);
          followed = next;
          // The state equals the result of sync at this point. Continuing from that result leads to the same final
          // state.
          expect(followed.state.messages.at(-1)).toEqual(step.shown);
          const isOver = index === steps.length - 1;
          expect(followed.state.turn).toEqual(
            isOver ? IDLE : { state: 'streaming', message_id: 'm-2', turn_id: 't', next_seq: index + 1 },
          );
          for (const again of [created, dispatched, steps[from % (index + 1)]?.event ?? created])
            expect(applyEvent(followed, again, LIMIT)).toBe(followed);
        }
        const resumed = { ...begun, messages: [message(1), steps[0]?.shown ?? message(2)] };
        const turn = { state: 'streaming', message_id: 'm-2', turn_id: 't', next_seq: 1 } as const;
        const end = steps.reduce(
          (state, step) => applyEvent(state, step.event, LIMIT),
          initialState({ ...resumed, turn }),
        );
        expect(end).toEqual(followed);
      }),
      { numRuns: 60 },
    );
  });

  it('keeps only the newest messages, in order', () => {
    const [, late] = turnOf('t', 3, []);
    if (late === undefined) throw new Error('The turn has no end');
    const events = [
      event('message.created', { message: message(2) }),
      event('turn.started', { message_id: 'm-3', message: answer(3, EMPTY_BODY, true) }, 't:0'),
      event('message.created', { message: message(4) }),
      late.event,
      // These events are repeated. One of them refers to a message outside the window.
      event('message.created', { message: message(1) }),
      event('message.updated', { message: message(1, { content: 'Changed' }) }),
      event('message.updated', { message: message(4, { content: 'Changed' }) }),
    ];
    const { state } = events.reduce((followed, one) => applyEvent(followed, one, LIMIT), initialState(begun));
    expect(state.messages.map(({ sequence, content }) => [sequence, content])).toEqual([
      [2, 'Message 2'],
      [3, ''],
      [4, 'Changed'],
    ]);
    expect(state.turn).toEqual(IDLE);
  });

  it('throws an OutOfSyncError if events are missing', () => {
    const [started, ...rest] = turnOf('t', 2, [{ type: 'text', text: 'a' }]);
    if (started === undefined) throw new Error('The turn has no start');
    const followed = applyEvent(initialState(begun), started.event, LIMIT);
    expect(() => applyEvent(followed, rest[1]?.event as ChatEvent, LIMIT)).toThrow(OutOfSyncError);
    expect(() => applyEvent(followed, event('resync', { reason: 'evicted' }), LIMIT)).toThrow(OutOfSyncError);
    expect(() => applyEvent(followed, event('text.delta', { segment: 0, text: 'x' }, 'other:1'), LIMIT)).toThrow(
      OutOfSyncError,
    );
  });

  it('does not add a message for a turn without text from the agent', () => {
    const silent = event('turn.ended', { outcome: 'failed', message: null }, 't:0');
    const { state } = applyEvent(initialState(begun), silent, LIMIT);
    expect(state).toEqual(begun);
  });
});
