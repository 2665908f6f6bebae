import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { MessageBody } from '../messages/message-body.js';
import { MessagesService } from '../messages/messages.service.js';
import { held, type HeldTurn, LEASE, LeaseLost } from './turns.service.js';

/** How far a turn has come. */
export interface Progress {
  body: MessageBody;
  /** Number of events behind the body, the turn's own start included; 0 as long as there is no message. */
  next_seq: number;
  credits: number;
}

/** Stores what an agent has written so far, so that each read shows exactly the events before `next_seq`. */
@Injectable()
export class TurnJournal {
  constructor(
    private readonly database: Database,
    private readonly messages: MessagesService,
  ) {}

  /** Creates the partial message of a turn with its first events. @throws LeaseLost */
  async begin({ id, generation, conversation_id }: HeldTurn, { body, next_seq, credits }: Progress): Promise<void> {
    await this.database.transaction(async (tx) => {
      await tx.query('SELECT id FROM conversations WHERE id = $1 FOR NO KEY UPDATE', [conversation_id]);
      const found: unknown[] = await tx.query(`SELECT id FROM turns WHERE ${held('owner')} FOR NO KEY UPDATE`, [
        id,
        generation,
      ]);
      if (found.length === 0) throw new LeaseLost();
      const message = await this.messages.append(tx, {
        conversation_id,
        role: 'assistant',
        turn_id: id,
        is_partial: true,
        ...body,
      });
      await tx.query(
        `UPDATE turns SET message_id = $2, next_seq = $3, credits = $4, due_at = clock_timestamp() + ${LEASE} WHERE id = $1`,
        [id, message.id, next_seq, credits],
      );
    });
  }

  /** Brings the partial message up to date; one statement, so one transaction. @throws LeaseLost */
  async advance({ id, generation }: HeldTurn, { body, next_seq, credits }: Progress): Promise<void> {
    const [, count]: [unknown[], number] = await this.database.manager.query(
      `WITH turn AS (
         UPDATE turns SET next_seq = $3, credits = $4, due_at = clock_timestamp() + ${LEASE}
          WHERE ${held('owner')} RETURNING message_id
       )
       UPDATE messages m SET content = $5, content_segments = $6, tool_calls = $7, affected_card_ids = $8
         FROM turn WHERE m.id = turn.message_id`,
      [
        id,
        generation,
        next_seq,
        credits,
        body.content,
        JSON.stringify(body.content_segments),
        JSON.stringify(body.tool_calls),
        body.affected_card_ids,
      ],
    );
    if (count === 0) throw new LeaseLost();
  }
}
