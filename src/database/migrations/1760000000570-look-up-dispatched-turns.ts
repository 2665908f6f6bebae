import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Workers look for dispatched turns themselves, the oldest first; no job wakes them any more. Rows of projects have room for the
 * ends of turns, which change no index.
 */
export class LookUpDispatchedTurns1760000000570 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX turns_dispatched_idx ON turns (created_at) WHERE state = 'dispatched'`);
    await runner.query('ALTER TABLE projects SET (fillfactor = 80)');
    await runner.query(`
      DO $$
      BEGIN
        IF to_regclass('graphile_worker.jobs') IS NOT NULL THEN
          PERFORM graphile_worker.complete_jobs(
            ARRAY(SELECT id FROM graphile_worker.jobs WHERE task_identifier = 'turn'));
        END IF;
      END $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE projects RESET (fillfactor)');
    await runner.query('DROP INDEX turns_dispatched_idx');
  }
}
