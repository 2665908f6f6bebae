import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Random secrets that every process of the service must share, such as the key of signed URLs. */
export class CreatePlatformSecrets1760000000020 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE platform_secrets (
        name text NOT NULL CONSTRAINT platform_secrets_pkey PRIMARY KEY
          CONSTRAINT platform_secrets_name_length_check CHECK (length(name) BETWEEN 1 AND 100),
        value bytea NOT NULL CONSTRAINT platform_secrets_value_length_check CHECK (octet_length(value) >= 32),
        created_at timestamptz(3) NOT NULL DEFAULT now()
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE platform_secrets');
  }
}
