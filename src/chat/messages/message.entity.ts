import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { ConversationId, ProjectId } from '../../database/checked-id.js';
import type { QuestionAnswer, ToolCall } from '../../../packages/conversation/index.js';
import type { RecordedStep } from '../../agent/recorded-step.js';
import type { ContentSegment } from './message-body.js';

export const MESSAGE_ROLES = ['user', 'assistant', 'system'] as const;

@Entity({ name: 'messages' })
export class Message {
  @PrimaryGeneratedColumn('uuid')
  id!: string;

  @Column('uuid')
  project_id!: ProjectId;

  @Column('uuid')
  conversation_id!: ConversationId;

  /** Position in the conversation, starting at 1 and without gaps. */
  @Column('integer')
  sequence!: number;

  @Column('text')
  role!: (typeof MESSAGE_ROLES)[number];

  @Column('text')
  content!: string;

  /**
   * For a user's message, the turn that answers it, or null while the message waits for a turn. For other messages, the turn
   * that wrote the message.
   */
  @Column('uuid', { nullable: true })
  turn_id!: string | null;

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  created_at!: Date;

  @Column('boolean', { default: false })
  is_partial!: boolean;

  @Column('text', { array: true, default: [] })
  affected_card_ids!: string[];

  @Column('json', { nullable: true })
  content_segments!: ContentSegment[] | null;

  @Column('json', { nullable: true })
  tool_calls!: ToolCall[] | null;

  /** Provider data of the tool calls. Never exposed. */
  @Column('json', { nullable: true })
  model_steps!: RecordedStep[] | null;

  @Column('text', { array: true, nullable: true })
  file_ids!: string[] | null;

  @Column('json', { nullable: true })
  context!: { id: string; type: string }[] | null;

  @Column('json', { nullable: true })
  answer!: QuestionAnswer | null;

  /** Tool call that receives the answer in this message once the message with the question is finished. */
  @Column('text', { nullable: true })
  answered_call_id!: string | null;

  /** Message whose question this message answers, if that message was already finished. */
  @Column('uuid', { nullable: true })
  answered_message_id!: string | null;

  @Column('text', { nullable: true })
  client_msg_id!: string | null;

  /** SHA-256 of the author and client_msg_id. */
  @Column('bytea', { nullable: true })
  client_msg_key!: Buffer | null;

  /** SHA-256 of the posted content. */
  @Column('bytea', { nullable: true })
  payload_hash!: Buffer | null;

  @Column('text', { nullable: true })
  user_id!: string | null;

  @Column('text', { nullable: true })
  user_name!: string | null;

  @Column('text', { nullable: true })
  user_avatar_url!: string | null;

  /** API key that posted the message. Null if a user posted it. */
  @Column('uuid', { nullable: true })
  api_key_id!: string | null;

  @Column('text', { nullable: true })
  api_key_name!: string | null;

  @Column('text', { nullable: true })
  api_key_prefix!: string | null;
}
