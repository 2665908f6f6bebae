import { readdir } from 'node:fs/promises';
import pg from 'pg';
import type { ServiceEnvironment } from './service.js';

/** Tables that scheduled jobs derive from the ledger. */
const SUMS = ['usage_pending', 'usage_spenders', 'usage_months', 'usage_day_sums'];

/**
 * Returns a fingerprint of everything that a service has stored, so that two points in time can be compared: a hash of
 * each table, and all file names. Data that scheduled jobs change independently of requests is omitted.
 */
export async function fingerprint({ databaseUrl, dataDir }: ServiceEnvironment): Promise<Record<string, string>> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const found: Record<string, string> = { files: (await readdir(dataDir, { recursive: true })).sort().join('\n') };
    for (const table of await tables(client)) {
      const { rows } = await client.query<{ hash: string }>(
        `SELECT count(*) || ' rows ' || md5(coalesce(string_agg(t::text, E'\\n' ORDER BY t::text), '')) AS hash
           FROM ${table} t`,
      );
      found[table] = rows[0]?.hash ?? '';
    }
    return found;
  } finally {
    await client.end();
  }
}

async function tables(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(`
    SELECT c.oid::regclass::text AS name
      FROM pg_class c
     WHERE c.relkind IN ('r', 'p')
       AND c.relnamespace = 'public'::regnamespace
     ORDER BY 1`);
  return rows.map(({ name }) => name).filter((name) => !SUMS.includes(name));
}
