import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What executions need to be run, charged and taken up again. None has been made before. */
export class RunExecutions1760000000180 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE executions
        ADD COLUMN company_id text NOT NULL,
        -- who is charged
        ADD COLUMN user_id text,
        ADD COLUMN api_key_id uuid,
        ADD COLUMN attempts integer NOT NULL DEFAULT 0 CONSTRAINT executions_attempts_check CHECK (attempts >= 0),
        -- counts claims; every write of a worker names the one it holds
        ADD COLUMN generation integer NOT NULL DEFAULT 0,
        ADD COLUMN owner uuid,
        -- while running: when the owner counts as dead; while queued: when the wake-up counts as lost
        ADD COLUMN due_at timestamptz(3) DEFAULT clock_timestamp() + interval '15 s',
        -- of the present attempt
        ADD COLUMN started_at timestamptz(3),
        -- by attempts that are over
        ADD COLUMN spent_ms bigint NOT NULL DEFAULT 0 CONSTRAINT executions_spent_ms_check CHECK (spent_ms >= 0),
        ADD COLUMN ended_at timestamptz(3),
        -- what is solved, as it was at the start, until the end: the cards, or a tree with the model file
        ADD COLUMN cards jsonb CONSTRAINT executions_cards_check CHECK (jsonb_typeof(cards) = 'array'),
        ADD COLUMN inputs_id uuid CONSTRAINT executions_inputs_id_fkey REFERENCES containers (id),
        ADD COLUMN result jsonb,
        ADD COLUMN error jsonb,
        ADD CONSTRAINT executions_user_fkey FOREIGN KEY (company_id, user_id) REFERENCES users (company_id, id),
        ADD CONSTRAINT executions_api_key_fkey FOREIGN KEY (company_id, api_key_id) REFERENCES api_keys (company_id, id),
        ADD CONSTRAINT executions_spender_check CHECK (num_nonnulls(user_id, api_key_id) = 1),
        ADD CONSTRAINT executions_pinned_check CHECK (
          num_nonnulls(cards, inputs_id) = CASE WHEN status IN ('queued', 'running') THEN 1 ELSE 0 END),
        ADD CONSTRAINT executions_due_check CHECK ((status IN ('queued', 'running')) = (due_at IS NOT NULL)),
        ADD CONSTRAINT executions_ended_check CHECK ((status IN ('queued', 'running')) = (ended_at IS NULL)),
        ADD CONSTRAINT executions_owner_check CHECK (owner IS NULL OR (status = 'running' AND started_at IS NOT NULL)),
        ADD CONSTRAINT executions_result_check CHECK ((status = 'succeeded') = (result IS NOT NULL)),
        ADD CONSTRAINT executions_error_check CHECK ((status = 'failed') = (error IS NOT NULL))`);
    await runner.query(`CREATE INDEX executions_queued_idx ON executions (company_id) WHERE status = 'queued'`);
    await runner.query(`CREATE INDEX executions_due_idx ON executions (due_at) WHERE status IN ('queued', 'running')`);
    await runner.query(
      `CREATE INDEX executions_active_idx ON executions (project_id) WHERE status IN ('queued', 'running')`,
    );
    await runner.query('CREATE INDEX executions_triggered_by_idx ON executions (triggered_by)');
    await runner.query('CREATE INDEX executions_user_idx ON executions (company_id, user_id)');
    await runner.query(
      'CREATE INDEX executions_api_key_idx ON executions (company_id, api_key_id) WHERE api_key_id IS NOT NULL',
    );
    await runner.query('CREATE INDEX executions_inputs_idx ON executions (inputs_id) WHERE inputs_id IS NOT NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DELETE FROM executions');
    await runner.query('DROP INDEX executions_triggered_by_idx');
    await runner.query(`
      ALTER TABLE executions
        DROP COLUMN company_id, DROP COLUMN user_id, DROP COLUMN api_key_id, DROP COLUMN attempts,
        DROP COLUMN generation, DROP COLUMN owner, DROP COLUMN due_at, DROP COLUMN started_at, DROP COLUMN spent_ms,
        DROP COLUMN ended_at, DROP COLUMN cards, DROP COLUMN inputs_id, DROP COLUMN result, DROP COLUMN error`);
    await runner.query('DROP INDEX IF EXISTS executions_active_idx');
  }
}
