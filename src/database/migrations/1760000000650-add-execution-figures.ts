import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Figures of a result that lists show. A result can take megabytes, so a list must not read it. The database fills the columns,
 * also for results that a process of the previous version writes.
 */
export class AddExecutionFigures1760000000650 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // One statement, because each rewrites the table.
    await runner.query(`
      ALTER TABLE executions
        ADD COLUMN outcome text GENERATED ALWAYS AS (result ->> 'status') STORED,
        ADD COLUMN objective_value double precision
          GENERATED ALWAYS AS ((result ->> 'objective_value')::double precision) STORED,
        ADD COLUMN gap double precision GENERATED ALWAYS AS ((result ->> 'gap')::double precision) STORED`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE executions DROP COLUMN outcome, DROP COLUMN objective_value, DROP COLUMN gap');
  }
}
