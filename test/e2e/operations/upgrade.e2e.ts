import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import '../../../src/app.module.js';
import { createDataSource } from '../../../src/database/data-source.js';
import { migrate } from '../../../src/database/migrate.js';
import { runBuilt } from '../../support/built-program.js';
import { createDatabase, dropDatabase } from '../../support/databases.js';
import { eventually } from '../../support/eventually.js';

const WAITING = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
/** Pause between two transactions from a client. */
const PAUSE_MS = 150;

const settings = (url: string): Record<string, string> => ({ DATABASE_URL: url, AUTH_JWT_SECRET: 'x'.repeat(32) });

/** Runs `work` with a database that has all migrations before the one with the given number. */
async function withDatabase(before: number, work: (url: string, client: pg.Client) => Promise<void>): Promise<void> {
  const url = await createDatabase('template0');
  const client = new pg.Client(url);
  try {
    if (before > 0) {
      const source = await createDataSource(url, 2, ['dist/src/database/migrations/*.js']).initialize();
      const numberOf = (name: string): number => Number(/\d{4}$/.exec(name)?.[0]);
      const later = source.migrations.findIndex(({ constructor }) => numberOf(constructor.name) >= before);
      source.migrations.splice(later);
      await source.runMigrations();
      await source.destroy();
    }
    await client.connect();
    await work(url, client);
  } finally {
    await client.end();
    await dropDatabase(url);
  }
}

describe('an upgrade during requests', () => {
  it.each([
    [520, 'turns', 'projects'],
    [620, 'events', 'event_heads'],
    [630, 'event_outbox', 'event_heads'],
  ])(
    'yields at migration %d to a transaction that locks %s and then %s',
    async (number, held, wanted) => {
      await withDatabase(number, async (url, request) => {
        await request.query('BEGIN');
        await request.query(`LOCK TABLE ${held} IN EXCLUSIVE MODE`);
        const upgrade = runBuilt('dist/src/migrate.js', settings(url));
        const look = new pg.Client(url);
        await look.connect();
        await eventually(
          async () => (await look.query(WAITING)).rowCount,
          (count) => count === 1,
          { until: 'the migration waits for a lock', deadlineMs: 40_000 },
        );
        await look.end();
        // Without yielding, the migration and the request would wait for each other until one of them fails.
        await request.query(`LOCK TABLE ${wanted} IN ROW EXCLUSIVE MODE`);
        await request.query('COMMIT');
        const { code, stdout, stderr } = await upgrade;
        expect([code, stderr]).toEqual([0, '']);
        expect(stdout).toMatch(/^A migration is blocked by running requests \((55P03|40P01)\) and will be retried$/m);
        expect(stdout).toMatch(/The database is up to date\.\n$/);
      });
    },
    60_000,
  );

  it('completes despite a continuous series of short transactions, all of which succeed', async () => {
    await withDatabase(520, async (url) => {
      let isOver = false;
      const failures: unknown[] = [];
      const repeat = async (tables: string[]): Promise<void> => {
        const client = new pg.Client(url);
        await client.connect();
        while (!isOver) {
          try {
            await client.query('BEGIN');
            for (const table of tables) {
              await client.query(`LOCK TABLE ${table} IN ROW EXCLUSIVE MODE`);
              await pause(20);
            }
            await client.query('COMMIT');
            await pause(PAUSE_MS);
          } catch (error) {
            // The service retries a transaction after a deadlock.
            if ((error as { code?: string }).code !== '40P01') failures.push(error);
            await client.query('ROLLBACK');
          }
        }
        await client.end();
      };
      const orders = [
        ['turns', 'projects'],
        ['projects', 'conversations', 'turns'],
        ['projects', 'cards'],
      ];
      const requests = orders.map(async (tables) => await repeat(tables));
      const { code, stderr } = await runBuilt('dist/src/migrate.js', settings(url));
      isOver = true;
      await Promise.all(requests);
      expect([code, stderr, failures]).toEqual([0, '', []]);
    });
  }, 90_000);

  it('reports the process that it waits for if another process is migrating', async () => {
    await withDatabase(0, async (url, other) => {
      await other.query(`SELECT pg_advisory_lock(hashtextextended('project-workspace-service:migrations', 0))`);
      const said: string[] = [];
      const upgrade = migrate(url, (sentence) => said.push(sentence));
      await eventually(
        () => Promise.resolve(said.length),
        (count) => count > 0,
        { until: 'the wait is reported', deadlineMs: 20_000 },
      );
      const { rows } = await other.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      expect(said).toEqual([
        expect.stringMatching(
          new RegExp(
            `^Another process is migrating the database; waiting for database session ${rows[0]?.pid}( of .*)?$`,
          ),
        ),
      ]);
      await other.query('SELECT pg_advisory_unlock_all()');
      await upgrade;
    });
  }, 60_000);

  it('does not create any TypeORM tables except the list of migrations, even with all entities loaded', async () => {
    await withDatabase(0, async (url, client) => {
      await migrate(url);
      const { rows } = await client.query(
        `SELECT to_regclass('migrations')::text AS migrations, to_regclass('typeorm_metadata') AS metadata`,
      );
      expect(rows).toEqual([{ migrations: 'migrations', metadata: null }]);
    });
  }, 60_000);
});
