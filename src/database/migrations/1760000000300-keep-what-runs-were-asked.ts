import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Executions have a name and options of their own, keep what they have solved, and tell how far they are while they run. Lists of
 * them are filtered.
 */
export class KeepWhatRunsWereAsked1760000000300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE executions
        ADD COLUMN name text CONSTRAINT executions_name_check CHECK (length(name) BETWEEN 1 AND 200),
        -- null: as the service is set
        ADD COLUMN time_limit_seconds double precision
          CONSTRAINT executions_time_limit_check CHECK (time_limit_seconds > 0),
        ADD COLUMN mip_gap double precision NOT NULL DEFAULT 0
          CONSTRAINT executions_mip_gap_check CHECK (mip_gap BETWEEN 0 AND 1),
        ADD COLUMN affects_checklist boolean NOT NULL DEFAULT true,
        -- no foreign key: what was solved for a scenario is never taken for the canvas itself, even when the scenario is gone
        ADD COLUMN scenario_id uuid,
        ADD COLUMN model jsonb CONSTRAINT executions_model_check CHECK (jsonb_typeof(model) = 'object'),
        -- a tree with the values of all members, where there are any
        ADD COLUMN outputs_id uuid CONSTRAINT executions_outputs_id_fkey REFERENCES containers (id),
        DROP CONSTRAINT executions_pinned_check,
        ADD CONSTRAINT executions_pinned_check CHECK (
          status NOT IN ('queued', 'running') OR num_nonnulls(cards, inputs_id) > 0)`);
    await runner.query('UPDATE executions SET affects_checklist = false WHERE cardinality(input_file_ids) > 0');
    await runner.query('CREATE INDEX executions_outputs_idx ON executions (outputs_id) WHERE outputs_id IS NOT NULL');
    await runner.query(
      'CREATE INDEX executions_status_idx ON executions (project_id, status, created_at DESC, id DESC)',
    );
    await runner.query(
      'CREATE INDEX executions_tests_idx ON executions (project_id, is_test, created_at DESC, id DESC)',
    );
    await runner.query(
      'CREATE INDEX executions_scenario_idx ON executions (project_id, scenario_id, created_at DESC, id DESC)',
    );
    await runner.query(`
      CREATE INDEX executions_names_idx ON executions (project_id, created_at DESC, id DESC) INCLUDE (name)
       WHERE name IS NOT NULL`);
    await runner.query(`
      CREATE TABLE execution_logs (
        execution_id uuid
          CONSTRAINT execution_logs_pkey PRIMARY KEY
          CONSTRAINT execution_logs_execution_id_fkey REFERENCES executions (id) ON DELETE CASCADE,
        progress jsonb NOT NULL CONSTRAINT execution_logs_progress_check CHECK (jsonb_typeof(progress) = 'object'),
        lines text[] NOT NULL CONSTRAINT execution_logs_lines_check CHECK (cardinality(lines) <= 200)
      ) WITH (fillfactor = 50)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE execution_logs');
    await runner.query(`
      UPDATE containers SET deleted_at = now()
       WHERE deleted_at IS NULL
         AND id IN (SELECT unnest(ARRAY[inputs_id, outputs_id]) FROM executions
                     WHERE outputs_id IS NOT NULL OR status NOT IN ('queued', 'running'))`);
    await runner.query(`
      UPDATE executions SET cards = NULL, inputs_id = NULL WHERE status NOT IN ('queued', 'running')`);
    for (const index of ['outputs', 'status', 'tests', 'scenario', 'names'])
      await runner.query(`DROP INDEX IF EXISTS executions_${index}_idx`);
    await runner.query(`
      ALTER TABLE executions
        DROP CONSTRAINT executions_pinned_check,
        ADD CONSTRAINT executions_pinned_check CHECK (
          CASE WHEN status IN ('queued', 'running') THEN num_nonnulls(cards, inputs_id) > 0
               ELSE num_nonnulls(cards, inputs_id) = 0 END),
        DROP COLUMN name, DROP COLUMN time_limit_seconds, DROP COLUMN mip_gap, DROP COLUMN affects_checklist,
        DROP COLUMN scenario_id, DROP COLUMN model, DROP COLUMN outputs_id`);
  }
}
