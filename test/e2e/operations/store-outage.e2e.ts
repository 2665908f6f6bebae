import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ChatMessageListResponse } from '../../../src/chat/chat.dto.js';
import { makeDeployment, makeFile, makeProject, type Place } from '../../factories/make.js';
import type { Client } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { health, ready } from '../../support/operators.js';
import { rowsOf } from '../../support/rows.js';
import { S3Server } from '../../support/s3-server.js';
import { removeEnvironment, Service } from '../../support/service.js';
import { type Network, TcpProxy } from '../../support/tcp-proxy.js';

const MiB = 1024 ** 2;
/** Maximum number of open uploads per member. */
const MEMBER_UPLOADS = 20;
const COMPANY_BYTES = 50 * MiB;

let store: S3Server;
let proxy: TcpProxy;
let service: Service;
beforeAll(async () => {
  store = await S3Server.start();
  proxy = await TcpProxy.start(store.port);
  const { accessKey, secretKey } = store.settings('outage');
  service = await Service.start({
    settings: {
      S3_ENDPOINT: `http://127.0.0.1:${proxy.port}`,
      S3_ACCESS_KEY: accessKey,
      S3_SECRET_KEY: secretKey,
      S3_BUCKET: 'outage',
      FILES_COMPANY_MAX_BYTES: String(COMPANY_BYTES),
    },
  });
}, 60_000);
afterAll(async () => {
  await service.stop();
  await removeEnvironment(service.environment);
  await proxy.stop();
  await store.stop();
}, 60_000);

async function away<Result>(network: Network, work: () => Promise<Result>): Promise<Result> {
  proxy.become(network);
  try {
    return await work();
  } finally {
    proxy.become('whole');
    await ready(service.url);
  }
}

async function makeWorkspace(role: 'member' | 'company'): Promise<{ client: Client; place: Place }> {
  const { client } = await service.session({ role });
  const { id } = await makeProject(client);
  return { client, place: { source: 'workspace', project_id: id } };
}

const start = async (client: Client, place: Place, body: object, key?: string) =>
  await client.send('POST', '/files/upload/start', {
    body: { ...place, path: `${randomUUID()}.txt`, ...body },
    ...(key !== undefined && { headers: { 'idempotency-key': key } }),
  });

describe('an upload affected by a file store outage', () => {
  it.each<[Network, number]>([
    ['cut', MEMBER_UPLOADS + 5],
    ['silent', MEMBER_UPLOADS + 1],
  ])(
    'does not count towards the member’s open uploads if it is started while the network is %s',
    async (network, count) => {
      const { client, place } = await makeWorkspace('member');
      const statuses = await away(network, async () => {
        const answers = await Promise.all(Array.from({ length: count }, async () => await start(client, place, {})));
        return answers.map(({ status }) => status);
      });
      // Requests that wait too long in the queue are rejected with 429.
      for (const status of statuses) expect([503, 429]).toContain(status);
      expect((await start(client, place, {})).status).toBe(201);
    },
    90_000,
  );

  it('does not count towards the member’s open uploads if it is aborted during the outage', async () => {
    const { client, place } = await makeWorkspace('member');
    const uploads = Array.from({ length: MEMBER_UPLOADS }, async () => await start(client, place, {}));
    const tokens = (await Promise.all(uploads)).map(({ body }) => (body as { upload_token: string }).upload_token);
    expect((await start(client, place, {})).status).toBe(413);
    await away('cut', async () => {
      for (const upload_token of tokens) {
        const { status } = await client.send('POST', '/files/upload/abort', { body: { upload_token } });
        expect(status).toBe(503);
      }
    });
    expect((await start(client, place, {})).status).toBe(201);
  }, 60_000);

  it('does not count towards the company’s storage if it is started during the outage', async () => {
    const { client, place } = await makeWorkspace('company');
    await away('cut', async () => {
      for (let index = 0; index < 3; index += 1)
        expect((await start(client, place, { size: COMPANY_BYTES - MiB })).status).toBe(503);
    });
    expect((await start(client, place, { size: COMPANY_BYTES - MiB })).status).toBe(201);
  }, 60_000);

  it('can be started after the outage with the same idempotency key', async () => {
    const { client, place } = await makeWorkspace('member');
    const [key, path] = [randomUUID(), 'retried.txt'];
    await away('cut', async () => {
      for (let attempt = 0; attempt < 2; attempt += 1)
        expect((await start(client, place, { path }, key)).status).toBe(503);
    });
    const answer = await start(client, place, { path }, key);
    expect(answer).toMatchObject({ status: 201, body: { part_size: 5 * MiB } });
    expect(await start(client, place, { path }, key)).toMatchObject({ status: 201, body: answer.body });
  }, 60_000);

  it('is removed by the next sweep if it is started during the outage', async () => {
    const { client, place } = await makeWorkspace('member');
    await away('cut', async () => await start(client, place, {}));
    await rowsOf(service.environment, `SELECT pg_notify('periodic_work', 'sweep_uploads')`);
    await eventually(
      () =>
        rowsOf(
          service.environment,
          `SELECT id FROM uploads WHERE store_upload_id IS NULL AND state IN ('open', 'completing')`,
        ),
      (rows) => rows.length === 0,
      { until: 'the upload is dropped', deadlineMs: 30_000 },
    );
  }, 60_000);
});

