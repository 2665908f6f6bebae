import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Events that webhooks skip while too many deliveries wait. */
export class CountSkippedEvents1760000000700 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE webhooks
        ADD COLUMN skipped_events bigint NOT NULL DEFAULT 0,
        ADD COLUMN last_skipped_at timestamptz(3)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhooks DROP COLUMN skipped_events, DROP COLUMN last_skipped_at');
  }
}
