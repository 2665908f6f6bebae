import { Injectable } from '@nestjs/common';
import { Database, type Tx } from '../../platform/database/database.js';
import { LEASE, LeaseLost } from '../../platform/leases/lease.js';
import { Notifications } from '../../platform/database/notifications.service.js';
import type { Project } from '../../projects/project.entity.js';
import { ProjectsService } from '../../projects/projects.service.js';
import type { BodyEvent, MessageBody } from '../messages/message-body.js';
import { CONVERSATIONS } from '../notices.js';
import { bodyEvent, eventParameters, insertEvents, STARTED, WITH_MESSAGE } from './turn-events.js';
import { endedWithProject, held, heldParameters, type HeldTurn, lockHeld } from './turns.service.js';

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
    private readonly notifications: Notifications,
  ) {}

  /**
   * Creates the partial message of a turn with its first events; one statement, so one transaction. It is not tried again:
   * it locks the conversation before the turn, as everybody does, so there is no deadlock.
   *
   * @throws LeaseLost
   */
  async begin(turn: HeldTurn, progress: Progress): Promise<void> {
    const { body, next_seq, unstored, credits } = progress;
    const begun: unknown[] = await this.database.manager.query(
      `WITH held AS MATERIALIZED (
         SELECT t.id ${lockHeld('owner')}
       ), c AS (
         UPDATE conversations c SET last_sequence = c.last_sequence + 1, updated_at = clock_timestamp()
           FROM held WHERE c.id = $3 RETURNING c.*
       ), m AS (
         INSERT INTO messages (conversation_id, project_id, sequence, created_at, role, turn_id, is_partial, content,
                               content_segments, tool_calls, affected_card_ids)
         SELECT c.id, c.project_id, c.last_sequence, clock_timestamp(), 'assistant', $1, true, $6, $7, $8, $9 FROM c
         RETURNING *
       ), turn AS (
         UPDATE turns t SET message_id = m.id, next_seq = $4, credits = $5, due_at = clock_timestamp() + ${LEASE}
           FROM m WHERE t.id = $1 RETURNING t.id
       ), written AS (${insertEvents('turn.id', ['$10', '$11', '$12'], 'turn, m,', WITH_MESSAGE)})
       SELECT id FROM turn`,
      [
        ...heldParameters(turn),
        next_seq,
        credits,
        ...bodyParameters(body),
        ...eventParameters(0, [STARTED, ...unstored.map(bodyEvent)]),
      ],
    );
    if (begun.length === 0) throw new LeaseLost();
    this.notifications.send(CONVERSATIONS, turn.conversation_id);
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
      const found: unknown[] = await tx.query(
        `SELECT t.id FROM turns t WHERE ${held('owner')} FOR NO KEY UPDATE`,
        heldParameters(turn),
      );
      if (found.length === 0) throw new LeaseLost();
      await this.write(tx, turn, await work(tx, project));
    });
    this.notifications.send(CONVERSATIONS, turn.conversation_id);
  }

  private async write(tx: Tx, turn: HeldTurn, progress: Progress): Promise<void> {
    const { body, next_seq, unstored, credits } = progress;
    const [, count]: [unknown[], number] = await tx.query(
      `WITH turn AS (
         UPDATE turns t SET next_seq = $4, credits = $5, due_at = clock_timestamp() + ${LEASE}
          WHERE ${held('owner')} RETURNING id, message_id
       ), written AS (${insertEvents('turn.id', ['$10', '$11', '$12'], 'turn,')})
       UPDATE messages SET content = $6, content_segments = $7, tool_calls = $8, affected_card_ids = $9
        WHERE id = (SELECT message_id FROM turn)`,
      [
        ...heldParameters(turn),
        next_seq,
        credits,
        ...bodyParameters(body),
        ...eventParameters(firstUnstored(progress), unstored.map(bodyEvent)),
      ],
    );
    if (count === 0) throw new LeaseLost();
  }
}

/** content, content_segments, tool_calls and affected_card_ids as parameters. */
const bodyParameters = ({ content, content_segments, tool_calls, affected_card_ids }: MessageBody): unknown[] => [
  content,
  JSON.stringify(content_segments),
  JSON.stringify(tool_calls),
  affected_card_ids,
];
