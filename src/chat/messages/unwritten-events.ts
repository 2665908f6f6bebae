import { type BodyEvent, fold, type MessageBody } from './message-body.js';

/**
 * Event in a turn that the row of the turn's message does not contain yet. `data` contains the fields of a {@link BodyEvent}
 * except its type.
 */
export interface UnwrittenEvent {
  type: BodyEvent['type'];
  data: object;
}

/** Applies missing events to a message. */
export function withEvents<Message extends MessageBody>(message: Message, events: readonly UnwrittenEvent[]): Message {
  const body = events.reduce<MessageBody>((reached, { type, data }) => fold(reached, { type, ...data } as BodyEvent), {
    content: message.content,
    content_segments: message.content_segments,
    tool_calls: message.tool_calls,
    affected_card_ids: message.affected_card_ids,
  });
  return { ...message, ...body };
}
