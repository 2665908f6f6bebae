import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Directories know how many nodes are directly in them, so that a page of a large one does not count them. Triggers keep
 * the number, whoever writes; writers of one tree wait for each other anyway.
 */
export class CountDirectoryEntries1760000000250 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE nodes
        -- how many nodes are directly in the directory
        ADD COLUMN entries bigint NOT NULL DEFAULT 0,
        ADD CONSTRAINT nodes_entries_check CHECK (entries >= 0 AND (kind = 'directory' OR entries = 0))`);
    await runner.query(`
      UPDATE nodes d SET entries = c.entries
        FROM (SELECT container_id, parent_id, count(*) AS entries FROM nodes GROUP BY container_id, parent_id) c
       WHERE d.container_id = c.container_id AND d.node_id = c.parent_id`);
    // Statements of few nodes and of very many share its plan: each directory is looked up, never all of the table read.
    await runner.query(`
      CREATE FUNCTION count_directory_entries() RETURNS trigger LANGUAGE plpgsql
        SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off AS $$
        BEGIN
          UPDATE nodes d SET entries = d.entries + CASE TG_OP WHEN 'INSERT' THEN c.entries ELSE -c.entries END
            FROM (SELECT container_id, parent_id, count(*) AS entries FROM changed GROUP BY container_id, parent_id) c
           WHERE d.container_id = c.container_id AND d.node_id = c.parent_id;
          RETURN NULL;
        END
      $$`);
    await runner.query(`
      CREATE FUNCTION move_directory_entry() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          UPDATE nodes SET entries = entries + CASE node_id WHEN NEW.parent_id THEN 1 ELSE -1 END
           WHERE container_id = NEW.container_id AND node_id IN (OLD.parent_id, NEW.parent_id);
          RETURN NULL;
        END
      $$`);
    await runner.query(`
      CREATE TRIGGER nodes_entries_added AFTER INSERT ON nodes REFERENCING NEW TABLE AS changed
        FOR EACH STATEMENT EXECUTE FUNCTION count_directory_entries()`);
    await runner.query(`
      CREATE TRIGGER nodes_entries_removed AFTER DELETE ON nodes REFERENCING OLD TABLE AS changed
        FOR EACH STATEMENT EXECUTE FUNCTION count_directory_entries()`);
    await runner.query(`
      CREATE TRIGGER nodes_entry_moved AFTER UPDATE OF parent_id ON nodes FOR EACH ROW
        WHEN (OLD.parent_id <> NEW.parent_id) EXECUTE FUNCTION move_directory_entry()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER nodes_entries_added ON nodes');
    await runner.query('DROP TRIGGER nodes_entries_removed ON nodes');
    await runner.query('DROP TRIGGER nodes_entry_moved ON nodes');
    await runner.query('DROP FUNCTION count_directory_entries()');
    await runner.query('DROP FUNCTION move_directory_entry()');
    await runner.query('ALTER TABLE nodes DROP COLUMN entries');
  }
}
