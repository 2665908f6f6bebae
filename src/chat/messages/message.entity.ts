import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { ConversationId, ProjectId } from '../../database/checked-id.js';
import type { QuestionAnswer, ToolCall } from '../../../packages/conversation/index.js';
import type { RecordedStep } from '../../agent/recorded-step.js';
import type { ContentSegment } from './message-body.js';

export const MESSAGE_ROLES = ['user', 'assistant', 'system'] as const;

/** One message of a conversation. */
@Entity({ name: 'messages' })
export class Message {
  @PrimaryGeneratedColumn('uuid')
  id!: string;

  @Column('uuid')
  project_id!: ProjectId;

  @Column('uuid')
  conversation_id!: ConversationId;

  /** Place in the conversation, from 1 without gaps. */
  @Column('integer')
  sequence!: number;

  @Column('text')
  role!: (typeof MESSAGE_ROLES)[number];

  @Column('text')
  content!: string;

  /** The turn that answers a user's message, null while none does; else the turn that wrote this one. */
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

  /** Provider data of the tool calls. Never shown. */
  @Column('json', { nullable: true })
  model_steps!: RecordedStep[] | null;

  @Column('text', { array: true, nullable: true })
  file_ids!: string[] | null;

  @Column('json', { nullable: true })
  context!: { id: string; type: string }[] | null;

  @Column('json', { nullable: true })
  answer!: QuestionAnswer | null;

  /** The call that the answer goes to when the message that asks is finished. */
  @Column('text', { nullable: true })
  answered_call_id!: string | null;

  /** The finished message whose question the answer went to at once. */
  @Column('uuid', { nullable: true })
  answered_message_id!: string | null;

  @Column('text', { nullable: true })
  client_msg_id!: string | null;

  /** SHA-256 of author and client_msg_id. */
  @Column('bytea', { nullable: true })
  client_msg_key!: Buffer | null;

  /** SHA-256 of what was posted. */
  @Column('bytea', { nullable: true })
  payload_hash!: Buffer | null;

  @Column('text', { nullable: true })
  user_id!: string | null;

  @Column('text', { nullable: true })
  user_name!: string | null;

  @Column('text', { nullable: true })
  user_avatar_url!: string | null;

  /** The author when it is no user. */
  @Column('uuid', { nullable: true })
  api_key_id!: string | null;

  @Column('text', { nullable: true })
  api_key_name!: string | null;

  @Column('text', { nullable: true })
  api_key_prefix!: string | null;
}
