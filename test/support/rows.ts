import pg from 'pg';
import type { ServiceEnvironment } from './service.js';

/** Returns the rows of a query on a service's database. */
export async function rowsOf(
  { databaseUrl }: Pick<ServiceEnvironment, 'databaseUrl'>,
  text: string,
  values: unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const database = new pg.Client(databaseUrl);
  await database.connect();
  try {
    return (await database.query(text, values)).rows as Record<string, unknown>[];
  } finally {
    await database.end();
  }
}
