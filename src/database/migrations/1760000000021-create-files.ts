import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Files: immutable blobs in the object store, trees of rows that refer to them, and uploads under way.
 *
 * Node ids are unique inside a container only, so that a tree is copied by one INSERT ... SELECT; the root of every
 * container is its node 0.
 */
export class CreateFiles1760000000021 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE blobs (
        id uuid NOT NULL DEFAULT uuidv7() CONSTRAINT blobs_pkey PRIMARY KEY,
        company_id text NOT NULL CONSTRAINT blobs_company_id_fkey REFERENCES companies (id),
        -- writing: the object may be missing or incomplete; stored: it is whole and never changes again
        state text NOT NULL DEFAULT 'writing' CONSTRAINT blobs_state_check CHECK (state IN ('writing', 'stored')),
        size bigint CONSTRAINT blobs_size_check CHECK (size >= 0),
        -- of the content, where it was at hand when the blob was written
        sha256 bytea CONSTRAINT blobs_sha256_length_check CHECK (octet_length(sha256) = 32),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        unreferenced_since timestamptz(3),
        CONSTRAINT blobs_stored_check CHECK ((state = 'stored') = (size IS NOT NULL)),
        -- what nodes refer to: a blob still being written has no size, so nothing can refer to it
        CONSTRAINT blobs_id_size_key UNIQUE (id, size)
      )`);
    await runner.query('CREATE INDEX blobs_company_idx ON blobs (company_id) INCLUDE (size)');
    await runner.query(
      'CREATE INDEX blobs_unreferenced_idx ON blobs (unreferenced_since) WHERE unreferenced_since IS NOT NULL',
    );
    await runner.query(`CREATE INDEX blobs_writing_idx ON blobs (created_at) WHERE state = 'writing'`);

    await runner.query(`
      CREATE TABLE containers (
        id uuid NOT NULL DEFAULT uuidv7() CONSTRAINT containers_pkey PRIMARY KEY,
        company_id text NOT NULL CONSTRAINT containers_company_id_fkey REFERENCES companies (id),
        kind text NOT NULL CONSTRAINT containers_kind_check
          CHECK (kind IN ('deployment', 'workspace', 'snapshot', 'agent_config', 'project_skills')),
        next_node bigint NOT NULL DEFAULT 1 CONSTRAINT containers_next_node_check CHECK (next_node >= 1),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        deleted_at timestamptz(3)
      )`);
    await runner.query('CREATE INDEX containers_company_idx ON containers (company_id)');
    await runner.query('CREATE INDEX containers_deleted_idx ON containers (deleted_at) WHERE deleted_at IS NOT NULL');

    await runner.query(`
      CREATE TABLE nodes (
        container_id uuid NOT NULL,
        node_id bigint NOT NULL,
        parent_id bigint,
        name text COLLATE "C" NOT NULL,
        kind text NOT NULL CONSTRAINT nodes_kind_check CHECK (kind IN ('directory', 'file')),
        -- a directory that is there only because something is in it
        implied boolean NOT NULL DEFAULT false,
        blob_id uuid,
        size bigint,
        -- id of the file for clients: kept through moves and replacement, copied to snapshots
        file_id uuid,
        content_type text CONSTRAINT nodes_content_type_length_check CHECK (length(content_type) BETWEEN 1 AND 255),
        source text CONSTRAINT nodes_source_check CHECK (source IN ('upload', 'agent', 'execution', 'deployment')),
        modified timestamptz(3) NOT NULL DEFAULT now(),
        -- Every chain of parents ends in a root, so the root alone need refer to the container: a check per row would
        -- add a quarter to the time of copying a tree.
        root_of uuid GENERATED ALWAYS AS (CASE WHEN node_id = 0 THEN container_id END) STORED
          CONSTRAINT nodes_root_of_fkey REFERENCES containers (id),
        CONSTRAINT nodes_pkey PRIMARY KEY (container_id, node_id),
        CONSTRAINT nodes_name_key UNIQUE (container_id, parent_id, name),
        CONSTRAINT nodes_parent_fkey FOREIGN KEY (container_id, parent_id) REFERENCES nodes (container_id, node_id),
        CONSTRAINT nodes_blob_fkey FOREIGN KEY (blob_id, size) REFERENCES blobs (id, size),
        CONSTRAINT nodes_root_check CHECK (
          CASE WHEN node_id = 0 THEN parent_id IS NULL AND name = '' AND kind = 'directory' AND NOT implied
               ELSE node_id > 0 AND parent_id IS NOT NULL AND parent_id <> node_id END),
        CONSTRAINT nodes_name_check CHECK (
          node_id = 0 OR (octet_length(name) BETWEEN 1 AND 255 AND position('/' IN name) = 0 AND name NOT IN ('.', '..'))),
        CONSTRAINT nodes_content_check CHECK (
          CASE kind WHEN 'file' THEN blob_id IS NOT NULL AND size IS NOT NULL AND NOT implied
                    ELSE num_nonnulls(blob_id, size, file_id, content_type, source) = 0 END)
      )`);
    // Containers differ in size by orders of magnitude, and one may be new and large. Without statistics every container
    // counts as one of a few hundred, so that plans never read all of one to find what is in a directory.
    await runner.query('ALTER TABLE nodes ALTER COLUMN container_id SET STATISTICS 0');
    await runner.query(
      `CREATE INDEX nodes_directories_idx ON nodes (container_id, parent_id, name) WHERE kind = 'directory'`,
    );
    await runner.query('CREATE INDEX nodes_root_of_idx ON nodes (root_of) WHERE root_of IS NOT NULL');
    await runner.query('CREATE INDEX nodes_blob_idx ON nodes (blob_id) WHERE blob_id IS NOT NULL');
    await runner.query(
      'CREATE UNIQUE INDEX nodes_file_id_key ON nodes (container_id, file_id) WHERE file_id IS NOT NULL',
    );

    await runner.query(`
      CREATE TABLE uploads (
        id uuid NOT NULL DEFAULT uuidv7() CONSTRAINT uploads_pkey PRIMARY KEY,
        company_id text NOT NULL CONSTRAINT uploads_company_id_fkey REFERENCES companies (id),
        token_hash bytea NOT NULL CONSTRAINT uploads_token_hash_key UNIQUE
          CONSTRAINT uploads_token_hash_length_check CHECK (octet_length(token_hash) = 32),
        container_id uuid NOT NULL CONSTRAINT uploads_container_id_fkey REFERENCES containers (id),
        path text NOT NULL CONSTRAINT uploads_path_length_check CHECK (octet_length(path) BETWEEN 1 AND 1024),
        content_type text CONSTRAINT uploads_content_type_length_check CHECK (length(content_type) BETWEEN 1 AND 255),
        -- as declared at the start, in bytes
        size bigint CONSTRAINT uploads_size_check CHECK (size >= 0),
        part_size bigint NOT NULL CONSTRAINT uploads_part_size_check CHECK (part_size >= 1),
        -- what is being uploaded; let go of when the upload ends
        blob_id uuid CONSTRAINT uploads_blob_id_fkey REFERENCES blobs (id),
        -- the store's name of the upload; null until the store has begun it
        store_upload_id text,
        state text NOT NULL DEFAULT 'open'
          CONSTRAINT uploads_state_check CHECK (state IN ('open', 'completing', 'completed', 'aborted')),
        -- who completes it and until when nobody else may
        lease_id uuid,
        lease_until timestamptz(3),
        -- the answer of the completion, given again when it is asked again
        entry jsonb,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        expires_at timestamptz(3) NOT NULL,
        CONSTRAINT uploads_blob_check CHECK ((state IN ('open', 'completing')) = (blob_id IS NOT NULL)),
        CONSTRAINT uploads_lease_check CHECK ((state = 'completing') = (lease_id IS NOT NULL AND lease_until IS NOT NULL)),
        CONSTRAINT uploads_entry_check CHECK ((state = 'completed') = (entry IS NOT NULL))
      )`);
    await runner.query('CREATE INDEX uploads_container_idx ON uploads (container_id)');
    await runner.query('CREATE INDEX uploads_blob_idx ON uploads (blob_id)');
    await runner.query('CREATE INDEX uploads_company_idx ON uploads (company_id, state, expires_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE uploads');
    await runner.query('DROP TABLE nodes');
    await runner.query('DROP TABLE containers');
    await runner.query('DROP TABLE blobs');
  }
}
