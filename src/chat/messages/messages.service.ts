import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/database.js';
import type { Message } from './message.entity.js';
import type { MessageBody } from './message-body.js';
import { messageJson } from './message-json.js';

/**
 * A message to append; what is absent is null or the column's default. A user's message without a `turn_id` joins the
 * conversation's turn that has not started, if there is one.
 */
export type NewMessage = Pick<Message, 'conversation_id' | 'role' | 'content'> &
  Partial<Omit<Message, 'id' | 'project_id' | 'sequence' | 'created_at' | 'is_partial'>>;

/** A stored message with its ChatMessageResponse as JSON text. */
export interface StoredMessage {
  id: string;
  json: string;
}

/** Writes of messages. Callers hold the conversation's lock, except for changing a partial message of their own turn. */
@Injectable()
export class MessagesService {
  /** Adds a message at the end of its conversation. */
  async append(tx: Tx, message: NewMessage): Promise<StoredMessage> {
    const [stored]: StoredMessage[] = await tx.query(
      `WITH c AS (
         UPDATE conversations SET last_sequence = last_sequence + 1, updated_at = clock_timestamp() WHERE id = $1
         RETURNING id, project_id, last_sequence
       ), m AS (
         INSERT INTO messages (conversation_id, project_id, sequence, created_at, role, content, turn_id,
                               affected_card_ids, content_segments, tool_calls, file_ids, context, answer, answered_call_id,
                               answered_message_id, client_msg_id, client_msg_key, payload_hash, user_id, user_name,
                               user_avatar_url, api_key_id, api_key_name, api_key_prefix)
         SELECT c.id, c.project_id, c.last_sequence, clock_timestamp(), $2, $3,
                coalesce($4, (SELECT t.id FROM turns t
                               WHERE $2 = 'user' AND t.conversation_id = c.id AND t.state = 'dispatched')),
                $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21
           FROM c
         RETURNING *
       )
       SELECT m.id, ${messageJson('')} AS json FROM m`,
      [
        message.conversation_id,
        message.role,
        message.content,
        message.turn_id ?? null,
        message.affected_card_ids ?? [],
        json(message.content_segments),
        json(message.tool_calls),
        message.file_ids ?? null,
        json(message.context),
        json(message.answer),
        message.answered_call_id ?? null,
        message.answered_message_id ?? null,
        message.client_msg_id ?? null,
        message.client_msg_key ?? null,
        message.payload_hash ?? null,
        message.user_id ?? null,
        message.user_name ?? null,
        message.user_avatar_url ?? null,
        message.api_key_id ?? null,
        message.api_key_name ?? null,
        message.api_key_prefix ?? null,
      ],
    );
    if (stored === undefined) throw new Error(`Conversation ${message.conversation_id} is gone`);
    return stored;
  }

  /** Gives a message of the agent the body of which it has no more to say. */
  async finish(
    tx: Tx,
    id: string,
    { content, content_segments, tool_calls, affected_card_ids }: MessageBody,
  ): Promise<void> {
    const [, count]: [unknown[], number] = await tx.query(
      `UPDATE messages SET content = $2, content_segments = $3, tool_calls = $4, affected_card_ids = $5, is_partial = false
        WHERE id = $1`,
      [id, content, json(content_segments), json(tool_calls), affected_card_ids],
    );
    if (count === 0) throw new Error(`Message ${id} is gone`);
  }

  /** The body of a message of the agent. */
  async body(tx: Tx, id: string): Promise<MessageBody> {
    const [body]: MessageBody[] = await tx.query(
      'SELECT content, content_segments, tool_calls, affected_card_ids FROM messages WHERE id = $1',
      [id],
    );
    if (body === undefined) throw new Error(`Message ${id} is gone`);
    return body;
  }

  /** The message that was posted under a key, if one was. */
  async posted(
    tx: Tx,
    project_id: string,
    client_msg_key: Buffer,
  ): Promise<(StoredMessage & { payload_hash: Buffer }) | undefined> {
    const [found]: (StoredMessage & { payload_hash: Buffer })[] = await tx.query(
      `SELECT m.id, m.payload_hash, ${messageJson('')} AS json FROM messages m WHERE m.project_id = $1 AND m.client_msg_key = $2`,
      [project_id, client_msg_key],
    );
    return found;
  }
}

const json = (value: unknown): string | null => (value == null ? null : JSON.stringify(value));
