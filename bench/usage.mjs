/*
 * What usage listings cost when the ledger grows: companies of 10,000 users and 90 days, one with 50,000 rows and one with 5
 * million.
 * `npm run bench:usage` builds the service and runs this on the build; arguments are the two numbers of rows.
 *
 * The service is a process of its own on an embedded PostgreSQL, asked over HTTP; its own job rolls the rows up.
 */
import 'reflect-metadata';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { URLSearchParams } from 'node:url';
import { SignJWT } from 'jose';
import pg from 'pg';
import { startEmbeddedPostgres } from '../dist/platform/database/embedded/embedded-postgres.js';
import { migrate } from '../dist/platform/database/migrate.js';

const USERS = 10_000;
const DAYS = 90;
const ROUNDS = 40;
const BATCH = 250_000;
const SIZES = process.argv.length > 3 ? process.argv.slice(2, 4).map(Number) : [50_000, 5_000_000];

const folder = await mkdtemp(join(tmpdir(), 'bench-usage-'));
const database = await startEmbeddedPostgres({ dataDir: join(folder, 'data') });
try {
  await migrate(database.url());
  const secret = randomBytes(32).toString('hex');
  const service = spawn(process.execPath, [join(import.meta.dirname, '../dist/main.js')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: '0',
      HOST: '127.0.0.1',
      DATABASE_URL: database.url(),
      DATA_DIR: join(folder, 'data'),
      AUTH_JWT_SECRET: secret,
    },
  });
  try {
    await measure(await connect(service, secret));
  } finally {
    service.kill();
    await once(service, 'exit');
  }
} finally {
  await database.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Waits until the service is ready; answers a function that asks it for usage, as a company or as one of its members. */
async function connect(service, secret) {
  const url = await new Promise((resolve, reject) => {
    service.once('exit', (code) => reject(new Error(`The service ended with code ${code}`)));
    createInterface({ input: service.stdout }).on('line', (line) => {
      const { msg, url } = JSON.parse(line);
      if (msg === 'ready') resolve(url);
    });
  });
  const token = (company, role, user) =>
    new SignJWT({ company_id: company, role, name: user, email: `${user}@example.com` })
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject(user)
      .setExpirationTime('2h')
      .sign(Buffer.from(secret));
  const people = { company: 'user-1', member: 'user-5000' };
  return async (company, role, query) => {
    const response = await fetch(`${url}/api/v1/usage/users?${new URLSearchParams(query)}`, {
      headers: { authorization: `Bearer ${await token(company, role, people[role])}` },
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

/** The medians of each listing, for each size of the ledger. */
async function compare(client, api) {
  const midnight = (daysAgo) => Math.floor(Date.now() / 86_400_000 - daysAgo) * 86_400_000;
  const time = (ms) => new Date(ms).toISOString();
  const listings = {
    'first page': ['company', {}],
    'last page': ['company', { offset: USERS - 50 }],
    '30 whole days': ['company', { since: time(midnight(40)), until: time(midnight(10)) }],
    '60 whole days': ['company', { since: time(midnight(70)), until: time(midnight(10)) }],
    'a member’s own row': ['member', {}],
    '30 days and 2 parts of days': ['company', { since: time(midnight(41) + 43e6), until: time(midnight(9) + 43e6) }],
  };
  const medians = [];
  for (const rows of SIZES) {
    const company = `company of ${rows}`;
    await api(company, 'company', {});
    await fill(client, company, rows);
    medians.push({});
    for (const [what, [role, query]] of Object.entries(listings)) {
      medians.at(-1)[what] = await median(async () => {
        const { total } = await api(company, role, query);
        if (total !== (role === 'member' ? 1 : USERS)) throw new Error(`${what}: ${total} users`);
      });
    }
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

/** Makes a company with so many rows, in the order of their times, and waits until the service has rolled them up. */
async function fill(client, company, rows) {
  const started = performance.now();
  await client.query(
    `INSERT INTO users (company_id, id, display_name, email)
     SELECT $1, 'user-' || i, 'User ' || i, 'user-' || i || '@example.com' FROM generate_series(1, $2) i
     ON CONFLICT DO NOTHING`,
    [company, USERS],
  );
  for (let from = 0; from < rows; from += BATCH) {
    // One user after the other, so that each of them is in every listing.
    await client.query(
      `INSERT INTO usage_ledger (company_id, project_id, user_id, source_type, source_id, credits, created_at)
       SELECT $1, uuidv7(), 'user-' || 1 + i % $2, 'turn', uuidv7(), round((random() * 5)::numeric + 0.000001, 6),
              now() - make_interval(secs => ${DAYS * 86_400} * (1 - i / $3::float8))
         FROM generate_series($4::integer, $5::integer - 1) i`,
      [company, USERS, rows, from, Math.min(rows, from + BATCH)],
    );
  }
  const filled = performance.now();
  const count = async (table) => Number((await client.query(`SELECT count(*) FROM ${table}`)).rows[0].count);
  while ((await count('usage_pending')) > 0) await pause(500);
  const rolledUp = performance.now();
  await client.query('VACUUM ANALYZE usage_ledger, usage_days, usage_pending, users');
  const seconds = (since, until) => Math.round((until - since) / 1000);
  console.log(
    `${rows.toLocaleString('en')} rows: inserted in ${seconds(started, filled)} s, rolled up ${seconds(filled, rolledUp)} s later`,
  );
}

async function median(work) {
  const times = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const started = performance.now();
    await work();
    times.push(performance.now() - started);
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)];
}
