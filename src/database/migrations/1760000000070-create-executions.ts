import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Solve executions of a project. */
export class CreateExecutions1760000000070 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE executions (
        id uuid NOT NULL DEFAULT uuidv7() CONSTRAINT executions_pkey PRIMARY KEY,
        project_id uuid NOT NULL CONSTRAINT executions_project_id_fkey REFERENCES projects (id),
        status text NOT NULL DEFAULT 'queued' CONSTRAINT executions_status_check
          CHECK (status IN ('queued', 'running', 'succeeded', 'failed', 'canceled')),
        triggered_by text NOT NULL CONSTRAINT executions_triggered_by_check CHECK (triggered_by ~ '^(user|api_key|agent):.+'),
        input_file_ids text[],
        is_test boolean NOT NULL DEFAULT false,
        created_at timestamptz(3) NOT NULL DEFAULT now()
      )`);
    await runner.query('CREATE INDEX executions_listing_idx ON executions (project_id, created_at DESC, id DESC)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE executions');
  }
}
