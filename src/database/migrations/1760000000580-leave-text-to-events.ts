import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The text that an agent writes is stored as events for a while before the message is written anew with it. */
export class LeaveTextToEvents1760000000580 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE turns
        -- the first of the turn's events that its message lacks; null: it lacks none
        ADD COLUMN body_seq integer
          CONSTRAINT turns_body_seq_check CHECK (body_seq >= 1 AND body_seq <= next_seq)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE turns DROP COLUMN body_seq');
  }
}
