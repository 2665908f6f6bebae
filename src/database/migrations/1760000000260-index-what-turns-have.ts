import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES = ['messages', 'workspace_changes'];

/**
 * The indexes of what turns have leave out what waits for a turn. Where little does, the planner would look for that of one
 * conversation among that of all; and what waits is in one index less.
 */
export class IndexWhatTurnsHave1760000000260 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await replaceIndexes(runner, 'WHERE turn_id IS NOT NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await replaceIndexes(runner, '');
  }
}

/** While the indexes are built the tables can be read; to drop the old ones takes a moment. */
async function replaceIndexes(runner: QueryRunner, condition: string): Promise<void> {
  for (const table of TABLES) {
    await runner.query(`CREATE INDEX ${table}_turn_new_idx ON ${table} (turn_id) ${condition}`);
  }
  for (const table of TABLES) {
    await runner.query(`DROP INDEX ${table}_turn_idx`);
    await runner.query(`ALTER INDEX ${table}_turn_new_idx RENAME TO ${table}_turn_idx`);
  }
}
