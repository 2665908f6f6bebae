import type pg from 'pg';

const OLDEST_VERSION = 18;
/** Number of rounds of the check for a pooler. A single round can miss a pool with several idle connections. */
const ROUNDS = 5;

/** Thrown for a database that this service cannot use. The message is a sentence that gives the reason. */
export class UnsuitableDatabaseError extends Error {}

/**
 * Checks that the service can use the database of `client`. `connect` opens another connection to it.
 *
 * @throws UnsuitableDatabaseError if the server is too old, the database is not UTF-8, or sessions are shared or not in UTC
 */
export async function assertSuitable(client: pg.Client, connect: () => Promise<pg.Client>): Promise<void> {
  const { rows } = await client.query<{ version: number; encoding: string; zone: string }>(
    `SELECT current_setting('server_version_num')::int / 10000 AS version, current_setting('server_encoding') AS encoding,
            current_setting('TimeZone') AS zone`,
  );
  const [server] = rows;
  if (server === undefined || server.version < OLDEST_VERSION) {
    throw new UnsuitableDatabaseError(
      `PostgreSQL ${OLDEST_VERSION} or newer is required, but the server is version ${server?.version}`,
    );
  }
  if (server.encoding !== 'UTF8') {
    throw new UnsuitableDatabaseError(`The database must use the encoding UTF8, but it uses ${server.encoding}`);
  }
  if (server.zone !== 'UTC') {
    throw new UnsuitableDatabaseError(
      `The pooler at DATABASE_URL ignores the service's time zone, and sessions use ${server.zone}: run ALTER ROLE ... SET timezone = 'UTC' for the role in DATABASE_URL`,
    );
  }
  const other = await connect();
  try {
    await assertOwnSessions(client, other);
  } finally {
    await other.end();
  }
}

/** Throws if connections share a session, as with a pooler in transaction mode. */
async function assertOwnSessions(one: pg.Client, other: pg.Client): Promise<void> {
  const session = async (client: pg.Client): Promise<number | undefined> =>
    (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid;
  const first = await session(one);
  for (let round = 0; round < ROUNDS; round += 1) {
    if ((await session(other)) !== first && (await session(one)) === first) continue;
    throw new UnsuitableDatabaseError(
      'DATABASE_URL points to a pooler in transaction mode, but the service needs its own sessions: set pool_mode = session, or connect to PostgreSQL directly',
    );
  }
}
