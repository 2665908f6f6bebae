import { claimedBy, FINISHED, OVERDUE, RENEWED } from '../../common/leases/leased-row.sql.js';
import { adjustProject } from '../../projects/projects.repository.js';
import { takeSequence } from '../conversations/conversations.repository.js';
import { removeChanges, assignChanges } from '../conversations/workspace-changes.repository.js';
import { insertMessage, joinMessages, writeBody } from '../messages/messages.repository.js';
import { insertEvents, WITH_MESSAGE } from './turn-events.repository.js';

/** Process that may write to a running turn: its owner, or any process once the lease has expired. */
export type Holder = 'owner' | 'reaper';

/**
 * Returns the condition that the holder may still write to a turn `t`. Its parameters $1 to $3 are the id, generation and
 * conversation of a leased turn. With the conversation, the planner uses an index lookup. With only the id and state, it may
 * read all active turns.
 */
export const leased = (holder: Holder): string =>
  `t.id = $1 AND t.generation = $2 AND t.conversation_id = $3 AND t.state = 'streaming'${holder === 'reaper' ? ` AND t.${OVERDUE}` : ''}`;

/**
 * Returns the FROM clause of a SELECT that locks the conversation and then its turn `t`, if the holder may still write to the
 * turn.
 */
export const lockLeased = (holder: Holder): string =>
  `FROM conversations c, turns t WHERE c.id = $3 AND ${leased(holder)} FOR NO KEY UPDATE OF c, t`;

/** Starts a turn: $1 conversation, $2 project, $3 company, $4 user, $5 API key, $6 id of the turn. */
export const START = `
  WITH waiting AS (
    SELECT id, user_id, api_key_id, sequence FROM messages WHERE conversation_id = $1 AND turn_id IS NULL
  ), spender AS (
    SELECT user_id, api_key_id, sequence FROM waiting
    UNION ALL SELECT $4, $5::uuid, NULL
    ORDER BY sequence LIMIT 1
  ), turn AS (
    INSERT INTO turns (id, conversation_id, project_id, company_id, user_id, api_key_id)
    SELECT $6, $1, $2, $3, user_id, api_key_id FROM spender
    RETURNING id
  ), taken AS (${joinMessages('turn', 'waiting')}
  ), counted AS (${adjustProject('$2', { active_turns: '1' })}
  )
  SELECT id FROM turn`;

/** Columns of a turn that its owner needs. */
export const LEASED = 'id, project_id, conversation_id, company_id, user_id, api_key_id, generation, attempts, credits';

/**
 * Condition for the state `dispatched` that matches the index on dispatched turns. If the condition compared the state itself,
 * the planner might read all active turns for each company.
 */
const DISPATCHED = 't.owner IS NULL AND t.ended_at IS NULL';

/** Returns SQL that selects the next company with dispatched turns. */
const nextCompany = (after: string): string =>
  `(SELECT t.company_id FROM turns t WHERE ${DISPATCHED} ${after} ORDER BY t.company_id LIMIT 1)`;

/**
 * Claims dispatched turns: $1 owner, $2 model, $3 number of turns, $4 companies with turns that the owner is running, $5 number
 * of these turns by company, $6 maximum number per company. Companies with the fewest running turns come first. A post holds
 * the conversation's lock, so its message either joins the turn before the claim or waits for the next turn. Turns in locked
 * conversations are skipped, so that the other turns do not wait for the locks.
 */
