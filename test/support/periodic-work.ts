import type pg from 'pg';

/** Triggers a periodic job of a worker immediately. */
export async function doPeriodicWork(database: Pick<pg.Client, 'query'>, name: string): Promise<void> {
  await database.query(`SELECT pg_notify('periodic_work', $1)`, [name]);
}
