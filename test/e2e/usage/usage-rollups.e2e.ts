import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { SumUsageByDay1760000000450 } from '../../../src/database/migrations/1760000000450-sum-usage-by-day.js';
import { SumUsageByMonth1760000000240 } from '../../../src/database/migrations/1760000000240-sum-usage-by-month.js';
import { Principal } from '../../../src/auth/principal.js';
import type { Tx } from '../../../src/database/database.service.js';
import type { PeriodicWorkService } from '../../../src/database/queues/periodic-work.service.js';
import type { Page } from '../../../src/common/listing/page.js';
import { RollupsService } from '../../../src/usage/rollups.service.js';
import { UsageRepository } from '../../../src/usage/usage.repository.js';
import { UsageService } from '../../../src/usage/usage.service.js';
import { useDatabase } from '../../support/database.js';
import { eventually } from '../../support/eventually.js';

const DAY_MS = 86_400_000;
/**
 * Days with spend: at the end of a year, and around the ends of months, including February with and without a leap day.
 * There is no spend in 2025.
 */
const SPENT = [
  '2023-12-31',
  '2024-01-01',
  '2024-02-28',
  '2024-02-29',
  '2024-03-01',
  '2026-02-28',
  '2026-03-01',
  '2026-04-30',
];
/**
 * Days without spend: before all spend, between two months, in an empty month after an empty year, and after all spend.
 */
const EMPTY = ['0001-01-01', '2024-02-01', '2025-06-15', '2026-01-31', '9999-12-31'];
const WRITERS = 3;
const company_id = 'company';
const caller = Principal.user({
  company_id,
  role: 'company',
  user_id: 'user-0',
  user_name: 'User',
  user_email: null,
  user_avatar_url: null,
  expires_at: null,
});

const db = useDatabase({ poolSize: 12 });
let usage: UsageService;
let rollups: RollupsService;

beforeAll(async () => {
  const entries = new UsageRepository(db.source);
  usage = new UsageService(db.database, entries);
  rollups = new RollupsService(db.database, entries, undefined as unknown as PeriodicWorkService);
  const { manager } = db.database;
  await manager.query(`INSERT INTO companies (id) VALUES ($1), ('other')`, [company_id]);
  await manager.query(
    `INSERT INTO users (company_id, id, display_name) SELECT c, 'user-' || i, 'User' FROM generate_series(0, 5) i, unnest(ARRAY[$1, 'other']) c`,
    [company_id],
  );
  await manager.query(
    `INSERT INTO api_keys (company_id, name, prefix, secret_hash, role, created_by, expires_at)
     SELECT $1, 'Key', lpad(i::text, 12, '0'), sha256(i::text::bytea), 'member', 'user-0', now() + interval '1 day'
       FROM generate_series(1, 4) i`,
    [company_id],
  );
});

const random = (below: number): number => Math.floor(Math.random() * below);

const oneOf = <Value>(values: readonly Value[]): Value => values[random(values.length)] as Value;

/** Returns a random time on the given days, often around midnight. May also return undefined. */
function moment(days: readonly string[] = SPENT): Date | undefined {
  const midnight = Date.parse(oneOf(days));
  const at = oneOf([midnight, midnight - 1, midnight + 1, midnight + random(DAY_MS), Number.NaN]);
  return Number.isNaN(at) ? undefined : new Date(at);
}

/** Returns a random bound for a span. */
const end = (): Date | undefined => moment([...SPENT, ...SPENT, ...EMPTY]);

/** Project ids without project rows, because spend outlives projects. */
const PROJECTS = [1, 2, 3].map((number) => `00000000-0000-7000-8000-00000000000${number}`);
const MODELS = ['guide', 'highs', null];

