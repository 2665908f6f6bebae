import { EntityRepository } from '../database/entity-repository.js';
import { NotFound, parseId } from '../common/errors/errors.js';
import { LeaseLost } from '../common/leases/lease.js';
import { FINISHED, RENEWED } from '../common/leases/leased-row.sql.js';
import { creationPlace, isCreationKey, walkStart } from '../common/listing/cursor.js';
import type { Page } from '../common/listing/page.js';
import type { WalkQuery } from '../common/listing/walk.query.js';
import { CLAIM, REMOVE_ORPHANS } from './webhook-deliveries.sql.js';
import { WebhookDelivery } from './webhook-delivery.entity.js';
import type { Webhook } from './webhook.entity.js';

/** Delivery claimed by its owner. */
export type LeasedDelivery = Pick<
  WebhookDelivery,
  'id' | 'generation' | 'webhook_id' | 'message_id' | 'body' | 'attempts' | 'first_attempt_at'
> &
  Pick<Webhook, 'company_id' | 'url' | 'secret'>;

/** Must match the conditions of the two partial indexes on pending deliveries. */
const IS_PENDING = `state = 'pending' AND (attempts = 0 OR attempts > 0)`;

const HELD = `id = $1 AND generation = $2 AND owner IS NOT NULL AND state = 'pending'`;

/** Outcome of an attempt. */
export interface Attempt extends Pick<WebhookDelivery, 'state' | 'response_status' | 'response' | 'error'> {
  at: Date;
  /** Null unless the delivery is pending. */
  next_attempt_at: Date | null;
}

/** Stores webhook deliveries. */
export class WebhookDeliveriesRepository extends EntityRepository(WebhookDelivery) {
  /** Serializes claims until the transaction ends, so that each claim sees the earlier claims. */
  async lockClaims(): Promise<void> {
    await this.query(`SELECT pg_advisory_xact_lock(hashtextextended('webhook delivery claims', 0))`);
  }

  /** Claims up to `limit` due deliveries for `owner`. Requires {@link lockClaims}. */
  async claim(owner: string, limit: number): Promise<LeasedDelivery[]> {
    const [claimed]: [LeasedDelivery[], number] = await this.query(CLAIM, [owner, limit]);
    return claimed;
  }

  /**
   * Renews the lease of a delivery.
   * @throws LeaseLost
   */
  async renew({ id, generation }: LeasedDelivery): Promise<void> {
    const [, count]: [unknown[], number] = await this.query(`UPDATE webhook_deliveries SET ${RENEWED} WHERE ${HELD}`, [
      id,
      generation,
    ]);
    if (count === 0) throw new LeaseLost();
  }

  /** Releases a delivery, so that another process can send it. */
  async release({ id, generation }: LeasedDelivery): Promise<void> {
    await this.query(`UPDATE webhook_deliveries SET ${FINISHED} WHERE ${HELD}`, [id, generation]);
  }

  /** Stores the outcome of an attempt if the delivery is still pending and held by this process. */
  async note(
    { id, generation }: LeasedDelivery,
    { at, state, next_attempt_at, response_status, response, error }: Attempt,
  ): Promise<void> {
    await this.query(
      `UPDATE webhook_deliveries
          SET state = $3, attempts = attempts + 1, next_attempt_at = $4, first_attempt_at = coalesce(first_attempt_at, $5),
              last_attempt_at = $5, response_status = $6, response = $7, error = $8, ${FINISHED}
        WHERE ${HELD}`,
      [id, generation, state, next_attempt_at, at, response_status, response, error],
    );
  }

  /** Ends all of a webhook's pending deliveries. */
  async failPending(webhook_id: string, error: string): Promise<void> {
    await this.query(
      `UPDATE webhook_deliveries SET state = 'failed', next_attempt_at = NULL, error = $2, ${FINISHED}
        WHERE webhook_id = $1 AND ${IS_PENDING}`,
      [webhook_id, error],
    );
  }

  /**
   * Ends pending deliveries of inactive webhooks. Transactions that began before a webhook became inactive may have added them.
   */
  async giveUpInactive(error: string): Promise<void> {
    await this.query(
      `UPDATE webhook_deliveries SET state = 'failed', next_attempt_at = NULL, error = $1, ${FINISHED}
        WHERE webhook_id = ANY (ARRAY(SELECT id FROM webhooks WHERE NOT active)) AND ${IS_PENDING}`,
      [error],
    );
  }

  /** Sends a delivery again, with a new retry period. The outcome of a running attempt is ignored. */
  async sendAgain(id: string): Promise<void> {
    await this.query(
      `UPDATE webhook_deliveries
          SET state = 'pending', attempts = 0, first_attempt_at = NULL, next_attempt_at = now(), generation = generation + 1, ${FINISHED}
        WHERE id = $1`,
      [id],
    );
  }

  /** Returns a page of a webhook's deliveries, newest first. */
  async page(webhook_id: string, page: WalkQuery): Promise<Page<WebhookDelivery>> {
    const { limit, offset } = page;
    const start = walkStart('webhook deliveries', page, isCreationKey);
    const listed = this.createQueryBuilder('l').where({ webhook_id });
    const total = await listed.getCount();
    if (start !== undefined) listed.andWhere('(l.created_at, l.id) < (:at, :id)', creationPlace(start));
    const rows = await listed.orderBy({ 'l.created_at': 'DESC', 'l.id': 'DESC' }).take(limit).skip(offset).getMany();
    return { rows, total };
  }

  /**
   * Returns a delivery.
   * @throws NotFound, also for a malformed id
   */
  async require(webhook_id: string, deliveryId: string): Promise<WebhookDelivery> {
    const delivery = await this.findOneBy({ webhook_id, id: parseId(deliveryId, 'Delivery') });
    if (delivery === null) throw new NotFound('Delivery');
    return delivery;
  }

  /** Removes up to `limit` finished deliveries that are older than `age`, an SQL interval. Returns their number. */
  async removeOld(age: string, limit: number): Promise<number> {
    const [, rows]: [unknown[], number] = await this.query(
      `DELETE FROM webhook_deliveries WHERE id = ANY (ARRAY(
         SELECT id FROM webhook_deliveries WHERE created_at < now() - ${age} AND state <> 'pending' ORDER BY created_at LIMIT $1))`,
      [limit],
    );
    return rows;
  }

  /** Removes up to `limit` deliveries of deleted webhooks. Returns their number. */
  async removeOrphans(limit: number): Promise<number> {
    const [, rows]: [unknown[], number] = await this.query(REMOVE_ORPHANS, [limit]);
    return rows;
  }
}
