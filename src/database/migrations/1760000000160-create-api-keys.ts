import type { MigrationInterface, QueryRunner } from 'typeorm';

/** API keys, and turns and messages whose author is one. */
export class CreateApiKeys1760000000160 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // What a user's last token said, with its time of issue, so that a key is never above its creator.
    await runner.query(`
      ALTER TABLE users
        ADD COLUMN role text NOT NULL DEFAULT 'member' CONSTRAINT users_role_check CHECK (role IN ('member', 'company')),
        ADD COLUMN token_issued_at timestamptz(3) NOT NULL DEFAULT to_timestamp(0)`);

    // Rows stay when keys are revoked: messages, turns and spend refer to them.
    await runner.query(`
      CREATE TABLE api_keys (
        id uuid NOT NULL DEFAULT uuidv7() CONSTRAINT api_keys_pkey PRIMARY KEY,
        company_id text NOT NULL,
        name text NOT NULL CONSTRAINT api_keys_name_length_check CHECK (char_length(name) BETWEEN 1 AND 100),
        -- the part of the key that may be shown
        prefix text NOT NULL CONSTRAINT api_keys_prefix_check CHECK (prefix ~ '^[0-9a-f]{12}$'),
        secret_hash bytea NOT NULL CONSTRAINT api_keys_secret_hash_length_check CHECK (octet_length(secret_hash) = 32),
        role text NOT NULL CONSTRAINT api_keys_role_check CHECK (role IN ('member', 'company')),
        created_by text NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        expires_at timestamptz(3) NOT NULL,
        revoked_at timestamptz(3),
        last_used_at timestamptz(3),
        CONSTRAINT api_keys_prefix_key UNIQUE (prefix),
        -- what turns and spend refer to, so that theirs is the same company
        CONSTRAINT api_keys_company_key UNIQUE (company_id, id),
        CONSTRAINT api_keys_created_by_fkey FOREIGN KEY (company_id, created_by) REFERENCES users (company_id, id),
        CONSTRAINT api_keys_expires_at_check CHECK (expires_at > created_at)
      )`);
    await runner.query('CREATE INDEX api_keys_created_by_idx ON api_keys (company_id, created_by, id)');

    await runner.query('ALTER TABLE turns ALTER COLUMN user_id DROP NOT NULL');
    await runner.query(`
      ALTER TABLE turns
        ADD COLUMN api_key_id uuid,
        ADD CONSTRAINT turns_api_key_fkey FOREIGN KEY (company_id, api_key_id) REFERENCES api_keys (company_id, id),
        ADD CONSTRAINT turns_spender_check CHECK (num_nonnulls(user_id, api_key_id) = 1)`);
    await runner.query('CREATE INDEX turns_api_key_idx ON turns (company_id, api_key_id) WHERE api_key_id IS NOT NULL');

    await runner.query('ALTER TABLE messages DROP CONSTRAINT messages_author_check');
    await runner.query(`
      ALTER TABLE messages
        ADD COLUMN api_key_id uuid CONSTRAINT messages_api_key_id_fkey REFERENCES api_keys (id),
        ADD CONSTRAINT messages_author_check
          CHECK (num_nonnulls(user_id, api_key_id) = CASE role WHEN 'user' THEN 1 ELSE 0 END),
        ADD CONSTRAINT messages_user_check CHECK (user_id IS NOT NULL OR num_nonnulls(user_name, user_avatar_url) = 0),
        ADD CONSTRAINT messages_api_key_check CHECK (num_nonnulls(api_key_id, api_key_name, api_key_prefix) IN (0, 3))`);
    await runner.query('CREATE INDEX messages_api_key_idx ON messages (api_key_id) WHERE api_key_id IS NOT NULL');
  }

  /** What keys have done is then their creators'. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE messages DROP CONSTRAINT messages_author_check');
    await runner.query(`
      UPDATE messages m SET user_id = k.created_by, api_key_name = NULL, api_key_prefix = NULL, api_key_id = NULL
        FROM api_keys k WHERE k.id = m.api_key_id`);
    await runner.query(`
      ALTER TABLE messages
        DROP CONSTRAINT messages_user_check,
        DROP COLUMN api_key_id,
        ADD CONSTRAINT messages_author_check CHECK ((role = 'user') = (num_nonnulls(user_id, api_key_name) > 0))`);

    await runner.query('ALTER TABLE turns DROP CONSTRAINT turns_spender_check');
    await runner.query(`
      UPDATE turns t SET user_id = k.created_by, api_key_id = NULL FROM api_keys k WHERE k.id = t.api_key_id`);
    await runner.query('ALTER TABLE turns DROP COLUMN api_key_id, ALTER COLUMN user_id SET NOT NULL');
    await runner.query('DROP TABLE api_keys');
    await runner.query('ALTER TABLE users DROP COLUMN role, DROP COLUMN token_issued_at');
  }
}
