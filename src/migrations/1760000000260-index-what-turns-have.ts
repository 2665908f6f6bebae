import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES = ['messages', 'workspace_changes'];

/**
 * The indexes of what turns have leave out what waits for a turn. Where little does, the planner would look for that of one
 * conversation among that of all; and what waits is in one index less.
 */
export class IndexWhatTurnsHave1760000000260 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) {
      await runner.query(`DROP INDEX ${table}_turn_idx`);
      await runner.query(`CREATE INDEX ${table}_turn_idx ON ${table} (turn_id) WHERE turn_id IS NOT NULL`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) {
      await runner.query(`DROP INDEX ${table}_turn_idx`);
      await runner.query(`CREATE INDEX ${table}_turn_idx ON ${table} (turn_id)`);
    }
  }
}
