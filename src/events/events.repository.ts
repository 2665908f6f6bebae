import { EntityRepository } from '../database/entity-repository.js';
import { sharedRead } from '../database/shared-reads.js';
import type { Actor, ProjectId } from './event-types.js';
import { Event } from './event.entity.js';
import {
  ALL_UNRELAYED,
  APPEND_FEW,
  APPEND_MANY,
  FOLLOW,
  FOLLOWING,
  MARK_RELAYED,
  REMOVE_OLD,
  STREAMS,
  UNRELAYED,
} from './events.sql.js';

/** An event that has no number yet; `data` is JSON text. */
export interface NewEvent {
  type: string;
  data: string;
}

/** An event as it is read: texts but for its number. */
export interface StoredEvent extends NewEvent {
  id: number;
  at: string;
  actor_kind: Actor['kind'];
  actor_id: string | null;
}

/** An event for the followers of a company. */
export interface OutgoingEvent extends StoredEvent {
  stream_id: string;
  company_id: string;
  /** Whether it concerns the company, and no project. */
  of_company: boolean;
}

/** What follows an event, limited in size. */
export interface FollowingEvents {
  /** Number of the newest event of all. */
  last_id: number;
  events: StoredEvent[];
}

/**
 * Events and, in `event_heads`, how far each stream has come, and how far it was relayed where its company is one of
 * `event_followers`.
 */
export class EventsRepository extends EntityRepository(Event) {
  /** Lets a company have events that concern no project, as each project has from its creation on; again is fine. */
  async openCompany(stream_id: string, company_id: string): Promise<void> {
    await this.query(
      'INSERT INTO event_heads (stream_id, company_id, of_company) VALUES ($1, $2, true) ON CONFLICT DO NOTHING',
      [stream_id, company_id],
    );
  }

  /** Says whether a company's events are relayed: those from now on. */
  async follow(company_id: string, follows: boolean): Promise<void> {
    await this.query(follows ? FOLLOW : 'DELETE FROM event_followers WHERE company_id = $1', [company_id]);
  }

  /** Whether the events of any company are relayed. */
  async areAnyFollowed(): Promise<boolean> {
    const [row]: { followed: boolean }[] = await this.query('SELECT EXISTS (SELECT FROM event_followers) AS followed');
    return row?.followed === true;
  }

  /**
   * Up to `limit` events that are to be relayed, those of each stream in their order. Whoever else relays waits from here to the end
   * of the transaction. They come again until {@link markRelayed} has committed.
   *
   * @param streamIds of which streams; null: of all
   */
  async unrelayed(streamIds: readonly string[] | null, limit: number): Promise<OutgoingEvent[]> {
    await this.query(`SELECT pg_advisory_xact_lock(hashtextextended('events: relay', 0))`);
    return await (streamIds === null ? this.query(ALL_UNRELAYED, [limit]) : this.query(UNRELAYED, [limit, streamIds]));
  }

  /** Notes that events were relayed, and all before them; their streams are locked from here to the end of the transaction. */
  async markRelayed(events: readonly OutgoingEvent[]): Promise<void> {
    const ids = new Map(events.map(({ stream_id, id }) => [stream_id, id]));
    await this.query(MARK_RELAYED, [[...ids.keys()], [...ids.values()]]);
  }

  /**
   * Adds events to a stream at the end of a transaction: the stream is locked from here to the commit.
   *
   * @throws QueryFailedError when there is no such stream
   */
  async append(stream_id: string, actor: Actor, events: readonly NewEvent[]): Promise<void> {
    const parameters: unknown[] = [stream_id, actor.kind, actor.id];
    const few = APPEND_FEW[events.length - 1];
    if (few === undefined)
      parameters.push(
        events.map(({ type }) => type),
        events.map(({ data }) => data),
      );
    else for (const { type, data } of events) parameters.push(type, data);
    await this.query(few ?? APPEND_MANY, parameters);
  }

  /** Reads on after an event; null when the project is gone for good. */
  async following(stream_id: string, id: number): Promise<FollowingEvents | null> {
    const rows = await sharedRead<(StoredEvent & { last_id: number })[]>(this.manager, FOLLOWING, [stream_id, id]);
    const [first] = rows;
    if (first === undefined) return null;
    // Without events there is one row of nulls.
    return { last_id: first.last_id, events: (first.id as number | null) === null ? [] : rows };
  }

  /** The numbers of the newest events, by stream, as texts. */
  async heads(streamIds: readonly string[]): Promise<Map<string, string>> {
    const heads: { stream_id: string; last_id: number }[] = await this.query(
      'SELECT stream_id, last_id FROM event_heads WHERE stream_id = ANY ($1::uuid[])',
      [streamIds],
    );
    return new Map(heads.map(({ stream_id, last_id }) => [stream_id, String(last_id)]));
  }

  /** Up to `limit` streams that have events, in the order of their ids. @param after the one before them */
  async streams(after: string, limit: number): Promise<string[]> {
    const rows: { stream_id: string }[] = await this.query(STREAMS, [after, limit]);
    return rows.map(({ stream_id }) => stream_id);
  }

  /**
   * Removes up to `limit` events of each of some streams, those that are older than `age`, an SQL interval, and were relayed if they
   * have to be. Answers the streams that may have more of them.
   */
  async removeOld(streamIds: readonly string[], age: string, limit: number): Promise<string[]> {
    const rows: { stream_id: string }[] = await this.query(REMOVE_OLD, [streamIds, limit, age]);
    return rows.map(({ stream_id }) => stream_id);
  }

  /** Removes up to `limit` events of a project, at last its head too; false when nothing was left. */
  async removePage(project_id: ProjectId, limit: number): Promise<boolean> {
    for (const statement of [
      `DELETE FROM events WHERE stream_id = $1
          AND id = ANY (ARRAY(SELECT id FROM events WHERE stream_id = $1 ORDER BY id LIMIT $2))`,
      'DELETE FROM event_heads WHERE stream_id = $1 AND $2 > 0',
    ]) {
      const [, rows]: [unknown[], number] = await this.query(statement, [project_id, limit]);
      if (rows > 0) return true;
    }
    return false;
  }
}
