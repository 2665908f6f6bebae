/*
 * Measures the cost of project events. Compares the built service with and without events, in the same process and in
 * alternating rounds. Uses the ratio within each pair of rounds, so that other load on the machine affects both rounds.
 *
 * `npm run bench:events` builds the service and runs this benchmark on the build. The arguments are the number of rounds and
 * the number of connections.
 */
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { startEmbeddedPostgres } from '../dist/packages/embedded-postgres/embedded-postgres.js';
import { migrate } from '../dist/src/database/migrate.js';
import { environment, makeFolder, signToken, startService } from './processes.mjs';
import { ServerTime } from './server-time.mjs';
import { AGENT } from './turns.mjs';

const ROUNDS = Number(process.argv[2] ?? 30);
/** Number of initial rounds that are not counted. */
const WARM_UP = 5;
/** Number of changes per connection and round. It equals the sum of `MIX`, so that each round has exactly this distribution. */
const CHANGES = 100;
/** Messages to switch-events.js. */
const MODES = ['with events', 'without events'];
const CONNECTIONS = Number(process.argv[3] ?? 8);
const COMPANY = 'events';

/** Number of turns and solves that are still running after their requests were answered. */
const UNDER_WAY = `
  SELECT (SELECT count(*) FROM turns WHERE state <> 'ended')
       + (SELECT count(*) FROM executions WHERE status IN ('queued', 'running')) AS count`;

/** Number of changes of each kind per hundred changes. A turn and a solve each cause several changes. */
const MIX = { create: 26, edit: 20, remove: 26, rename: 13, folder: 10, message: 4, solve: 1 };

/** Kinds of changes to a project. Each function prepares its data and returns a function that makes a single change. */
const changes = {
  'any change, turns and solves with it': async (service, project) => {
    const kinds = Object.entries(MIX).flatMap(([kind, count]) => Array.from({ length: count }, () => kind));
    const cards = [];
    const make = async () =>
      cards.push(await ask(service, 'POST', `/projects/${project}/cards`, { card_type: 'kpi', label: 'x' }));
    for (let count = 0; count < 10; count += 1) await make();
    const once = {
      create: make,
      edit: async (at) => {
        const card = cards[at % cards.length];
        const body = { version: card.version, label: `x ${at}` };
        card.version = (await ask(service, 'PATCH', `/projects/${project}/cards/${card.id}`, body)).version;
      },
      remove: async () => await ask(service, 'DELETE', `/projects/${project}/cards/${cards.shift().id}`),
      rename: async (at) => await ask(service, 'PATCH', `/projects/${project}`, { name: `x ${at}` }),
      folder: async (at) =>
        await ask(service, 'POST', '/files/mkdir', { source: 'workspace', project_id: project, path: `f${at}` }),
      message: async () => await ask(service, 'POST', `/projects/${project}/chat`, { content: 'Hello' }),
      solve: async () => await ask(service, 'POST', `/projects/${project}/solve/executions`, { is_test: true }),
    };
    let count = 0;
    return async () => {
      count += 1;
      // 37 and 100 are coprime, so the kinds are interleaved evenly, and a hundred changes have exactly the distribution of
      // `MIX`.
      await once[kinds[(count * 37) % kinds.length]](count);
    };
  },
  'a card is edited': async (service, project) => {
    const card = await ask(service, 'POST', `/projects/${project}/cards`, { card_type: 'kpi', label: 'x' });
    return async () => {
      const body = { version: card.version, label: `x ${card.version}` };
      card.version = (await ask(service, 'PATCH', `/projects/${project}/cards/${card.id}`, body)).version;
    };
  },
  'a folder is made': async (service, project) => {
    let count = 0;
    return async () => {
      count += 1;
      await ask(service, 'POST', '/files/mkdir', { source: 'workspace', project_id: project, path: `f${count}` });
    };
  },
  'the project is renamed': async (service, project) => {
    let count = 0;
    return async () => {
      count += 1;
      await ask(service, 'PATCH', `/projects/${project}`, { name: `x ${count}` });
    };
  },
  'a message is posted': async (service, project) => {
    let [at, count] = [project, 0];
    return async () => {
      count += 1;
      // Switches to a new project, because a conversation can have at most twenty waiting messages.
      if (count % 15 === 0) at = (await ask(service, 'POST', '/projects', { name: 'Bench' })).id;
      await ask(service, 'POST', `/projects/${at}/chat`, { content: 'Hello' });
    };
  },
};

