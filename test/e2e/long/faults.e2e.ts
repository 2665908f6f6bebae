import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { ConversationSyncResponse } from '../../../src/chat/chat.dto.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../packages/embedded-postgres/index.js';
import type { HealthOfParts, LivenessResponse, ReadinessResponse } from '../../../src/health/health.dto.js';
import { makeProject } from '../../factories/make.js';
import type { Client } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { health, metrics, ready } from '../../support/operators.js';
import { testRun } from '../../support/run.js';
import { S3Server } from '../../support/s3-server.js';
import { makeEnvironment, removeEnvironment, Service } from '../../support/service.js';
import { type Network, TcpProxy } from '../../support/tcp-proxy.js';
import { posting, storing, Traffic, type TrafficCounts } from '../../support/traffic.js';

/** `npm run test:faults` sets FAULTS to make the faults last longer. */
const isLong = process.env['FAULTS'] === 'long';
const AWAY_MS = isLong ? 30_000 : 2_000;
/**
 * Maximum response time. The service gives up on a silent database after about 10 s, and waits 5 s for a connection.
 */
const MAX_MS = 20_000;
const PATIENCE_MS = 150_000;
/** Consecutive numbers of the database server crashes. CRASHES sets how many crashes the service must survive. */
const crashes = Array.from({ length: Number(process.env['CRASHES'] ?? 1) }, (_, index) => index + 1);

const report = (fault: string, counts: TrafficCounts, recovered_ms: number): void => {
  process.stdout.write(`${fault}: ${JSON.stringify({ ...counts, recovered_ms })}\n`);
};

/** Starts continuous traffic on conversations and files. */
async function startTraffic(client: Client, works = [posting, posting, storing]): Promise<Traffic> {
  const kinds = isLong ? [...works, ...works, ...works] : works;
  const traffic = new Traffic(
    await Promise.all(kinds.map(async (work) => work(client, (await makeProject(client)).id))),
  );
  await traffic.flows(10_000);
  await pause(AWAY_MS / 6);
  return traffic;
}

/** Makes interrupted turns due immediately, before their leases expire. A running turn renews its lease. */
async function hurry(url: string): Promise<void> {
  const database = new pg.Client(url);
  await database.connect();
  await database.query(`UPDATE turns SET due_at = now() WHERE state <> 'ended'`);
  await database.end();
}

/** Checks that a process soon reports an unavailable dependency but still counts as live. */
async function expectMissed(url: string, part: keyof HealthOfParts): Promise<ReadinessResponse> {
  const { status, body } = await eventually(
    () => health(url),
    (answer) => answer.body.parts[part].status === 'down',
    { until: `${part} is missed` },
  );
  const again = await health(url);
  expect(again.ms).toBeLessThan(6_000);
  // Without the file store, a process still serves most requests, so it stays ready.
  expect([status, body.status]).toEqual(part === 'object_store' ? [200, 'degraded'] : [503, 'error']);
  expect(body.parts[part].status).toBe('down');
  expect(JSON.stringify(body)).not.toMatch(/ECONN|127\.0\.0\.1|pg_|Error/);
  expect((await health<LivenessResponse>(url, 'live')).body).toEqual({ status: 'ok' });
  return body;
}

function expectNothingLost({ lost, doubled, acknowledged, refused, slowest_ms }: TrafficCounts, ...allowed: number[]) {
  expect({ lost, doubled }).toEqual({ lost: 0, doubled: 0 });
  expect(acknowledged).toBeGreaterThan(0);
  // 429 is allowed, because messages may be waiting for a turn whose process was interrupted.
  expect(Object.keys(refused).filter((status) => ![...allowed, 429].includes(Number(status)))).toEqual([]);
  expect(slowest_ms).toBeLessThan(MAX_MS);
}

