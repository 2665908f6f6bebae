import type { ConversationId } from '../../database/checked-id.js';
import type { QuestionAnswer } from '../../../packages/conversation/index.js';
import { EntityRepository } from '../../database/entity-repository.js';
import type { Spender } from '../../usage/spender.js';
import { Message } from './message.entity.js';
import type { MessageBody } from './message-body.js';
import { messageJson } from './message-json.sql.js';

/** Stored message with its ChatMessageResponse as JSON text. */
export interface StoredMessage {
  id: string;
  json: string;
}

/** Message posted earlier with a client_msg_id, and the hash of its content. */
export type EarlierMessage = StoredMessage & { payload_hash: Buffer };

/** Agent message that asks a question. */
export type AskingMessage = MessageBody & Pick<Message, 'id' | 'is_partial'>;

/** Message as shown to the agent. `user_name` is the name of the API key if an API key posted the message. */
export type ContextMessage = Pick<
  Message,
  'role' | 'content' | 'user_name' | 'content_segments' | 'model_steps' | 'answer' | 'file_ids' | 'context' | 'turn_id'
>;

/**
 * Returns SQL that adds a message to the conversation in the row `c`, which `takeSequence` must have returned. `values` maps
 * columns to SQL expressions. The statement returns the complete row of the message.
 */
export const insertMessage = (values: Partial<Record<keyof Message, string>>): string => `
  INSERT INTO messages (conversation_id, project_id, sequence, created_at, ${Object.keys(values).join(', ')})
  SELECT c.id, c.project_id, c.last_sequence, clock_timestamp(), ${Object.values(values).join(', ')} FROM c
  RETURNING *`;

/** Returns SQL that assigns the messages in the rows `messages` to the turn in the row `turn`, which answers them. */
export const joinMessages = (turn: string, messages: string): string =>
  `UPDATE messages m SET turn_id = ${turn}.id FROM ${turn}, ${messages} WHERE m.id = ${messages}.id`;

/**
 * Returns SQL that replaces the body of the message `id`. The other arguments are SQL expressions, such as placeholders for
 * {@link bodyParameters}.
 */
export const writeBody = (
  id: string,
  [content, content_segments, tool_calls, affected_card_ids, model_steps]: BodyColumns,
): string => `
  UPDATE messages SET content = ${content}, content_segments = ${content_segments}, tool_calls = ${tool_calls},
                      affected_card_ids = ${affected_card_ids}, model_steps = ${model_steps}
   WHERE id = ${id}`;

/** SQL expressions for content, content_segments, tool_calls, affected_card_ids and model_steps. */
type BodyColumns = [string, string, string, string, string];

/** Returns the columns of {@link BodyColumns} as statement parameters. */
export const bodyParameters = ({
  content,
  content_segments,
  tool_calls,
  affected_card_ids,
  model_steps,
}: MessageBody): unknown[] => [
  content,
  JSON.stringify(content_segments),
  JSON.stringify(tool_calls),
  affected_card_ids,
  model_steps == null ? null : JSON.stringify(model_steps),
];

/**
 * Stores messages. Writers must hold the conversation lock, except when a turn changes its own partial message. A new message
 * takes the next sequence number of its conversation, so `ConversationsRepository.append` adds it, using {@link insertMessage}.
 */
export class MessagesRepository extends EntityRepository(Message) {
  /** Stores the final body of an agent message. */
  async finish(id: string, body: MessageBody): Promise<void> {
    const [, count]: [unknown[], number] = await this.query(
      `UPDATE messages SET content = $2, content_segments = $3, tool_calls = $4, affected_card_ids = $5, model_steps = $6,
              is_partial = false
        WHERE id = $1`,
      [id, ...bodyParameters(body)],
    );
    if (count === 0) throw new Error(`Message ${id} is gone`);
  }

  /** Returns the body of an agent message. */
  async body(id: string): Promise<MessageBody> {
    const [body]: MessageBody[] = await this.query(
      'SELECT content, content_segments, tool_calls, affected_card_ids, model_steps FROM messages WHERE id = $1',
      [id],
    );
    if (body === undefined) throw new Error(`Message ${id} is gone`);
    return body;
  }

