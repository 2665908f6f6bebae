import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Indexes in the order of creation, by which listings are walked, where there is none yet. */
export class WalkListings1760000000530 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX projects_walk_idx ON projects (company_id, created_at DESC, id DESC)');
    await runner.query('CREATE INDEX conversations_walk_idx ON conversations (project_id, created_at DESC, id DESC)');
    // It finds those of a project, too.
    await runner.query('DROP INDEX conversations_project_idx');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX conversations_project_idx ON conversations (project_id, id)');
    await runner.query('DROP INDEX conversations_walk_idx');
    await runner.query('DROP INDEX projects_walk_idx');
  }
}
