import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { makeProject } from '../../factories/make.js';
import { Bystander, expectUnharmed, forgedToken, HeldRequest, json } from '../../support/hostile.js';
import { type RawAnswer, raw } from '../../support/raw.js';
import { useServiceInTurn } from '../../support/service.js';

const MiB = 1024 ** 2;
const service = useServiceInTurn();

const COMPLETE = '/api/v1/files/upload/complete';
const MKDIR = '/api/v1/files/mkdir';

/** Bodies of 8 MiB that take much more memory when they are parsed. */
const BODIES: [string, (bytes: number) => string][] = [
  ['empty objects', (bytes) => json.list('{}', bytes)],
  ['nested arrays', (bytes) => json.nested(bytes)],
  ['zeros', (bytes) => json.list('0', bytes)],
  ['nested objects', (bytes) => json.list('{"a":'.repeat(150) + '0' + '}'.repeat(150), bytes)],
  ['escapes', (bytes) => `"${'\\u0001'.repeat(bytes / 6 - 1)}"`],
  ['a key repeated many times', (bytes) => `{${'"a":0,'.repeat(bytes / 6 - 2)}"a":0}`],
  ['spaces', (bytes) => ' '.repeat(bytes)],
  ['a long number', (bytes) => '1'.repeat(bytes)],
];

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
const statuses = (answers: (Pick<RawAnswer, 'status'> | undefined)[]): (number | undefined)[] => [
  ...new Set(answers.map((answer) => answer?.status)),
];

let forged: string;
beforeAll(async () => {
  forged = await forgedToken();
});

describe('request bodies from rejected callers', () => {
  it.each([
    ['no credentials', () => ({})],
    ['a wrong signature', () => bearer(forged)],
    ['an unknown API key', () => bearer(`pws_${'0'.repeat(12)}_${'x'.repeat(43)}`)],
    ['another authentication scheme', () => ({ authorization: 'Basic YTpi' })],
  ])('are rejected unread if the request has %s', async (_, headers) => {
    const watch = await Bystander.start(service);
    const held = [COMPLETE, MKDIR, '/api/v1/projects'].flatMap((path) =>
      HeldRequest.startMany(10, service.url + path, { headers: headers(), body: json.nested(MiB), keep: 1 }),
    );
    expect(statuses(await Promise.all(held.map((request) => request.answer())))).toEqual([401]);
    // The service closes the connections although the clients are still sending.
    await Promise.all(held.map(({ closed }) => closed));
    await expectUnharmed(service, watch);
  });

  it.each(BODIES.slice(0, 5))(
    'are rejected without affecting other callers if several arrive in parallel, each with 8 MiB of %s',
    async (_, body) => {
      const watch = await Bystander.start(service);
      const text = body(8 * MiB);
      const held = HeldRequest.startMany(8, service.url + COMPLETE, { headers: bearer(forged), body: text, keep: 1 });
      for (const request of held) request.release();
      expect(statuses(await Promise.all(held.map((request) => request.head())))).toEqual([401]);
      for (const request of held) request.close();
      await expectUnharmed(service, watch);
    },
  );

  it('are checked for syntax if they are small, and are not read otherwise', async () => {
    const ask = async (body: string | Readable): Promise<unknown> => {
      const headers = { 'content-type': 'application/json', connection: 'keep-alive' };
      const answer = await raw(service.url + MKDIR, { method: 'POST', headers, body });
      return [answer.status, answer.headers.connection];
    };
    expect(await ask('{bad')).toEqual([422, 'keep-alive']);
    expect(await ask('[1,')).toEqual([422, 'keep-alive']);
    expect(await ask('{}')).toEqual([401, 'keep-alive']);
    expect(await ask(`{bad${' '.repeat(16 * 1024 - 4)}`)).toEqual([422, 'keep-alive']);
    expect(await ask(`{bad${' '.repeat(16 * 1024 - 3)}`)).toEqual([401, 'close']);
    expect(await ask(Readable.from(['{bad']))).toEqual([401, 'close']);
  });

  it('are not requested from a client that waits for 100 Continue', async () => {
    const { token } = await service.session();
    const ask = async (headers: Record<string, string>): Promise<unknown> => {
      let wasAsked = false;
      const request = HeldRequest.start(service.url + MKDIR, {
        headers: { expect: '100-continue', ...headers },
        body: '{"path":5}'.padEnd(20_000),
        keep: 20_000,
        onContinue: () => {
          wasAsked = true;
          request.release();
        },
      });
      return [(await request.head())?.status, wasAsked];
    };
    expect(await ask(bearer(forged))).toEqual([401, false]);
    expect(await ask(bearer(token))).toEqual([422, true]);
  });
});

