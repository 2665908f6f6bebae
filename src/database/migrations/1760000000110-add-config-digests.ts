import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a project's deployment scope holds, as a hash; written with every change of it. */
export class AddConfigDigests1760000000110 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The default is the hash of an empty scope.
    await runner.query(`
      ALTER TABLE projects ADD COLUMN config_digest text NOT NULL DEFAULT encode(sha256(''), 'hex')
        CONSTRAINT projects_config_digest_check CHECK (config_digest ~ '^[0-9a-f]{64}$')`);
    await runner.query(`
      WITH RECURSIVE inside AS (
        SELECT p.id AS project_id, n.container_id, n.node_id, n.kind, n.blob_id, n.name::text AS path
          FROM projects p
          JOIN nodes n ON n.container_id = p.agent_config_id AND n.parent_id = 0
         WHERE n.name IN ('AGENTS.md', 'skills')
        UNION ALL
        SELECT i.project_id, n.container_id, n.node_id, n.kind, n.blob_id, i.path || '/' || n.name::text
          FROM inside i
          JOIN nodes n ON n.container_id = i.container_id AND n.parent_id = i.node_id
         WHERE i.kind = 'directory'
      ),
      digests AS (
        SELECT i.project_id,
               encode(sha256(convert_to(
                 string_agg(i.path || E'\\n' || coalesce(encode(b.sha256, 'hex'), b.id::text), E'\\n' ORDER BY i.path COLLATE "C"),
                 'UTF8')), 'hex') AS config_digest
          FROM inside i
          JOIN blobs b ON b.id = i.blob_id
         GROUP BY i.project_id
      )
      UPDATE projects p SET config_digest = d.config_digest FROM digests d WHERE d.project_id = p.id`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE projects DROP COLUMN config_digest');
  }
}
