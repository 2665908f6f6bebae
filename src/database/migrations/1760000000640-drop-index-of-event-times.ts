import type { MigrationInterface, QueryRunner } from 'typeorm';

/** All changes wrote at the one end of this index, and old events are found stream by stream. */
export class DropIndexOfEventTimes1760000000640 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX events_at_idx');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX events_at_idx ON events (at)');
    // Of processes of the version before, and read by nobody: what was relayed since is not sent again.
    await runner.query('DELETE FROM event_outbox');
  }
}
