import type { ChatEvent, Schemas } from './schemas.js';

/** Snapshot of a conversation, as returned by `chat/sync`. */
export type ConversationState = Schemas['ConversationSyncResponse'];

export type ChatMessage = Schemas['ChatMessageResponse'];
type Segment = Schemas['ContentSegmentData'];

/** Position in the event stream. The state includes all earlier turns, and the events of `turn_id` below `next_seq`. */
interface Position {
  turn_id: string;
  next_seq: number;
}

/** State of a conversation and the stream position after it. The position is null if no turn is known. */
export interface Followed {
  state: ConversationState;
  position: Position | null;
}

/** Event that does not directly follow the state. The caller must read sync again. */
export class OutOfStep extends Error {}

const IDLE = { state: 'idle', message_id: null, turn_id: null, next_seq: 0 } as const;

/** Returns the initial state from a sync response. */
export function followedFrom(state: ConversationState): Followed {
  const { turn_id, next_seq = 0 } = state.turn;
  return { state, position: turn_id == null ? null : { turn_id, next_seq } };
}

/**
 * Returns the state after an event. Objects are immutable, and parts that the event does not change keep their identity.
 *
 * @param limit maximum number of messages in a state; older messages are dropped
 * @throws OutOfStep
 */
export function after(followed: Followed, event: ChatEvent, limit: number): Followed {
  switch (event.event) {
    case 'message.created': {
      const { messages } = followed.state;
      const { message } = event.data;
      return has(messages, message) ? followed : withMessages(followed, added(messages, message, limit));
    }
    case 'message.updated':
      return withMessages(followed, changed(followed.state.messages, event.data.message));
    case 'turn.dispatched':
      return dispatched(followed, event.data.turn_id);
    case 'resync':
      throw new OutOfStep(event.data.reason);
    default:
      return numbered(followed, event, limit);
  }
}

/** Applies a turn event, whose id has the form `<turn_id>:<seq>`. */
function numbered(followed: Followed, event: Extract<ChatEvent, { id: string }>, limit: number): Followed {
  const colon = event.id.lastIndexOf(':');
  const turn_id = event.id.slice(0, colon);
  const seq = Number(event.id.slice(colon + 1));
  const { state, position } = dispatched(followed, turn_id);
  const expected = position?.next_seq ?? 0;
  if (seq < expected) return followed;
  if (seq > expected) throw new OutOfStep(`Expected event ${expected} of the turn, but received ${event.id}`);
  const next = { turn_id, next_seq: seq + 1 };
  const going = (messages: ChatMessage[], message_id = state.turn.message_id): Followed => ({
    state: { ...state, messages, turn: { ...state.turn, state: 'streaming', message_id, next_seq: next.next_seq } },
    position: next,
  });
  switch (event.event) {
    case 'turn.started':
      return going(added(state.messages, event.data.message, limit), event.data.message_id);
    case 'turn.ended': {
      const { message } = event.data;
      const messages = message === null ? state.messages : added(state.messages, message, limit);
      return { state: { ...state, messages, turn: IDLE }, position: next };
    }
    default: {
      const message = state.messages.find(({ id }) => id === state.turn.message_id);
      if (message === undefined) throw new OutOfStep(`Event ${event.id} refers to an unknown message`);
      return going(changed(state.messages, folded(message, event)));
    }
  }
}

/** Marks a new turn as dispatched until its first event arrives. Does nothing if the state is already at this turn. */
function dispatched(followed: Followed, turn_id: string): Followed {
  if (followed.position?.turn_id === turn_id) return followed;
  const { state } = followed;
  const turn = { state: 'dispatched', message_id: null, turn_id, next_seq: 0 } as const;
  return { state: { ...state, turn }, position: { turn_id, next_seq: 0 } };
}

type BodyEvent = Exclude<Extract<ChatEvent, { id: string }>, { event: 'turn.started' | 'turn.ended' }>;

/** Returns the message after applying a turn event. */
function folded(message: ChatMessage, event: BodyEvent): ChatMessage {
  const { content_segments, tool_calls } = message;
  const segments = content_segments ?? [];
  const calls = tool_calls ?? [];
  switch (event.event) {
    case 'text.delta':
      return withText(message, segments, event.data);
    case 'tool.started': {
      const { call } = event.data;
      return {
        ...message,
        content_segments: [...segments, { type: 'tool_call', ...call }],
        tool_calls: [...calls, call],
      };
    }
    case 'tool.finished': {
      const { call } = event.data;
      return {
        ...message,
        content_segments: segments.map((segment) =>
          segment.type === 'tool_call' && segment.id === call.id ? { type: 'tool_call', ...call } : segment,
        ),
        tool_calls: calls.map((known) => (known.id === call.id ? call : known)),
      };
    }
    case 'cards.changed': {
      const { cards, removed_card_ids = [] } = event.data;
      const ids = [...message.affected_card_ids, ...cards.map(({ id }) => id), ...removed_card_ids];
      return { ...message, affected_card_ids: [...new Set(ids)] };
    }
    default:
      // Ignores event types of later service versions. The end of the turn contains the whole message.
      return message;
  }
}

function withText(
  message: ChatMessage,
  segments: Segment[],
  { segment, text }: { segment: number; text: string },
): ChatMessage {
  const present = segments[segment];
  // Text is only ever appended to the last segment.
  if (present !== undefined) {
    const longer = { ...present, content: (present.content ?? '') + text };
    return { ...message, content: message.content + text, content_segments: segments.with(segment, longer) };
  }
  const isFirst = !segments.some(({ type }) => type === 'text');
  return {
    ...message,
    content: isFirst ? text : `${message.content}\n\n${text}`,
    content_segments: [...segments, { type: 'text', content: text }],
  };
}

function withMessages(followed: Followed, messages: ChatMessage[]): Followed {
  return messages === followed.state.messages ? followed : { ...followed, state: { ...followed.state, messages } };
}

/** Replaces the message with the same id, or inserts the message by sequence. Keeps only the newest `limit` messages. */
function added(messages: ChatMessage[], message: ChatMessage, limit: number): ChatMessage[] {
  if (has(messages, message)) return changed(messages, message);
  const before = messages.findLastIndex(({ sequence }) => sequence < message.sequence);
  // After a reconnect, a repeated message may be older than all displayed messages.
  if (before < 0 && messages.length > 0) return messages;
  return messages.toSpliced(before + 1, 0, message).slice(-limit);
}

const has = (messages: ChatMessage[], message: ChatMessage): boolean => messages.some(({ id }) => id === message.id);

function changed(messages: ChatMessage[], message: ChatMessage): ChatMessage[] {
  const at = messages.findIndex(({ id }) => id === message.id);
  return at < 0 ? messages : messages.with(at, message);
}
