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

/** What webhooks are sent of some events. */
export interface Delivered {
  /** Number of deliveries. */
  deliveries: number;
  /** Whether webhooks have skipped events, because too many deliveries wait. */
  skips: boolean;
}

/** What follows an event, limited in size. */
export interface FollowingEvents {
  /** Number of the newest event of all. */
  last_id: number;
  events: StoredEvent[];
}

/** Events and, in `event_heads`, how far each stream has come. */
export class EventsRepository extends EntityRepository(Event) {
  /** Lets a company have events that concern no project, as each project has from its creation on; again is fine. */
  async openCompany(stream_id: string, company_id: string): Promise<void> {
    await this.query(
      'INSERT INTO event_heads (stream_id, company_id, of_company) VALUES ($1, $2, true) ON CONFLICT DO NOTHING',
      [stream_id, company_id],
    );
  }

  /**
   * Has the events of a company from the commit on delivered to a webhook that the transaction makes or changes: waits for changes that
   * do not see it, and whoever changes something from then on waits. Processes of the version before relay its events, too.
   */
  async follow(company_id: string): Promise<void> {
    await this.query(LOCK_COMPANY, [company_id]);
    await this.query(FOLLOW, [company_id]);
  }

  /**
   * Delivers events of up to `limit` streams that processes of the version before have appended and not relayed. They relay such events
   * themselves while they run, one at a time under the same lock.
   */
  async deliverLeft(limit: number): Promise<Delivered & { streams: number }> {
    await this.query(`SELECT pg_advisory_xact_lock(hashtextextended('events: relay', 0))`);
    const locked: { stream_id: string }[] = await this.query(LOCK_LEFT, [limit]);
    // A statement of its own, as it has to see what the locks have waited for.
    const [delivered]: [Delivered] = await this.query(DELIVER_LEFT, [locked.map(({ stream_id }) => stream_id)]);
    return { ...delivered, streams: locked.length };
  }

  /**
   * Adds events to a stream at the end of a transaction, with the deliveries to webhooks that want them: the stream is locked from here
   * to the commit.
   *
   * @throws QueryFailedError when there is no such stream
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
    // A statement of its own: the next one sees the webhooks that were there when the lock was granted.
    const [, [delivered]] = await pipelined(
      this.query<unknown[]>(LOCK_HEAD, [stream_id]),
      this.query<[Delivered]>(few ?? APPEND_MANY, parameters),
    );
    return delivered;
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
   * Removes up to `limit` events of each of some streams, those that are older than `age`, an SQL interval. Answers the
   * streams that may have more of them.
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