  /** Returns the message that was posted with a client_msg_key, or undefined if it does not exist. */
  async findByClientKey(project_id: string, client_msg_key: Buffer): Promise<EarlierMessage | undefined> {
    const [message]: EarlierMessage[] = await this.query(
      `SELECT m.id, m.payload_hash, ${messageJson('')} AS json FROM messages m WHERE m.project_id = $1 AND m.client_msg_key = $2`,
      [project_id, client_msg_key],
    );
    return message;
  }

  /** Returns the two newest messages that ask a question, newest first. */
  async asking(conversation_id: ConversationId): Promise<AskingMessage[]> {
    return await this.query(
      `SELECT id, is_partial, content, content_segments, tool_calls, affected_card_ids, model_steps
         FROM messages
        WHERE conversation_id = $1 AND role = 'assistant' AND tool_calls::jsonb @> '[{"tool": "ask_user_question"}]'
        ORDER BY sequence DESC LIMIT 2`,
      [conversation_id],
    );
  }

  /** Returns the answers to questions in a message that is not finished yet, by the id of the answered call. */
  async waitingAnswers(conversation_id: ConversationId): Promise<Map<string, QuestionAnswer>> {
    const rows: { answered_call_id: string; answer: QuestionAnswer }[] = await this.query(
      `SELECT answered_call_id, answer FROM messages
        WHERE conversation_id = $1 AND turn_id IS NULL AND answered_call_id IS NOT NULL`,
      [conversation_id],
    );
    return new Map(rows.map(({ answered_call_id, answer }) => [answered_call_id, answer]));
  }

  /**
   * Returns the messages that a turn shows to the agent, oldest first. These are the messages that the turn answers, and
   * earlier messages with at most `bytes` in total. All of them are among the newest `limit` messages that belong to a turn.
   */
  async contextOf(
    conversation_id: ConversationId,
    turn_id: string,
    { limit, bytes }: { limit: number; bytes: number },
  ): Promise<ContextMessage[]> {
    const rows: ContextMessage[] = await this.query(
      `SELECT role, content, coalesce(user_name, api_key_name) AS user_name, content_segments, model_steps, answer, file_ids, context,
              turn_id
         FROM (SELECT *, sum(octet_length(concat(content_segments, model_steps, answer, file_ids, context)) + octet_length(content))
                           FILTER (WHERE turn_id <> $2) OVER (ORDER BY sequence DESC) AS bytes
                 FROM (SELECT * FROM messages WHERE conversation_id = $1 AND turn_id IS NOT NULL
                        ORDER BY sequence DESC LIMIT ${limit}) newest) counted
        WHERE turn_id = $2 OR bytes <= ${bytes}
        ORDER BY sequence DESC`,
      [conversation_id, turn_id],
    );
    return rows.reverse();
  }

  /** Assigns all waiting messages to a turn that has not started yet. */
  async joinWaiting(turn_id: string, conversation_id: ConversationId): Promise<void> {
    await this.query('UPDATE messages SET turn_id = $1 WHERE conversation_id = $2 AND turn_id IS NULL', [
      turn_id,
      conversation_id,
    ]);
  }

  /**
   * Detaches all messages from authors other than the turn's asker from a turn without output, so that these messages wait for
   * the next turn. Returns the number of detached messages.
   */
  async detachOtherAuthors(turn_id: string, { user_id, api_key_id }: Spender): Promise<number> {
    const [, rows]: [unknown[], number] = await this.query(
      `UPDATE messages SET turn_id = NULL
        WHERE turn_id = $1 AND role = 'user' AND (user_id, api_key_id) IS DISTINCT FROM ($2, $3::uuid)`,
      [turn_id, user_id, api_key_id],
    );
    return rows;
  }

  /**
   * Removes up to `limit` messages, newest first, because a message may reference an older message that it answers. Returns the
   * number of removed messages.
   */
  async removePage(conversation_id: ConversationId, limit: number): Promise<number> {
    const [, rows]: [unknown[], number] = await this.query(
      `DELETE FROM messages WHERE id = ANY (ARRAY(
     SELECT id FROM messages WHERE conversation_id = $1 ORDER BY sequence DESC LIMIT $2))`,
      [conversation_id, limit],
    );
    return rows;
  }
}
