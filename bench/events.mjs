/*
 * What the events of projects cost: the built service with them and without, on one database, asked in turns. Of each pair
 * of rounds the ratio counts, so that what else the machine does falls on both.
 * `npm run bench:events` builds the service and runs this on the build; the argument is the number of rounds.
 */
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '../dist/embedded-postgres/embedded-postgres.js';
import { migrate } from '../dist/platform/database/migrate.js';
import { environment, makeFolder, signToken, startService } from './processes.mjs';

const ROUNDS = Number(process.argv[2] ?? 40);
const ROUND_MS = 1_000;
const CONNECTIONS = 8;
const COMPANY = 'events';

/** Changes of a project: each makes ready, and answers what does it once. */
const changes = {
  'a card is edited': async (service, project) => {
    const card = await ask(service, 'POST', `/projects/${project}/cards`, { card_type: 'kpi', label: 'x' });
    return async (count) => {
      const body = { version: card.version, label: `x ${count}` };
      card.version = (await ask(service, 'PATCH', `/projects/${project}/cards/${card.id}`, body)).version;
    };
  },
  'a folder is made': async (service, project) => async (count) =>
    await ask(service, 'POST', '/files/mkdir', { source: 'workspace', project_id: project, path: `f${count}` }),
  'the project is renamed': async (service, project) => async (count) =>
    await ask(service, 'PATCH', `/projects/${project}`, { name: `x ${count}` }),
  'a message is posted': async (service, project) => {
    let at = project;
    return async (count) => {
      // In one conversation twenty messages wait at most.
      if (count % 15 === 14) at = (await ask(service, 'POST', '/projects', { name: 'Bench' })).id;
      await ask(service, 'POST', `/projects/${at}/chat`, { content: 'Hello' });
    };
  },
};

const folder = await makeFolder();
const dataDir = join(folder, 'data');
const database = await startEmbeddedPostgres({ dataDir });
try {
  await migrate(database.url());
  await planForAnyValues();
  Object.assign(environment, { databaseUrl: database.url(), dataDir, secret: randomBytes(32).toString('hex') });
  const settings = { ROLE: 'api' };
  const services = [await startService({ settings }), await startService({ settings, preload: ['without-events.js'] })];
  try {
    for (const [name, change] of Object.entries(changes)) await compare(name, change, services);
  } finally {
    for (const service of services) await service.stop();
  }
} finally {
  await database.stop();
  await rm(folder, { recursive: true, force: true });
}

/** While tables are young the server may plan a statement of one service each time and that of the other once. */
async function planForAnyValues() {
  const client = new pg.Client(database.url());
  await client.connect();
  await client.query(
    `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET plan_cache_mode = force_generic_plan', current_database()); END $$`,
  );
  await client.end();
}

async function ask(service, method, path, body) {
  ask.token ??= await signToken(COMPANY, 'user-1');
  const response = await fetch(`${service.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${ask.token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
  return response.status === 204 ? undefined : await response.json();
}

/** Prints how much longer a change takes with events. */
async function compare(name, change, services) {
  const ratios = [];
  const totals = [0, 0];
  for (let round = 0; round < ROUNDS + 4; round += 1) {
    // Which is first alternates as well.
    const order = round % 2 === 0 ? [0, 1] : [1, 0];
    const counts = [0, 0];
    for (const which of order) counts[which] = await oneRound(services[which], change);
    // The first ones warm up.
    if (round < 4) continue;
    ratios.push(counts[1] / counts[0]);
    counts.forEach((count, which) => (totals[which] += count));
  }
  ratios.sort((one, other) => one - other);
  const at = (share) => ((ratios[Math.floor(share * (ratios.length - 1))] - 1) * 100).toFixed(1);
  const perSecond = totals.map((count) => Math.round((count * 1000) / ROUND_MS / ROUNDS));
  console.log(
    `${name}: ${perSecond[0]}/s with events, ${perSecond[1]}/s without; a change costs ${at(0.5)} % more (quartiles ${at(0.25)} to ${at(0.75)})`,
  );
}

/** How many changes come to an end in a while, each connection in a project of its own. */
async function oneRound(service, change) {
  const projects = await Promise.all(
    Array.from({ length: CONNECTIONS }, () => ask(service, 'POST', '/projects', { name: 'Bench' })),
  );
  const steps = await Promise.all(projects.map(({ id }) => change(service, id)));
  const over = performance.now() + ROUND_MS;
  const counts = await Promise.all(
    steps.map(async (step) => {
      let count = 0;
      for (; performance.now() < over; count += 1) await step(count);
      return count;
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}
