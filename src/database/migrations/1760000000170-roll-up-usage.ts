import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Spend of API keys, and sums of the ledger that listings read instead of it.
 *
 * A row of the ledger is pending from its insert until the transaction that adds it to the days: at every moment the days
 * and what is pending are together the ledger, whatever its rows' times are and in which order they were committed.
 */
export class RollUpUsage1760000000170 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE usage_ledger
        ALTER COLUMN user_id DROP NOT NULL,
        ADD COLUMN api_key_id uuid,
        ADD CONSTRAINT usage_ledger_api_key_fkey FOREIGN KEY (company_id, api_key_id) REFERENCES api_keys (company_id, id),
        ADD CONSTRAINT usage_ledger_spender_check CHECK (num_nonnulls(user_id, api_key_id) = 1)`);
    await runner.query('DROP INDEX usage_ledger_company_idx');
    await runner.query(`
      CREATE INDEX usage_ledger_company_idx ON usage_ledger (company_id, created_at) INCLUDE (user_id, api_key_id, credits)`);
    await runner.query(`
      CREATE INDEX usage_ledger_api_key_idx ON usage_ledger (company_id, api_key_id, created_at) INCLUDE (credits)
        WHERE api_key_id IS NOT NULL`);

    // Made of the ledger's rows alone, so nothing here refers to them again.
    await runner.query(`
      CREATE TABLE usage_pending (
        ledger_id uuid NOT NULL CONSTRAINT usage_pending_pkey PRIMARY KEY,
        company_id text NOT NULL,
        user_id text,
        api_key_id uuid,
        credits numeric(20, 6) NOT NULL,
        created_at timestamptz(3) NOT NULL,
        CONSTRAINT usage_pending_spender_check CHECK (num_nonnulls(user_id, api_key_id) = 1)
      )`);
    await runner.query(`
      CREATE INDEX usage_pending_company_idx ON usage_pending (company_id, created_at) INCLUDE (user_id, api_key_id, credits)`);
    await runner.query('CREATE INDEX usage_pending_created_idx ON usage_pending (created_at)');
    // A row per spender, changed again and again: room in the pages keeps the changes out of the indexes.
    await runner.query(`
      CREATE TABLE usage_spenders (
        id bigint NOT NULL GENERATED ALWAYS AS IDENTITY CONSTRAINT usage_spenders_pkey PRIMARY KEY,
        company_id text NOT NULL,
        user_id text,
        api_key_id uuid,
        -- of all days together
        credits numeric(26, 6) NOT NULL CONSTRAINT usage_spenders_credits_check CHECK (credits >= 0),
        CONSTRAINT usage_spenders_user_fkey FOREIGN KEY (company_id, user_id) REFERENCES users (company_id, id),
        CONSTRAINT usage_spenders_api_key_fkey FOREIGN KEY (company_id, api_key_id) REFERENCES api_keys (company_id, id),
        CONSTRAINT usage_spenders_spender_check CHECK (num_nonnulls(user_id, api_key_id) = 1)
      ) WITH (fillfactor = 50)`);
    await runner.query(
      'CREATE UNIQUE INDEX usage_spenders_user_key ON usage_spenders (company_id, user_id) WHERE user_id IS NOT NULL',
    );
    await runner.query(`
      CREATE UNIQUE INDEX usage_spenders_api_key_key ON usage_spenders (company_id, api_key_id)
        WHERE api_key_id IS NOT NULL`);
    // Narrow, since a listing of a span looks each spender up in it twice.
    await runner.query(`
      CREATE TABLE usage_days (
        spender_id bigint NOT NULL CONSTRAINT usage_days_spender_fkey REFERENCES usage_spenders (id),
        -- in UTC; only days on which something was spent have a row
        day date NOT NULL,
        -- all that was spent until the end of the day: two rows give any span of days
        credits_to_date numeric(26, 6) NOT NULL CONSTRAINT usage_days_credits_to_date_check CHECK (credits_to_date >= 0),
        CONSTRAINT usage_days_pkey PRIMARY KEY (spender_id, day) INCLUDE (credits_to_date)
      )`);

    await runner.query(`
      CREATE FUNCTION note_pending_usage() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          INSERT INTO usage_pending (ledger_id, company_id, user_id, api_key_id, credits, created_at)
          SELECT id, company_id, user_id, api_key_id, credits, created_at FROM added;
          RETURN NULL;
        END
      $$`);
    await runner.query(`
      CREATE TRIGGER usage_ledger_pending AFTER INSERT ON usage_ledger REFERENCING NEW TABLE AS added
        FOR EACH STATEMENT EXECUTE FUNCTION note_pending_usage()`);
    await runner.query(`
      INSERT INTO usage_pending (ledger_id, company_id, user_id, credits, created_at)
      SELECT id, company_id, user_id, credits, created_at FROM usage_ledger`);
  }

  /** What keys have spent is then their creators'. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER usage_ledger_pending ON usage_ledger');
    await runner.query('DROP FUNCTION note_pending_usage()');
    await runner.query('DROP TABLE usage_days');
    await runner.query('DROP TABLE usage_spenders');
    await runner.query('DROP TABLE usage_pending');
    await runner.query('ALTER TABLE usage_ledger DROP CONSTRAINT usage_ledger_spender_check');
    await runner.query('ALTER TABLE usage_ledger DISABLE TRIGGER usage_ledger_insert_only');
    await runner.query(`
      UPDATE usage_ledger l SET user_id = k.created_by FROM api_keys k WHERE k.id = l.api_key_id`);
    await runner.query('ALTER TABLE usage_ledger ENABLE TRIGGER usage_ledger_insert_only');
    await runner.query('DROP INDEX usage_ledger_company_idx');
    await runner.query('ALTER TABLE usage_ledger DROP COLUMN api_key_id, ALTER COLUMN user_id SET NOT NULL');
    await runner.query(
      'CREATE INDEX usage_ledger_company_idx ON usage_ledger (company_id, created_at) INCLUDE (user_id, credits)',
    );
  }
}
