import { EntityRepository } from '../database/entity-repository.js';
import { NotFound, parseId } from '../common/errors/errors.js';
import { creationPlace, isCreationKey, walkStart } from '../common/listing/cursor.js';
import type { Page } from '../common/listing/page.js';
import type { WalkQuery } from '../common/listing/walk.query.js';
import { AGAIN, FIRST, HAS_DUE, PENDING, WAITING } from './webhook-deliveries.sql.js';
import { WebhookDelivery } from './webhook-delivery.entity.js';

/** Maximum number of deliveries that wait for a webhook. */
export const MAX_PENDING = 2_000;

/** What is sent next. */
export type DueDelivery = Pick<
  WebhookDelivery,
  'id' | 'stream_id' | 'message_id' | 'body' | 'attempts' | 'first_attempt_at'
>;

/** An event for those webhooks of a company that want it. */
export interface Relayed {
  company_id: string;
  stream_id: string;
  project_id: string | null;
  message_id: string;
  type: string;
  /** When it was, as a text. */
  at: string;
  body: string;
}

/** Number of events that a webhook gets, and of those that it skips because too many deliveries wait. */
export interface RelayedTo {
  webhook_id: string;
  added: number;
  skipped: number;
}

/** What an attempt has come to. */
export interface Attempt extends Pick<WebhookDelivery, 'state' | 'response_status' | 'response' | 'error'> {
  at: Date;
  /** While it is pending. */
  next_attempt_at: Date | null;
}

/** Deliveries to webhooks. */
export class WebhookDeliveriesRepository extends EntityRepository(WebhookDelivery) {
  /**
   * Adds the deliveries of events, in their order, up to {@link MAX_PENDING} that wait for each webhook. Waits for who deletes one of
   * the webhooks, and whoever wants to from then on waits. Returns what became of the events for each webhook that wants some.
   */
  async relay(events: readonly Relayed[]): Promise<RelayedTo[]> {
    return await this.query(
      `WITH webhook AS (
         SELECT id, company_id, project_id, events, active_since FROM webhooks
          WHERE company_id = ANY ($1) AND active ORDER BY id FOR KEY SHARE
       ), wanted AS (
         SELECT w.id AS webhook_id, e.stream_id, e.message_id, e.type, e.body, e.place,
                row_number() OVER (PARTITION BY w.id ORDER BY e.place) AS number
           FROM unnest($1::text[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::timestamptz[]) WITH ORDINALITY
                  AS e (company_id, stream_id, project_id, message_id, type, body, at, place)
           JOIN webhook w ON w.company_id = e.company_id AND e.type = ANY (w.events) AND e.at >= w.active_since
                         AND (w.project_id IS NULL OR w.project_id = e.project_id)
       ), room AS (
         SELECT webhook_id, greatest($8 - ${PENDING}, 0) AS room FROM (SELECT DISTINCT webhook_id FROM wanted) w
       ), added AS (
         INSERT INTO webhook_deliveries (webhook_id, stream_id, message_id, type, body)
         SELECT webhook_id, stream_id, message_id, type, body FROM wanted JOIN room USING (webhook_id)
          WHERE number <= room ORDER BY place
       )
       SELECT webhook_id, least(room, count(*))::integer AS added, greatest(count(*) - room, 0)::integer AS skipped
         FROM wanted JOIN room USING (webhook_id) GROUP BY webhook_id, room ORDER BY webhook_id`,
      [
        events.map(({ company_id }) => company_id),
        events.map(({ stream_id }) => stream_id),
        events.map(({ project_id }) => project_id),
        events.map(({ message_id }) => message_id),
        events.map(({ type }) => type),
        events.map(({ body }) => body),
        events.map(({ at }) => at),
        MAX_PENDING,
      ],
    );
  }

  /** Up to `each` deliveries that were never attempted of up to `streams` projects, of each in their order. */
  async first(webhook_id: string, streams: number, each: number): Promise<DueDelivery[]> {
    return await this.query(FIRST, [webhook_id, streams, each]);
  }

  /** Deliveries that failed whose time has come again. */
  async again(webhook_id: string, limit: number): Promise<DueDelivery[]> {
    return await this.query(AGAIN, [webhook_id, limit]);
  }

  /** Whether the time of a delivery to a webhook has come. */
  async hasDue(webhook_id: string): Promise<boolean> {
    const [row]: { due: boolean }[] = await this.query(HAS_DUE, [webhook_id]);
    return row?.due === true;
  }

  /** Webhooks that wait for somebody to deliver to them, each with the time of its last turn. */
  async waiting(limit: number): Promise<{ id: string; created_at: Date }[]> {
    return await this.query(WAITING, [limit]);
  }

  /** Stores what an attempt has come to; false when the delivery has ended or gone meanwhile. */
  async note(id: string, { at, state, next_attempt_at, response_status, response, error }: Attempt): Promise<boolean> {
    const [, count]: [unknown[], number] = await this.query(
      `UPDATE webhook_deliveries
          SET state = $2, attempts = attempts + 1, next_attempt_at = $3, first_attempt_at = coalesce(first_attempt_at, $4),
              last_attempt_at = $4, response_status = $5, response = $6, error = $7
        WHERE id = $1 AND state = 'pending'`,
      [id, state, next_attempt_at, at, response_status, response, error],
    );
    return count > 0;
  }

  /** Ends all that waits for a webhook. */
  async giveUp(webhook_id: string, error: string): Promise<void> {
    await this.query(
      `UPDATE webhook_deliveries SET state = 'failed', next_attempt_at = NULL, error = $2
        WHERE webhook_id = $1 AND state = 'pending'`,
      [webhook_id, error],
    );
  }

  /** Sends a delivery once more, from now on, and for as long as a new one. */
  async sendAgain(id: string): Promise<void> {
    await this.query(
      `UPDATE webhook_deliveries SET state = 'pending', attempts = 0, first_attempt_at = NULL, next_attempt_at = now() WHERE id = $1`,
      [id],
    );
  }

  /** A page of the deliveries to a webhook, newest first. */
  async page(webhook_id: string, page: WalkQuery): Promise<Page<WebhookDelivery>> {
    const { limit, offset } = page;
    const start = walkStart('webhook deliveries', page, isCreationKey);
    const listed = this.createQueryBuilder('l').where({ webhook_id });
    const total = await listed.getCount();
    if (start !== undefined) listed.andWhere('(l.created_at, l.id) < (:at, :id)', creationPlace(start));
    const rows = await listed.orderBy({ 'l.created_at': 'DESC', 'l.id': 'DESC' }).take(limit).skip(offset).getMany();
    return { rows, total };
  }

  /** @throws NotFound also for an id that is none */
  async require(webhook_id: string, deliveryId: string): Promise<WebhookDelivery> {
    const delivery = await this.findOneBy({ webhook_id, id: parseId(deliveryId, 'Delivery') });
    if (delivery === null) throw new NotFound('Delivery');
    return delivery;
  }

  /** Removes up to `limit` deliveries that are older than `age`, an SQL interval, and over; answers their number. */
  async removeOld(age: string, limit: number): Promise<number> {
    const [, rows]: [unknown[], number] = await this.query(
      `DELETE FROM webhook_deliveries WHERE id = ANY (ARRAY(
         SELECT id FROM webhook_deliveries WHERE created_at < now() - ${age} AND state <> 'pending' ORDER BY created_at LIMIT $1))`,
      [limit],
    );
    return rows;
  }
}