export const CLAIM = `
  WITH RECURSIVE company AS (
    SELECT ${nextCompany('')} AS id
     UNION ALL
    SELECT ${nextCompany('AND t.company_id > company.id')} FROM company WHERE id IS NOT NULL
  ), waiting AS MATERIALIZED (
    SELECT t.id, t.created_at, coalesce(running.count, 0) + t.position AS place
      FROM company LEFT JOIN unnest($4::text[], $5::integer[]) AS running (company_id, count) ON running.company_id = company.id,
           LATERAL (SELECT t.id, t.created_at, row_number() OVER (ORDER BY t.created_at) AS position
                      FROM turns t WHERE ${DISPATCHED} AND t.company_id = company.id
                     ORDER BY t.created_at LIMIT greatest($6 - coalesce(running.count, 0), 0)) t
  ), due AS MATERIALIZED (
    SELECT t.id FROM waiting w JOIN turns t ON t.id = w.id JOIN conversations c ON c.id = t.conversation_id
     WHERE ${DISPATCHED}
     ORDER BY w.place, w.created_at LIMIT $3 FOR NO KEY UPDATE OF t, c SKIP LOCKED
  ), claimed AS (
    UPDATE turns t SET state = 'streaming', model = $2, ${claimedBy('$1')}
      FROM due WHERE t.id = due.id
    RETURNING t.*
  ), told AS (${assignChanges('claimed')}
  )
  SELECT ${LEASED}, more_wait, some_locked
    FROM (SELECT EXISTS (SELECT FROM turns t WHERE ${DISPATCHED} AND t.id <> ALL (ARRAY(SELECT id FROM due))) AS more_wait,
                 (SELECT count(*) FROM due) < least($3, (SELECT count(*) FROM waiting)) AS some_locked) rest
    LEFT JOIN claimed ON true`;

/** Creates a turn's message: $1 to $3 lease, $4 next_seq, $5 credits, $6 to $10 body, $11 to $13 events. */
export const BEGIN = `
  WITH held AS MATERIALIZED (
    SELECT t.id ${lockLeased('owner')}
  ), c AS (${takeSequence('c.id = $3', 'FROM held')}
  ), m AS (${insertMessage({
    role: `'assistant'`,
    turn_id: '$1',
    is_partial: 'true',
    content: '$6',
    content_segments: '$7',
    tool_calls: '$8',
    affected_card_ids: '$9',
    model_steps: '$10',
  })}
  ), turn AS (
    UPDATE turns t SET message_id = m.id, next_seq = $4, credits = $5, ${RENEWED}
      FROM m WHERE t.id = $1 RETURNING t.id, t.message_id
  ), written AS (${insertEvents('turn.id', ['$11', '$12', '$13'], 'turn, m,', WITH_MESSAGE)})
  SELECT message_id FROM turn`;

/** Updates a turn's message, with the parameters of {@link BEGIN}. */
export const ADVANCE = `
  WITH turn AS (
    UPDATE turns t SET next_seq = $4, credits = $5, body_seq = NULL, ${RENEWED}
     WHERE ${leased('owner')} RETURNING id, message_id
  ), written AS (${insertEvents('turn.id', ['$11', '$12', '$13'], 'turn,')})
  ${writeBody('(SELECT message_id FROM turn)', ['$6', '$7', '$8', '$9', '$10'])}`;

/** Adds events to a turn without updating its message: $1 to $3 lease, $4 next_seq, $5 credits, $6 to $8 events. */
export const CONTINUE = `
  WITH turn AS (
    UPDATE turns t SET next_seq = $4, credits = $5, body_seq = coalesce(t.body_seq, $6), ${RENEWED}
     WHERE ${leased('owner')} RETURNING id
  ), written AS (${insertEvents('turn.id', ['$6', '$7', '$8'], 'turn,')})
  SELECT id FROM turn`;

/** Ends a turn: $1 turn, $2 outcome, $3 message, $4 next_seq, $5 credits, $6 to $8 events. */
export const END = `
  WITH ended AS (
    UPDATE turns SET state = 'ended', outcome = $2, ${FINISHED}, ended_at = clock_timestamp(),
           message_id = $3, next_seq = $4, credits = $5, body_seq = NULL
     WHERE id = $1 RETURNING id
  ), told AS (${removeChanges('ended')}
  ) ${insertEvents('ended.id', ['$6', '$7', '$8'], 'ended LEFT JOIN messages m ON m.id = $3,', WITH_MESSAGE)}`;
