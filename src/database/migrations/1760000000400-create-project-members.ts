import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who sees a project and who may do what in it. */
export class CreateProjectMembers1760000000400 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE projects
        ADD COLUMN visibility text NOT NULL DEFAULT 'company'
          CONSTRAINT projects_visibility_check CHECK (visibility IN ('company', 'private')),
        -- what members refer to, so that theirs is the same company
        ADD CONSTRAINT projects_company_key UNIQUE (company_id, id)`);
    // The exact number of projects that a caller sees comes from the index alone.
    await runner.query('DROP INDEX projects_listing_idx');
    await runner.query(`
      CREATE INDEX projects_listing_idx ON projects (company_id, updated_at DESC, id DESC) INCLUDE (visibility)
       WHERE deleted_at IS NULL`);

    await runner.query(`
      CREATE TABLE project_members (
        project_id uuid NOT NULL,
        company_id text NOT NULL,
        user_id text NOT NULL,
        role text NOT NULL CONSTRAINT project_members_role_check CHECK (role IN ('viewer', 'editor', 'owner')),
        added_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT project_members_pkey PRIMARY KEY (project_id, user_id),
        CONSTRAINT project_members_project_fkey FOREIGN KEY (company_id, project_id) REFERENCES projects (company_id, id),
        CONSTRAINT project_members_user_fkey FOREIGN KEY (company_id, user_id) REFERENCES users (company_id, id)
      )`);
    await runner.query('CREATE INDEX project_members_user_idx ON project_members (company_id, user_id)');

    // Of a project that was made with an API key it is not known which one: one that has posted in it, else one that was
    // in use then. Every project gets an owner, if need be somebody who may do everything anyway.
    await runner.query(`
      INSERT INTO project_members (project_id, company_id, user_id, role, added_at)
      SELECT p.id, p.company_id, o.user_id, 'owner', p.created_at
        FROM projects p
       CROSS JOIN LATERAL (SELECT coalesce(
         p.created_by,
         (SELECT k.created_by FROM api_keys k
           WHERE k.company_id = p.company_id AND k.created_at <= p.created_at
             AND (k.revoked_at IS NULL OR k.revoked_at >= p.created_at)
           ORDER BY EXISTS (SELECT FROM messages m WHERE m.api_key_id = k.id AND m.project_id = p.id) DESC,
                    coalesce(k.last_used_at >= p.created_at - interval '1 min', false) DESC, k.created_at DESC, k.id DESC
           LIMIT 1),
         (SELECT u.id FROM users u WHERE u.company_id = p.company_id
           ORDER BY u.role = 'company' DESC, u.created_at, u.id LIMIT 1)) AS user_id) o
       WHERE o.user_id IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE project_members');
    await runner.query('DROP INDEX projects_listing_idx');
    await runner.query(
      'CREATE INDEX projects_listing_idx ON projects (company_id, updated_at DESC, id DESC) WHERE deleted_at IS NULL',
    );
    await runner.query('ALTER TABLE projects DROP CONSTRAINT projects_company_key, DROP COLUMN visibility');
  }
}