describe('request bodies from authenticated callers', () => {
  it.each(BODIES)(
    'are rejected without affecting other callers if six arrive in parallel, each with 8 MiB of %s',
    async (_, body) => {
      const { token } = await service.session();
      const watch = await Bystander.start(service);
      const text = body(8 * MiB);
      const held = HeldRequest.startMany(6, service.url + COMPLETE, { headers: bearer(token), body: text });
      for (const answer of await Promise.all(held.map((request) => request.answer()))) {
        expect([400, 422]).toContain(answer?.status);
        expect(answer?.bytes.length).toBeLessThan(9 * MiB);
      }
      await expectUnharmed(service, watch);
    },
  );

  it('are rejected without affecting other callers if thirty connections each send 1 MiB of nested arrays', async () => {
    const { token } = await service.session();
    const watch = await Bystander.start(service);
    const held = HeldRequest.startMany(30, service.url + MKDIR, {
      headers: bearer(token),
      body: json.nested(MiB),
      keep: 1,
    });
    await pause(200);
    for (const request of held) request.release();
    expect(statuses(await Promise.all(held.map((request) => request.answer())))).toEqual([400]);
    await expectUnharmed(service, watch);
  });

  it('delay neither other companies nor small requests from the same caller if they never end', async () => {
    const session = await service.session();
    const watch = await Bystander.start(service);
    const held = HeldRequest.startMany(60, service.url + COMPLETE, {
      headers: bearer(session.token),
      body: json.list('0', 8 * MiB),
      keep: 1,
    });
    await pause(500);
    for (let count = 0; count < 20; count++) expect((await session.client.send('GET', '/me')).status).toBe(200);
    expect((await makeProject(session.client)).name).toBeDefined();
    for (const request of held) request.close();
    await expectUnharmed(service, watch);
  });

  it('are not read if they are too large', async () => {
    const { token } = await service.session();
    const request = HeldRequest.start(service.url + MKDIR, {
      headers: bearer(token),
      body: json.list('0', 9 * MiB),
      keep: 1,
    });
    expect((await request.answer())?.status).toBe(413);
    await request.closed;
  });
});

describe('a 422 response', () => {
  const refusal = async (path: string, body: string): Promise<{ status: number; bytes: number; entries: number }> => {
    const { token } = await service.session();
    const answer = await raw(service.url + path, {
      method: 'POST',
      headers: { ...bearer(token), 'content-type': 'application/json' },
      body,
    });
    const { detail } = JSON.parse(answer.text) as { detail: unknown[] };
    return { status: answer.status, bytes: answer.bytes.length, entries: detail.length };
  };
  const parts = (count: number, part: string): string =>
    `{"source":"workspace","upload_token":"x","parts":[${Array<string>(count).fill(part).join(',')}]}`;
  const paths = (count: number, path: unknown): string =>
    JSON.stringify({ source: 'workspace', project_id: 'x', paths: Array<unknown>(count).fill(path) });

  it.each<[string, string, string]>([
    ['many empty objects', COMPLETE, parts(9_000, '{}')],
    ['many invalid numbers', COMPLETE, parts(9_000, '{"part_number":"x","etag":1}')],
    ['many invalid strings', '/api/v1/files/batch-delete', paths(1_000, 5)],
    ['long invalid strings', '/api/v1/files/batch-delete', paths(1_000, 'x/../'.repeat(190))],
    ['many invalid pairs', '/api/v1/files/batch-move', '{"source":5,"moves":[' + '5,'.repeat(900) + '5]}'],
  ])('has at most 100 entries, and at most 64 KiB after its first entry: %s', async (_, path, body) => {
    const { status, bytes, entries } = await refusal(path, body);
    expect(status).toBe(422);
    expect(entries).toBeGreaterThan(1);
    expect(entries).toBeLessThanOrEqual(100);
    expect(bytes).toBeLessThan(100 * 1024);
  });

  it('has a single entry if there are too many items, and the items are not validated', async () => {
    expect(await refusal(COMPLETE, parts(10_001, '{}'))).toMatchObject({ status: 422, entries: 1 });
  });
});