/** Charges a random spender at a random time and takes a random time to do so. Sometimes rolls back. */
async function charge(client: pg.Client): Promise<void> {
  await client.query('BEGIN');
  for (let left = 1 + random(3); left > 0; left -= 1) {
    await client.query(
      `INSERT INTO usage_ledger (company_id, project_id, user_id, source_type, source_id, credits, created_at, model)
       VALUES ($1, $4, $2, 'turn', uuidv7(), round(random()::numeric, 6), coalesce($3, now()), $5)`,
      [Math.random() < 0.1 ? 'other' : company_id, `user-${random(6)}`, moment(), oneOf(PROJECTS), oneOf(MODELS)],
    );
    if (Math.random() < 0.5) {
      await client.query(
        `INSERT INTO usage_ledger (company_id, project_id, api_key_id, source_type, source_id, credits, created_at, model)
         SELECT $1, $3, id, 'execution', uuidv7(), round(random()::numeric, 6), coalesce($2, now()), $4
           FROM api_keys ORDER BY random() LIMIT 1`,
        [company_id, moment(), oneOf(PROJECTS), oneOf(MODELS)],
      );
    }
    if (Math.random() < 0.3) await pause(random(30));
  }
  await client.query(Math.random() < 0.1 ? 'ROLLBACK' : 'COMMIT');
}

/** Returns the expected listing: the plain sums of the ledger. */
async function plainSums(tx: Tx, column: 'user_id' | 'api_key_id', since?: Date, until?: Date): Promise<object[]> {
  return await tx.query(
    `SELECT ${column} AS id, sum(credits) AS credits FROM usage_ledger
      WHERE company_id = $1 AND ${column} IS NOT NULL
        AND ($2::timestamptz IS NULL OR created_at >= $2) AND ($3::timestamptz IS NULL OR created_at < $3)
      GROUP BY ${column} HAVING sum(credits) > 0 ORDER BY sum(credits) DESC, ${column}`,
    [company_id, since ?? null, until ?? null],
  );
}

const spent = ({ rows, total }: Page<{ id: string; credits: number }>): object => ({
  rows: rows.map(({ id, credits }) => ({ id, credits })),
  total,
});

/** Returns the expected listing by project or day: the plain sums of the ledger. */
async function plainGroups(tx: Tx, keys: string[], since?: Date, until?: Date): Promise<object[]> {
  return await tx.query(
    `SELECT ${keys.map((key, at) => `${key} AS key${at}`).join(', ')}, sum(credits) AS credits FROM usage_ledger
      WHERE company_id = $1
        AND ($2::timestamptz IS NULL OR created_at >= $2) AND ($3::timestamptz IS NULL OR created_at < $3)
      GROUP BY ${keys.join(', ')} HAVING sum(credits) > 0
      ORDER BY ${keys.length > 1 ? 'key0 DESC,' : ''} sum(credits) DESC, key${keys.length - 1}`,
    [company_id, since ?? null, until ?? null],
  );
}

/** Compares all listings with the ledger within a single database snapshot. */
async function compare(since?: Date, until?: Date): Promise<void> {
  const query = { limit: 1000, offset: 0, ...(since && { since }), ...(until && { until }) };
  await db.database.snapshot(async (tx) => {
    const users = await plainSums(tx, 'user_id', since, until);
    expect(spent(await usage.listByUser(caller, query, tx))).toEqual({ rows: users, total: users.length });
    const keys = await plainSums(tx, 'api_key_id', since, until);
    expect(spent(await usage.listByApiKey(caller, query, tx))).toEqual({ rows: keys, total: keys.length });
    const projects = await usage.listByProject(caller, query, tx);
    const byProject = await plainGroups(tx, ['project_id'], since, until);
    expect(projects.rows.map(({ project_id, credits }) => ({ key0: project_id, credits }))).toEqual(byProject);
    expect(projects.total).toBe(byProject.length);
    const [group_by, column] = oneOf([
      ['user', 'user_id'],
      ['project', 'project_id'],
      ['model', 'model'],
    ] as const);
    const days = await usage.listByDay(caller, { ...query, group_by }, tx);
    const byDay = await plainGroups(tx, [`((created_at AT TIME ZONE 'UTC')::date)::text`, column], since, until);
    expect(days.rows.map(({ day, key, credits }) => ({ key0: day, key1: key, credits }))).toEqual(byDay.slice(0, 1000));
    expect(days.total).toBe(byDay.length);
  });
}

