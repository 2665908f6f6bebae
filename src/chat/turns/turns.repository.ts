import type { ConversationId, ProjectId } from '../../database/checked-id.js';
import { EntityRepository } from '../../database/entity-repository.js';
import { NotFound } from '../../common/errors/errors.js';
import { LeaseLost } from '../../common/leases/lease.js';
import { released, LEASED_UNTIL, OVERDUE, RENEWED } from '../../common/leases/leased-row.sql.js';
import { exhaustedBudget } from '../../usage/budgets.sql.js';
import type { ExhaustedBudget } from '../../usage/exhausted-budget.js';
import {
  ACTIVE_TURN,
  type ConversationHead,
  conversationCondition,
} from '../conversations/conversations.repository.js';
import { bodyParameters } from '../messages/messages.repository.js';
import { firstUnstored, type Progress } from './progress.js';
import { bodyEvent, eventParameters, type EventRow, removeEvents, STARTED } from './turn-events.repository.js';
import { Turn, type TurnOutcome } from './turn.entity.js';
import { ADVANCE, BEGIN, CLAIM, CONTINUE, END, type Holder, LEASED, leased, lockLeased, START } from './turns.sql.js';

export type { Holder } from './turns.sql.js';

/** Name of the queue where turns wait for a worker. */
export const TURN_QUEUE = 'turn';

/**
 * Fields of a running turn that its owner needs. `generation` makes the owner's writes fail after another process has claimed
 * the turn.
 */
export type LeasedTurn = Pick<
  Turn,
  | 'id'
  | 'project_id'
  | 'conversation_id'
  | 'company_id'
  | 'user_id'
  | 'api_key_id'
  | 'generation'
  | 'attempts'
  | 'credits'
>;

/** Returns the ids of a turn for log entries. */
export const idsOf = ({ id, company_id, project_id, conversation_id }: LeasedTurn): object => ({
  turn_id: id,
  company_id,
  project_id,
  conversation_id,
});

/** Capacity of a process for additional turns. */
export interface Capacity {
  turns: number;
  /** Maximum number of running turns per company. */
  ofCompany: number;
  /** Number of running turns by company. */
  running: ReadonlyMap<string, number>;
}

/** Turns that a process has claimed. */
export interface ClaimedTurns {
  turns: LeasedTurn[];
  /** Whether other turns are waiting. */
  moreWait: boolean;
  /** Whether some turns were skipped only because their conversations are locked. */
  someLocked: boolean;
}

/** Stored data of a turn that is locked by the transaction. */
export type LockedTurn = Omit<LeasedTurn, 'generation' | 'attempts'> &
  Pick<Turn, 'message_id' | 'next_seq' | 'body_seq' | 'model'> & {
    /** New ids for the message of the turn, if it does not exist yet, and for a notice after the message. */
    new_message_id: string;
    notice_id: string;
  };

/** State of a conversation that determines what happens to a new message. */
export interface Situation {
  /** Whether a turn is dispatched or running. */
  is_active: boolean;
  /** Number of messages in the dispatched turn. */
  joined: number;
  /** Number of messages that do not belong to a turn yet. */
  waiting: number;
  /** Total size of the joined and waiting messages, in bytes. */
  bytes: number;
  /** New ids for the message to add and for the turn to start. */
  new_message_id: string;
  new_turn_id: string;
}

const POSTER = { company_id: '$3', project_id: 'c.project_id', user_id: '$4', api_key_id: '$5' };
const COUNTED = 'count(*)::integer, coalesce(sum(octet_length(content)), 0) AS bytes';
const LOCKED =
  't.id, t.project_id, t.conversation_id, t.company_id, t.user_id, t.api_key_id, t.message_id, t.next_seq, t.body_seq, t.model, t.credits, ' +
  'uuidv7() AS new_message_id, uuidv7() AS notice_id';

const leaseParameters = ({
  id,
  generation,
  conversation_id,
}: Pick<LeasedTurn, 'id' | 'generation' | 'conversation_id'>): [string, number, string] => [
  id,
  generation,
  conversation_id,
];

/** Counts the active turns. They are few, and an index contains only them. */
export const COUNT_ACTIVE_TURNS = `
  SELECT count(*) FILTER (WHERE state = 'dispatched')::integer AS pws_turns_waiting,
         count(*) FILTER (WHERE state = 'streaming')::integer AS pws_turns_running,
         coalesce(extract(epoch FROM clock_timestamp() - min(created_at) FILTER (WHERE state = 'dispatched')), 0)::double precision
           AS pws_turn_oldest_waiting_seconds
    FROM turns WHERE state <> 'ended'`;

/**
 * Stores turns. Writers must hold the conversation lock. Only the owner of a running turn writes without the lock, using its
 * generation.
 */
export class TurnsRepository extends EntityRepository(Turn) {
  /** Returns the state of a conversation. */
  async situation(project_id: ProjectId, conversation_id: ConversationId): Promise<Situation> {
    return await this.situationWhere<Situation>('', conversationCondition(project_id, conversation_id), []);
  }

