import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Identities come from tokens: a company and a user are known by the claims' own text. */
export class CreateCompaniesAndUsers1760000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE companies (
        id text CONSTRAINT companies_pkey PRIMARY KEY CONSTRAINT companies_id_length_check CHECK (length(id) BETWEEN 1 AND 200),
        created_at timestamptz(3) NOT NULL DEFAULT now()
      )`);
    await runner.query(`
      CREATE TABLE users (
        company_id text NOT NULL CONSTRAINT users_company_id_fkey REFERENCES companies (id),
        id text NOT NULL CONSTRAINT users_id_length_check CHECK (length(id) BETWEEN 1 AND 200),
        display_name text NOT NULL CONSTRAINT users_display_name_length_check CHECK (length(display_name) BETWEEN 1 AND 500),
        email text CONSTRAINT users_email_length_check CHECK (length(email) BETWEEN 1 AND 500),
        avatar_url text CONSTRAINT users_avatar_url_length_check CHECK (length(avatar_url) BETWEEN 1 AND 2000),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT users_pkey PRIMARY KEY (company_id, id)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE users');
    await runner.query('DROP TABLE companies');
  }
}
