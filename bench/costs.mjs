/*
 * Measures the costs of operations: processor time of Node and PostgreSQL, number of statements, and bytes of WAL and response.
 *
 * `npm run bench:costs` builds the service, runs this benchmark on the build, and writes the table in docs/scaling.md. The
 * processor time of PostgreSQL includes all its processes, as Linux counts it.
 */
import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import autocannon from 'autocannon';
import pg from 'pg';
import { format, resolveConfig } from 'prettier';
import { startEmbeddedPostgres } from '../dist/packages/embedded-postgres/embedded-postgres.js';
import { migrate } from '../dist/src/database/migrate.js';
import { COMPANY, makeData, POSTS_COMPANY, SIZES, USER } from './data.mjs';
import { nextRequest, send, side } from './load.mjs';
import { OPERATIONS } from './operations.mjs';
import { environment, makeFolder, signToken, startService } from './processes.mjs';
import { ServerTime } from './server-time.mjs';

const PAGE = join(import.meta.dirname, '../docs/scaling.md');
const [BEGIN, END] = ['<!-- costs: written by "npm run bench:costs" -->', '<!-- end of costs -->'];
const SECONDS = 4;
const CONNECTIONS = 8;
const TURNS = 600;
const WARM_UP = 50;
/** Number of concurrent turns of talking-agent.js, and the duration of each turn. */
const TALKS = 40;
const TALK_SECONDS = 10;

const folder = await makeFolder();
const dataDir = join(folder, 'data');
let database = await startEmbeddedPostgres({ dataDir });
try {
  await administer(`ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements'`);
  await database.stop();
  database = await startEmbeddedPostgres({ dataDir });
  await migrate(database.url());
  await administer('CREATE EXTENSION pg_stat_statements');
  Object.assign(environment, { databaseUrl: database.url(), dataDir, secret: randomBytes(32).toString('hex') });
  const data = await makeData(database.url(), SIZES.quick);
  const rows = [...(await requests(data)), ...(await turns(data.posts.slice(-TURNS - TALKS - 2 * WARM_UP)))];
  console.table(rows);
  await write(rows);
} finally {
  await database.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Measures every operation from the other benchmarks, and a poll without changes. */
async function requests(data) {
  const tokens = { [COMPANY]: await signToken(COMPANY, USER), [POSTS_COMPANY]: await signToken(POSTS_COMPANY, USER) };
  const service = await startService({ settings: { ROLE: 'api' } });
  const to = side('service', service, ({ company = COMPANY }) => tokens[company]);
  const [sync] = OPERATIONS;
  const known = await fetch(nextRequest(to, sync, data).url, { headers: nextRequest(to, sync, data).headers });
  const poll = { ...sync, name: 'sync, nothing has changed', headers: { 'if-none-match': known.headers.get('etag') } };
  const rows = [];
  for (const operation of [poll, ...OPERATIONS]) {
    const next = () => {
      const { url, headers, ...request } = nextRequest(to, operation, data);
      return {
        ...request,
        path: new URL(url).pathname + new URL(url).search,
        headers: { ...headers, ...operation.headers },
      };
    };
    const load = async () => {
      const setupRequest = (request) => ({ ...request, ...next() });
      const result = await autocannon({
        url: service.url,
        connections: CONNECTIONS,
        duration: SECONDS,
        requests: [{ setupRequest }],
      });
      return { count: result.requests.total, bytes: result.throughput.total / result.requests.total };
    };
    await load();
    rows.push({ what: operation.name, ...(await costs(service, load)) });
  }
  await service.stop();
  return rows;
}

/** Measures turns from claim to end, for an agent that says a single word and for an agent that talks for a while. */
async function turns(projects) {
  const token = await signToken(POSTS_COMPANY, USER);
  const api = await startService({ settings: { ROLE: 'api' } });
  const post = async (project) =>
    await send({
      url: `${api.url}/api/v1/projects/${project}/chat`,
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ content: 'Plan the bottling of next week.' }),
    });
  const rows = [];
  for (const [what, agent, count] of [
    ['agent turn with a one-word answer', 'idle-agent.js', TURNS],
    [`agent turn that streams 50 words a second for ${TALK_SECONDS} s`, 'talking-agent.js', TALKS],
  ]) {
    const worker = await startService({ settings: { ROLE: 'worker' }, preload: [agent] });
    // The first turns are not measured, so that frequently executed code is already compiled.
    for (const project of projects.splice(0, WARM_UP)) await post(project);
    await ended();
    worker.process.kill('SIGSTOP');
    for (const project of projects.splice(0, count)) await post(project);
    const run = async () => {
      await ended();
      return { count };
    };
    rows.push({ what, ...(await costs(worker, run, () => worker.process.kill('SIGCONT'))) });
    await worker.stop();
  }
  await api.stop();
  return rows;
}

/**
 * Returns the costs of `work` per item. `work` returns the number of items.
 *
 * @param begin resumes the paused process that does the work
 */
async function costs(service, work, begin) {
  await administer('SELECT pg_stat_statements_reset()');
  const server = await ServerTime.of(database.url());
  const postgres = await server.us();
  begin?.();
  const { cpu_us } = await service.figures();
  const { count, bytes } = await work();
  const after = await service.figures();
  const [{ calls, wal }] = await administer(
    `SELECT coalesce(sum(calls), 0)::float AS calls, coalesce(sum(wal_bytes), 0)::float AS wal FROM pg_stat_statements
      WHERE query !~ '^(START TRANSACTION|COMMIT|BEGIN)' AND query !~ 'pg_stat_|AS turns_left'`,
  );
  return {
    node_us: (after.cpu_us - cpu_us) / count,
    postgres_us: ((await server.us()) - postgres) / count,
    statements: calls / count,
    wal: wal / count,
    ...(bytes !== undefined && { bytes }),
  };
}

/** Resolves when no turn is waiting or running. */
async function ended() {
  for (;;) {
    const [{ turns_left }] = await administer(
      `SELECT count(*)::integer AS turns_left FROM turns WHERE state <> 'ended'`,
    );
    if (turns_left === 0) return;
    await pause(100);
  }
}

async function administer(statement) {
  const client = new pg.Client(database.url());
  await client.connect();
  const { rows } = await client.query(statement);
  await client.end();
  return rows;
}

async function write(rows) {
  const page = await readFile(PAGE, 'utf8');
  const [before, rest] = page.split(BEGIN);
  const after = rest.split(END)[1];
  const columns = ['what', 'node_us', 'postgres_us', 'statements', 'wal', 'bytes'];
  const cell = (row, column) => {
    const value = row[column];
    if (typeof value !== 'number') return value ?? '';
    return column === 'statements' ? value.toFixed(1) : String(Math.round(value));
  };
  const table = [
    `Measured on ${cpus().length} cores of ${cpus()[0]?.model.trim()}, Node ${process.version}, ${new Date().toISOString().slice(0, 10)}.`,
    '',
    '| | Node, µs | PostgreSQL, µs | Statements | WAL, bytes | Answer, bytes |',
    '| --- | --: | --: | --: | --: | --: |',
    ...rows.map((row) => `| ${columns.map((column) => cell(row, column)).join(' | ')} |`),
    '',
  ].join('\n');
  const options = { ...(await resolveConfig(PAGE)), filepath: PAGE };
  await writeFile(PAGE, await format([before, BEGIN, '\n\n', table, '\n', END, after].join(''), options));
}
