import { EntityRepository } from '../platform/database/entity-repository.js';
import { shortRead } from '../platform/database/short-read.js';
import type { Actor, ProjectId } from './event-types.js';
import { Event } from './event.entity.js';
import { APPEND, APPEND_ONE, FOLLOWING, TAKE_OUT } from './events.sql.js';

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
 * Events and, in `event_heads`, how far each stream has come. Events of the companies in `event_followers` are named in
 * `event_outbox`, until a follower has taken them out.
 */
export class EventsRepository extends EntityRepository(Event) {
  /** Lets a company have events that concern no project, as each project has from its creation on; again is fine. */
  async openCompany(stream_id: string, company_id: string): Promise<void> {
    await this.query(
      'INSERT INTO event_heads (stream_id, company_id, of_company) VALUES ($1, $2, true) ON CONFLICT DO NOTHING',
      [stream_id, company_id],
    );
  }

  /** Says whether a company's events go to the outbox. */
  async follow(company_id: string, follows: boolean): Promise<void> {
    await this.query(
      follows
        ? 'INSERT INTO event_followers (company_id) VALUES ($1) ON CONFLICT DO NOTHING'
        : 'DELETE FROM event_followers WHERE company_id = $1',
      [company_id],
    );
  }

  /**
   * Takes up to `limit` events out of the outbox, those of each stream in their order; none when somebody else does so at the
   * moment. They are back when the transaction fails.
   */
  async takeOut(limit: number): Promise<OutgoingEvent[]> {
    const [lock]: { taken: boolean }[] = await this.query(
      `SELECT pg_try_advisory_xact_lock(hashtextextended('events: outbox', 0)) AS taken`,
    );
    return lock?.taken === true ? await this.query(TAKE_OUT, [limit]) : [];
  }

  /** Adds events to a stream, which is locked from here to the end of the transaction. @throws when there is no such stream */
  async append(stream_id: string, actor: Actor, events: readonly NewEvent[]): Promise<void> {
    const [one, ...others] = events;
    if (one === undefined) return;
    await (others.length === 0
      ? this.query(APPEND_ONE, [stream_id, actor.kind, actor.id, one.type, one.data])
      : this.query(APPEND, [
          stream_id,
          actor.kind,
          actor.id,
          events.map(({ type }) => type),
          events.map(({ data }) => data),
        ]));
  }

  /** Reads on after an event; null when the project is gone for good. */
  async following(stream_id: string, id: number): Promise<FollowingEvents | null> {
    const rows = await shortRead<(StoredEvent & { last_id: number })[]>(this.manager, FOLLOWING, [stream_id, id]);
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

  /** Removes up to `limit` events that are older than `age`, an SQL interval, and answers their number. */
  async removeOld(age: string, limit: number): Promise<number> {
    const [, rows]: [unknown[], number] = await this.query(
      // Rows of this table stay where they are until they go.
      `DELETE FROM events WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM events e WHERE at < now() - ${age}
            AND NOT EXISTS (SELECT FROM event_outbox o WHERE (o.stream_id, o.id) = (e.stream_id, e.id)) ORDER BY at LIMIT $1))`,
      [limit],
    );
    return rows;
  }

  /** Removes up to `limit` events of a project, at last its head too; false when nothing was left. */
  async removePage(project_id: ProjectId, limit: number): Promise<boolean> {
    for (const statement of [
      `DELETE FROM event_outbox WHERE stream_id = $1
          AND id = ANY (ARRAY(SELECT id FROM event_outbox WHERE stream_id = $1 ORDER BY id LIMIT $2))`,
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
