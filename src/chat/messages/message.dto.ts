import {
  AnyField,
  BooleanField,
  DateTimeField,
  EnumField,
  FreeObjectField,
  IntegerField,
  ObjectArrayField,
  StringArrayField,
  StringField,
} from '../../common/validation/fields.js';
import { MESSAGE_ROLES } from './message.entity.js';

const SEGMENT_TYPES = ['text', 'tool_call', 'tool_summary', 'recording'] as const;
const CALL_STATUSES = ['running', 'completed', 'failed', 'unknown'] as const;
const detail = { optional: true, nullable: true };

/** Fields shared by a recorded tool call and its segment. */
abstract class CallDetails {
  @StringField(detail)
  card_id?: string | null;

  @DateTimeField(detail)
  completed_at?: Date | null;

  @IntegerField(detail)
  duration_ms?: number | null;

  @StringField({ ...detail, description: 'Error message of a failed call' })
  error?: string | null;

  @StringField({ ...detail, example: 'interrupted' })
  error_code?: string | null;

  @FreeObjectField(detail)
  error_details?: Record<string, unknown> | null;

  @StringField(detail)
  execution_source?: string | null;

  @StringField(detail)
  file_path?: string | null;

  @FreeObjectField({ ...detail, description: 'Input of the tool call' })
  input?: Record<string, unknown> | null;

  @StringField(detail)
  owner_id?: string | null;

  @StringField(detail)
  owner_type?: string | null;

  @StringField(detail)
  panel_key?: string | null;

  @StringField(detail)
  parent_tool_use_id?: string | null;

  @AnyField({ optional: true, description: 'Output of the tool; null for an unanswered question' })
  result?: unknown;

  @StringField(detail)
  scope?: string | null;

  @DateTimeField(detail)
  started_at?: Date | null;

  @StringField(detail)
  stream_id?: string | null;

  @StringField(detail)
  summary?: string | null;

  @StringField(detail)
  turn_id?: string | null;
}

/** Tool call recorded on a message. */
export class ToolCallData extends CallDetails {
  @StringField()
  id!: string;

  @StringField({ example: 'ask_user_question' })
  tool!: string;

  @EnumField(CALL_STATUSES)
  status!: (typeof CALL_STATUSES)[number];

  @ObjectArrayField(() => ToolCallData, { ...detail, description: 'Tool calls made by this call' })
  children?: ToolCallData[] | null;
}

/** Segment of a message's content. The segment of a tool call has the id of the call and all of its recorded data. */
export class ContentSegmentData extends CallDetails {
  @EnumField(SEGMENT_TYPES)
  type!: (typeof SEGMENT_TYPES)[number];

  @ObjectArrayField(() => ToolCallData, { ...detail, description: 'Tool calls made by this call' })
  children?: ToolCallData[] | null;

  @StringField({ ...detail, description: 'The text of a `text` segment' })
  content?: string | null;

  @IntegerField(detail)
  failure_count?: number | null;

  @BooleanField(detail)
  has_failures?: boolean | null;

  @StringField({ ...detail, description: 'Id of the tool call' })
  id?: string | null;

  @StringField(detail)
  label?: string | null;

  @StringField(detail)
  meeting_id?: string | null;

  @StringField(detail)
  source?: string | null;

  @StringField(detail)
  status?: string | null;

  @StringField(detail)
  tool?: string | null;

  @IntegerField(detail)
  tool_count?: number | null;
}

export class ChatMessageResponse {
  @StringField()
  id!: string;

  @StringField()
  project_id!: string;

  @StringField(detail)
  conversation_id?: string | null;

  @EnumField(MESSAGE_ROLES)
  role!: (typeof MESSAGE_ROLES)[number];

  @StringField({ description: 'The text segments, joined by blank lines' })
  content!: string;

  @IntegerField({ description: 'Position in the conversation, starting at 1 and without gaps' })
  sequence!: number;

  @DateTimeField()
  created_at!: Date;

  @StringArrayField()
  affected_card_ids!: string[];

  @BooleanField({ optional: true, description: 'Whether the message is still being written' })
  is_partial?: boolean;

  @StringArrayField(detail)
  file_ids?: string[] | null;

  @StringField(detail)
  client_msg_id?: string | null;

  @StringField(detail)
  api_key_name?: string | null;

  @StringField(detail)
  api_key_prefix?: string | null;

  @StringField(detail)
  user_id?: string | null;

  @StringField({ ...detail, description: 'The author’s name at the time of writing' })
  user_name?: string | null;

  @StringField(detail)
  user_avatar_url?: string | null;

  @ObjectArrayField(() => ContentSegmentData, { ...detail, description: 'Text and tool calls in order' })
  content_segments?: ContentSegmentData[] | null;

  @ObjectArrayField(() => ToolCallData, detail)
  tool_calls?: ToolCallData[] | null;
}
