import { randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { ApiKeyCreateResponse } from '../../../src/auth/api-keys/api-keys.dto.js';
import type { CardResponse } from '../../../src/projects/canvas/canvas.dto.js';
import type { ProjectResponse } from '../../../src/projects/projects.dto.js';
import { makeProject } from '../../factories/make.js';
import { type Answer, Client } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { assertComplete } from '../../support/hand-written-list.js';
import { isLongForm } from '../../support/long-form.js';
import { doPeriodicWork } from '../../support/periodic-work.js';
import { removeEnvironment, Service, type ServiceEnvironment } from '../../support/service.js';
import { errorsIn } from '../../support/service-process.js';
import type { Session } from '../../support/session.js';
import { NOT_SERVED, type Prepared, SERVED } from './idempotency.table.js';

/** Without a worker, the rows stay as the requests have left them. */
const SETTINGS = { ROLE: 'api', RATE_LIMIT_PER_MINUTE: '100000' };

let service: Service;
let environment: ServiceEnvironment;
let database: pg.Client;
let session: Session;
let client: Client;

beforeAll(async () => {
  service = await Service.start({ settings: SETTINGS, preload: ['test/support/one-connection.js'] });
  ({ environment } = service);
  database = new pg.Client(environment.databaseUrl);
  await database.connect();
  session = await service.session();
  ({ client } = session);
}, 60_000);

afterAll(async () => {
  await database.end();
  await service.stop();
  await removeEnvironment(environment);
});

const rows = async <Row extends object>(statement: string, parameters: unknown[] = []): Promise<Row[]> =>
  (await database.query<Row>(statement, parameters)).rows;

const keyed = (by: Client, { path, body }: Pick<Prepared, 'path' | 'body'>, key: string): Promise<Answer> =>
  by.send('POST', path, { ...(body !== undefined && { body }), headers: { 'idempotency-key': key } });

const records = () => rows<{ xmin: string; status: number }>('SELECT xmin::text, status FROM idempotency_records');
const forget = () => database.query('TRUNCATE idempotency_records');
const isReplayed = ({ headers }: Answer): boolean => headers.get('idempotency-replayed') === 'true';
const effectOf = ({ effect: [statement, ...parameters] }: Prepared) => rows<{ xmin: string }>(statement, parameters);

it('documents idempotency keys for exactly the POST operations in the table', async () => {
  interface Operation {
    parameters?: { name: string; in: string; 'x-extension'?: boolean }[];
    responses: Record<string, { headers?: Record<string, object> }>;
  }
  const { paths } = JSON.parse(await readFile('openapi.json', 'utf8')) as {
    paths: Record<string, Record<string, Operation>>;
  };
  const served: string[] = [];
  const others: string[] = [];
  for (const [path, methods] of Object.entries(paths))
    for (const [method, { parameters = [], responses }] of Object.entries(methods)) {
      const name = `${method.toUpperCase()} ${path}`;
      const parameter = parameters.find(
        ({ in: place, name: called }) => place === 'header' && called === 'Idempotency-Key',
      );
      if (parameter === undefined) {
        if (method === 'post') others.push(name);
        continue;
      }
      served.push(name);
      expect(parameter['x-extension']).toBe(true);
      const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
      expect(success?.headers).toHaveProperty('Idempotency-Replayed');
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['409', '422']));
    }
  const file = 'test/e2e/interface/idempotency.table.ts';
  assertComplete(`SERVED of ${file}`, Object.keys(SERVED), served);
  assertComplete(`NOT_SERVED of ${file}`, Object.keys(NOT_SERVED), others);
});

