/*
 * Measures the effect of hostile requests. Runs each attack in attacks.mjs on a service with a separate database, while a user
 * from another company sends small requests.
 *
 * `npm run bench:hostile` builds the service and runs this benchmark on the build. Arguments:
 * - the folder of another checkout with a `dist`, to test that build instead
 * - `--json=<file>`: file for the results. Rows for other attacks in this file are kept.
 * - `--seconds=<maximum duration of an attack, default 60>`
 * - any other arguments: run only the attacks whose names contain one of them
 *
 * Requires Linux, because the process is observed in /proc.
 */
import 'reflect-metadata';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { clearInterval, setInterval } from 'node:timers';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { startEmbeddedPostgres } from '../dist/packages/embedded-postgres/embedded-postgres.js';
import { ATTACKS } from './attacks.mjs';
import { makeFolder, signToken } from './processes.mjs';
import { reportAttacks } from './report.mjs';
import { answerTo, open, query, Target } from './target.mjs';

const HERE = resolve(import.meta.dirname, '..');
const TEMPLATE = 'migrated';

const given = process.argv.slice(2);
const option = (name) => given.find((one) => one.startsWith(`--${name}=`))?.slice(name.length + 3);
const json = option('json');
/** Time in milliseconds after which an attack is cut off. */
const longestMs = Number(option('seconds') ?? 60) * 1000;
const checkout = resolve(given.find((one) => existsSync(join(one, 'dist/src/main.js'))) ?? HERE);
const words = given.filter((one) => !one.startsWith('--') && resolve(one) !== checkout);
const attacks = ATTACKS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
const { migrate } = await import(join(checkout, 'dist/src/database/migrate.js'));

const folder = await makeFolder();
const database = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), ephemeral: true });
try {
  await query(database.url('postgres'), `CREATE DATABASE ${TEMPLATE}`);
  await migrate(database.url(TEMPLATE));
  const known = json !== undefined && existsSync(json) ? JSON.parse(await readFile(json, 'utf8')) : [];
  const results = new Map(known.map((result) => [result.name, result]));
  for (const attack of attacks) {
    const result = await measure(attack);
    results.set(attack.name, result);
    console.log(JSON.stringify(result));
    if (json !== undefined) await writeFile(json, `${JSON.stringify([...results.values()], undefined, 2)}\n`);
  }
  reportAttacks(ATTACKS.flatMap(({ name }) => results.get(name) ?? []));
} finally {
  await database.stop();
  await rm(folder, { recursive: true, force: true });
}

async function measure({ name, settings = {}, dataDir: makeDataDir, prepare, attack }) {
  const databaseName = `attack_${randomBytes(4).toString('hex')}`;
  await query(database.url('postgres'), `CREATE DATABASE ${databaseName} TEMPLATE ${TEMPLATE}`);
  const environment = {
    databaseUrl: database.url(databaseName),
    dataDir: join(await mkdtemp(join(folder, 'attack-')), 'data'),
    secret: randomBytes(32).toString('hex'),
  };
  const clear = (await makeDataDir?.(environment.dataDir)) ?? (() => undefined);
  const service = await start(environment, settings);
  try {
    const target = new Target(environment, service.url);
    await target.signIn();
    await prepare?.(target);
    target.answers = {};
    const bystander = await watch(service, environment.secret);
    const began = performance.now();
    const remark = await Promise.race([
      attack(target).catch((error) => error.message),
      pause(longestMs, `cut off after ${longestMs / 1000} s`, { ref: false }),
    ]);
    const seconds = (performance.now() - began) / 1000;
    const others = await bystander();
    // The other user may notice the end of the service before its exit is reported here.
    await pause(1_000);
    const { peak, isAlive } = service.state();
    return {
      name,
      is_alive: isAlive,
      peak_bytes: peak,
      others,
      answers: target.answers,
      seconds,
      remark: remark ?? '',
    };
  } finally {
    await service.end();
    await clear();
    await query(database.url('postgres'), `DROP DATABASE ${databaseName} WITH (FORCE)`);
    await rm(environment.dataDir, { recursive: true, force: true });
  }
}

/** Starts the build of the checkout with Node's default memory limits. */
async function start({ databaseUrl, dataDir, secret }, settings) {
  const child = spawn(process.execPath, [join(checkout, 'dist/src/main.js')], {
    cwd: checkout,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: '0',
      HOST: '127.0.0.1',
      DATABASE_URL: databaseUrl,
      DATA_DIR: dataDir,
      AUTH_JWT_SECRET: secret,
      ...settings,
    },
  });
  const ended = once(child, 'exit');
  const url = await new Promise((done, failed) => {
    child.once('exit', (code) => failed(new Error(`The service ended with code ${code}`)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const entry = line.startsWith('{') ? JSON.parse(line) : {};
      if (entry.msg === 'ready') done(entry.url);
    });
  });
  let peak = 0;
  const look = async () => {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '');
    peak = Math.max(peak, Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024);
  };
  const timer = setInterval(() => void look(), 50);
  const isAlive = () => child.exitCode === null && child.signalCode === null;
  return {
    url,
    state: () => ({ peak, isAlive: isAlive() }),
    end: async () => {
      clearInterval(timer);
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/**
 * Starts sending small requests as a user from another company. Returns a function that stops this and resolves to the
 * measurements.
 */
async function watch({ url }, secret) {
  const token = await signToken('bystander', 'eve', { secret });
  const { request } = open(`${url}/api/v1/projects`, 'POST', { name: 'Quiet' }, { token });
  const { id: project } = JSON.parse((await answerTo(request)).text);
  const thread = new Worker(join(HERE, 'test/support/bystander.js'), {
    workerData: { url, token, project, localAddress: '127.0.0.9' },
  });
  await once(thread, 'message');
  return async () => {
    const seen = once(thread, 'message');
    thread.postMessage('stop');
    return (await seen)[0];
  };
}
