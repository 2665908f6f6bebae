import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Deleted projects, whose rows stay for a while. */
export class DeleteProjects1760000000171 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX projects_deleted_idx ON projects (deleted_at) WHERE deleted_at IS NOT NULL');
    // Set together with the project's, so that whoever follows a conversation sees that it is over.
    await runner.query('ALTER TABLE conversations ADD COLUMN deleted_at timestamptz(3)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE conversations DROP COLUMN deleted_at');
    await runner.query('DROP INDEX projects_deleted_idx');
  }
}
