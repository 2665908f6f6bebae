import { EntityRepository } from '../database/entity-repository.js';
import { NotFound, parseId } from '../common/errors/errors.js';
import { LeaseLost } from '../common/leases/lease.js';
import { OVER, RENEWED } from '../common/leases/leased-row.sql.js';
import { creationPlace, isCreationKey, walkStart } from '../common/listing/cursor.js';
import type { Page } from '../common/listing/page.js';
import type { WalkQuery } from '../common/listing/walk.query.js';
import { CLAIM, REMOVE_LEFT } from './webhook-deliveries.sql.js';
import { WebhookDelivery } from './webhook-delivery.entity.js';
import type { Webhook } from './webhook.entity.js';

/** A delivery that its owner sends. */
export type HeldDelivery = Pick<
  WebhookDelivery,
  'id' | 'generation' | 'webhook_id' | 'message_id' | 'body' | 'attempts' | 'first_attempt_at'
> &
  Pick<Webhook, 'company_id' | 'url' | 'secret'>;

/** In the words of the two indexes of what is pending. */
const IS_PENDING = `state = 'pending' AND (attempts = 0 OR attempts > 0)`;

const HELD = `id = $1 AND generation = $2 AND owner IS NOT NULL AND state = 'pending'`;

/** What an attempt has come to. */
export interface Attempt extends Pick<WebhookDelivery, 'state' | 'response_status' | 'response' | 'error'> {
  at: Date;
  /** While it is pending. */
  next_attempt_at: Date | null;
}

/** Deliveries to webhooks. */
export class WebhookDeliveriesRepository extends EntityRepository(WebhookDelivery) {
  /** Locks claims until the transaction ends: each has to know what the others have claimed. */
  async lockClaims(): Promise<void> {
    await this.query(`SELECT pg_advisory_xact_lock(hashtextextended('webhook delivery claims', 0))`);
  }

  /** Makes `owner` the process that sends up to `limit` deliveries whose time has come. Under {@link lockClaims}. */
  async claim(owner: string, limit: number): Promise<HeldDelivery[]> {
    const [claimed]: [HeldDelivery[], number] = await this.query(CLAIM, [owner, limit]);
    return claimed;
  }

  /** Keeps a delivery. @throws LeaseLost */
  async renew({ id, generation }: HeldDelivery): Promise<void> {
    const [, count]: [unknown[], number] = await this.query(`UPDATE webhook_deliveries SET ${RENEWED} WHERE ${HELD}`, [
      id,
      generation,
    ]);
    if (count === 0) throw new LeaseLost();
  }

  /** Lets another process send a delivery. */
  async release({ id, generation }: HeldDelivery): Promise<void> {
    await this.query(`UPDATE webhook_deliveries SET ${OVER} WHERE ${HELD}`, [id, generation]);
  }

  /** Stores what an attempt has come to, unless the delivery has ended, has gone or went to another process meanwhile. */
  async note(
    { id, generation }: HeldDelivery,
    { at, state, next_attempt_at, response_status, response, error }: Attempt,
  ): Promise<void> {
    await this.query(
      `UPDATE webhook_deliveries
          SET state = $3, attempts = attempts + 1, next_attempt_at = $4, first_attempt_at = coalesce(first_attempt_at, $5),
              last_attempt_at = $5, response_status = $6, response = $7, error = $8, ${OVER}
        WHERE ${HELD}`,
      [id, generation, state, next_attempt_at, at, response_status, response, error],
    );
  }

  /** Ends all that waits for a webhook. */
  async giveUp(webhook_id: string, error: string): Promise<void> {
    await this.query(
      `UPDATE webhook_deliveries SET state = 'failed', next_attempt_at = NULL, error = $2, ${OVER}
        WHERE webhook_id = $1 AND ${IS_PENDING}`,
      [webhook_id, error],
    );
  }

  /** Ends what still waits for inactive webhooks: a change that began before can have added it. */
  async giveUpInactive(error: string): Promise<void> {
    await this.query(
      `UPDATE webhook_deliveries SET state = 'failed', next_attempt_at = NULL, error = $1, ${OVER}
        WHERE webhook_id = ANY (ARRAY(SELECT id FROM webhooks WHERE NOT active)) AND ${IS_PENDING}`,
      [error],
    );
  }

  /** Sends a delivery once more, from now on, and for as long as a new one; an attempt that runs no longer counts. */
  async sendAgain(id: string): Promise<void> {
    await this.query(
      `UPDATE webhook_deliveries
          SET state = 'pending', attempts = 0, first_attempt_at = NULL, next_attempt_at = now(), generation = generation + 1, ${OVER}
        WHERE id = $1`,
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

  /** Removes up to `limit` deliveries to webhooks that are gone; answers their number. */
  async removeLeft(limit: number): Promise<number> {
    const [, rows]: [unknown[], number] = await this.query(REMOVE_LEFT, [limit]);
    return rows;
  }
}
