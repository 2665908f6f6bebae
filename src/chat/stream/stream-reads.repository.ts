import type { ConversationId } from '../../database/checked-id.js';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { sharedRead } from '../../database/shared-reads.js';
import { messageJson } from '../messages/message-json.sql.js';
import type { TurnEventType } from '../turns/turn-event.entity.js';
import type { Turn } from '../turns/turn.entity.js';
import type { Position } from './position.js';

/** Position of a reader in a conversation: a position in its turns and a sequence number in its messages. */
export interface Cursor extends Position {
  sequence: number;
  /** Whether the turn was already announced to the reader. */
  announced: boolean;
}

/** Updates after a cursor, read as a consistent snapshot and limited in size. */
export interface Following {
  last_sequence: number;
  /**
   * User and system messages, which turns do not stream, each as the JSON text of a ChatMessageResponse. `answered` is the
   * current JSON of the message whose question was answered.
   */
  messages: { sequence: number; json: string; answered: string | null }[];
  /** Turn at the cursor until it has been read completely, then the next turn. */
  turn: (Pick<Turn, 'state' | 'next_seq'> & { id: string }) | null;
  events: { seq: number; type: TurnEventType; data: string }[];
}

/** Id that sorts before every turn id. */
const NO_TURN = '00000000-0000-0000-0000-000000000000';
export const MAX_MESSAGES = 50;
const MAX_EVENTS = 200;
/** Maximum size of the messages in a single read, in bytes. Also the maximum size of the events. */
export const MAX_TEXT = 256 * 1024;

/**
 * FROM clause of a SELECT for the last turn of the conversation `c`. If some conversations have very many turns, an equality
 * condition may make the planner scan the turns of all conversations by id. A range condition on the conversation, which is
 * also part of the sort order, forces the planner to use the index on a conversation's turns.
 */
const LAST_TURN = `
  FROM turns WHERE conversation_id >= c.id AND conversation_id <= c.id ORDER BY conversation_id DESC, id DESC LIMIT 1`;

/** Queries several tables for the live stream. Has no entity because it never writes. */
@Injectable()
export class StreamReadsRepository {
  constructor(private readonly source: DataSource) {}

  /** Reads the updates after a cursor in a single statement. Returns null if the conversation was deleted. */
  async following(conversation_id: string, cursor: Cursor): Promise<Following | null> {
    const [row] = await sharedRead<Following[]>(
      this.source.manager,
      `SELECT c.last_sequence,
              (SELECT coalesce(json_agg(json_build_object('sequence', sequence, 'json', json, 'answered', answered) ORDER BY sequence), '[]')
                 FROM (SELECT *, sum(bytes + coalesce(octet_length(answered), 0)) OVER (ORDER BY sequence) - bytes
                                 - coalesce(octet_length(answered), 0) AS bytes_before
                         FROM (SELECT said.*, ${messageJson('FROM messages m WHERE m.id = said.answered_message_id')} AS answered
                                 FROM (SELECT *, octet_length(json) AS bytes, sum(octet_length(json)) OVER (ORDER BY sequence) AS until
                                         FROM (SELECT m.sequence, m.answered_message_id, ${messageJson('')} AS json
                                                 FROM messages m
                                                WHERE m.conversation_id = c.id AND m.sequence > $2 AND m.role <> 'assistant'
                                                ORDER BY m.sequence LIMIT ${MAX_MESSAGES}) few) said
                                WHERE until - bytes < ${MAX_TEXT} OFFSET 0) told) counted
                WHERE bytes_before < ${MAX_TEXT}) AS messages,
              CASE WHEN t.id IS NULL THEN NULL
                   ELSE json_build_object('id', t.id, 'state', t.state, 'next_seq', t.next_seq) END AS turn,
              (SELECT coalesce(json_agg(json_build_object('seq', seq, 'type', type, 'data', data) ORDER BY seq), '[]')
                 FROM (SELECT seq, type, data, sum(octet_length(data)) OVER (ORDER BY seq) - octet_length(data) AS bytes_before
                         FROM (SELECT e.seq, e.type, e.data::text AS data
                                 FROM turn_events e
                                WHERE e.turn_id = t.id AND e.seq >= CASE WHEN t.id = $3 THEN $4 ELSE 0 END
                                ORDER BY e.seq LIMIT ${MAX_EVENTS}) few) counted
                WHERE bytes_before < ${MAX_TEXT}) AS events
         FROM conversations c
         LEFT JOIN LATERAL (
           -- as in LAST_TURN
           SELECT id, state, next_seq FROM turns
            WHERE (conversation_id, id) >= (c.id, $3) AND conversation_id <= c.id
              AND (id > $3 OR state <> 'ended' OR next_seq > $4)
            ORDER BY conversation_id, id LIMIT 1) t ON true
        WHERE c.id = $1 AND c.deleted_at IS NULL`,
      [conversation_id, cursor.sequence, cursor.turn_id, cursor.next_seq],
    );
    return row ?? null;
  }

  /** Returns the start position of a new reader: before the active turn, or after the last turn if no turn is active. */
  async present(conversation_id: ConversationId): Promise<Cursor | null> {
    const [present]: (Pick<Cursor, 'sequence'> & { turn: (Position & Pick<Turn, 'state'>) | null })[] =
      await this.source.query(
        `SELECT c.last_sequence AS sequence,
              (SELECT json_build_object('turn_id', id, 'state', state, 'next_seq', next_seq) ${LAST_TURN}) AS turn
         FROM conversations c WHERE c.id = $1 AND c.deleted_at IS NULL`,
        [conversation_id],
      );
    if (present === undefined) return null;
    const { sequence, turn } = present;
    if (turn === null) return { sequence, turn_id: NO_TURN, next_seq: 0, announced: true };
    const { turn_id, state, next_seq } = turn;
    return state === 'ended'
      ? { sequence, turn_id, next_seq, announced: true }
      : { sequence, turn_id, next_seq: 0, announced: false };
  }

  /**
   * Returns the cursor for a position. It includes all messages after the messages of the turn, because they may be new to the
   * reader. Returns null for a position that is impossible in this conversation.
   */
  async cursorAt(conversation_id: ConversationId, { turn_id, next_seq }: Position): Promise<Cursor | null> {
    const [row]: { sequence: number }[] = await this.source.query(
      `SELECT (SELECT coalesce(max(sequence), 0) FROM messages WHERE turn_id = t.id AND role = 'user') AS sequence
         FROM turns t WHERE t.id = $2 AND t.conversation_id = $1 AND t.next_seq >= $3`,
      [conversation_id, turn_id, next_seq],
    );
    return row === undefined ? null : { sequence: row.sequence, turn_id, next_seq, announced: true };
  }

  /** Returns, for each conversation, a string that changes with every update. Omits deleted conversations. */
  async heads(conversationIds: string[]): Promise<Map<string, string>> {
    const heads: { id: string; head: string }[] = await this.source.query(
      `SELECT c.id, concat_ws(':', c.last_sequence, t.id, t.state, t.next_seq) AS head
         FROM conversations c
         LEFT JOIN LATERAL (SELECT id, state, next_seq ${LAST_TURN}) t ON true
        WHERE c.id = ANY ($1::uuid[]) AND c.deleted_at IS NULL`,
      [conversationIds],
    );
    return new Map(heads.map(({ id, head }) => [id, head]));
  }
}
