import { type BodyEvent, fold, type MessageBody } from './message-body.js';

/** An event of a turn that its message lacks; `data` is what {@link BodyEvent} has beside its type. */
export interface UnwrittenEvent {
  type: BodyEvent['type'];
  data: object;
}

/** The body of a message with the events that it lacks. */
export function withEvents<Message extends MessageBody>(message: Message, events: readonly UnwrittenEvent[]): Message {
  const body = events.reduce<MessageBody>((reached, { type, data }) => fold(reached, { type, ...data } as BodyEvent), {
    content: message.content,
    content_segments: message.content_segments,
    tool_calls: message.tool_calls,
    affected_card_ids: message.affected_card_ids,
  });
  return { ...message, ...body };
}