describe('an unavailable database', () => {
  let server: EmbeddedPostgres;
  let proxy: TcpProxy;
  let service: Service;
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(testRun().directory, 'faults-'));
    // This server is durable, because its commits must survive a crash.
    server = await startEmbeddedPostgres({ dataDir: join(dataDir, 'server') });
    proxy = await TcpProxy.start(server.port);
    const url = new URL(server.url());
    url.port = String(proxy.port);
    const environment = { databaseUrl: url.href, dataDir, secret: randomBytes(32).toString('hex') };
    service = await Service.start({ environment, settings: { METRICS: 'true' } });
  }, PATIENCE_MS);
  afterAll(async () => {
    await service.stop();
    await proxy.stop();
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }, 60_000);

  it.each(crashes)(
    'is reported as down after a crash of the server, and is used again when the server is back',
    async () => {
      const traffic = await startTraffic((await service.session()).client);
      process.kill(server.pid, 'SIGKILL');
      await server.ended;
      await server.stop();
      await expectMissed(service.url, 'database');
      const known = await metrics(service.url);
      expect([known.has('pws_turns_waiting'), known.has('pws_database_connections{state="used"}')]).toEqual([
        false,
        true,
      ]);
      await pause(AWAY_MS);

      server = await startEmbeddedPostgres({ dataDir: join(dataDir, 'server') });
      proxy.target = server.port;
      const recovered = await ready(service.url);
      await traffic.flows(30_000);
      if (!isLong) await hurry(server.url());
      const counts = await traffic.stop();
      report(`database killed, away for ${AWAY_MS} ms and its own start`, counts, recovered);
      expectNothingLost(counts, 503);
      expect(counts.refused['503']).toBeGreaterThan(0);
    },
    PATIENCE_MS,
  );

  // The crash test also covers lost connections, so the short run skips these cases.
  (isLong ? it : it.skip).each<[Network]>([['cut'], ['silent']])(
    'is reported as down while the network is %s, and is used again afterwards',
    async (network) => {
      const traffic = await startTraffic((await service.session()).client);
      proxy.become(network);
      await expectMissed(service.url, 'database');
      await pause(AWAY_MS);
      proxy.become('whole');
      const recovered = await ready(service.url);
      await traffic.flows(30_000);
      const counts = await traffic.stop();
      report(`database's network ${network} for ${AWAY_MS} ms`, counts, recovered);
      expectNothingLost(counts, 503);
    },
    PATIENCE_MS,
  );
});

describe('an unavailable file store', () => {
  let store: S3Server;
  let proxy: TcpProxy;
  let service: Service;
  beforeAll(async () => {
    store = await S3Server.start();
    proxy = await TcpProxy.start(store.port);
    const { accessKey, secretKey } = store.settings('faults');
    service = await Service.start({
      settings: {
        S3_ENDPOINT: `http://127.0.0.1:${proxy.port}`,
        S3_ACCESS_KEY: accessKey,
        S3_SECRET_KEY: secretKey,
        S3_BUCKET: 'faults',
      },
    });
  }, 60_000);
  afterAll(async () => {
    await service.stop();
    await removeEnvironment(service.environment);
    await proxy.stop();
    await store.stop();
  }, 60_000);

  it.each<[Network]>(isLong ? [['cut'], ['silent']] : [['cut']])(
    'is reported as down while the network is %s, and is used again afterwards',
    async (network) => {
      const traffic = await startTraffic((await service.session()).client);
      proxy.become(network);
      const { parts } = await expectMissed(service.url, 'object_store');
      expect(parts.database.status).toBe('up');
      await pause(AWAY_MS);
      proxy.become('whole');
      const recovered = await ready(service.url);
      await traffic.flows(30_000);
      const counts = await traffic.stop();
      report(`file store's network ${network} for ${AWAY_MS} ms`, counts, recovered);
      expectNothingLost(counts, 503);
      expect(counts.refused['503']).toBeGreaterThan(0);
    },
    PATIENCE_MS,
  );

  (isLong ? it : it.skip)(
    'is not reported as down if it is only slow',
    async () => {
      const traffic = await startTraffic((await service.session()).client);
      proxy.delayMs = 200;
      await pause(AWAY_MS);
      const { body } = await health(service.url);
      proxy.delayMs = 0;
      const counts = await traffic.stop();
      report(`file store slow for ${AWAY_MS} ms`, counts, 0);
      expect(body.status).toBe('ok');
      expectNothingLost(counts);
    },
    PATIENCE_MS,
  );
});

const mount = (...given: string[]): boolean => spawnSync('mount', given).status === 0;
/** Whether file systems can be mounted. This requires root. */
const canMount = ((): boolean => {
  const made = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/tmp']);
  return process.platform === 'linux' && process.getuid?.() === 0 && made.status === 0;
})();

