import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Deleted projects can come back until they begin to be removed. */
export class RestoreProjects1760000000410 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE projects
        -- since when it is being removed for good, so that it cannot come back
        ADD COLUMN purge_began_at timestamptz(3),
        ADD CONSTRAINT projects_purge_check CHECK (purge_began_at IS NULL OR deleted_at IS NOT NULL)`);
    await runner.query(`
      CREATE INDEX projects_restorable_idx ON projects (company_id, deleted_at DESC, id DESC) WHERE deleted_at IS NOT NULL`);
    await runner.query(`
      ALTER TABLE containers
        -- deleted with a project that may come back: the collector leaves it alone
        ADD COLUMN is_restorable boolean NOT NULL DEFAULT false,
        ADD CONSTRAINT containers_restorable_check CHECK (NOT is_restorable OR deleted_at IS NOT NULL)`);
    // The files of those that were deleted before are the collector's already: they do not come back.
    await runner.query('UPDATE projects SET purge_began_at = now() WHERE deleted_at IS NOT NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE containers DROP CONSTRAINT containers_restorable_check, DROP COLUMN is_restorable');
    await runner.query('DROP INDEX projects_restorable_idx');
    await runner.query('ALTER TABLE projects DROP CONSTRAINT projects_purge_check, DROP COLUMN purge_began_at');
  }
}
