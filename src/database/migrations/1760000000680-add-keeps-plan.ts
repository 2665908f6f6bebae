import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether a running solve is asked to end and to keep its best plan. */
export class AddKeepsPlan1760000000680 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE executions ADD COLUMN keeps_plan boolean NOT NULL DEFAULT false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE executions DROP COLUMN keeps_plan');
  }
}
