import type { MigrationInterface, QueryRunner } from 'typeorm';

/** First attempts are found by project, later ones by their time: neither reads what waits of the other. */
export class TakeTurnsWithWebhooks1760000000600 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX webhook_deliveries_first_idx ON webhook_deliveries (webhook_id, stream_id, place)
        WHERE state = 'pending' AND attempts = 0`,
    );
    await runner.query(
      `CREATE INDEX webhook_deliveries_again_idx ON webhook_deliveries (webhook_id, next_attempt_at)
        WHERE state = 'pending' AND attempts > 0`,
    );
    await runner.query('DROP INDEX webhook_deliveries_pending_idx');
    await runner.query('DROP INDEX webhook_deliveries_due_idx');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX webhook_deliveries_pending_idx ON webhook_deliveries (webhook_id, place) WHERE state = 'pending'`,
    );
    await runner.query(
      `CREATE INDEX webhook_deliveries_due_idx ON webhook_deliveries (next_attempt_at) WHERE state = 'pending'`,
    );
    await runner.query('DROP INDEX webhook_deliveries_first_idx');
    await runner.query('DROP INDEX webhook_deliveries_again_idx');
  }
}