describe.each(Object.entries(SERVED))('%s', (_operation, { prepare, creates = false, later = false }) => {
  it('takes effect once for many concurrent requests with the same key, and stores its response in the same transaction', async () => {
    await forget();
    const prepared = await prepare(client);
    const key = randomUUID();
    const once = async (): Promise<Answer> =>
      await eventually(
        async () => await keyed(client, prepared, key),
        ({ status, headers }) => status !== 409 || headers.get('retry-after') === null,
        { until: 'the first request is answered', deadlineMs: 30_000 },
      );
    const logged = service.log.length;
    const answers = await Promise.all(Array.from({ length: creates && isLongForm ? 40 : 8 }, once));
    expect(errorsIn(service.log.slice(logged))).toEqual([]);
    const firsts = answers.filter((answer) => !isReplayed(answer));
    expect(firsts).toHaveLength(1);
    const [first] = firsts;
    expect(first?.status).toBeGreaterThanOrEqual(200);
    expect(first?.status).toBeLessThan(300);
    for (const { status, body } of answers)
      expect({ status, body }).toEqual({ status: first?.status, body: first?.body });
    const effect = await effectOf(prepared);
    expect(effect).toHaveLength(prepared.rows ?? 1);
    const [record, ...more] = await records();
    expect(more).toEqual([]);
    expect(record?.status).toBe(first?.status);
    if (!later) expect(new Set([record?.xmin, ...effect.map(({ xmin }) => xmin)]).size).toBe(1);
  }, 60_000);

  it('has no effect if its response cannot be stored, and does not store a response without a key', async () => {
    await forget();
    const prepared = await prepare(client);
    const before = await effectOf(prepared);
    await database.query(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'Planted' USING ERRCODE = 'cannot_connect_now'; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON idempotency_records FOR EACH ROW EXECUTE FUNCTION refuse()`);
    try {
      expect((await keyed(client, prepared, randomUUID())).status).toBe(503);
    } finally {
      await database.query('DROP TRIGGER refuse ON idempotency_records; DROP FUNCTION refuse');
    }
    expect(await effectOf(prepared)).toEqual(before);
    const { status, headers } = await client.send('POST', prepared.path, prepared.body && { body: prepared.body });
    expect({ isDone: status < 300, replayed: headers.get('idempotency-replayed') }).toEqual({
      isDone: true,
      replayed: null,
    });
    expect(await records()).toEqual([]);
  });
});

const newCard = async (): Promise<Prepared> =>
  await SERVED['POST /api/v1/projects/{project_id}/cards']!.prepare(client);

describe('an idempotency key', () => {
  it.each(['', ' ', 'a b', 'ä', 'x'.repeat(256)])('is rejected if it is invalid: %j', async (key) => {
    const { path, body } = await newCard();
    const answer = await keyed(client, { path, body: body! }, key);
    expect(answer.status).toBe(422);
    expect(answer.body).toEqual({
      detail: [
        {
          type: 'value_error',
          loc: ['header', 'Idempotency-Key'],
          msg: 'Value error, the key must have 1 to 255 visible ASCII characters',
          input: expect.any(String),
          ctx: { error: {} },
        },
      ],
    });
  });

  it.each(['!', '~'.repeat(255)])('is accepted if it is valid: %j', async (key) => {
    const prepared = await newCard();
    expect((await keyed(client, prepared, key)).status).toBe(201);
    expect(isReplayed(await keyed(client, prepared, key))).toBe(true);
  });

  it('is rejected with a different body, but can be reused for other paths and by other callers', async () => {
    const [prepared, other] = [await newCard(), await newCard()];
    const key = randomUUID();
    const colleague = await service.session({ company: session.company });
    expect((await keyed(client, prepared, key)).status).toBe(201);
    const again = await keyed(client, { ...prepared, body: { card_type: 'kpi', label: 'Another' } }, key);
    expect(again).toMatchObject({
      status: 409,
      body: { detail: 'This Idempotency-Key was already used for a different request; use a new one' },
    });
    expect(again.headers.get('retry-after')).toBeNull();
    for (const [by, request] of [
      [client, other],
      [client, { ...prepared, path: `${prepared.path}?x=1` }],
      [colleague.client, prepared],
    ] as const) {
      const answer = await keyed(by, request, key);
      expect({ status: answer.status, isReplayed: isReplayed(answer) }).toEqual({ status: 201, isReplayed: false });
    }
    const { key: token } = await client.post<ApiKeyCreateResponse>('/api-keys', { name: 'Mine' });
    expect(isReplayed(await keyed(new Client(service.url, token), prepared, key))).toBe(false);
  });

  it('can be reused after an error', async () => {
    const prepared = await newCard();
    const key = randomUUID();
    await database.query('ALTER TABLE cards ADD CONSTRAINT no_cards CHECK (false) NOT VALID');
    try {
      expect((await keyed(client, prepared, key)).status).toBe(400);
    } finally {
      await database.query('ALTER TABLE cards DROP CONSTRAINT no_cards');
    }
    const answer = await keyed(client, prepared, key);
    expect({ status: answer.status, isReplayed: isReplayed(answer) }).toEqual({ status: 201, isReplayed: false });
  });
});

describe('the stored keys of a company', () => {
  const fill = (count: number, bytes: number) =>
    database.query(
      `INSERT INTO idempotency_records (scope, company_id, body_digest, status, content, created_at)
       SELECT sha256(random()::text::bytea || n::text::bytea), $1, sha256(''), 201, convert_to(repeat('x', $3), 'UTF8'),
              now() - interval '1 hour' + n * interval '1 ms' FROM generate_series(1, $2) n`,
      [session.company, count, bytes],
    );
  const made = async (by: Client): Promise<() => Promise<Answer>> => {
    const [key, name] = [randomUUID(), randomUUID()];
    const ask = () => keyed(by, { path: '/projects', body: { name } }, key);
    expect((await ask()).status).toBe(201);
    return ask;
  };

  const stored = async (): Promise<{ keys: number; answers: number; bytes: number }> => {
    const [row] = await rows<{ keys: number; answers: number; bytes: number }>(
      `SELECT count(*)::int AS keys, (count(*) FILTER (WHERE content <> ''))::int AS answers,
              sum(octet_length(content))::int AS bytes
         FROM idempotency_records WHERE company_id = $1`,
      [session.company],
    );
    return row ?? { keys: 0, answers: 0, bytes: 0 };
  };
  const LOST = { status: 409, body: { code: 'answer_lost' } };

  describe('with a running worker', () => {
    let worker: Service;
    beforeAll(async () => {
      worker = await Service.start({ environment, settings: { ROLE: 'worker' } });
    }, 60_000);
    afterAll(async () => await worker.stop());

    it('are limited to the newest 100,000, regardless of other companies', async () => {
      await forget();
      const stranger = await service.session();
      const [ofOther, first] = [await made(stranger.client), await made(client)];
      await database.query(`UPDATE idempotency_records SET created_at = now() - interval '2 hours'`);
      await fill(100_010, 1);
      const last = await made(client);
      await doPeriodicWork(database, 'forget_idempotency_records');
      await eventually(records, ({ length }) => length === 100_001, {
        until: 'the oldest are gone',
        deadlineMs: 20_000,
      });
      expect([isReplayed(await ofOther()), isReplayed(await last()), isReplayed(await first())]).toEqual([
        true,
        true,
        false,
      ]);
    }, 120_000);

    it('are limited to 256 MiB of responses, while the records of older responses remain', async () => {
      await forget();
      const stranger = await service.session();
      const [ofOther, first] = [await made(stranger.client), await made(client)];
      await database.query(`UPDATE idempotency_records SET created_at = now() - interval '2 hours'`);
      await fill(20_000, 16_000);
      const last = await made(client);
      await doPeriodicWork(database, 'forget_idempotency_records');
      const { keys } = await eventually(stored, ({ bytes }) => bytes <= 256 * 1024 ** 2, {
        until: 'the oldest answers are dropped',
        deadlineMs: 20_000,
      });
      expect(keys).toBe(20_002);
      expect([isReplayed(await ofOther()), isReplayed(await last())]).toEqual([true, true]);
      expect(await first()).toMatchObject(LOST);
    }, 120_000);

    it('are forgotten after 24 hours, but not before', async () => {
      const [prepared, gone] = [await newCard(), await newCard()];
      const key = randomUUID();
      await forget();
      await keyed(client, prepared, key);
      await keyed(client, gone, key);
      await database.query(`UPDATE idempotency_records SET created_at = now() - interval '23 hours 59 minutes'`);
      expect(isReplayed(await keyed(client, prepared, key))).toBe(true);
      await database.query(`UPDATE idempotency_records SET created_at = now() - interval '24 hours 1 minute'`);
      expect(isReplayed(await keyed(client, prepared, key))).toBe(false);
      expect(await effectOf(prepared)).toHaveLength(2);
      await doPeriodicWork(database, 'forget_idempotency_records');
      await eventually(records, (left) => left.length === 1, { until: 'the old record is gone' });
      expect(isReplayed(await keyed(client, prepared, key))).toBe(true);
    }, 60_000);
  });

  describe('the limit of 64 MiB for large responses', () => {
    const LARGE = 64 * 1024 ** 2;
    const random = (bytes: number): string => randomBytes(bytes).toString('base64').slice(0, bytes);
    const card = () => ({
      card_type: 'kpi',
      label: 'Large',
      data: { a: random(32_000) },
      instance_data: { b: random(32_000) },
    });
    const largeCanvas = async (): Promise<string> => {
      const { id } = await makeProject(client);
      for (let count = 0; count < 20; count += 1) await client.post(`/projects/${id}/cards`, card());
      return id;
    };

    it('is enforced while messages are posted in a project with a large canvas, without posting a message twice', async () => {
      await forget();
      const small = await made(client);
      const id = await largeCanvas();
      const keys: string[] = Array.from({ length: 8 }, () => randomUUID());
      const conversations = await Promise.all(
        [1, 2, 3].map(
          async (n) => await client.post<{ id: string }>(`/projects/${id}/conversations`, { title: `${n}` }),
        ),
      );
      const post = async (key: string): Promise<Answer> => {
        const conversation_id = conversations[keys.indexOf(key) % 3]?.id ?? null;
        return await keyed(client, { path: `/projects/${id}/chat`, body: { content: 'x', conversation_id } }, key);
      };
      for (const [index, key] of keys.entries()) {
        if (index === 2) {
          await database.query(`UPDATE idempotency_records SET created_at = now() - interval '2 hours'`);
          await fill(60, 1024 ** 2);
        }
        expect((await post(key)).status).toBe(202);
        expect((await stored()).bytes).toBeLessThan(LARGE + 16_384);
      }
      const { keys: kept, answers } = await stored();
      expect(kept).toBe(69);
      expect(answers).toBeLessThan(68);
      const messages = () => rows('SELECT FROM messages WHERE project_id = $1', [id]);
      const before = (await messages()).length;
      expect(await post(keys[0] ?? '')).toMatchObject(LOST);
      expect(isReplayed(await post(keys.at(-1) ?? ''))).toBe(true);
      expect((await messages()).length).toBe(before);
      expect(isReplayed(await small())).toBe(true);
    }, 120_000);

    it.each<[string, () => Promise<Pick<Prepared, 'path' | 'body'>>]>([
      [
        'the creation of a card',
        async () => ({ path: `/projects/${(await makeProject(client)).id}/cards`, body: card() }),
      ],
      [
        'the start of a large upload',
        async () => {
          const { id: project_id } = await makeProject(client);
          const body = { source: 'workspace', project_id, path: 'large.bin', size: 5 * 1024 ** 3 };
          return { path: '/files/upload/start', body };
        },
      ],
      [
        'the post of a long message',
        async () => ({ path: `/projects/${(await makeProject(client)).id}/chat`, body: { content: random(100_000) } }),
      ],
    ])('is enforced when the response to %s is added', async (_, prepare) => {
      await forget();
      await fill(70, 1024 ** 2);
      const request = await prepare();
      const key = randomUUID();
      expect((await keyed(client, request, key)).status).toBeLessThan(300);
      expect(await stored()).toMatchObject({ keys: 71, answers: 64 });
      expect((await stored()).bytes).toBeLessThanOrEqual(LARGE);
      expect(isReplayed(await keyed(client, request, key))).toBe(true);
    });

    it('does not cause any response to be removed when a small response is added', async () => {
      await forget();
      await fill(70, 1024 ** 2);
      await made(client);
      expect(await stored()).toMatchObject({ keys: 71, answers: 71 });
    });
  });
});

describe('a stored response', () => {
  it('is encrypted and cannot be read with a different secret', async () => {
    await forget();
    const request = { path: '/api-keys', body: { name: randomUUID() } };
    const first = await keyed(client, request, 'a-key');
    const { key } = first.body as ApiKeyCreateResponse;
    const [stored] = await rows<{ content: Buffer }>('SELECT content FROM idempotency_records');
    expect(stored?.content.toString('latin1')).not.toContain(key);
    expect(stored?.content.toString('latin1')).not.toContain('api_key');
    const again = await keyed(client, request, 'a-key');
    expect(again).toMatchObject({ status: 201, body: first.body });
    const settings = { ...SETTINGS, ANSWERS_SECRET: randomBytes(24).toString('hex') };
    const other = await Service.start({ environment, settings });
    try {
      const { client: there } = await other.session({ company: session.company, user: session.user });
      expect(await keyed(there, request, 'a-key')).toMatchObject({
        status: 409,
        body: { detail: 'The request was processed, but its response can no longer be read' },
      });
      expect((await keyed(there, request, 'another-key')).status).toBe(201);
      expect(isReplayed(await keyed(there, request, 'another-key'))).toBe(true);
    } finally {
      await other.stop();
    }
  }, 60_000);

  it('is not returned if it was stored for a different request', async () => {
    await forget();
    const [one, two] = [
      { path: '/api-keys', body: { name: 'Same' } },
      { path: '/api-keys?x=2', body: { name: 'Same' } },
    ] as const;
    await keyed(client, one, 'key');
    const [{ content } = { content: null }] = await rows<{ content: Buffer }>(
      'SELECT content FROM idempotency_records',
    );
    await keyed(client, two, 'key');
    await database.query('UPDATE idempotency_records SET content = $1', [content]);
    expect(isReplayed(await keyed(client, one, 'key'))).toBe(true);
    expect((await keyed(client, two, 'key')).status).toBe(409);
  });

  it('is returned only to callers who may still send the request', async () => {
    const { client: owner, company } = await service.session();
    const member = await service.session({ company, role: 'member' });
    const { id } = await makeProject(owner, { visibility: 'private' });
    await member.client.get('/me');
    const role = (to: string) => owner.put(`/projects/${id}/members/${member.user}`, { role: to });
    await role('editor');
    const requests = [
      { path: `/projects/${id}/cards`, body: { card_type: 'kpi', label: 'Margin' } },
      { path: '/files/mkdir', body: { source: 'workspace', project_id: id, path: 'folder' } },
      { path: '/files/upload/start', body: { source: 'workspace', project_id: id, path: 'file', size: 1 } },
      { path: `/projects/${id}/chat`, body: { content: 'Hello' } },
    ];
    const statuses = async () =>
      await Promise.all(requests.map(async (request) => (await keyed(member.client, request, 'key')).status));
    expect(await statuses()).toEqual([201, 200, 201, 202]);
    await role('viewer');
    expect(await statuses()).toEqual([403, 403, 403, 403]);
    await owner.delete(`/projects/${id}/members/${member.user}`);
    expect(await statuses()).toEqual([404, 404, 404, 404]);
    await role('owner');
    expect(await statuses()).toEqual([201, 200, 201, 202]);
    await owner.delete(`/projects/${id}`);
    expect(await statuses()).toEqual([404, 404, 404, 404]);
  });

  it('is returned for a new project only to people who still have access to the project', async () => {
    const { client: owner, company } = await service.session();
    const member = await service.session({ company, role: 'member' });
    const request = { path: '/projects', body: { name: 'Mine', visibility: 'private' } };
    const first = await keyed(member.client, request, 'key');
    const { id } = first.body as ProjectResponse;
    expect((await keyed(member.client, request, 'key')).body).toEqual(first.body);
    const other = await service.session({ company, role: 'member' });
    await other.client.get('/me');
    await owner.put(`/projects/${id}/members/${other.user}`, { role: 'owner' });
    await owner.delete(`/projects/${id}/members/${member.user}`);
    expect((await keyed(member.client, request, 'key')).status).toBe(404);
  });

  it('is returned for a restored project only to owners of the project', async () => {
    const { client: owner, company } = await service.session({ role: 'member' });
    const other = await service.session({ company, role: 'member' });
    await other.client.get('/me');
    const { id } = await makeProject(owner);
    await owner.put(`/projects/${id}/members/${other.user}`, { role: 'owner' });
    await other.client.delete(`/projects/${id}`);
    const request = { path: `/projects/${id}/restore` };
    expect((await keyed(other.client, request, 'key')).status).toBe(200);
    expect(isReplayed(await keyed(other.client, request, 'key'))).toBe(true);
    await owner.put(`/projects/${id}/members/${other.user}`, { role: 'editor' });
    expect((await keyed(other.client, request, 'key')).status).toBe(403);
  });

  it('is not returned to a revoked API key', async () => {
    const { id } = await makeProject(client);
    const { id: key_id, key } = await client.post<ApiKeyCreateResponse>('/api-keys', { name: 'Program' });
    const program = new Client(service.url, key);
    const request = { path: `/projects/${id}/cards`, body: { card_type: 'kpi', label: 'Margin' } };
    expect((await keyed(program, request, 'key')).status).toBe(201);
    await client.delete(`/api-keys/${key_id}`);
    expect((await keyed(program, request, 'key')).status).toBe(401);
  });

  it('stays unchanged if the created resource changes', async () => {
    const { id } = await makeProject(client);
    const request = { path: `/projects/${id}/cards`, body: { card_type: 'kpi', label: 'Margin' } };
    const first = await keyed(client, request, 'key');
    const { id: card } = first.body as CardResponse;
    await client.delete(`/projects/${id}/cards/${card}`);
    expect((await keyed(client, request, 'key')).body).toEqual(first.body);
  });
});