describe('a process whose file store is unavailable', () => {
  it.each<[Network]>([['cut'], ['silent']])(
    'is degraded but ready while the network is %s',
    async (network) => {
      const { client } = await service.session();
      const { status, body } = await away(network, async () => {
        const seen = await eventually(
          () => health(service.url),
          (answer) => answer.body.status !== 'ok',
          { until: 'the file store is missed' },
        );
        await makeProject(client);
        return seen;
      });
      expect(status).toBe(200);
      expect(body).toMatchObject({
        status: 'degraded',
        parts: { object_store: { status: 'down' }, database: { status: 'up' } },
      });
    },
    60_000,
  );

  it('logs the same fault only once every ten seconds, with the number of suppressed repetitions', async () => {
    const { client, place } = await makeWorkspace('company');
    await makeFile(client, place, 'a.txt', 'a');
    const from = service.log.length;
    await away('cut', async () => {
      for (let index = 0; index < 40; index += 1)
        await client.send('POST', '/files/content', { body: { ...place, path: 'a.txt' } });
    });
    const faults = service.log.slice(from).filter(({ msg }) => msg === 'the file store does not work');
    expect(faults.length).toBeLessThanOrEqual(2);
  }, 60_000);

  it('keeps a turn that needs a file running until the store is available again', async () => {
    const { client, company } = await service.session();
    const { handle } = await makeDeployment(client, { instructions: `Nobody has read this yet: ${randomUUID()}` });
    const { id } = await makeProject(client, { from_deployment: handle });
    await away('cut', async () => {
      await client.post(`/projects/${id}/chat`, { content: 'Hello' });
      await pause(2_000);
      expect(await rolesOf(client, id)).toEqual(['user']);
    });
    expect(
      service.log.find(
        ({ msg, project_id }) => msg === 'a row stays locked until its lease expires' && project_id === id,
      ),
    ).toMatchObject({
      company_id: company,
      turn_id: expect.any(String),
      err: { message: expect.stringContaining('file store') },
    });
    await eventually(
      () => rolesOf(client, id),
      (roles) => roles.length > 1,
      { until: 'the turn ends', deadlineMs: 60_000 },
    );
    expect(await rolesOf(client, id)).toEqual(['user', 'assistant']);
  }, 90_000);
});

async function rolesOf(client: Client, project: string): Promise<string[]> {
  const { messages } = await client.get<ChatMessageListResponse>(`/projects/${project}/chat`);
  return messages.map(({ role }) => role);
}
