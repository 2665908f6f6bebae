import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which model work was done with, and sums of the ledger per day, project, spender and model. */
export class SumUsageByDay1760000000450 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // As roll-ups do: what a process that still runs takes into the sums while these are made would be lost.
    await runner.query(`SELECT pg_advisory_xact_lock(hashtextextended('usage_months', 0))`);
    // The rows of the current day are changed again and again, as those of usage_months.
    await runner.query(`
      CREATE TABLE usage_day_sums (
        company_id text NOT NULL,
        -- in UTC
        day date NOT NULL,
        -- refers to nothing: spend outlives the project
        project_id uuid NOT NULL,
        user_id text,
        api_key_id uuid,
        -- null of what was charged before it was noted
        model text,
        credits numeric(26, 6) NOT NULL CONSTRAINT usage_day_sums_credits_check CHECK (credits >= 0),
        CONSTRAINT usage_day_sums_spender_check CHECK (num_nonnulls(user_id, api_key_id) = 1)
      ) WITH (fillfactor = 50)`);
    // Of what was taken into the other sums: what is pending still is taken into these later.
    await runner.query(`
      INSERT INTO usage_day_sums (company_id, day, project_id, user_id, api_key_id, credits)
      SELECT company_id, (created_at AT TIME ZONE 'UTC')::date AS day, project_id, user_id, api_key_id, sum(credits)
        FROM usage_ledger l
       WHERE NOT EXISTS (SELECT FROM usage_pending p WHERE p.ledger_id = l.id)
       GROUP BY company_id, day, project_id, user_id, api_key_id
       ORDER BY company_id, day`);
    await runner.query(`
      ALTER TABLE usage_day_sums
        ADD CONSTRAINT usage_day_sums_key UNIQUE NULLS NOT DISTINCT (company_id, day, project_id, user_id, api_key_id, model)`);
    await runner.query(`
      CREATE INDEX usage_day_sums_user_idx ON usage_day_sums (company_id, user_id, day) WHERE user_id IS NOT NULL`);
    await runner.query(`
      CREATE INDEX usage_day_sums_api_key_idx ON usage_day_sums (company_id, api_key_id, day) WHERE api_key_id IS NOT NULL`);
    await runner.query('CREATE INDEX usage_day_sums_project_idx ON usage_day_sums (company_id, project_id, day)');

    // From here on the ledger waits.
    await runner.query(`
      ALTER TABLE usage_ledger ADD COLUMN model text CONSTRAINT usage_ledger_model_check CHECK (model <> '')`);
    await runner.query('ALTER TABLE usage_pending ADD COLUMN project_id uuid, ADD COLUMN model text');
    await runner.query(`
      UPDATE usage_pending p SET project_id = l.project_id FROM usage_ledger l WHERE l.id = p.ledger_id`);
    await runner.query('ALTER TABLE usage_pending ALTER COLUMN project_id SET NOT NULL');
    await runner.query('ALTER TABLE turns ADD COLUMN model text');
    await runner.query(`
      CREATE OR REPLACE FUNCTION note_pending_usage() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          INSERT INTO usage_pending (ledger_id, company_id, project_id, user_id, api_key_id, model, credits, created_at)
          SELECT id, company_id, project_id, user_id, api_key_id, model, credits, created_at FROM added;
          RETURN NULL;
        END
      $$`);
    // By a trigger, so that processes of the version before, which go on with roll-ups, keep these sums as well.
    await runner.query(`
      CREATE FUNCTION sum_usage_by_day() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          INSERT INTO usage_day_sums AS s (company_id, day, project_id, user_id, api_key_id, model, credits)
          SELECT company_id, (created_at AT TIME ZONE 'UTC')::date AS day, project_id, user_id, api_key_id, model, sum(credits)
            FROM taken
           GROUP BY company_id, day, project_id, user_id, api_key_id, model
           ORDER BY company_id, day, project_id, user_id, api_key_id, model
          ON CONFLICT (company_id, day, project_id, user_id, api_key_id, model)
          DO UPDATE SET credits = s.credits + excluded.credits;
          RETURN NULL;
        END
      $$`);
    await runner.query(`
      CREATE TRIGGER usage_pending_day_sums AFTER DELETE ON usage_pending REFERENCING OLD TABLE AS taken
        FOR EACH STATEMENT EXECUTE FUNCTION sum_usage_by_day()`);
    // At last, as they keep everybody from writing users and keys until the transaction ends.
    await runner.query(`
      ALTER TABLE usage_day_sums
        ADD CONSTRAINT usage_day_sums_user_fkey FOREIGN KEY (company_id, user_id) REFERENCES users (company_id, id),
        ADD CONSTRAINT usage_day_sums_api_key_fkey FOREIGN KEY (company_id, api_key_id) REFERENCES api_keys (company_id, id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SELECT pg_advisory_xact_lock(hashtextextended('usage_months', 0))`);
    await runner.query('DROP TRIGGER usage_pending_day_sums ON usage_pending');
    await runner.query('DROP FUNCTION sum_usage_by_day()');
    await runner.query('DROP TABLE usage_day_sums');
    await runner.query(`
      CREATE OR REPLACE FUNCTION note_pending_usage() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          INSERT INTO usage_pending (ledger_id, company_id, user_id, api_key_id, credits, created_at)
          SELECT id, company_id, user_id, api_key_id, credits, created_at FROM added;
          RETURN NULL;
        END
      $$`);
    await runner.query('ALTER TABLE turns DROP COLUMN model');
    await runner.query('ALTER TABLE usage_pending DROP COLUMN model, DROP COLUMN project_id');
    await runner.query('ALTER TABLE usage_ledger DROP COLUMN model');
  }
}
