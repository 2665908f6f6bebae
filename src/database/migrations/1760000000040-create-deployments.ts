import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Templates of a company. Deleted rows stay, so that a handle is never used again; a name is free again.
 */
export class CreateDeployments1760000000040 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE deployments (
        id uuid NOT NULL DEFAULT uuidv7() CONSTRAINT deployments_pkey PRIMARY KEY,
        company_id text NOT NULL CONSTRAINT deployments_company_id_fkey REFERENCES companies (id),
        name text NOT NULL CONSTRAINT deployments_name_length_check CHECK (char_length(name) BETWEEN 1 AND 100),
        handle text NOT NULL COLLATE "C"
          CONSTRAINT deployments_handle_check CHECK (handle ~ '^[a-z0-9]+(-[a-z0-9]+)*$' AND length(handle) <= 120),
        container_id uuid NOT NULL CONSTRAINT deployments_container_id_fkey REFERENCES containers (id),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        deleted_at timestamptz(3),
        CONSTRAINT deployments_handle_key UNIQUE (company_id, handle),
        CONSTRAINT deployments_container_id_key UNIQUE (container_id)
      )`);
    await runner.query(
      'CREATE UNIQUE INDEX deployments_name_key ON deployments (company_id, name) WHERE deleted_at IS NULL',
    );
    await runner.query(
      'CREATE INDEX deployments_listing_idx ON deployments (company_id, created_at DESC, id DESC) WHERE deleted_at IS NULL',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE deployments');
  }
}