  /**
   * Returns the state of the given or the default conversation, and an exhausted budget that applies to the author of a post,
   * if any.
   */
  async situationFor(
    project_id: string,
    conversationId: string | null | undefined,
    { company_id, user_id, api_key_id }: Pick<Turn, 'company_id' | 'user_id' | 'api_key_id'>,
  ): Promise<Situation & { exhausted: ExhaustedBudget | null }> {
    const poster = [company_id, user_id, api_key_id];
    return await this.situationWhere(
      `, ${exhaustedBudget(POSTER)} AS exhausted`,
      conversationCondition(project_id, conversationId),
      poster,
    );
  }

  private async situationWhere<Seen extends Situation>(
    more: string,
    { condition, parameters }: ReturnType<typeof conversationCondition>,
    extraParameters: unknown[],
  ): Promise<Seen> {
    const [situation]: Seen[] = await this.query(
      `SELECT t.id IS NOT NULL AS is_active, joined.count AS joined, waiting.count AS waiting, joined.bytes + waiting.bytes AS bytes,
              uuidv7() AS new_message_id, uuidv7() AS new_turn_id${more}
         FROM conversations c ${ACTIVE_TURN},
              LATERAL (SELECT ${COUNTED} FROM messages WHERE turn_id = t.id AND t.state = 'dispatched') joined,
              LATERAL (SELECT ${COUNTED} FROM messages WHERE conversation_id = c.id AND turn_id IS NULL) waiting
        WHERE ${condition}`,
      [...parameters, ...extraParameters],
    );
    if (situation === undefined) throw new NotFound('Conversation');
    return situation;
  }

  /**
   * Starts a turn in an idle conversation for all waiting messages. User messages that are appended before a worker claims the
   * turn join it. The author of the first waiting message is charged, or the given author if no message is waiting. The project
   * must be locked.
   */
  async start(
    id: string,
    { id: conversation_id, project_id }: Pick<ConversationHead, 'id' | 'project_id'>,
    { company_id, user_id, api_key_id }: Pick<Turn, 'company_id' | 'user_id' | 'api_key_id'>,
  ): Promise<void> {
    await this.query(START, [conversation_id, project_id, company_id, user_id, api_key_id, id]);
  }

  /**
   * Claims dispatched turns for `owner`. Companies alternate, and each company's oldest turn comes first. No message can join a
   * claimed turn.
   */
  async claim(owner: string, model: string, { turns, ofCompany, running }: Capacity): Promise<ClaimedTurns> {
    const rows: (LeasedTurn & { more_wait: boolean; some_locked: boolean })[] = await this.query(CLAIM, [
      owner,
      model,
      turns,
      [...running.keys()],
      [...running.values()],
      ofCompany,
    ]);
    // If no turn is claimed, the result is a single row of nulls.
    return {
      turns: rows.filter(({ id }) => (id as string | null) !== null),
      moreWait: rows[0]?.more_wait ?? false,
      someLocked: rows[0]?.some_locked ?? false,
    };
  }

  /** Extends the lease on a running turn. @throws LeaseLost */
  async renew(turn: LeasedTurn): Promise<void> {
    const [, count]: [unknown[], number] = await this.query(
      `UPDATE turns t SET ${RENEWED} WHERE ${leased('owner')}`,
      leaseParameters(turn),
    );
    if (count === 0) throw new LeaseLost();
  }

  /**
   * Dispatches a running turn again if it has no visible output. Returns false if the turn must end instead.
   *
   * @param returned number of attempts to subtract because they do not count
   * @param attempts maximum number of attempts that count
   */
  async redispatch(turn: LeasedTurn, holder: Holder, returned: number, attempts: number): Promise<boolean> {
    const [, count]: [unknown[], number] = await this.query(
      `UPDATE turns t
          SET state = 'dispatched', ${released('$4')}, due_at = ${LEASED_UNTIL}, credits = $5
        WHERE ${leased(holder)} AND next_seq = 0 AND attempts - $4 < ${attempts}`,
      [...leaseParameters(turn), returned, turn.credits],
    );
    return count > 0;
  }

  /** Returns running turns whose lease has expired. */
  async expired(limit: number): Promise<LeasedTurn[]> {
    return await this.query(`SELECT ${LEASED} FROM turns WHERE state = 'streaming' AND ${OVERDUE} LIMIT ${limit}`);
  }

  /** Removes the events of up to `limit` turns that ended at least `age` (an SQL interval) ago. Returns the number of turns. */
  async evictEvents(age: string, limit: number): Promise<number> {
    const [{ evicted }]: [{ evicted: number }] = await this.query(
      `WITH over AS (
         UPDATE turns SET keeps_events = false
          WHERE id = ANY (ARRAY(SELECT id FROM turns
                                  WHERE keeps_events AND ended_at IS NOT NULL AND ended_at < now() - ${age}
                                  ORDER BY ended_at LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED))
         RETURNING id
       ), removed AS (${removeEvents('over')})
       SELECT count(*)::integer AS evicted FROM over`,
    );
    return evicted;
  }

