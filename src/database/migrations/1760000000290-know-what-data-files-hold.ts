import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Data cards name files of the workspace: what was read of their contents is kept by content, and whatever changes in a workspace
 * whose files are named has the project's flags looked at anew. Executions keep the files beside the cards.
 */
export class KnowWhatDataFilesHold1760000000290 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE file_facts (
        blob_id uuid NOT NULL CONSTRAINT file_facts_blob_id_fkey REFERENCES blobs (id) ON DELETE CASCADE,
        -- SHA-256 of the sheet and the columns of the key that were asked for
        aspect bytea NOT NULL CONSTRAINT file_facts_aspect_length_check CHECK (octet_length(aspect) = 32),
        facts jsonb NOT NULL CONSTRAINT file_facts_facts_check CHECK (jsonb_typeof(facts) = 'object'),
        CONSTRAINT file_facts_pkey PRIMARY KEY (blob_id, aspect)
      )`);
    await runner.query(`
      ALTER TABLE projects
        -- hash of the contents that sets stand in, empty when there are none; null when no data card names a file
        ADD COLUMN data_files_digest text
          CONSTRAINT projects_data_files_digest_check CHECK (data_files_digest ~ '^([0-9a-f]{64})?$')`);
    await runner.query(`
      UPDATE projects p SET data_files_digest = ''
       WHERE EXISTS (SELECT FROM cards c WHERE c.project_id = p.id AND c.card_type = 'data' AND c.data ? 'file_path')`);
    // Writers of one tree wait for each other, so they never wait for the key of the job. Of graphile-worker's schema nothing needs
    // to be there yet.
    await runner.query(`
      CREATE FUNCTION read_data_files(container_ids uuid[]) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
          PERFORM graphile_worker.add_job('data_files', payload := json_build_object('project_id', id),
                                          job_key := 'data_files:tree:' || id)
             FROM projects
            WHERE workspace_id = ANY (container_ids) AND data_files_digest IS NOT NULL AND deleted_at IS NULL;
        END
      $$`);
    await runner.query(`
      CREATE FUNCTION note_changed_data_files() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          PERFORM read_data_files(ARRAY(SELECT DISTINCT container_id FROM changed));
          RETURN NULL;
        END
      $$`);
    // A join of both tables would be planned without knowing how large they are.
    await runner.query(`
      CREATE FUNCTION note_moved_data_files() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          PERFORM read_data_files(ARRAY(
            SELECT DISTINCT container_id FROM (
              SELECT container_id, node_id, parent_id, name, blob_id FROM changed
              EXCEPT SELECT container_id, node_id, parent_id, name, blob_id FROM before) n));
          RETURN NULL;
        END
      $$`);
    await runner.query(`
      CREATE TRIGGER nodes_data_files_added AFTER INSERT ON nodes REFERENCING NEW TABLE AS changed
        FOR EACH STATEMENT EXECUTE FUNCTION note_changed_data_files()`);
    await runner.query(`
      CREATE TRIGGER nodes_data_files_removed AFTER DELETE ON nodes REFERENCING OLD TABLE AS changed
        FOR EACH STATEMENT EXECUTE FUNCTION note_changed_data_files()`);
    await runner.query(`
      CREATE TRIGGER nodes_data_files_moved AFTER UPDATE ON nodes REFERENCING OLD TABLE AS before NEW TABLE AS changed
        FOR EACH STATEMENT EXECUTE FUNCTION note_moved_data_files()`);
    await runner.query(`
      ALTER TABLE executions
        DROP CONSTRAINT executions_pinned_check,
        -- what is solved is there until the end: cards, with their files where they name some, or the file of a model
        ADD CONSTRAINT executions_pinned_check CHECK (
          CASE WHEN status IN ('queued', 'running') THEN num_nonnulls(cards, inputs_id) > 0
               ELSE num_nonnulls(cards, inputs_id) = 0 END)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE executions
        DROP CONSTRAINT executions_pinned_check,
        ADD CONSTRAINT executions_pinned_check CHECK (
          num_nonnulls(cards, inputs_id) = CASE WHEN status IN ('queued', 'running') THEN 1 ELSE 0 END)`);
    await runner.query('DROP TRIGGER nodes_data_files_added ON nodes');
    await runner.query('DROP TRIGGER nodes_data_files_removed ON nodes');
    await runner.query('DROP TRIGGER nodes_data_files_moved ON nodes');
    await runner.query('DROP FUNCTION note_changed_data_files()');
    await runner.query('DROP FUNCTION note_moved_data_files()');
    await runner.query('DROP FUNCTION read_data_files(uuid[])');
    await runner.query('ALTER TABLE projects DROP COLUMN data_files_digest');
    await runner.query('DROP TABLE file_facts');
  }
}
