import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What work has cost: one row per finished turn or execution, never changed. */
export class CreateUsageLedger1760000000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // project_id refers to nothing: spend outlives the project.
    await runner.query(`
      CREATE TABLE usage_ledger (
        id uuid NOT NULL DEFAULT uuidv7() CONSTRAINT usage_ledger_pkey PRIMARY KEY,
        company_id text NOT NULL CONSTRAINT usage_ledger_company_id_fkey REFERENCES companies (id),
        project_id uuid NOT NULL,
        user_id text NOT NULL,
        source_type text NOT NULL CONSTRAINT usage_ledger_source_type_check CHECK (source_type IN ('turn', 'execution')),
        source_id uuid NOT NULL,
        credits numeric(20, 6) NOT NULL CONSTRAINT usage_ledger_credits_check CHECK (credits >= 0),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT usage_ledger_user_fkey FOREIGN KEY (company_id, user_id) REFERENCES users (company_id, id),
        CONSTRAINT usage_ledger_source_key UNIQUE (source_id)
      )`);
    await runner.query(
      'CREATE INDEX usage_ledger_user_idx ON usage_ledger (company_id, user_id, created_at) INCLUDE (credits)',
    );
    await runner.query(
      'CREATE INDEX usage_ledger_company_idx ON usage_ledger (company_id, created_at) INCLUDE (user_id, credits)',
    );
    await runner.query('CREATE INDEX usage_ledger_project_idx ON usage_ledger (project_id) INCLUDE (credits)');
    await runner.query(`
      CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          RAISE EXCEPTION 'rows of % are never changed', TG_TABLE_NAME;
        END
      $$`);
    await runner.query(
      `CREATE TRIGGER usage_ledger_insert_only BEFORE UPDATE OR DELETE ON usage_ledger
         FOR EACH ROW EXECUTE FUNCTION refuse_change()`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE usage_ledger');
    await runner.query('DROP FUNCTION refuse_change()');
  }
}
