import { EntityRepository } from '../database/entity-repository.js';
import { NotFound, parseId } from '../common/errors/errors.js';
import { LeaseLost } from '../common/leases/lease.js';
import { claimedBy, RENEWED } from '../common/leases/leased-row.sql.js';
import { creationPlace, isCreationKey, walkStart } from '../common/listing/cursor.js';
import type { Page } from '../common/listing/page.js';
import type { WalkQuery } from '../common/listing/walk.query.js';
import type { RelayedTo } from './webhook-deliveries.repository.js';
import { Webhook } from './webhook.entity.js';

/** A webhook that its owner delivers to. */
export type LeasedWebhook = Pick<Webhook, 'id' | 'company_id' | 'url' | 'secret' | 'generation'>;

const HELD = 'id = $1 AND generation = $2 AND owner IS NOT NULL';

/** Webhooks of companies. */
export class WebhooksRepository extends EntityRepository(Webhook) {
  /** Keeps others from changing a company's webhooks until the transaction ends. */
  async lockCompany(company_id: string): Promise<void> {
    await this.query(`SELECT pg_advisory_xact_lock(hashtextextended('webhooks:' || $1, 0))`, [company_id]);
  }

  /** A page of a company's webhooks, newest first. */
  async page(company_id: string, page: WalkQuery): Promise<Page<Webhook>> {
    const { limit, offset } = page;
    const start = walkStart('webhooks', page, isCreationKey);
    const listed = this.createQueryBuilder('l').where({ company_id });
    const total = await listed.getCount();
    if (start !== undefined) listed.andWhere('(l.created_at, l.id) < (:at, :id)', creationPlace(start));
    const rows = await listed.orderBy({ 'l.created_at': 'DESC', 'l.id': 'DESC' }).take(limit).skip(offset).getMany();
    return { rows, total };
  }

  /** @throws NotFound also for an id that is none */
  async require(company_id: string, webhookId: string): Promise<Webhook> {
    const webhook = await this.findOneBy({ company_id, id: parseId(webhookId, 'Webhook') });
    if (webhook === null) throw new NotFound('Webhook');
    return webhook;
  }

  /** Changes fields of a webhook and marks it as changed now. */
  async change(id: string, fields: Partial<Pick<Webhook, 'url' | 'events' | 'project_id' | 'active'>>): Promise<void> {
    await this.update({ id }, { ...fields, updated_at: () => 'now()' });
  }

  /** Has events sent from now on, where they were not. */
  async activate(id: string): Promise<void> {
    await this.query(
      'UPDATE webhooks SET active = true, active_since = clock_timestamp(), failures = 0 WHERE id = $1 AND NOT active',
      [id],
    );
  }

  /** Counts events that were not sent to webhooks because too many deliveries waited. */
  async noteSkipped(relayed: readonly Pick<RelayedTo, 'webhook_id' | 'skipped'>[]): Promise<void> {
    await this.query(
      `UPDATE webhooks w SET skipped_events = w.skipped_events + s.skipped, last_skipped_at = clock_timestamp()
         FROM unnest($1::uuid[], $2::integer[]) s (id, skipped) WHERE w.id = s.id`,
      [relayed.map(({ webhook_id }) => webhook_id), relayed.map(({ skipped }) => skipped)],
    );
  }

  /**
   * Makes `owner` the one who delivers to an active webhook; undefined when somebody else does, when it is gone, or while as
   * many as `mostAtOnce` of its company are delivered to; those who ask at the same moment may make it a few more.
   */
  async claim(id: string, owner: string, mostAtOnce: number): Promise<LeasedWebhook | undefined> {
    const [[claimed]]: [LeasedWebhook[], number] = await this.query(
      `UPDATE webhooks w SET ${claimedBy('$2')}
        WHERE w.id = $1 AND w.active AND (w.owner IS NULL OR w.due_at < clock_timestamp())
          AND (SELECT count(*) FROM webhooks o
                WHERE o.company_id = w.company_id AND o.owner IS NOT NULL AND o.due_at > clock_timestamp()) < $3
      RETURNING w.id, w.company_id, w.url, w.secret, w.generation`,
      [id, owner, mostAtOnce],
    );
    return claimed;
  }

  /** Keeps a webhook. @throws LeaseLost */
  async renew({ id, generation }: LeasedWebhook): Promise<void> {
    const [, count]: [unknown[], number] = await this.query(`UPDATE webhooks SET ${RENEWED} WHERE ${HELD}`, [
      id,
      generation,
    ]);
    if (count === 0) throw new LeaseLost();
  }

  /** Lets others deliver; `due_at` goes on to tell when its last turn was. */
  async release({ id, generation }: LeasedWebhook): Promise<void> {
    await this.query(`UPDATE webhooks SET owner = NULL WHERE ${HELD}`, [id, generation]);
  }

  /** Notes that a delivery has succeeded. */
  async noteSuccess(id: string): Promise<void> {
    await this.query('UPDATE webhooks SET failures = 0 WHERE id = $1 AND failures > 0', [id]);
  }

  /**
   * Notes that a delivery has failed for good, and makes the webhook inactive when it was one of `most` in a row.
   *
   * @returns whether it was made inactive now
   */
  async noteFailure(id: string, most: number): Promise<boolean> {
    const [[ended]]: [{ active: boolean; failures: number }[], number] = await this.query(
      `UPDATE webhooks SET failures = failures + 1, active = active AND failures + 1 < $2
        WHERE id = $1 AND active RETURNING active, failures`,
      [id, most],
    );
    return ended?.active === false;
  }
}
