/*
 * Measures how long the guard takes to authenticate a request with a token or an API key.
 *
 * Both are measured with a cached credential, with a new credential, and with a credential whose cache entry has expired. For a
 * new credential, the guard verifies a signature, or looks up a key and records its first use.
 *
 * `npm run bench:auth` builds the service and runs this benchmark on the build, with an embedded PostgreSQL.
 */
import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Reflector } from '@nestjs/core';
import { pino } from 'pino';
import { loadConfig } from '../dist/src/config/load-config.js';
import { createApp } from '../dist/src/configure-app.js';
import { ApiKeysController } from '../dist/src/auth/api-keys/api-keys.controller.js';
import { ApiKeysService } from '../dist/src/auth/api-keys/api-keys.service.js';
import { RevocationsChannel } from '../dist/src/auth/api-keys/revocations.channel.js';
import { AuthGuard } from '../dist/src/auth/auth.guard.js';
import { Credentials } from '../dist/src/auth/credentials.service.js';
import { IdentitiesService } from '../dist/src/auth/identities/identities.service.js';
import { TokensService } from '../dist/src/auth/tokens/tokens.service.js';
import { startEmbeddedPostgres } from '../dist/packages/embedded-postgres/embedded-postgres.js';
import { migrate } from '../dist/src/database/migrate.js';
import { makeFolder } from './processes.mjs';

const ROUNDS = 20_000;
const COLD_ROUNDS = 1_000;
const WARM_UP = 200;
/** Must be below the maximum number of keys per user. */
const KEYS_OF_USER = 50;

const folder = await makeFolder();
const database = await startEmbeddedPostgres({ dataDir: join(folder, 'data') });
try {
  await migrate(database.url());
  const config = loadConfig({
    DATABASE_URL: database.url(),
    DATA_DIR: join(folder, 'data'),
    AUTH_JWT_SECRET: randomBytes(32).toString('hex'),
    ROLE: 'api',
  });
  const app = await createApp({ config, logger: pino({ level: 'silent' }), databaseUrl: database.url() });
  await app.init();
  try {
    await measure(app);
  } finally {
    await app.close();
  }
} finally {
  await database.stop();
  await rm(folder, { recursive: true, force: true });
}

async function measure(app) {
  const credentials = app.get(Credentials, { strict: false });
  const pass = through(app, credentials);
  // This guard has an empty cache, like the guard of a process whose cache entry for a key has expired.
  const passAgain = through(app, another(app));

  const tokens = [];
  for (let index = 0; index < COLD_ROUNDS + WARM_UP; index += 1) tokens.push(await token(app, index));
  const keys = [];
  for (let index = 0; index < COLD_ROUNDS + WARM_UP; index += 1) {
    const creator = await credentials.verify(await token(app, index, `ada-${Math.floor(index / KEYS_OF_USER)}`));
    const { key } = await app.get(ApiKeysService, { strict: false }).create(creator, { name: 'Bench', role: 'member' });
    keys.push(key);
  }
  console.log(`${ROUNDS} rounds each with a credential that is known, ${COLD_ROUNDS} with new ones; ms a request`);
  for (const [kind, [known, ...fresh]] of Object.entries({ token: tokens, 'API key': keys })) {
    report(`${kind}, known`, await time(ROUNDS, pass, () => known));
    const each = (round) => fresh[(round + WARM_UP) % fresh.length];
    report(`${kind}, new`, await time(COLD_ROUNDS, pass, each));
    report(`${kind}, again`, await time(COLD_ROUNDS, passAgain, each));
  }
}

/** Returns a guard of the service that uses these credentials and their cache. */
function through(app, credentials) {
  const guard = new AuthGuard(app.get(Reflector), credentials);
  return (credential) => guard.canActivate(contextOf(credential));
}

function another(app) {
  const parts = [TokensService, IdentitiesService, ApiKeysService, RevocationsChannel];
  return new Credentials(...parts.map((part) => app.get(part, { strict: false })));
}

/** Returns a unique token. By default, all tokens are for the same user. */
function token(app, index, sub = 'ada') {
  const claims = { sub, company_id: 'bench', role: 'company', name: 'Ada', email: 'ada@example.com', index };
  return app.get(TokensService, { strict: false }).sign(claims, new Date(Date.now() + 3_600_000));
}

async function time(rounds, work, of) {
  const times = [];
  for (let round = -WARM_UP; round < rounds; round += 1) {
    const credential = of(round);
    const started = performance.now();
    if ((await work(credential)) !== true) throw new Error('The caller was not let in');
    if (round >= 0) times.push(performance.now() - started);
  }
  return times.sort((a, b) => a - b);
}

/** Returns the execution context for a request to a route, as the guard receives it. */
function contextOf(credential) {
  const request = { headers: { authorization: `Bearer ${credential}` } };
  return {
    getHandler: () => ApiKeysController.prototype.listApiKeys,
    getClass: () => ApiKeysController,
    switchToHttp: () => ({ getRequest: () => request }),
  };
}

function report(what, times) {
  const at = (quantile) => times[Math.floor(times.length * quantile)].toFixed(4);
  console.log(`${what.padEnd(16)} p50 ${at(0.5)}   p99 ${at(0.99)}`);
}
