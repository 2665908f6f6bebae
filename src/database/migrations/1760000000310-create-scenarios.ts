import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Named changes of a project's canvas, and executions that solve several of them together. */
export class CreateScenarios1760000000310 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE scenarios (
        id uuid NOT NULL DEFAULT uuidv7() CONSTRAINT scenarios_pkey PRIMARY KEY,
        project_id uuid NOT NULL CONSTRAINT scenarios_project_id_fkey REFERENCES projects (id),
        name text NOT NULL CONSTRAINT scenarios_name_length_check CHECK (char_length(name) BETWEEN 1 AND 100),
        description text CONSTRAINT scenarios_description_length_check CHECK (char_length(description) <= 20000),
        changes jsonb NOT NULL CONSTRAINT scenarios_changes_check
          CHECK (CASE jsonb_typeof(changes) WHEN 'array' THEN jsonb_array_length(changes) <= 100 ELSE false END),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT scenarios_name_key UNIQUE (project_id, name)
      )`);
    await runner.query('CREATE INDEX scenarios_listing_idx ON scenarios (project_id, created_at DESC, id DESC)');
    await runner.query('ALTER TABLE executions ADD COLUMN batch_id uuid');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE executions DROP COLUMN batch_id');
    await runner.query('DROP TABLE scenarios');
  }
}
