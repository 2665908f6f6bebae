/*
 * Compares the cost of the service with its lower bound: `npm run bench`, or `npm run bench -- quick`. With further arguments,
 * runs only the operations whose names contain one of them. README.md explains the tables.
 */
import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../dist/packages/embedded-postgres/embedded-postgres.js';
import { migrate } from '../dist/src/database/migrate.js';
import { COMPANY, makeData, POSTS_COMPANY, SIZES, USER } from './data.mjs';
import { measureGrowth } from './growth.mjs';
import { compare, duel, side } from './load.mjs';
import { measureMemory } from './memory.mjs';
import { OPERATIONS } from './operations.mjs';
import { makeFolder, signToken, startFloor, startService, environment } from './processes.mjs';
import { reportGrowth, reportOperations, reportRest } from './report.mjs';
import { measureStartup } from './startup.mjs';
import { AGENT, measureFirstEvent, measureStreams, measureTurns } from './turns.mjs';

const PLANS = {
  quick: {
    sizes: SIZES.quick,
    warmUp: 1,
    rounds: 2,
    seconds: 1,
    growth: 20,
    turns: 600,
    events: 20,
    streams: 100,
    requests: 2_000,
  },
  full: {
    sizes: SIZES.full,
    warmUp: 5,
    rounds: 5,
    seconds: 2,
    growth: 100,
    turns: 2_000,
    events: 200,
    streams: 500,
    requests: 100_000,
  },
};

const [words, size] = [
  process.argv.slice(2).filter((word) => word !== 'quick'),
  process.argv.includes('quick') ? 'quick' : 'full',
];
const plan = PLANS[size];
const folder = await makeFolder();
const dataDir = join(folder, 'data');
const database = await startEmbeddedPostgres({ dataDir });
const open = new Set();
const started = async (starting) => {
  const served = await starting;
  open.add(served);
  return served;
};
try {
  await migrate(database.url());
  Object.assign(environment, { databaseUrl: database.url(), dataDir, secret: randomBytes(32).toString('hex') });
  const data = await makeData(database.url(), plan.sizes);
  const operations = OPERATIONS.filter(({ name }) => words.every((word) => name.includes(word)));
  const results = { size, at: new Date().toISOString(), node: process.version, cpus: cpus().length, load: loadavg() };

  results.operations = await measureOperations(operations, data);
  reportOperations(results.operations);
  if (words.length === 0) {
    await measureRest(data, results);
    await writeFile(join(import.meta.dirname, 'results.json'), `${JSON.stringify(results, rounded, 2)}\n`);
  }
} finally {
  for (const served of open) await served.stop();
  await database.stop();
  await rm(folder, { recursive: true, force: true });
}

async function measureOperations(operations, data) {
  const tokens = { [COMPANY]: await signToken(COMPANY, USER), [POSTS_COMPANY]: await signToken(POSTS_COMPANY, USER) };
  const floor = await started(startFloor(tokens[COMPANY]));
  // The service runs without a worker, because background work would distort the measurements.
  const service = await started(startService({ settings: { ROLE: 'api' } }));
  const sides = [
    side('service', service, ({ company = COMPANY }) => tokens[company]),
    side('floor', floor, () => tokens[COMPANY]),
  ];
  const measured = [];
  for (const operation of operations) {
    const same_bytes = await compare(sides, operation, data);
    const { name, target } = operation;
    measured.push({ name, target, same_bytes, ...(await duel(sides, operation, data, plan)) });
  }
  for (const served of [service, floor]) await served.stop();
  return measured;
}

async function measureRest(data, results) {
  const service = await started(startService({ settings: { ROLE: 'api' }, flags: ['--expose-gc'] }));
  results.growth = await measureGrowth(service, data, plan.sizes, plan.growth);
  reportGrowth(results.growth);
  const token = await signToken(COMPANY, USER);
  const reads = OPERATIONS.filter(({ company }) => company === undefined);
  results.memory = await measureMemory(
    service,
    side('service', service, () => token),
    reads,
    data,
    plan.requests,
  );
  await service.stop();

  // Take the projects at the end of `posts`. The operations above use each half of `posts` from its start, so these are still
  // untouched.
  const fresh = data.posts.slice(-2 * plan.turns - plan.events - plan.streams).values();
  const take = (count) => Array.from({ length: count }, () => fresh.next().value);
  results.turns = await measureTurns(POSTS_COMPANY, take(2 * plan.turns));
  const answering = await started(startService({ ...AGENT, flags: ['--expose-gc'] }));
  results.first_event = await measureFirstEvent(answering, POSTS_COMPANY, take(plan.events));
  results.streams = await measureStreams(answering, POSTS_COMPANY, take(plan.streams));
  await answering.stop();
  results.startup = await measureStartup();
  reportRest(results);
}

function rounded(_key, value) {
  return typeof value === 'number' && !Number.isInteger(value) ? Math.round(value * 1000) / 1000 : value;
}
