import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Each delivery is claimed by itself, and is added by the statement that appends its event. That statement locks no webhook, so
 * deliveries refer to theirs without a foreign key and are removed after it, and skipped events are summed up later.
 *
 * `event_followers` and the lease of a webhook stay for processes of the version before.
 */
export class ClaimWebhookDeliveries1760000000730 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('LOCK TABLE webhooks, webhook_deliveries IN ACCESS EXCLUSIVE MODE');
    await runner.query(`
      ALTER TABLE webhook_deliveries
        DROP CONSTRAINT webhook_deliveries_webhook_id_fkey,
        -- the process that sends it, until when it counts as alive, and how many there were
        ADD COLUMN owner uuid,
        ADD COLUMN due_at timestamptz(3),
        ADD COLUMN generation integer NOT NULL DEFAULT 0`);
    // Among those of a webhook, projects stand by a hash: ids begin with a time.
    await runner.query('DROP INDEX webhook_deliveries_first_idx');
    await runner.query(
      `CREATE INDEX webhook_deliveries_first_idx ON webhook_deliveries (webhook_id, uuid_hash_extended(stream_id, 0), place)
        WHERE state = 'pending' AND attempts = 0`,
    );
    await runner.query(
      `CREATE INDEX webhook_deliveries_held_idx ON webhook_deliveries (webhook_id) WHERE state = 'pending' AND owner IS NOT NULL`,
    );
    await runner.query(`
      CREATE TABLE webhook_skips (
        -- events that a webhook was not sent, as too many deliveries waited; added to the webhook soon
        webhook_id uuid NOT NULL,
        events integer NOT NULL CONSTRAINT webhook_skips_events_check CHECK (events > 0),
        at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('LOCK TABLE webhooks, webhook_deliveries IN ACCESS EXCLUSIVE MODE');
    await runner.query(`
      UPDATE webhooks w SET skipped_events = w.skipped_events + s.events, last_skipped_at = s.at
        FROM (SELECT webhook_id, sum(events) AS events, max(at) AS at FROM webhook_skips GROUP BY webhook_id) s
       WHERE w.id = s.webhook_id`);
    await runner.query('DROP TABLE webhook_skips');
    await runner.query('DROP INDEX webhook_deliveries_held_idx');
    await runner.query('DROP INDEX webhook_deliveries_first_idx');
    await runner.query(
      `CREATE INDEX webhook_deliveries_first_idx ON webhook_deliveries (webhook_id, stream_id, place)
        WHERE state = 'pending' AND attempts = 0`,
    );
    await runner.query(
      'DELETE FROM webhook_deliveries d WHERE NOT EXISTS (SELECT FROM webhooks w WHERE w.id = d.webhook_id)',
    );
    await runner.query(`
      ALTER TABLE webhook_deliveries
        DROP COLUMN owner, DROP COLUMN due_at, DROP COLUMN generation,
        ADD CONSTRAINT webhook_deliveries_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhooks (id) ON DELETE CASCADE`);
  }
}
