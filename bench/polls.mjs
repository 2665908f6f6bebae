/*
 * Compares the cost of a poll without changes with the cost of a full response: `npm run bench:polls`. With `-- ../before`,
 * also measures full responses from another checkout's build, alternately.
 */
import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import autocannon from 'autocannon';
import pg from 'pg';

const ROUNDS = 7;
const SECONDS = 2;
const CONNECTIONS = 8;
const HERE = join(import.meta.dirname, '..');
const READS = {
  sync: ({ operations }) => `/projects/${operations}/chat/sync`,
  window: ({ operations }) => `/projects/${operations}/chat?limit=200`,
  project: ({ operations }) => `/projects/${operations}`,
  cards: ({ operations }) => `/projects/${operations}/cards`,
};

const open = [];
try {
  const other = process.argv[2];
  const now = await start(HERE, 'now');
  const before = other === undefined ? undefined : await start(resolve(other), 'before');
  for (const [name, pathOf] of Object.entries(READS)) await measure(name, pathOf, now, before);
} finally {
  for (const close of open.reverse()) await close();
}

/** Starts the service of a checkout without a worker, on a separate database that contains the data of the other benchmarks. */
async function start(root, name) {
  const load = async (path) => await import(join(root, path));
  const { environment, makeFolder, signToken, startService } = await load('bench/processes.mjs');
  const { COMPANY, makeData, SIZES, USER } = await load('bench/data.mjs');
  const folder = await makeFolder();
  open.push(async () => await rm(folder, { recursive: true, force: true }));
  const dataDir = join(folder, 'data');
  const { startEmbeddedPostgres } = await load('dist/packages/embedded-postgres/index.js');
  const database = await startEmbeddedPostgres({ dataDir });
  open.push(async () => await database.stop());
  const { migrate } = await load('dist/src/database/migrate.js');
  await migrate(database.url());
  Object.assign(environment, { databaseUrl: database.url(), dataDir, secret: randomBytes(32).toString('hex') });
  const data = await makeData(database.url(), SIZES.quick);
  const served = await startService({ settings: { ROLE: 'api' } });
  open.push(async () => await served.stop());
  const client = new pg.Client(database.url());
  await client.connect();
  open.push(async () => await client.end());
  return { name, served, data, client, token: await signToken(COMPANY, USER) };
}

async function measure(name, pathOf, now, before) {
  const kinds = [
    { name: 'whole', side: now },
    { name: 'unchanged', side: now, isKnown: true },
    ...(before === undefined ? [] : [{ name: 'whole, before', side: before }]),
  ];
  for (const kind of kinds) await prepare(kind, pathOf);
  for (let round = 0; round < ROUNDS; round += 1)
    for (const kind of round % 2 === 0 ? kinds : [...kinds].reverse()) kind.rounds.push(await load(kind));
  for (const { name: what, bytes, rounds } of kinds) {
    const of = (field) => median(rounds.map((round) => round[field]));
    const figures = [`${bytes} bytes`, `${Math.round(of('rate'))}/s`];
    figures.push(
      `p50 ${of('p50').toFixed(2)} ms`,
      `${Math.round(of('cpu'))} µs of Node`,
      `${Math.round(of('busy'))} µs of PostgreSQL`,
    );
    console.log(`${name}, ${what}: ${figures.join(', ')}`);
  }
}

/** Sets the URL and headers for one kind of request, and records its response size. */
async function prepare(kind, pathOf) {
  const { side, isKnown = false } = kind;
  kind.url = `${side.served.url}/api/v1${pathOf(side.data)}`;
  kind.headers = { authorization: `Bearer ${side.token}` };
  const first = await fetch(kind.url, { headers: kind.headers });
  await first.text();
  if (isKnown) kind.headers['if-none-match'] = first.headers.get('etag');
  const answer = await fetch(kind.url, { headers: kind.headers });
  if (answer.status !== (isKnown ? 304 : 200)) throw new Error(`${kind.url} answered ${answer.status}`);
  kind.bytes = (await answer.arrayBuffer()).byteLength;
  kind.rounds = [];
}

async function load({ url, headers, side }) {
  const before = await figures(side);
  const began = performance.now();
  const { requests, latency } = await autocannon({ url, headers, connections: CONNECTIONS, duration: SECONDS });
  const seconds = (performance.now() - began) / 1_000;
  const after = await figures(side);
  const count = requests.total;
  return {
    rate: count / seconds,
    p50: latency.p50,
    cpu: (after.cpu_us - before.cpu_us) / count,
    busy: (after.busy_us - before.busy_us) / count,
  };
}

/** Returns the processor time that the service has used so far, and the total execution time of its statements. */
async function figures({ served, client }) {
  const { cpu_us } = await served.figures();
  await pause(1_200);
  const { rows } = await client.query(
    'SELECT active_time::float8 * 1000 AS busy_us FROM pg_stat_database WHERE datname = current_database()',
  );
  return { cpu_us, busy_us: rows[0].busy_us };
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
