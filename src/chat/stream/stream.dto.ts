import {
  EnumField,
  IntegerField,
  ObjectArrayField,
  ObjectField,
  StringArrayField,
  StringField,
} from '../../common/validation/fields.js';
import { CardResponse } from '../../projects/canvas/canvas.dto.js';
import { ChatMessageResponse, ToolCallData } from '../messages/message.dto.js';
import { TURN_OUTCOMES, type TurnOutcome } from '../turns/turn.entity.js';

/** Query parameters for the stream operation. */
export class ChatStreamQuery {
  @StringField({ optional: true, description: 'Defaults to the project’s default conversation' })
  conversation_id?: string;

  @StringField({
    optional: true,
    description: 'Turn to resume, as returned by sync; `Last-Event-ID` takes precedence',
  })
  turn_id?: string;

  @IntegerField({
    default: 0,
    minimum: 0,
    description: 'Sequence number of the first turn event to send. Use `next_seq` from sync',
  })
  from_seq!: number;
}

/** The agent has begun its message. */
export class TurnStartedData {
  @StringField()
  message_id!: string;

  @ObjectField(() => ChatMessageResponse, { description: 'The message, still empty; later events fill it in' })
  message!: ChatMessageResponse;
}

/** The agent has appended text. */
export class TextDeltaData {
  @IntegerField({ description: 'Index in `content_segments`. An index past the end starts a new text segment' })
  segment!: number;

  @StringField({ description: 'Text to append' })
  text!: string;
}

/** A tool call has started. */
export class ToolStartedData {
  @IntegerField({ description: 'Index of the new segment in `content_segments`' })
  segment!: number;

  @ObjectField(() => ToolCallData)
  call!: ToolCallData;
}

/** A tool call has ended, or its question was answered. Replaces the call and the segment with the same id. */
export class ToolFinishedData {
  @ObjectField(() => ToolCallData)
  call!: ToolCallData;
}

/** The agent has created, changed or removed cards. */
export class CardsChangedData {
  @ObjectArrayField(() => CardResponse, { description: 'Current state of these cards' })
  cards!: CardResponse[];

  @StringArrayField({ optional: true, description: 'Ids of removed cards' })
  removed_card_ids?: string[];
}

/** The turn has ended. */
export class TurnEndedData {
  @EnumField(TURN_OUTCOMES)
  outcome!: TurnOutcome;

  @ObjectField(() => ChatMessageResponse, {
    nullable: true,
    description: 'Final message, with all of the turn’s events applied; null if the agent wrote nothing',
  })
  message!: ChatMessageResponse | null;
}

/** A user message or system message was added. May be repeated after a reconnect. */
export class MessageCreatedData {
  @ObjectField(() => ChatMessageResponse)
  message!: ChatMessageResponse;
}

/** The question of a finished message was answered. Contains the updated message. May be repeated after a reconnect. */
export class MessageUpdatedData {
  @ObjectField(() => ChatMessageResponse)
  message!: ChatMessageResponse;
}

/** A turn is waiting for a worker. May be repeated after a reconnect. */
export class TurnDispatchedData {
  @StringField()
  turn_id!: string;
}