  /** Locks a running turn, but not its conversation, if the turn is still held by its owner. @throws LeaseLost */
  async lockForOwner(turn: LeasedTurn): Promise<void> {
    const rows: unknown[] = await this.query(
      `SELECT t.id FROM turns t WHERE ${leased('owner')} FOR NO KEY UPDATE`,
      leaseParameters(turn),
    );
    if (rows.length === 0) throw new LeaseLost();
  }

  /** Locks the conversation and then its running turn. Returns undefined if the holder has lost the turn. */
  async lockWithConversation(turn: LeasedTurn, holder: Holder): Promise<LockedTurn | undefined> {
    const [row]: LockedTurn[] = await this.query(`SELECT ${LOCKED} ${lockLeased(holder)}`, leaseParameters(turn));
    return row;
  }

  /** Locks the active turn of a locked conversation, or only the given turn. Returns undefined if there is no such turn. */
  async lockActive(conversation_id: ConversationId, turn_id: string | null): Promise<LockedTurn | undefined> {
    const [turn]: LockedTurn[] = await this.query(
      `SELECT ${LOCKED} FROM turns t
        WHERE t.conversation_id = $1 AND t.state <> 'ended' AND ($2::uuid IS NULL OR t.id = $2) FOR NO KEY UPDATE`,
      [conversation_id, turn_id],
    );
    return turn;
  }

  async activeIn(project_id: ProjectId): Promise<Pick<Turn, 'id' | 'conversation_id'>[]> {
    return await this.query(
      `SELECT id, conversation_id FROM turns
        WHERE conversation_id IN (SELECT id FROM conversations WHERE project_id = $1) AND state <> 'ended'`,
      [project_id],
    );
  }

  /**
   * Creates a turn's partial message with the turn's first events, in a single statement and therefore atomically. Locks the
   * conversation before the turn, like all other writers, which prevents deadlocks.
   *
   * @returns the id of the message
   * @throws LeaseLost
   */
  async begin(turn: LeasedTurn, { body, next_seq, unstored, credits }: Progress): Promise<string> {
    const [message]: { message_id: string }[] = await this.query(BEGIN, [
      ...leaseParameters(turn),
      next_seq,
      credits,
      ...bodyParameters(body),
      ...eventParameters(0, [STARTED, ...unstored.map(bodyEvent)]),
    ]);
    if (message === undefined) throw new LeaseLost();
    return message.message_id;
  }

  /** Updates the partial message and adds its events in a single statement. @throws LeaseLost */
  async advance(turn: LeasedTurn, progress: Progress): Promise<void> {
    const { body, next_seq, unstored, credits } = progress;
    const [, count]: [unknown[], number] = await this.query(ADVANCE, [
      ...leaseParameters(turn),
      next_seq,
      credits,
      ...bodyParameters(body),
      ...eventParameters(firstUnstored(progress), unstored.map(bodyEvent)),
    ]);
    if (count === 0) throw new LeaseLost();
  }

  /**
   * Adds events without updating the message, so that each write contains only new output. Readers apply the events from
   * `body_seq` onwards to the message.
   * @throws LeaseLost
   */
  async continue(turn: LeasedTurn, progress: Progress): Promise<void> {
    const { next_seq, unstored, credits } = progress;
    const events = eventParameters(firstUnstored(progress), unstored.map(bodyEvent));
    const rows: unknown[] = await this.query(CONTINUE, [...leaseParameters(turn), next_seq, credits, ...events]);
    if (rows.length === 0) throw new LeaseLost();
  }

  /** Ends a locked turn with its last events. */
  async end(
    { id, next_seq }: Pick<Turn, 'id' | 'next_seq'>,
    { outcome, message_id, credits }: { outcome: TurnOutcome; message_id: string | null; credits: number },
    events: EventRow[],
  ): Promise<void> {
    await this.query(END, [
      id,
      outcome,
      message_id,
      next_seq + events.length,
      credits,
      ...eventParameters(next_seq, events),
    ]);
  }

  /**
   * Clears the message id of up to `limit` turns. Turns and messages reference each other, so neither could be removed
   * otherwise. Returns the number of changed turns.
   */
  async forgetMessages(conversation_id: ConversationId, limit: number): Promise<number> {
    const [, rows]: [unknown[], number] = await this.query(
      `UPDATE turns SET message_id = NULL WHERE id = ANY (ARRAY(
     SELECT id FROM turns WHERE conversation_id = $1 AND message_id IS NOT NULL LIMIT $2))`,
      [conversation_id, limit],
    );
    return rows;
  }

  /** Removes up to `limit` turns. Returns their number. */
  async removePage(conversation_id: ConversationId, limit: number): Promise<number> {
    const [, rows]: [unknown[], number] = await this.query(
      'DELETE FROM turns WHERE id = ANY (ARRAY(SELECT id FROM turns WHERE conversation_id = $1 LIMIT $2))',
      [conversation_id, limit],
    );
    return rows;
  }
}
