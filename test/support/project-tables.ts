import type pg from 'pg';

/**
 * Returns the tables with a `project_id`, ordered by name. Excludes usage tables, because spend outlives its project,
 * and tables whose rows are deleted by a cascading foreign key.
 */
export async function projectTables(database: Pick<pg.Client, 'query'>): Promise<string[]> {
  const { rows } = await database.query<{ name: string }>(`
    SELECT t.relname AS name
      FROM pg_class t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attname = 'project_id' AND NOT a.attisdropped
     WHERE t.relnamespace = 'public'::regnamespace AND t.relkind = 'r' AND t.relname NOT LIKE 'usage%'
       AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conrelid = t.oid AND c.contype = 'f' AND c.confdeltype = 'c')
     ORDER BY t.relname`);
  return rows.map(({ name }) => name);
}