const count = async (table: string): Promise<number> => {
  const [row]: { rows: number }[] = await db.database.manager.query(`SELECT count(*) AS rows FROM ${table}`);
  return row?.rows ?? 0;
};

describe('usage listings', () => {
  it('match the ledger totals for any time span while late rows arrive and are rolled up', async () => {
    const over = Date.now() + 4_000;
    const until = async (work: () => Promise<void>): Promise<void> => {
      while (Date.now() < over) await work();
    };
    let compared = 0;
    const writers = await Promise.all(
      Array.from({ length: WRITERS }, async () => {
        const client = new pg.Client({ connectionString: db.url });
        await client.connect();
        return client;
      }),
    );
    await Promise.all([
      ...writers.map(async (client) => await until(async () => await charge(client))),
      ...[1, 2].map(
        async () =>
          await until(async () => {
            await pause(random(60));
            await rollups.rollUp(1 + random(20));
          }),
      ),
      ...[1, 2].map(
        async () =>
          await until(async () => {
            await compare(end(), end());
            compared += 1;
          }),
      ),
    ]);
    await Promise.all(writers.map(async (client) => await client.end()));
    expect(compared).toBeGreaterThan(20);
    expect(await count('usage_ledger')).toBeGreaterThan(100);
    for (let round = 0; round < 40; round += 1) await compare(end(), end());
    await rollups.rollUp();
    expect(await count('usage_pending')).toBe(0);
    // Most spenders have rows for six months and for the current month.
    expect(await count('usage_months')).toBeGreaterThan(5 * 10);
    for (let round = 0; round < 40; round += 1) await compare(end(), end());
  }, 30_000);

  it('are still correct after a roll-up was interrupted', async () => {
    const client = new pg.Client({ connectionString: db.url });
    await client.connect();
    for (let row = 0; row < 10; row += 1) await charge(client);
    // The lock blocks writes to the sums. A roll-up that waits for the lock is terminated.
    await client.query('BEGIN; LOCK TABLE usage_months IN SHARE MODE');
    const waiting = rollups.rollUp(3).then(
      () => 'done',
      () => 'broken off',
    );
    await eventually(
      () =>
        client.query(
          'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))',
        ),
      ({ rowCount }) => rowCount === 1,
      { until: 'the roll-up waits' },
    );
    expect(await waiting).toBe('broken off');
    await client.query('ROLLBACK');
    await client.end();
    expect(await count('usage_pending')).toBeGreaterThan(0);
    await compare();
    await rollups.rollUp();
    await compare();
    expect(await count('usage_pending')).toBe(0);
  });

  it('are still correct after a migration to daily sums and back', async () => {
    const months = async (): Promise<object[]> =>
      await db.database.manager.query(`SELECT m::text AS row FROM usage_months m ORDER BY 1`);
    await rollups.rollUp();
    const before = await months();
    const runner = db.source.createQueryRunner();
    const migration = new SumUsageByMonth1760000000240();
    const client = new pg.Client({ connectionString: db.url });
    await client.connect();
    try {
      await migration.down(runner);
      expect(
        await runner.query(
          `SELECT company_id, coalesce(user_id, api_key_id::text) AS id, day::text, credits_to_date
             FROM usage_days d JOIN usage_spenders s ON s.id = d.spender_id ORDER BY 1, 2, 3`,
        ),
      ).toEqual(
        await runner.query(
          `SELECT company_id, coalesce(user_id, api_key_id::text) AS id, day::text,
                  sum(sum(credits)) OVER (PARTITION BY company_id, user_id, api_key_id ORDER BY day) AS credits_to_date
             FROM usage_ledger CROSS JOIN LATERAL (SELECT (created_at AT TIME ZONE 'UTC')::date AS day) d
            GROUP BY company_id, user_id, api_key_id, day HAVING sum(credits) > 0 ORDER BY 1, 2, 3`,
        ),
      );
      await migration.up(runner);
      expect(await months()).toEqual(before);
      // The daily sums do not include pending rows. The migration must not add these rows to the monthly sums twice.
      await migration.down(runner);
      for (let number = 0; number < 20; number += 1) await charge(client);
      await migration.up(runner);
      expect(await months()).toEqual(before);
    } finally {
      await runner.release();
      await client.end();
    }
    expect(before.length).toBeGreaterThan(0);
    expect(await count('usage_pending')).toBeGreaterThan(0);
    for (let round = 0; round < 10; round += 1) await compare(end(), end());
    await rollups.rollUp();
    for (let round = 0; round < 10; round += 1) await compare(end(), end());
  });

  it('are still correct after the daily sums were removed and rebuilt', async () => {
    const sums = async (): Promise<object[]> =>
      await db.database.manager.query(
        `SELECT company_id, day, project_id, user_id, api_key_id, sum(credits) AS credits FROM usage_day_sums
          GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5`,
      );
    await rollups.rollUp();
    const client = new pg.Client({ connectionString: db.url });
    await client.connect();
    for (let number = 0; number < 10; number += 1) await charge(client);
    await client.end();
    const before = await sums();
    const runner = db.source.createQueryRunner();
    const migration = new SumUsageByDay1760000000450();
    try {
      await migration.down(runner);
      await migration.up(runner);
    } finally {
      await runner.release();
    }
    // Models are recorded only for later spend, so they are left out of the comparison.
    expect(await sums()).toEqual(before);
    expect(before.length).toBeGreaterThan(20);
    expect(await count('usage_pending')).toBeGreaterThan(0);
    for (let round = 0; round < 10; round += 1) await compare(end(), end());
    await rollups.rollUp();
    for (let round = 0; round < 10; round += 1) await compare(end(), end());
  });

  it.each([
    ['usage_months_spender_check', { user_id: null }],
    ['usage_months_month_check', { month: '2024-02-02', to_date: '{1,1}' }],
    ['usage_months_month_check', { month: 'infinity' }],
    ['usage_months_half_days_check', { month: '2025-02-01' }],
    ['usage_months_half_days_check', { month: '2024-03-01' }],
    ['usage_months_credits_to_date_check', { to_date: `{{0},${'{1},'.repeat(56)}{1}}` }],
    ['usage_months_credits_to_date_check', { to_date: '{}' }],
    ['usage_months_credits_to_date_check', { to_date: `[0:57]={${'1,'.repeat(57)}1}` }],
    ['usage_months_credits_to_date_check', { to_date: `{-1,${'1,'.repeat(56)}1}` }],
    ['usage_months_credits_to_date_check', { to_date: `{2,${'1,'.repeat(56)}1}` }],
    ['usage_months_credits_to_date_check', { to_date: `{${'1,'.repeat(57)}NULL}` }],
    ['usage_months_credits_to_date_check', { to_date: `{NULL,${'1,'.repeat(56)}1}` }],
    [undefined, {}],
  ])('use monthly sums that constraints protect: %s, %j', async (constraint, wrong) => {
    const { user_id, month, to_date } = {
      user_id: 'user-0',
      month: '2024-02-01',
      to_date: `{0,${'1,'.repeat(56)}2}`,
      ...wrong,
    };
    const stored = await db.database
      .transaction(async (tx) => {
        await tx.query('DELETE FROM usage_months');
        await tx.query(
          'INSERT INTO usage_months (company_id, user_id, month, credits_to_date) VALUES ($1, $2, $3, $4)',
          [company_id, user_id, month, to_date],
        );
        throw new Error('Stored, and taken back');
      })
      .catch((error: unknown) => error);
    expect(stored).toMatchObject(
      constraint === undefined ? { message: 'Stored, and taken back' } : { driverError: { constraint } },
    );
  });
});