(canMount ? describe : describe.skip)('a full disk', () => {
  const folders: string[] = [];
  /** Creates a folder that is a separate file system. */
  const makeDisk = async (size: string): Promise<string> => {
    const folder = await mkdtemp(join(testRun().directory, 'disk-'));
    if (!mount('-t', 'tmpfs', '-o', `size=${size},mode=0711`, 'tmpfs', folder)) throw new Error('No file system');
    folders.push(folder);
    return folder;
  };
  afterAll(() => {
    for (const folder of folders) spawnSync('umount', ['--lazy', folder]);
  });

  it(
    'prevents only the creation of files',
    async () => {
      const disk = await makeDisk('4g');
      const environment = { ...(await makeEnvironment()), dataDir: disk };
      const service = await Service.start({ environment });
      const { client } = await service.session();
      const traffic = await startTraffic(client);
      mount('-o', 'remount,size=64m', disk);
      const full = await eventually(
        () => health(service.url),
        ({ body }) => body.status === 'degraded',
        { until: 'the full disk is seen' },
      );
      await pause(AWAY_MS);
      mount('-o', 'remount,size=4g', disk);
      const recovered = await ready(service.url);
      await traffic.flows(10_000);
      const counts = await traffic.stop();
      report('disk of the files full', counts, recovered);
      expect(full).toMatchObject({
        status: 200,
        body: { parts: { object_store: { message: 'The file store is full' } } },
      });
      expectNothingLost(counts, 507);
      expect(counts.refused['507']).toBeGreaterThan(0);
      await service.stop();
      spawnSync('umount', ['--lazy', disk]);
      await removeEnvironment(environment);
    },
    PATIENCE_MS,
  );

  (isLong ? it : it.skip)(
    'makes the database reject a large write but loses no acknowledged changes',
    async () => {
      const disk = await makeDisk('300m');
      let server = await startEmbeddedPostgres({ dataDir: disk });
      const proxy = await TcpProxy.start(server.port);
      const url = new URL(server.url());
      url.port = String(proxy.port);
      const dataDir = await mkdtemp(join(testRun().directory, 'faults-'));
      const environment = { databaseUrl: url.href, dataDir, secret: randomBytes(32).toString('hex') };
      const service = await Service.start({ environment });
      const traffic = await startTraffic((await service.session()).client);
      const filler = join(disk, 'filler');
      await writeFile(filler, Buffer.alloc(300 * 1024 ** 2)).catch(() => undefined);
      // A few rows may still fit into existing pages, so a large write is needed to run out of disk space.
      const writer = new pg.Client(server.url());
      writer.on('error', () => undefined);
      await writer.connect();
      const refused = await writer
        .query(`CREATE TABLE filling AS SELECT repeat('x', 1000) FROM generate_series(1, 100000)`)
        .then(
          () => undefined,
          (error: { code?: string }) => error.code ?? 'connection lost',
        );
      await pause(AWAY_MS / 3);
      await rm(filler);
      // The server stops if it cannot write its write-ahead log.
      if ((await Promise.race([server.ended, pause(2_000, 'runs')])) !== 'runs') {
        await server.stop();
        server = await startEmbeddedPostgres({ dataDir: disk });
        proxy.target = server.port;
      }
      const recovered = await ready(service.url);
      await traffic.flows(30_000);
      const counts = await traffic.stop();
      report(`disk of the database full (${refused})`, counts, recovered);
      expect(refused).toBeDefined();
      expectNothingLost(counts, 503);
      await service.stop();
      await proxy.stop();
      await server.stop();
    },
    PATIENCE_MS,
  );
});

describe('a clock that jumps an hour ahead and back', () => {
  it('causes credentials to expire early but does not end turns', async () => {
    const service = await Service.start({
      preload: ['test/support/shifted-clock.js', 'test/support/slow-agent.js'],
      settings: { CLOCK_JUMPS: '3600,-3600' },
    });
    const { client, company, user } = await service.session({ expiresIn: 3 * 3600 });
    const { client: short } = await service.session({ company, user, expiresIn: 1800 });
    const project = (await makeProject(client)).id;
    await client.post(`/projects/${project}/chat`, { content: '60 words' });
    const sync = (): Promise<ConversationSyncResponse> =>
      client.get<ConversationSyncResponse>(
        `/projects/${project}/chat/sync`,
      ) as unknown as Promise<ConversationSyncResponse>;
    const spoken = async (words: number): Promise<ConversationSyncResponse> =>
      await eventually(sync, ({ messages }) => (messages[1]?.content ?? '').startsWith(numbers(words)), {
        until: `the agent has said ${words} words`,
        deadlineMs: 20_000,
      });

    await spoken(5);
    expect((await short.send('GET', '/me')).status).toBe(200);
    process.kill(service.pid, 'SIGUSR2');
    await eventually(
      () => short.send('GET', '/me'),
      ({ status }) => status === 401,
      { until: 'the token has ended' },
    );
    // The lease is renewed with the database clock, so no other process takes over the turn.
    await spoken(55);
    process.kill(service.pid, 'SIGUSR2');
    await spoken(60);
    const { turn, messages } = await eventually(sync, (seen) => seen.turn.state === 'idle', { until: 'it has ended' });
    expect([turn.state, messages.map(({ role }) => role)]).toEqual(['idle', ['user', 'assistant']]);
    await client.post(`/projects/${project}/chat`, { content: '3 words' });
    await eventually(sync, (seen) => seen.turn.state === 'idle' && seen.messages.length === 4, {
      until: 'the next one ends',
    });

    const database = new pg.Client(service.environment.databaseUrl);
    await database.connect();
    const { rows } = await database.query('SELECT outcome, attempts, generation FROM turns');
    await database.end();
    expect(rows).toEqual(Array(2).fill({ outcome: 'completed', attempts: 1, generation: 1 }));
    expect((await health(service.url)).body.status).toBe('ok');
    await service.stop();
    await removeEnvironment(service.environment);
  }, 60_000);
});

const numbers = (words: number): string => Array.from({ length: words }, (_, index) => `${index + 1} `).join('');
