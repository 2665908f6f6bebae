import { Injectable } from '@nestjs/common';
import { Database, type Tx } from '../../platform/database/database.js';
import { NotFound } from '../../platform/errors/errors.js';
import { addNewJob } from '../../platform/jobs/jobs.repository.js';
import { Jobs } from '../../platform/jobs/jobs.service.js';
import { LEASE, LeaseLost } from '../../platform/leases/lease.js';
import { adjustProject } from '../../projects/projects.queries.js';
import type { ConversationHead } from '../conversations/conversations.service.js';
import type { Turn } from './turn.entity.js';

/** Name of the job that runs a turn; its payload is `{ turn_id }`. The turn's row is the truth, the job wakes up. */
export const TURN_TASK = 'turn';

/** A turn that never got to write anything is tried so often. */
const MOST_ATTEMPTS = 3;
const RECOVERED_AT_ONCE = 100;
const PUT_BACK_MS = 1_000;
/** Events of a turn can be read so long after its end. */
const EVENTS_KEPT = `interval '10 min'`;
const EVICTED_AT_ONCE = 500;

/** What the owner of a running turn knows of it; `generation` makes its writes its own. */
export type HeldTurn = Pick<
  Turn,
  'id' | 'project_id' | 'conversation_id' | 'company_id' | 'user_id' | 'api_key_id' | 'generation' | 'credits'
>;

/** Who may write: the owner, or anybody once the owner has let the lease run out. */
export type Holder = 'owner' | 'reaper';

/** How it stands with a conversation. */
export interface Situation {
  /** Whether a turn waits for its start or runs. */
  is_active: boolean;
  /** Messages of the turn that waits for its start. */
  joined: number;
  /** Messages that no turn has taken. */
  waiting: number;
  /** What these and the joined ones say, in bytes. */
  bytes: number;
}

/** For a turn whose project is not found: the turn has ended with it. @throws LeaseLost */
export function endedWithProject(error: unknown): never {
  throw error instanceof NotFound ? new LeaseLost() : error;
}

const COUNTED = 'count(*)::integer, coalesce(sum(octet_length(content)), 0) AS bytes';

const HELD = 'id, project_id, conversation_id, company_id, user_id, api_key_id, generation, credits';

/**
 * Condition that a turn `t` is still held; its parameters $1 to $3 are {@link heldParameters}. The conversation makes it a
 * look-up: by id and state alone, the planner may read all turns that are active.
 */
export const held = (holder: Holder): string =>
  `t.id = $1 AND t.generation = $2 AND t.conversation_id = $3 AND t.state = 'streaming'${holder === 'reaper' ? ' AND t.due_at < clock_timestamp()' : ''}`;

export const heldParameters = ({
  id,
  generation,
  conversation_id,
}: Pick<HeldTurn, 'id' | 'generation' | 'conversation_id'>): [string, number, string] => [
  id,
  generation,
  conversation_id,
];

/** FROM and what follows of a SELECT that locks the conversation and then its turn `t`, in this order, while it is held. */
export const lockHeld = (holder: Holder): string =>
  `FROM conversations c, turns t WHERE c.id = $3 AND ${held(holder)} FOR NO KEY UPDATE OF c, t`;

/** Turns from their start to their claim, and how they are kept. Callers that pass `tx` hold the conversation's lock. */
@Injectable()
export class TurnsService {
  constructor(
    private readonly database: Database,
    private readonly jobs: Jobs,
  ) {}

  /** What a new message finds in its conversation. */
  async situation(tx: Tx, conversation_id: string): Promise<Situation> {
    const [found]: Situation[] = await tx.query(
      `SELECT t.id IS NOT NULL AS is_active, joined.count AS joined, waiting.count AS waiting, joined.bytes + waiting.bytes AS bytes
         FROM (SELECT $1::uuid AS conversation_id) c
         LEFT JOIN turns t ON t.conversation_id = c.conversation_id AND t.state <> 'ended',
              LATERAL (SELECT ${COUNTED} FROM messages WHERE turn_id = t.id AND t.state = 'dispatched') joined,
              (SELECT ${COUNTED} FROM messages WHERE conversation_id = $1 AND turn_id IS NULL) waiting`,
      [conversation_id],
    );
    if (found === undefined) throw new Error('A situation has no row');
    return found;
  }

  /**
   * Starts a turn in an idle conversation for every message that waits there; a user's message that is appended then joins
   * it. Charged is the author of the first that waits, or the one that is given when none does. The project is locked.
   */
  async start(
    tx: Tx,
    { id: conversation_id, project_id }: Pick<ConversationHead, 'id' | 'project_id'>,
    { company_id, user_id, api_key_id }: Pick<Turn, 'company_id' | 'user_id' | 'api_key_id'>,
  ): Promise<void> {
    const started: unknown[] = await tx.query(
      `WITH waiting AS (
         SELECT id, user_id, api_key_id, sequence FROM messages WHERE conversation_id = $1 AND turn_id IS NULL
       ), spender AS (
         SELECT user_id, api_key_id, sequence FROM waiting
         UNION ALL SELECT $4, $5::uuid, NULL
         ORDER BY sequence LIMIT 1
       ), turn AS (
         INSERT INTO turns (conversation_id, project_id, company_id, user_id, api_key_id)
         SELECT $1, $2, $3, user_id, api_key_id FROM spender
         RETURNING id
       ), taken AS (
         UPDATE messages m SET turn_id = turn.id FROM turn, waiting WHERE m.id = waiting.id
       ), counted AS (${adjustProject('$2', { active_turns: '1' })}
       )
       SELECT id, ${addNewJob('$6', { payload: `json_build_object('turn_id', id)`, jobKey: `$6 || ':' || id` })} FROM turn`,
      [conversation_id, project_id, company_id, user_id, api_key_id, TURN_TASK],
    );
    if (started.length === 0) throw new Error('The turn was not created');
  }

