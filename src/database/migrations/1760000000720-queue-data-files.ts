import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Projects whose data files have to be read again stand in a table of their own, in place of jobs of graphile-worker. The schema
 * `graphile_worker` stays for processes of the version before, and is used by nobody else.
 */
export class QueueDataFiles1760000000720 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE data_file_refreshes (
        project_id uuid NOT NULL CONSTRAINT data_file_refreshes_project_id_fkey REFERENCES projects (id) ON DELETE CASCADE,
        -- what has changed: whoever writes files and whoever edits the canvas do not wait for each other
        cause text NOT NULL CONSTRAINT data_file_refreshes_cause_check CHECK (cause IN ('files', 'canvas')),
        -- how often it was asked for since the row is there
        requests integer NOT NULL DEFAULT 1,
        -- the process that reads, until when it counts as alive, and how many there were; without one, from when on it is due
        owner uuid,
        due_at timestamptz(3) NOT NULL DEFAULT now(),
        generation integer NOT NULL DEFAULT 0,
        attempts integer NOT NULL DEFAULT 0,
        CONSTRAINT data_file_refreshes_pkey PRIMARY KEY (project_id, cause)
      )`);
    await runner.query('CREATE INDEX data_file_refreshes_due_idx ON data_file_refreshes (due_at)');
    await runner.query(`
      CREATE FUNCTION request_data_files(project_ids uuid[], cause text) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
          IF cardinality(project_ids) = 0 THEN RETURN; END IF;
          INSERT INTO data_file_refreshes AS r (project_id, cause) SELECT id, request_data_files.cause FROM unnest(project_ids) id ORDER BY id
              ON CONFLICT ON CONSTRAINT data_file_refreshes_pkey DO UPDATE
             SET requests = r.requests + 1, due_at = CASE WHEN r.owner IS NULL THEN least(r.due_at, now()) ELSE r.due_at END;
          PERFORM pg_notify('row_queues', 'data_files');
        END
      $$`);
    await runner.query(`
      CREATE OR REPLACE FUNCTION read_data_files(container_ids uuid[]) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
          PERFORM request_data_files(ARRAY(
            SELECT id FROM projects
             WHERE workspace_id = ANY (container_ids) AND data_files_digest IS NOT NULL AND deleted_at IS NULL), 'files');
        END
      $$`);
    // Also for jobs that processes of the version before add later.
    await runner.query(`
      CREATE FUNCTION take_data_file_jobs() RETURNS void LANGUAGE plpgsql AS $$
        DECLARE
          asked uuid[];
        BEGIN
          IF to_regclass('graphile_worker._private_jobs') IS NULL THEN RETURN; END IF;
          WITH taken AS (
            DELETE FROM graphile_worker._private_jobs j USING graphile_worker._private_tasks t
             WHERE t.id = j.task_id AND t.identifier = 'data_files' AND (j.locked_at IS NULL OR j.locked_at < now() - interval '4 hours')
            RETURNING (j.payload->>'project_id')::uuid AS project_id
          )
          SELECT array_agg(DISTINCT p.id) INTO asked FROM taken JOIN projects p ON p.id = taken.project_id;
          IF asked IS NOT NULL THEN PERFORM request_data_files(asked, 'canvas'); END IF;
        END
      $$`);
    await runner.query('SELECT take_data_file_jobs()');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE OR REPLACE FUNCTION read_data_files(container_ids uuid[]) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
          PERFORM graphile_worker.add_job('data_files', payload := json_build_object('project_id', id),
                                          job_key := 'data_files:tree:' || id)
             FROM projects
            WHERE workspace_id = ANY (container_ids) AND data_files_digest IS NOT NULL AND deleted_at IS NULL;
        END
      $$`);
    // Without the schema, the version before reads the files at their next change.
    await runner.query(`
      DO $$
        BEGIN
          IF to_regclass('graphile_worker._private_jobs') IS NULL THEN RETURN; END IF;
          PERFORM graphile_worker.add_job('data_files', payload := json_build_object('project_id', project_id),
                                          job_key := 'data_files:tree:' || project_id)
             FROM data_file_refreshes;
        END
      $$`);
    await runner.query('DROP FUNCTION take_data_file_jobs()');
    await runner.query('DROP FUNCTION request_data_files(uuid[], text)');
    await runner.query('DROP TABLE data_file_refreshes');
  }
}