const folder = await makeFolder();
const dataDir = join(folder, 'data');
const database = await startEmbeddedPostgres({ dataDir });
const client = new pg.Client(database.url());
try {
  await migrate(database.url());
  await client.connect();
  await planForAnyValues();
  Object.assign(environment, { databaseUrl: database.url(), dataDir, secret: randomBytes(32).toString('hex') });
  for (const [name, change] of Object.entries(changes)) {
    // Each kind of change runs in a new process, because the speed of the same code differs between Node processes.
    const service = await startService({ preload: ['switch-events.js', ...AGENT.preload] });
    try {
      await compare(name, change, service);
    } finally {
      await service.stop();
    }
  }
} finally {
  await client.end();
  await database.stop();
  await rm(folder, { recursive: true, force: true });
}

/**
 * Forces generic plans. While the tables are small, PostgreSQL might otherwise plan a statement on every execution in the first
 * mode but only once in the second.
 */
async function planForAnyValues() {
  await client.query(
    `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET plan_cache_mode = force_generic_plan', current_database()); END $$`,
  );
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

/** Prints how much longer a change takes with events, and how much more processor time it uses. */
async function compare(name, change, service) {
  const ratios = [];
  const totals = MODES.map(() => ({ count: 0, ms: 0, node_us: 0, postgres_us: 0 }));
  const server = await ServerTime.of(database.url());
  const projects = await Promise.all(
    Array.from({ length: CONNECTIONS }, () => ask(service, 'POST', '/projects', { name: 'Bench' })),
  );
  const steps = await Promise.all(projects.map(({ id }) => change(service, id)));
  for (let round = 0; round < ROUNDS + WARM_UP; round += 1) {
    const rates = [];
    // The order of the modes alternates from round to round.
    for (const mode of round % 2 === 0 ? [0, 1] : [1, 0]) {
      service.process.send(MODES[mode]);
      const spent = await oneRound(service, server, steps);
      rates[mode] = spent.count / spent.ms;
      if (round < WARM_UP) continue;
      for (const figure of Object.keys(spent)) totals[mode][figure] += spent[figure];
    }
    if (round >= WARM_UP) ratios.push(rates[1] / rates[0]);
  }
  ratios.sort((one, other) => one - other);
  const at = (share) => ((ratios[Math.floor(share * (ratios.length - 1))] - 1) * 100).toFixed(1);
  const perSecond = totals.map(({ count, ms }) => ((count * 1000) / ms).toFixed(0));
  const each = totals.map(({ count, node_us, postgres_us }) => [node_us / count, postgres_us / count]);
  const [times, [node, postgres]] = [
    each.map(([one, other]) => one + other),
    each[0].map((us, at) => us - each[1][at]),
  ];
  console.log(
    `${name}: ${perSecond[0]}/s with events, ${perSecond[1]}/s without; a change takes ${at(0.5)} % longer (quartiles ${at(0.25)} to ${at(0.75)}).
  Of the processors it takes ${times[0].toFixed(0)} µs, ${times[1].toFixed(0)} without: ${((times[0] / times[1] - 1) * 100).toFixed(1)} % more (Node ${node.toFixed(0)} µs, PostgreSQL ${postgres.toFixed(0)})`,
  );
}

/**
 * Returns the total duration and processor time of a round of changes. Each connection works in its own project. The round
 * includes all work that the changes have started.
 */
async function oneRound(service, server, steps) {
  const [before, postgres, began] = [await service.figures(), await server.us(), performance.now()];
  await Promise.all(
    steps.map(async (step) => {
      for (let count = 0; count < CHANGES; count += 1) await step();
    }),
  );
  const ms = performance.now() - began;
  while (Number((await client.query(UNDER_WAY)).rows[0].count) > 0) await pause(10);
  return {
    count: steps.length * CHANGES,
    ms,
    node_us: (await service.figures()).cpu_us - before.cpu_us,
    postgres_us: (await server.us()) - postgres,
  };
}
