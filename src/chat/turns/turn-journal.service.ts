import { Injectable } from '@nestjs/common';
import { Database, type Tx } from '../../platform/database/database.js';
import { LEASE, LeaseLost } from '../../platform/leases/lease.js';
import { Notifications } from '../../platform/notify/notifications.service.js';
import type { Project } from '../../projects/project.entity.js';
import { ProjectsService } from '../../projects/projects.service.js';
import type { BodyEvent, MessageBody } from '../messages/message-body.js';
import { MessagesService } from '../messages/messages.service.js';
import { CONVERSATIONS } from '../notices.js';
import { bodyEvent, eventParameters, insertEvents, startedEvent } from './turn-events.js';
import { endedWithProject, held, type HeldTurn, lockHeld } from './turns.service.js';

/** How far a turn has come. */
export interface Progress {
  body: MessageBody;
  /** Number of events behind the body, the turn's own start included; 0 as long as there is no message. */
  next_seq: number;
  /** The last of these events: those that are not known to be stored, the turn's own start apart. */
  unstored: BodyEvent[];
  credits: number;
}

/** The seq of the first event of {@link Progress.unstored}. */
export const firstUnstored = ({ next_seq, unstored }: Progress): number => next_seq - unstored.length;

/**
 * Stores what an agent has written so far, each event in the transaction that shows its effect in the message, so that
 * each read shows exactly the events before `next_seq`.
 */
@Injectable()
export class TurnJournal {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsService,
    private readonly messages: MessagesService,
    private readonly notifications: Notifications,
  ) {}

  /** Creates the partial message of a turn with its first events. @throws LeaseLost */
  async begin({ id, generation, conversation_id }: HeldTurn, progress: Progress): Promise<void> {
    const { body, next_seq, unstored, credits } = progress;
    await this.database.transaction(async (tx) => {
      const found: unknown[] = await tx.query(`SELECT t.id ${lockHeld('owner')}`, [id, generation]);
      if (found.length === 0) throw new LeaseLost();
      const message = await this.messages.append(tx, {
        conversation_id,
        role: 'assistant',
        turn_id: id,
        is_partial: true,
        ...body,
      });
      await tx.query(
        `WITH turn AS (
           UPDATE turns SET message_id = $2, next_seq = $3, credits = $4, due_at = clock_timestamp() + ${LEASE}
            WHERE id = $1 RETURNING id
         ) ${insertEvents('turn.id', ['$5', '$6', '$7'], 'turn,')}`,
        [id, message.id, next_seq, credits, ...eventParameters(0, [startedEvent(message), ...unstored.map(bodyEvent)])],
      );
    });
    this.notifications.send(CONVERSATIONS, conversation_id);
  }

  /** Brings the partial message up to date; one statement, so one transaction. @throws LeaseLost */
  async advance(turn: HeldTurn, progress: Progress): Promise<void> {
    await this.write(this.database.manager, turn, progress);
    this.notifications.send(CONVERSATIONS, turn.conversation_id);
  }

  /**
   * Does a tool's work, which answers the progress with the events that tell of it, and stores both or neither.
   *
   * @throws LeaseLost before anything was done
   */
  async perform(turn: HeldTurn, work: (tx: Tx, project: Project) => Promise<Progress>): Promise<void> {
    await this.database.transaction(async (tx) => {
      const project = await this.projects.lock(tx, turn.company_id, turn.project_id).catch(endedWithProject);
      const found: unknown[] = await tx.query(`SELECT t.id FROM turns t WHERE ${held('owner')} FOR NO KEY UPDATE`, [
        turn.id,
        turn.generation,
      ]);
      if (found.length === 0) throw new LeaseLost();
      await this.write(tx, turn, await work(tx, project));
    });
    this.notifications.send(CONVERSATIONS, turn.conversation_id);
  }

  private async write(tx: Tx, { id, generation }: HeldTurn, progress: Progress): Promise<void> {
    const { body, next_seq, unstored, credits } = progress;
    const [, count]: [unknown[], number] = await tx.query(
      `WITH turn AS (
         UPDATE turns t SET next_seq = $3, credits = $4, due_at = clock_timestamp() + ${LEASE}
          WHERE ${held('owner')} RETURNING id, message_id
       ), written AS (${insertEvents('turn.id', ['$9', '$10', '$11'], 'turn,')})
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
        ...eventParameters(firstUnstored(progress), unstored.map(bodyEvent)),
      ],
    );
    if (count === 0) throw new LeaseLost();
  }
}
