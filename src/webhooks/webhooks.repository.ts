import { EntityRepository } from '../database/entity-repository.js';
import { NotFound, parseId } from '../common/errors/errors.js';
import { creationPlace, isCreationKey, walkStart } from '../common/listing/cursor.js';
import type { Page } from '../common/listing/page.js';
import type { WalkQuery } from '../common/listing/walk.query.js';
import { Webhook } from './webhook.entity.js';

/** Stores companies' webhooks. */
export class WebhooksRepository extends EntityRepository(Webhook) {
  /** Blocks other changes to a company's webhooks until the transaction ends. */
  async lockCompany(company_id: string): Promise<void> {
    await this.query(`SELECT pg_advisory_xact_lock(hashtextextended('webhooks:' || $1, 0))`, [company_id]);
  }

  /** Returns a page of a company's webhooks, newest first. */
  async page(company_id: string, page: WalkQuery): Promise<Page<Webhook>> {
    const { limit, offset } = page;
    const start = walkStart('webhooks', page, isCreationKey);
    const listed = this.createQueryBuilder('l').where({ company_id });
    const total = await listed.getCount();
    if (start !== undefined) listed.andWhere('(l.created_at, l.id) < (:at, :id)', creationPlace(start));
    const rows = await listed.orderBy({ 'l.created_at': 'DESC', 'l.id': 'DESC' }).take(limit).skip(offset).getMany();
    return { rows, total };
  }

  /**
   * Returns a webhook.
   * @throws NotFound, also for a malformed id
   */
  async require(company_id: string, webhookId: string): Promise<Webhook> {
    const webhook = await this.findOneBy({ company_id, id: parseId(webhookId, 'Webhook') });
    if (webhook === null) throw new NotFound('Webhook');
    return webhook;
  }

  /** Changes fields of a webhook and updates its change time. */
  async change(id: string, fields: Partial<Pick<Webhook, 'url' | 'events' | 'project_id' | 'active'>>): Promise<void> {
    await this.update({ id }, { ...fields, updated_at: () => 'now()' });
  }

  /** Activates an inactive webhook. Only events from now on are sent. */
  async activate(id: string): Promise<void> {
    await this.query(
      'UPDATE webhooks SET active = true, active_since = clock_timestamp(), failures = 0 WHERE id = $1 AND NOT active',
      [id],
    );
  }

  /** Adds newly skipped events to the counters of their webhooks. */
  async countSkipped(): Promise<void> {
    await this.query(
      `WITH skipped AS (
         DELETE FROM webhook_skips RETURNING webhook_id, events, at
       ), sums AS (
         SELECT webhook_id, sum(events) AS events, max(at) AS at FROM skipped GROUP BY webhook_id ORDER BY webhook_id
       )
       UPDATE webhooks w SET skipped_events = w.skipped_events + s.events, last_skipped_at = s.at FROM sums s WHERE w.id = s.webhook_id`,
    );
  }

  /** Records a successful delivery. */
  async noteSuccess(id: string): Promise<void> {
    await this.query('UPDATE webhooks SET failures = 0 WHERE id = $1 AND failures > 0', [id]);
  }

  /**
   * Records a delivery that failed for good. Disables the webhook after `most` consecutive failures.
   *
   * @returns whether this call made the webhook inactive
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
