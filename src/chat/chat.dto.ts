import { CardResponse } from '../projects/canvas/canvas.dto.js';
import { PageResponse } from '../common/listing/page.response.js';
import {
  BooleanField,
  EnumField,
  IntegerField,
  ObjectArrayField,
  ObjectField,
  StringArrayField,
  StringField,
} from '../common/validation/fields.js';
import { ChatMessageResponse } from './messages/message.dto.js';
import { SelectionsField } from './messages/selections.js';
import { TURN_STATES } from './turns/turn.entity.js';

const MAX_ID_LENGTH = 1_024;
/** Maximum number of references in a field of a message, and their maximum total size in bytes of JSON. */
const MAX_REFERENCES = 1_000;
const MAX_REFERENCE_BYTES = 64 * 1024;

/** Returns an error message without a full stop if a field is too large, otherwise undefined. */
const sizeProblem = (part: unknown): string | undefined =>
  Buffer.byteLength(JSON.stringify(part)) > MAX_REFERENCE_BYTES
    ? `the JSON text must have at most ${MAX_REFERENCE_BYTES} bytes`
    : undefined;

/** Reference from a message to an object. */
export class ContextRef {
  @StringField({ maxLength: MAX_ID_LENGTH, description: 'Id of the referenced object' })
  id!: string;

  @StringField({ maxLength: MAX_ID_LENGTH, description: 'Type of the referenced object', example: 'card' })
  type!: string;
}

/** User's choices in a question widget. */
export class AskUserQuestionAnswer {
  @StringField({ optional: true, maxLength: 10_000, description: 'Free text, in addition to or instead of a choice' })
  other_text?: string;

  @SelectionsField({
    optional: true,
    description: 'Chosen label or labels, by question index',
    example: { '0': 'Lowest cost' },
  })
  selections?: Map<string, string | string[]>;
}

/** Message to the agent. */
export class ChatMessageCreate {
  @StringField({
    maxLength: 100_000,
    description: 'Text of the message; may be empty',
    example: 'Plan the bottling of next week.',
  })
  content!: string;

  @StringField({
    optional: true,
    nullable: true,
    maxLength: MAX_ID_LENGTH,
    description: 'Defaults to the project’s default conversation',
  })
  conversation_id?: string | null;

  @StringField({
    optional: true,
    nullable: true,
    maxLength: 100_000,
    description:
      'Idempotency key chosen by the client. Repeating a post with the same key returns the first message. A different ' +
      'message with the same key is rejected.',
  })
  client_msg_id?: string | null;

  @StringArrayField({
    optional: true,
    maxItems: MAX_REFERENCES,
    itemMaxLength: MAX_ID_LENGTH,
    check: sizeProblem,
    description: 'Ids or paths of workspace files, at most 65,536 bytes in total',
  })
  file_ids?: string[];

  @ObjectArrayField(() => ContextRef, {
    optional: true,
    maxItems: MAX_REFERENCES,
    check: sizeProblem,
    description: 'Objects that the message is about, at most 65,536 bytes in total',
  })
  context?: ContextRef[];

  @ObjectField(() => AskUserQuestionAnswer, {
    optional: true,
    nullable: true,
    check: ({ other_text, selections = new Map() }) => sizeProblem([other_text, [...selections]]),
    description: 'Answer to the agent’s open question, at most 65,536 bytes; stored as the result of its tool call',
  })
  answer?: AskUserQuestionAnswer | null;
}

/** Stored message and the canvas at the time of the post. */
export class ChatResponse {
  @ObjectField(() => ChatMessageResponse)
  message!: ChatMessageResponse;

  @ObjectArrayField(() => CardResponse, { optional: true, description: 'All cards of the project, oldest first' })
  canvas_snapshot!: CardResponse[];
}

/** Query parameters for the sync operation. */
export class ChatSyncQuery {
  @StringField({
    optional: true,
    maxLength: MAX_ID_LENGTH,
    description: 'Defaults to the project’s default conversation',
  })
  conversation_id?: string;

  @IntegerField({
    default: 200,
    minimum: 1,
    maximum: 1000,
    description: 'Maximum number of messages to return. Fewer are returned if their total size would be too large',
  })
  limit!: number;
}

/** Query parameters for the history operation. */
export class ChatHistoryQuery extends ChatSyncQuery {
  @IntegerField({ default: 0, minimum: 0, description: 'Number of newest messages to skip' })
  offset!: number;
}

/** Window of a conversation, oldest message first. */
export class ChatMessageListResponse extends PageResponse {
  @ObjectArrayField(() => ChatMessageResponse)
  messages!: ChatMessageResponse[];

  @IntegerField({ description: 'Number of messages in the conversation' })
  override total!: number;
}

/** The agent's current activity in a conversation. */
export class TurnStateResponse {
  @EnumField(TURN_STATES, {
    description: '`dispatched`: accepted, not started; `streaming`: being answered; `idle`: no active turn',
  })
  state!: (typeof TURN_STATES)[number];

  @StringField({
    optional: true,
    nullable: true,
    description: 'Id of the answer that is being written, if it has started',
  })
  message_id!: string | null;

  @StringField({ optional: true, nullable: true })
  turn_id!: string | null;

  @IntegerField({
    default: 0,
    description: 'Number of the turn’s events that the messages already include. Resume the stream at this position',
  })
  next_seq!: number;
}

/** Consistent snapshot of messages and turn state. */
export class ConversationSyncResponse {
  @StringField()
  conversation_id!: string;

  @ObjectArrayField(() => ChatMessageResponse)
  messages!: ChatMessageResponse[];

  @ObjectField(() => TurnStateResponse)
  turn!: TurnStateResponse;
}

/** Request to stop a turn. */
export class ChatStopRequest {
  @StringField({
    optional: true,
    nullable: true,
    maxLength: MAX_ID_LENGTH,
    description: 'Defaults to the project’s default conversation',
  })
  conversation_id?: string | null;

  @StringField({
    optional: true,
    nullable: true,
    maxLength: MAX_ID_LENGTH,
    description: 'Stops only this turn. If it has already ended, no turn is stopped',
  })
  turn_id?: string | null;
}

/** Result of a stop request. */
export class ChatStopResponse {
  @StringField()
  conversation_id!: string;

  @StringField({ nullable: true, description: 'Id of the stopped turn' })
  turn_id!: string | null;

  @BooleanField({ description: 'Whether a turn was stopped' })
  stopped!: boolean;
}
