import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What uploads have received, part by part, and who has opened them. */
export class CountPartsOfUploads1760000000280 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE uploads
        -- bytes of the parts that are there or under way, where they come through this service; uploads that are open now
        -- begin with 0: what they have received so far is counted when they are completed, or goes with them within a day
        ADD COLUMN received bigint NOT NULL DEFAULT 0 CONSTRAINT uploads_received_check CHECK (received >= 0),
        -- who has opened it: a user or an API key; neither for those from before
        ADD COLUMN user_id text,
        ADD COLUMN api_key_id uuid,
        ADD CONSTRAINT uploads_user_fkey FOREIGN KEY (company_id, user_id) REFERENCES users (company_id, id),
        ADD CONSTRAINT uploads_api_key_fkey FOREIGN KEY (company_id, api_key_id) REFERENCES api_keys (company_id, id),
        ADD CONSTRAINT uploads_opener_check CHECK (num_nonnulls(user_id, api_key_id) <= 1)`);
    await runner.query(`
      CREATE TABLE upload_parts (
        upload_id uuid NOT NULL CONSTRAINT upload_parts_upload_id_fkey REFERENCES uploads (id) ON DELETE CASCADE,
        part_number integer NOT NULL CONSTRAINT upload_parts_part_number_check CHECK (part_number BETWEEN 1 AND 10000),
        -- bytes that are there
        size bigint NOT NULL DEFAULT 0 CONSTRAINT upload_parts_size_check CHECK (size >= 0),
        -- bytes that the newest request may bring in their place
        expected bigint NOT NULL DEFAULT 0 CONSTRAINT upload_parts_expected_check CHECK (expected >= 0),
        -- that request, while it is under way
        put_id uuid,
        CONSTRAINT upload_parts_pkey PRIMARY KEY (upload_id, part_number)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE upload_parts');
    await runner.query('ALTER TABLE uploads DROP COLUMN received, DROP COLUMN user_id, DROP COLUMN api_key_id');
  }
}
