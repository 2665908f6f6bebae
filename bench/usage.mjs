/*
 * Measures how much slower usage listings become as the ledger grows. Two companies, each with 10,000 users and 90 days of
 * usage, are queried alternately. Their ledgers have 50,000 and 5 million rows.
 *
 * `npm run bench:usage` builds the service and runs this benchmark on the build. The arguments are the two row counts. The
 * service is a separate process that is called over HTTP, on an embedded PostgreSQL. Its regular job rolls up the rows.
 */
import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { URLSearchParams } from 'node:url';
import pg from 'pg';
import { startEmbeddedPostgres } from '../dist/packages/embedded-postgres/embedded-postgres.js';
import { migrate } from '../dist/src/database/migrate.js';
import { makeFolder, signToken, startService, environment } from './processes.mjs';

const USERS = 10_000;
const DAYS = 90;
const PROJECTS = 100;
const ROUNDS = 40;
const BATCH = 250_000;
/**
 * Number of rows in each ledger, starting with the newest, that the service itself rolls up. The sums of older rows are
 * inserted in bulk.
 */
const BY_JOB = 200_000;
const SIZES = process.argv.length > 3 ? process.argv.slice(2, 4).map(Number) : [50_000, 5_000_000];

const folder = await makeFolder();
const dataDir = join(folder, 'data');
const database = await startEmbeddedPostgres({ dataDir });
try {
  await migrate(database.url());
  Object.assign(environment, { databaseUrl: database.url(), dataDir, secret: randomBytes(32).toString('hex') });
  const service = await startService();
  try {
    await measure(asker(service.url));
  } finally {
    await service.stop();
  }
} finally {
  await database.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Returns a function that queries usage as the company or as one of its members. */
function asker(url) {
  const people = { company: 'user-1', member: 'user-5000' };
  return async (company, role, query, listing = 'users') => {
    const response = await fetch(`${url}/api/v1/usage/${listing}?${new URLSearchParams(query)}`, {
      headers: { authorization: `Bearer ${await signToken(company, people[role], { role })}` },
    });
    if (!response.ok) throw new Error(`${JSON.stringify(query)} answered ${response.status}`);
    return await response.json();
  };
}

async function measure(api) {
  const client = new pg.Client({ connectionString: database.url() });
  await client.connect();
  try {
    report(await compare(client, api));
  } finally {
    await client.end();
  }
}

/** Returns the median duration of each listing for each ledger size. */
async function compare(client, api) {
  const midnight = (daysAgo) => Math.floor(Date.now() / 86_400_000 - daysAgo) * 86_400_000;
  const time = (ms) => new Date(ms).toISOString();
  const listings = {
    'first page': ['company', {}],
    'last page': ['company', { offset: USERS - 50 }],
    'the last 30 days': ['company', { since: time(midnight(30)) }],
    '30 whole days': ['company', { since: time(midnight(40)), until: time(midnight(10)) }],
    '60 whole days': ['company', { since: time(midnight(70)), until: time(midnight(10)) }],
    'a member’s own row': ['member', {}],
    // Both ends of the interval are as far as possible from midnight and noon.
    '30 days from 6 to 6 o’clock': [
      'company',
      { since: time(midnight(40) + 216e5), until: time(midnight(10) + 216e5) },
    ],
    'projects of the last 30 days': ['company', { since: time(midnight(30)) }, 'projects'],
    'days of 30 days by project': [
      'company',
      { since: time(midnight(40)), until: time(midnight(10)) },
      'days',
      'project',
    ],
    'days of 30 days by model': ['company', { since: time(midnight(40)), until: time(midnight(10)) }, 'days', 'model'],
  };
  const rowsOf = { users: USERS, projects: PROJECTS, project: 30 * PROJECTS, model: 30 };
  const companies = SIZES.map((rows) => `company of ${rows}`);
  for (const [index, company] of companies.entries()) {
    await api(company, 'company', {});
    await fill(client, company, SIZES[index]);
  }
  const medians = companies.map(() => ({}));
  for (const [what, [role, query, listing = 'users', group_by]] of Object.entries(listings)) {
    const asked = companies.map((company) => async () => {
      const { total } = await api(company, role, { ...query, ...(group_by && { group_by }) }, listing);
      if (total !== (role === 'member' ? 1 : rowsOf[group_by ?? listing])) throw new Error(`${what}: ${total} rows`);
    });
    for (const [index, ms] of (await mediansOf(asked)).entries()) medians[index][what] = ms;
  }
  return medians;
}

function report(medians) {
  const head = SIZES.map((rows) => `${rows.toLocaleString('en')} rows`.padStart(16)).join('');
  console.log(`\n${USERS.toLocaleString('en')} users, ${DAYS} days; median ms over HTTP of ${ROUNDS}`);
  console.log(`${''.padEnd(28)}${head}     ratio`);
  const [smalls, larges] = medians;
  for (const [what, small] of Object.entries(smalls)) {
    const figures = [small, larges[what]].map((ms) => ms.toFixed(1).padStart(16)).join('');
    console.log(`${what.padEnd(28)}${figures}${(larges[what] / small).toFixed(2).padStart(10)}`);
  }
}

/**
 * Creates a company with this many ledger rows, inserted in chronological order, and waits until the service has rolled up the
 * newest rows.
 *
 * Older rows are inserted together with the sums that the service would have written. The newest rows are inserted in the same
 * way as charges.
 */
async function fill(client, company, rows) {
  await client.query(
    `INSERT INTO users (company_id, id, display_name, email)
     SELECT $1, 'user-' || i, 'User ' || i, 'user-' || i || '@example.com' FROM generate_series(1, $2) i
     ON CONFLICT DO NOTHING`,
    [company, USERS],
  );
  const byJob = Math.min(BY_JOB, rows / 2);
  const started = performance.now();
  // Skips triggers, so that the rows are not marked as pending.
  await client.query('SET session_replication_role = replica');
  await charge(client, company, rows, 0, rows - byJob);
  await client.query(
    `INSERT INTO usage_spenders (company_id, user_id, credits)
     SELECT company_id, user_id, sum(credits) FROM usage_ledger WHERE company_id = $1 GROUP BY company_id, user_id`,
    [company],
  );
  await client.query('ANALYZE usage_ledger, usage_spenders');
  // The rows are sorted by month, because the service also inserts them in this order.
  await client.query(
    `INSERT INTO usage_months (company_id, user_id, month, credits_to_date)
     SELECT $1, user_id, month, array_agg(to_date ORDER BY half)
       FROM (SELECT user_id, month, half, sum(coalesce(credits, 0)) OVER (PARTITION BY user_id ORDER BY half) AS to_date
               FROM (SELECT DISTINCT user_id, date_trunc('month', created_at, 'UTC') AS month
                       FROM usage_ledger WHERE company_id = $1) m
              CROSS JOIN LATERAL generate_series(month, month + interval '1 month - 12 hours', interval '12 hours') half
               LEFT JOIN (SELECT user_id, date_bin('12 hours', created_at, timestamptz '2000-01-01Z') AS half, sum(credits) AS credits
                            FROM usage_ledger WHERE company_id = $1 GROUP BY 1, 2) d USING (user_id, half)) t
      GROUP BY user_id, month
      ORDER BY month, user_id`,
    [company],
  );
  await client.query(
    `INSERT INTO usage_day_sums (company_id, day, project_id, user_id, model, credits)
     SELECT company_id, (created_at AT TIME ZONE 'UTC')::date AS day, project_id, user_id, model, sum(credits)
       FROM usage_ledger WHERE company_id = $1 GROUP BY company_id, day, project_id, user_id, model ORDER BY day`,
    [company],
  );
  await client.query('RESET session_replication_role');
  const made = performance.now();
  await charge(client, company, rows, rows - byJob, rows);
  const charged = performance.now();
  const rate = await watchJob(client);
  await client.query('VACUUM ANALYZE usage_ledger, usage_spenders, usage_months, usage_day_sums, usage_pending, users');
  const perSecond = (count, ms) => Math.round((count / ms) * 1000).toLocaleString('en');
  console.log(
    `${rows.toLocaleString('en')} rows: ${(rows - byJob).toLocaleString('en')} in bulk in ${Math.round((made - started) / 1000)} s, ` +
      `then ${byJob.toLocaleString('en')} charged at ${perSecond(byJob, charged - made)} rows/s and rolled up by the service ` +
      `at ${rate === undefined ? 'too fast to see' : `${perSecond(rate.rows, rate.ms)} rows/s`}`,
  );
}

/** Inserts the rows `from` to `until` of a ledger with `rows` rows. */
async function charge(client, company, rows, from, until) {
  for (let first = from; first < until; first += BATCH) {
    // Rows are assigned to users in turn, so that every user appears in every listing.
    await client.query(
      `INSERT INTO usage_ledger (company_id, project_id, user_id, source_type, source_id, model, credits, created_at)
       SELECT $1, ('00000000-0000-7000-8000-' || lpad((i % ${PROJECTS})::text, 12, '0'))::uuid, 'user-' || 1 + i % $2, 'turn', uuidv7(), 'guide', round((random() * 5)::numeric + 0.000001, 6),
              now() - make_interval(secs => ${DAYS * 86_400} * (1 - i / $3::float8))
         FROM generate_series($4::integer, $5::integer - 1) i`,
      [company, USERS, rows, first, Math.min(until, first + BATCH)],
    );
  }
}

/**
 * Waits until no rows are pending. Returns the number of processed rows, and the time between the first and the last sample.
 */
async function watchJob(client) {
  const looks = [];
  do {
    const { rows } = await client.query('SELECT count(*)::integer AS count FROM usage_pending');
    const look = { count: rows[0].count, at: performance.now() };
    // Until the job starts, each new sample replaces the first sample.
    if (looks.length === 1 && looks[0].count === look.count) looks.pop();
    looks.push(look);
    await pause(50);
  } while (looks.at(-1).count > 0);
  const [first, last] = [looks[0], looks.at(-1)];
  return looks.length < 2 ? undefined : { rows: first.count - last.count, ms: last.at - first.at };
}

/**
 * Returns the median duration of each task in ms. The tasks run alternately, so that other load on the machine affects them
 * equally.
 */
async function mediansOf(works) {
  const times = works.map(() => []);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, work] of works.entries()) {
      const started = performance.now();
      await work();
      times[index].push(performance.now() - started);
    }
  }
  return times.map((ms) => ms.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)]);
}
