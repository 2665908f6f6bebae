import type { MigrationInterface, QueryRunner } from 'typeorm';

/** API keys that only read, and those for some projects. */
export class LimitApiKeys1760000000420 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE api_keys
        ADD COLUMN access text NOT NULL DEFAULT 'write' CONSTRAINT api_keys_access_check CHECK (access IN ('read', 'write')),
        -- null: all that the creator sees
        ADD COLUMN project_ids uuid[]
          CONSTRAINT api_keys_project_ids_length_check CHECK (cardinality(project_ids) BETWEEN 1 AND 100)`);
    // Uploads that end with the key that has opened them.
    await runner.query(`
      CREATE INDEX uploads_api_key_idx ON uploads (api_key_id) WHERE api_key_id IS NOT NULL AND state IN ('open', 'completing')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX uploads_api_key_idx');
    await runner.query('ALTER TABLE api_keys DROP COLUMN access, DROP COLUMN project_ids');
  }
}
