import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Directories that are inserted together with what is in them may bring their count: the trigger then has nothing to add, and
 * a tree of very many directories is written once instead of twice. Whatever a statement leaves out is counted as before.
 */
export class BringCountsOfDirectories1760000000270 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION count_inserted_entries() RETURNS trigger LANGUAGE plpgsql
        SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off AS $$
        BEGIN
          UPDATE nodes d SET entries = d.entries + c.entries
            FROM (SELECT container_id, node_id, sum(entries) AS entries
                    FROM (SELECT container_id, parent_id AS node_id, 1 AS entries FROM changed
                          UNION ALL
                          SELECT container_id, node_id, -entries FROM changed WHERE entries > 0) given
                   GROUP BY container_id, node_id HAVING sum(entries) <> 0) c
           WHERE d.container_id = c.container_id AND d.node_id = c.node_id;
          RETURN NULL;
        END
      $$`);
    await runner.query('DROP TRIGGER nodes_entries_added ON nodes');
    await runner.query(`
      CREATE TRIGGER nodes_entries_added AFTER INSERT ON nodes REFERENCING NEW TABLE AS changed
        FOR EACH STATEMENT EXECUTE FUNCTION count_inserted_entries()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER nodes_entries_added ON nodes');
    await runner.query(`
      CREATE TRIGGER nodes_entries_added AFTER INSERT ON nodes REFERENCING NEW TABLE AS changed
        FOR EACH STATEMENT EXECUTE FUNCTION count_directory_entries()`);
    await runner.query('DROP FUNCTION count_inserted_entries()');
  }
}
