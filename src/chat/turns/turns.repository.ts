import type { ConversationId, ProjectId } from '../../database/checked-id.js';
import { EntityRepository } from '../../database/entity-repository.js';
import { NotFound } from '../../common/errors/errors.js';
import { LeaseLost } from '../../common/leases/lease.js';
import { givenBack, LEASED_UNTIL, OVERDUE, RENEWED } from '../../common/leases/leased-row.sql.js';
import { exhaustedBudget } from '../../usage/budgets.sql.js';
import type { ExhaustedBudget } from '../../usage/exhausted-budget.js';
import { ACTIVE_TURN, type ConversationHead, named } from '../conversations/conversations.repository.js';
import { bodyParameters } from '../messages/messages.repository.js';
import { firstUnstored, type Progress } from './progress.js';
import { bodyEvent, eventParameters, type EventRow, removeEvents, STARTED } from './turn-events.repository.js';
import { Turn, type TurnOutcome } from './turn.entity.js';
import { ADVANCE, BEGIN, CLAIM, CONTINUE, END, type Holder, LEASED, leased, lockLeased, START } from './turns.sql.js';

export type { Holder } from './turns.sql.js';

/** Name of the queue in which turns wait for a worker. */
export const TURN_QUEUE = 'turn';

/** What the owner of a running turn knows of it; `generation` makes its writes its own. */
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

/** Ids of a turn for the log. */
export const idsOf = ({ id, company_id, project_id, conversation_id }: LeasedTurn): object => ({
  turn_id: id,
  company_id,
  project_id,
  conversation_id,
});

/** Turns that a process can claim. */
export interface Room {
  turns: number;
  /** Maximum number of running turns of a company. */
  ofCompany: number;
  /** Numbers of running turns by company. */
  running: ReadonlyMap<string, number>;
}

/** Turns that a process has claimed. */
export interface ClaimedTurns {
  turns: LeasedTurn[];
  /** Whether other turns wait. */
  moreWait: boolean;
  /** Whether some of them were skipped only because their conversations are locked. */
  someLocked: boolean;
}

/** What is stored of a turn that the transaction has locked. */
export type LockedTurn = Omit<LeasedTurn, 'generation' | 'attempts'> &
  Pick<Turn, 'message_id' | 'next_seq' | 'body_seq' | 'model'> & {
    /** Ids for the message of the turn, where it has none yet, and for a notice behind it. */
    new_message_id: string;
    notice_id: string;
  };

/** State of a conversation. */
export interface Situation {
  /** Whether a turn waits for its start or runs. */
  is_active: boolean;
  /** Messages of the turn that waits for its start. */
  joined: number;
  /** Messages that no turn has taken. */
  waiting: number;
  /** Bytes of text in these and the joined ones. */
  bytes: number;
  /** Ids for a message that is added and for a turn that is started. */
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

/** Reads the index of active turns, which are few. */
export const COUNT_ACTIVE_TURNS = `
  SELECT count(*) FILTER (WHERE state = 'dispatched')::integer AS pws_turns_waiting,
         count(*) FILTER (WHERE state = 'streaming')::integer AS pws_turns_running,
         coalesce(extract(epoch FROM clock_timestamp() - min(created_at) FILTER (WHERE state = 'dispatched')), 0)::double precision
           AS pws_turn_oldest_waiting_seconds
    FROM turns WHERE state <> 'ended'`;

/** Turns. Writers hold the lock of the conversation, but for the owner of a running turn, who names its generation. */
export class TurnsRepository extends EntityRepository(Turn) {
  /** State of a conversation. */
  async situation(project_id: ProjectId, conversation_id: ConversationId): Promise<Situation> {
    return await this.look<Situation>('', named(project_id, conversation_id), []);
  }

  /** State of the named conversation of a project, or its default one, in which somebody posts, and a budget that they find used up. */
  async situationFor(
    project_id: string,
    conversationId: string | null | undefined,
    { company_id, user_id, api_key_id }: Pick<Turn, 'company_id' | 'user_id' | 'api_key_id'>,
  ): Promise<Situation & { exhausted: ExhaustedBudget | null }> {
    const poster = [company_id, user_id, api_key_id];
    return await this.look(`, ${exhaustedBudget(POSTER)} AS exhausted`, named(project_id, conversationId), poster);
  }

  private async look<Seen extends Situation>(
    more: string,
    { condition, parameters }: ReturnType<typeof named>,
    others: unknown[],
  ): Promise<Seen> {
    const [found]: Seen[] = await this.query(
      `SELECT t.id IS NOT NULL AS is_active, joined.count AS joined, waiting.count AS waiting, joined.bytes + waiting.bytes AS bytes,
              uuidv7() AS new_message_id, uuidv7() AS new_turn_id${more}
         FROM conversations c ${ACTIVE_TURN},
              LATERAL (SELECT ${COUNTED} FROM messages WHERE turn_id = t.id AND t.state = 'dispatched') joined,
              LATERAL (SELECT ${COUNTED} FROM messages WHERE conversation_id = c.id AND turn_id IS NULL) waiting
        WHERE ${condition}`,
      [...parameters, ...others],
    );
    if (found === undefined) throw new NotFound('Conversation');
    return found;
  }

  /**
   * Starts a turn in an idle conversation for every message that waits there; a user's message that is appended then joins
   * it. Charged is the author of the first that waits, or the one that is given when none does. The project is locked.
   */
  async start(
    id: string,
    { id: conversation_id, project_id }: Pick<ConversationHead, 'id' | 'project_id'>,
    { company_id, user_id, api_key_id }: Pick<Turn, 'company_id' | 'user_id' | 'api_key_id'>,
  ): Promise<void> {
    await this.query(START, [conversation_id, project_id, company_id, user_id, api_key_id, id]);
  }

