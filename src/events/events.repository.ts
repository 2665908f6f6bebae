import type { ProjectId } from '../database/checked-id.js';
import { pipelined } from '../database/database.service.js';
import { EntityRepository } from '../database/entity-repository.js';
import { sharedRead } from '../database/shared-reads.js';
import type { Actor } from './event-types.js';
import { Event } from './event.entity.js';
import {
  APPEND_FEW,
  APPEND_MANY,
  DELIVER_LEFT,
  FOLLOW,
  FOLLOWING,
  LOCK_COMPANY,
  LOCK_HEAD,
  LOCK_LEFT,
  REMOVE_OLD,
  STREAMS,
} from './events.sql.js';

/** Event without a number. `data` is JSON text. */
export interface NewEvent {
  type: string;
  data: string;
}

/** Event as read from the database. All fields except the number are strings. */
export interface StoredEvent extends NewEvent {
  id: number;
  at: string;
  actor_kind: Actor['kind'];
  actor_id: string | null;
}

/** Result of delivering events to webhooks. */
export interface Delivered {
  deliveries: number;
  /** Whether webhooks skipped events because too many deliveries were pending. */
  skips: boolean;
}

/** Page of events that come after an event. */
export interface FollowingEvents {
  /** Number of the newest event in the stream. */
  last_id: number;
  events: StoredEvent[];
}

/** Stores events, and the state of each stream in `event_heads`. */
export class EventsRepository extends EntityRepository(Event) {
  /**
   * Creates the stream for a company's own events. Project streams are created with their projects. Does nothing if the stream
   * already exists.
   */
  async openCompany(stream_id: string, company_id: string): Promise<void> {
    await this.query(
      'INSERT INTO event_heads (stream_id, company_id, of_company) VALUES ($1, $2, true) ON CONFLICT DO NOTHING',
      [stream_id, company_id],
    );
  }

  /**
   * Makes sure that a webhook added or changed in this transaction receives all of the company's events after the commit. Waits
   * for running changes that do not see the webhook, and blocks later changes until the commit. Also makes processes of the
   * previous version relay the company's events.
   */
  async follow(company_id: string): Promise<void> {
    await this.query(LOCK_COMPANY, [company_id]);
    await this.query(FOLLOW, [company_id]);
  }

  /**
   * Delivers events that processes of the previous version appended without relaying them, for up to `limit` streams. While
   * such processes run, they relay events themselves. The same lock keeps them from running concurrently.
   */
  async deliverUndelivered(limit: number): Promise<Delivered & { streams: number }> {
    await this.query(`SELECT pg_advisory_xact_lock(hashtextextended('events: relay', 0))`);
    const locked: { stream_id: string }[] = await this.query(LOCK_LEFT, [limit]);
    // This must be a separate statement, because it must see the changes that the locks waited for.
    const [delivered]: [Delivered] = await this.query(DELIVER_LEFT, [locked.map(({ stream_id }) => stream_id)]);
    return { ...delivered, streams: locked.length };
  }

  /**
   * Appends events to a stream at the end of a transaction, and creates deliveries for webhooks that subscribe to them. The
   * stream stays locked until the commit.
   *
   * @throws QueryFailedError if the stream does not exist
   */
  async append(stream_id: string, actor: Actor, events: readonly NewEvent[]): Promise<Delivered> {
    const parameters: unknown[] = [stream_id, actor.kind, actor.id];
    const few = APPEND_FEW[events.length - 1];
    if (few === undefined)
      parameters.push(
        events.map(({ type }) => type),
        events.map(({ data }) => data),
      );
    else for (const { type, data } of events) parameters.push(type, data);
    // This must be a separate statement, so that the next statement sees the webhooks that exist when the lock is granted.
    const [, [delivered]] = await pipelined(
      this.query<unknown[]>(LOCK_HEAD, [stream_id]),
      this.query<[Delivered]>(few ?? APPEND_MANY, parameters),
    );
    return delivered;
  }

  /** Returns the events after an event, or null if the project was purged. */
  async following(stream_id: string, id: number): Promise<FollowingEvents | null> {
    const rows = await sharedRead<(StoredEvent & { last_id: number })[]>(this.manager, FOLLOWING, [stream_id, id]);
    const [first] = rows;
    if (first === undefined) return null;
    // A stream without newer events yields a single row of nulls.
    return { last_id: first.last_id, events: (first.id as number | null) === null ? [] : rows };
  }

  /** Returns the number of each stream's newest event as a string, by stream. */
  async heads(streamIds: readonly string[]): Promise<Map<string, string>> {
    const heads: { stream_id: string; last_id: number }[] = await this.query(
      'SELECT stream_id, last_id FROM event_heads WHERE stream_id = ANY ($1::uuid[])',
      [streamIds],
    );
    return new Map(heads.map(({ stream_id, last_id }) => [stream_id, String(last_id)]));
  }

  /**
   * Returns up to `limit` streams that have events, ordered by id.
   * @param after last stream of the previous page
   */
  async streams(after: string, limit: number): Promise<string[]> {
    const rows: { stream_id: string }[] = await this.query(STREAMS, [after, limit]);
    return rows.map(({ stream_id }) => stream_id);
  }

  /**
   * Removes up to `limit` events from each given stream that are older than `age`, an SQL interval. Returns the streams that
   * may have more.
   */
  async removeOld(streamIds: readonly string[], age: string, limit: number): Promise<string[]> {
    const rows: { stream_id: string }[] = await this.query(REMOVE_OLD, [streamIds, limit, age]);
    return rows.map(({ stream_id }) => stream_id);
  }

  /** Removes up to `limit` of a project's events, and finally the project's head. Returns false if nothing is left. */
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