  /** Makes some worker look at a dispatched turn, at `runAt` at the earliest. */
  async wake(tx: Tx, turn_id: string, runAt?: Date): Promise<void> {
    await this.jobs.add(tx, TURN_TASK, { turn_id }, { jobKey: `${TURN_TASK}:${turn_id}`, ...(runAt && { runAt }) });
  }

  /** Leaves a dispatched turn to another process. */
  async putBack(turn_id: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      await this.wake(tx, turn_id, new Date(Date.now() + PUT_BACK_MS));
    });
  }

  /** Makes `owner` the one who runs a dispatched turn; null when there is nothing to claim. Its messages are now fixed. */
  async claim(turn_id: string, owner: string): Promise<HeldTurn | null> {
    // Posts hold the conversation's lock, so a message either joined before this or waits for the next turn.
    const [turn]: HeldTurn[] = await this.database.manager.query(
      `WITH conversation AS MATERIALIZED (
         SELECT c.id FROM conversations c WHERE c.id = (SELECT t.conversation_id FROM turns t WHERE t.id = $1) FOR NO KEY UPDATE
       ), claimed AS (
         UPDATE turns t
            SET state = 'streaming', owner = $2, generation = generation + 1, attempts = attempts + 1,
                due_at = clock_timestamp() + ${LEASE}
          WHERE t.id = $1 AND t.conversation_id = (SELECT id FROM conversation) AND t.state = 'dispatched'
         RETURNING t.*
       ), told AS (
         UPDATE workspace_changes w SET turn_id = claimed.id FROM claimed
          WHERE w.conversation_id = claimed.conversation_id AND w.turn_id IS NULL
       )
       SELECT ${HELD} FROM claimed`,
      [turn_id, owner],
    );
    return turn ?? null;
  }

  /** Keeps a running turn. @throws LeaseLost */
  async renew(turn: HeldTurn): Promise<void> {
    const [, count]: [unknown[], number] = await this.database.manager.query(
      `UPDATE turns t SET due_at = clock_timestamp() + ${LEASE} WHERE ${held('owner')}`,
      heldParameters(turn),
    );
    if (count === 0) throw new LeaseLost();
  }

  /**
   * Dispatches a running turn again, when nothing of it has been seen yet; messages that waited behind it join it. False
   * when it has to end instead. A process that goes away in peace gives its attempt back; `credits` is what it has cost.
   */
  async redispatch(turn: HeldTurn, holder: Holder): Promise<boolean> {
    const { id, conversation_id, credits } = turn;
    return await this.database.transaction(async (tx) => {
      await tx.query('SELECT id FROM conversations WHERE id = $1 FOR NO KEY UPDATE', [conversation_id]);
      const [, count]: [unknown[], number] = await tx.query(
        `UPDATE turns t
            SET state = 'dispatched', owner = NULL, attempts = attempts - $4, due_at = clock_timestamp() + ${LEASE},
                credits = $5
          WHERE ${held(holder)} AND next_seq = 0 AND attempts - $4 < ${MOST_ATTEMPTS}`,
        [...heldParameters(turn), holder === 'owner' ? 1 : 0, credits],
      );
      if (count === 0) return false;
      await tx.query('UPDATE messages SET turn_id = $1 WHERE conversation_id = $2 AND turn_id IS NULL', [
        id,
        conversation_id,
      ]);
      await this.wake(tx, id);
      return true;
    });
  }

  /** Running turns whose owner has let the lease run out. */
  async expired(): Promise<HeldTurn[]> {
    return await this.database.manager.query(
      `SELECT ${HELD} FROM turns WHERE state = 'streaming' AND due_at < clock_timestamp() LIMIT ${RECOVERED_AT_ONCE}`,
    );
  }

  /** Wakes somebody for dispatched turns that nobody has claimed for a while: their job may have died with its worker. */
  async rewake(): Promise<void> {
    await this.database.transaction(async (tx) => {
      const [turns]: [Pick<Turn, 'id' | 'created_at'>[], number] = await tx.query(
        `UPDATE turns SET due_at = clock_timestamp() + ${LEASE}
          WHERE id IN (SELECT id FROM turns WHERE state = 'dispatched' AND due_at < clock_timestamp()
                        ORDER BY due_at LIMIT ${RECOVERED_AT_ONCE} FOR NO KEY UPDATE SKIP LOCKED)
        RETURNING id, created_at`,
      );
      // With the time of their start, so that they keep their place among those that wait for a free worker.
      for (const { id, created_at } of turns) await this.wake(tx, id, created_at);
    });
  }

  /** Removes the events of turns that are over for a while. */
  async evictEvents(): Promise<void> {
    for (let evicted = EVICTED_AT_ONCE; evicted === EVICTED_AT_ONCE;) {
      [{ evicted }] = await this.database.manager.query(
        `WITH over AS (
           UPDATE turns SET keeps_events = false
            WHERE id IN (SELECT id FROM turns
                          WHERE keeps_events AND ended_at IS NOT NULL AND ended_at < now() - ${EVENTS_KEPT}
                          ORDER BY ended_at LIMIT ${EVICTED_AT_ONCE} FOR NO KEY UPDATE SKIP LOCKED)
           RETURNING id
         ), removed AS (DELETE FROM turn_events e USING over WHERE e.turn_id = over.id)
         SELECT count(*)::integer AS evicted FROM over`,
      );
    }
  }
}
