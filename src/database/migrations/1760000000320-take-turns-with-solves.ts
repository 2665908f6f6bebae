import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Companies take turns with the solvers, and in a company its projects: who waits, and when each had its last turn, is found by index. */
export class TakeTurnsWithSolves1760000000320 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX executions_queued_idx');
    await runner.query(`
      CREATE INDEX executions_queued_idx ON executions (company_id, project_id, created_at, id) WHERE status = 'queued'`);
    await runner.query(`
      CREATE INDEX executions_company_turn_idx ON executions (company_id, started_at DESC) WHERE started_at IS NOT NULL`);
    await runner.query(`
      CREATE INDEX executions_project_turn_idx ON executions (project_id, started_at DESC) WHERE started_at IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX IF EXISTS executions_project_turn_idx');
    await runner.query('DROP INDEX IF EXISTS executions_company_turn_idx');
    await runner.query('DROP INDEX IF EXISTS executions_queued_idx');
    await runner.query(`CREATE INDEX executions_queued_idx ON executions (company_id) WHERE status = 'queued'`);
  }
}
