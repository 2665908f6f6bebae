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

/**
 * State of a conversation and its position in the event stream. The position is null if no turn was active in the sync response
 * and no turn has started since.
 */
export interface FollowedState {
  state: ConversationState;
  position: Position | null;
}

/** Thrown for an event that does not directly follow the state. The caller must fetch the sync response again. */
export class OutOfSyncError extends Error {}

const IDLE = { state: 'idle', message_id: null, turn_id: null, next_seq: 0 } as const;

/** Returns the initial state from a sync response. */
export function initialState(state: ConversationState): FollowedState {
  const { turn_id, next_seq = 0 } = state.turn;
  return { state, position: turn_id == null ? null : { turn_id, next_seq } };
}

/**
 * Returns the state after an event. Objects are immutable, and objects that the event does not affect are reused.
 *
 * @param limit maximum number of messages in a state; older messages are dropped
 * @throws OutOfSyncError
 */
export function applyEvent(current: FollowedState, event: ChatEvent, limit: number): FollowedState {
  switch (event.event) {
    case 'message.created': {
      const { messages } = current.state;
      const { message } = event.data;
      return includesMessage(messages, message)
        ? current
        : withMessages(current, upsertMessage(messages, message, limit));
    }
    case 'message.updated':
      return withMessages(current, replaceMessage(current.state.messages, event.data.message));
    case 'turn.dispatched':
      return markDispatched(current, event.data.turn_id);
    case 'resync':
      throw new OutOfSyncError(event.data.reason);
    default:
      return applyTurnEvent(current, event, limit);
  }
}

/** Applies a turn event, whose id has the form `<turn_id>:<seq>`. */
function applyTurnEvent(
  current: FollowedState,
  event: Extract<ChatEvent, { id: string }>,
  limit: number,
): FollowedState {
  const colon = event.id.lastIndexOf(':');
  const turn_id = event.id.slice(0, colon);
  const seq = Number(event.id.slice(colon + 1));
  const { state, position } = markDispatched(current, turn_id);
  const expected = position?.next_seq ?? 0;
  if (seq < expected) return current;
  if (seq > expected) throw new OutOfSyncError(`Expected event ${expected} of the turn, but received ${event.id}`);
  const next = { turn_id, next_seq: seq + 1 };
  const streaming = (messages: ChatMessage[], message_id = state.turn.message_id): FollowedState => ({
    state: { ...state, messages, turn: { ...state.turn, state: 'streaming', message_id, next_seq: next.next_seq } },
    position: next,
  });
  switch (event.event) {
    case 'turn.started':
      return streaming(upsertMessage(state.messages, event.data.message, limit), event.data.message_id);
    case 'turn.ended': {
      const { message } = event.data;
      const messages = message === null ? state.messages : upsertMessage(state.messages, message, limit);
      return { state: { ...state, messages, turn: IDLE }, position: next };
    }
    default: {
      const message = state.messages.find(({ id }) => id === state.turn.message_id);
      if (message === undefined) throw new OutOfSyncError(`Event ${event.id} refers to an unknown message`);
      return streaming(replaceMessage(state.messages, applyBodyEvent(message, event)));
    }
  }
}

/** Marks a new turn as dispatched until its first event arrives. Does nothing if the state is already at this turn. */
function markDispatched(current: FollowedState, turn_id: string): FollowedState {
  if (current.position?.turn_id === turn_id) return current;
  const { state } = current;
  const turn = { state: 'dispatched', message_id: null, turn_id, next_seq: 0 } as const;
  return { state: { ...state, turn }, position: { turn_id, next_seq: 0 } };
}

type BodyEvent = Exclude<Extract<ChatEvent, { id: string }>, { event: 'turn.started' | 'turn.ended' }>;

/** Returns the message after applying a turn event. */
function applyBodyEvent(message: ChatMessage, event: BodyEvent): ChatMessage {
  const { content_segments, tool_calls } = message;
  const segments = content_segments ?? [];
  const calls = tool_calls ?? [];
  switch (event.event) {
    case 'text.delta':
      return appendText(message, segments, event.data);
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
        tool_calls: calls.map((existing) => (existing.id === call.id ? call : existing)),
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

function appendText(
  message: ChatMessage,
  segments: Segment[],
  { segment, text }: { segment: number; text: string },
): ChatMessage {
  const existing = segments[segment];
  // Text is only ever appended to the last segment.
  if (existing !== undefined) {
    const extended = { ...existing, content: (existing.content ?? '') + text };
    return { ...message, content: message.content + text, content_segments: segments.with(segment, extended) };
  }
  const isFirst = !segments.some(({ type }) => type === 'text');
  return {
    ...message,
    content: isFirst ? text : `${message.content}\n\n${text}`,
    content_segments: [...segments, { type: 'text', content: text }],
  };
}

function withMessages(current: FollowedState, messages: ChatMessage[]): FollowedState {
  return messages === current.state.messages ? current : { ...current, state: { ...current.state, messages } };
}

/** Replaces the message with the same id, or inserts the message by sequence. Keeps only the newest `limit` messages. */
function upsertMessage(messages: ChatMessage[], message: ChatMessage, limit: number): ChatMessage[] {
  if (includesMessage(messages, message)) return replaceMessage(messages, message);
  const before = messages.findLastIndex(({ sequence }) => sequence < message.sequence);
  // After a reconnect, a repeated message may be older than all displayed messages.
  if (before < 0 && messages.length > 0) return messages;
  return messages.toSpliced(before + 1, 0, message).slice(-limit);
}

const includesMessage = (messages: ChatMessage[], message: ChatMessage): boolean =>
  messages.some(({ id }) => id === message.id);

function replaceMessage(messages: ChatMessage[], message: ChatMessage): ChatMessage[] {
  const at = messages.findIndex(({ id }) => id === message.id);
  return at < 0 ? messages : messages.with(at, message);
}