  /**
   * Makes `owner` the one who runs dispatched turns with a model: companies in turn, the oldest turn of each first. The messages of
   * each turn are now fixed.
   */
  async claim(owner: string, model: string, { turns, ofCompany, running }: Room): Promise<ClaimedTurns> {
    const rows: (LeasedTurn & { more_wait: boolean; some_locked: boolean })[] = await this.query(CLAIM, [
      owner,
      model,
      turns,
      [...running.keys()],
      [...running.values()],
      ofCompany,
    ]);
    // Without a turn there is one row of nulls.
    return {
      turns: rows.filter(({ id }) => (id as string | null) !== null),
      moreWait: rows[0]?.more_wait ?? false,
      someLocked: rows[0]?.some_locked ?? false,
    };
  }

  /** Keeps a running turn. @throws LeaseLost */
  async renew(turn: LeasedTurn): Promise<void> {
    const [, count]: [unknown[], number] = await this.query(
      `UPDATE turns t SET ${RENEWED} WHERE ${leased('owner')}`,
      leaseParameters(turn),
    );
    if (count === 0) throw new LeaseLost();
  }

  /**
   * Dispatches a running turn again of which nothing has been seen yet; false when it has to end instead.
   *
   * @param returned attempts that do not count
   * @param attempts so many of them count at most
   */
  async redispatch(turn: LeasedTurn, holder: Holder, returned: number, attempts: number): Promise<boolean> {
    const [, count]: [unknown[], number] = await this.query(
      `UPDATE turns t
          SET state = 'dispatched', ${givenBack('$4')}, due_at = ${LEASED_UNTIL}, credits = $5
        WHERE ${leased(holder)} AND next_seq = 0 AND attempts - $4 < ${attempts}`,
      [...leaseParameters(turn), returned, turn.credits],
    );
    return count > 0;
  }

  /** Running turns whose owner has let the lease run out. */
  async expired(limit: number): Promise<LeasedTurn[]> {
    return await this.query(`SELECT ${LEASED} FROM turns WHERE state = 'streaming' AND ${OVERDUE} LIMIT ${limit}`);
  }

  /** Removes the events of up to `limit` turns that have been over for `age`, an SQL interval; answers their number. */
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

  /** Locks a running turn, and not its conversation, if its owner still holds it. @throws LeaseLost */
  async lockForOwner(turn: LeasedTurn): Promise<void> {
    const found: unknown[] = await this.query(
      `SELECT t.id FROM turns t WHERE ${leased('owner')} FOR NO KEY UPDATE`,
      leaseParameters(turn),
    );
    if (found.length === 0) throw new LeaseLost();
  }

  /** Locks the conversation and then its running turn, if the holder has it; undefined when it is not the holder's any more. */
  async lockWithConversation(turn: LeasedTurn, holder: Holder): Promise<LockedTurn | undefined> {
    const [found]: LockedTurn[] = await this.query(`SELECT ${LOCKED} ${lockLeased(holder)}`, leaseParameters(turn));
    return found;
  }

  /** Locks the active turn of a locked conversation, or only a given one; undefined when there is none. */
  async lockActive(conversation_id: ConversationId, turn_id: string | null): Promise<LockedTurn | undefined> {
    const [turn]: LockedTurn[] = await this.query(
      `SELECT ${LOCKED} FROM turns t
        WHERE t.conversation_id = $1 AND t.state <> 'ended' AND ($2::uuid IS NULL OR t.id = $2) FOR NO KEY UPDATE`,
      [conversation_id, turn_id],
    );
    return turn;
  }

  /** The active turns of a project. */
  async activeIn(project_id: ProjectId): Promise<Pick<Turn, 'id' | 'conversation_id'>[]> {
    return await this.query(
      `SELECT id, conversation_id FROM turns
        WHERE conversation_id IN (SELECT id FROM conversations WHERE project_id = $1) AND state <> 'ended'`,
      [project_id],
    );
  }

  /**
   * Creates the partial message of a turn with its first events; one statement, so one transaction. It locks the conversation
   * before the turn, as everybody does, so there is no deadlock.
   *
   * @returns the message's id
   * @throws LeaseLost
   */
  async begin(turn: LeasedTurn, { body, next_seq, unstored, credits }: Progress): Promise<string> {
    const [begun]: { message_id: string }[] = await this.query(BEGIN, [
      ...leaseParameters(turn),
      next_seq,
      credits,
      ...bodyParameters(body),
      ...eventParameters(0, [STARTED, ...unstored.map(bodyEvent)]),
    ]);
    if (begun === undefined) throw new LeaseLost();
    return begun.message_id;
  }

  /** Brings the partial message up to date, with the events that lead there; one statement. @throws LeaseLost */
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
   * Adds the events that lead on, and leaves the message as it is: readers add the events from `body_seq` on to it. So what
   * is written is no more than what has come. @throws LeaseLost
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

  /** Takes the messages from up to `limit` turns, as both refer to each other; the number of turns. */
  async forgetMessages(conversation_id: ConversationId, limit: number): Promise<number> {
    const [, rows]: [unknown[], number] = await this.query(
      `UPDATE turns SET message_id = NULL WHERE id = ANY (ARRAY(
     SELECT id FROM turns WHERE conversation_id = $1 AND message_id IS NOT NULL LIMIT $2))`,
      [conversation_id, limit],
    );
    return rows;
  }

  /** Removes up to `limit` turns and answers their number. */
  async removePage(conversation_id: ConversationId, limit: number): Promise<number> {
    const [, rows]: [unknown[], number] = await this.query(
      'DELETE FROM turns WHERE id = ANY (ARRAY(SELECT id FROM turns WHERE conversation_id = $1 LIMIT $2))',
      [conversation_id, limit],
    );
    return rows;
  }
}
