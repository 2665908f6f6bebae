import { createHash } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { ChatResponse } from '../../../src/chat/chat.dto.js';
import type { ApiKeyCreateResponse, ApiKeyListResponse } from '../../../src/auth/api-keys/api-keys.dto.js';
import type { MeResponse } from '../../../src/auth/me.response.js';
import type { ApiKeyUsageListResponse, UserUsageListResponse } from '../../../src/usage/usage.dto.js';
import { makeProject } from '../../factories/make.js';
import { idle } from '../../factories/turns.js';
import { Client, type Wire } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { removeEnvironment, Service } from '../../support/service.js';
import { type Session, signIn } from '../../support/session.js';
import { EventStream } from '../../support/stream.js';

type Key = Wire<ApiKeyCreateResponse>;

const DAY_MS = 24 * 60 * 60 * 1000;
/** Maximum times in milliseconds for which a process may accept a revoked key, and a stream may outlive its key. */
const [CACHED_MS, STREAMING_MS] = [5_000, 30_000];

let service: Service;
/** Second process on the same database. */
let other: Service;
let database: pg.Client;
let owner: Session;
let member: Session;

beforeAll(async () => {
  service = await Service.start();
  other = await Service.start({
    environment: service.environment,
    settings: { ROLE: 'api', CLOCK_JUMPS: '-3600' },
    preload: ['test/support/shifted-clock.js'],
  });
  database = new pg.Client(service.environment.databaseUrl);
  await database.connect();
  owner = await service.session();
  member = await service.session({ company: owner.company, role: 'member' });
}, 60_000);

afterAll(async () => {
  await database.end();
  await Promise.all([service.stop(), other.stop()]);
  await removeEnvironment(service.environment);
});

const makeKey = ({ client }: Session, request: object = {}): Promise<Key> =>
  client.post<ApiKeyCreateResponse>('/api-keys', { name: 'Import', ...request });
const as = ({ key }: Pick<Key, 'key'>, process = service): Client => new Client(process.url, key);
const me = (client: Client) => client.send<MeResponse>('GET', '/me');
const listOf = (client: Client): Promise<Wire<ApiKeyListResponse>> => client.get<ApiKeyListResponse>('/api-keys');
const refused = (client: Client, deadlineMs: number): Promise<unknown> =>
  eventually(
    () => me(client),
    ({ status }) => status === 401,
    { until: 'the key is refused', deadlineMs },
  );
const over = (stream: EventStream, deadlineMs: number): Promise<unknown> =>
  eventually(
    () => Promise.resolve(stream.isOver),
    (isOver) => isOver,
    { until: 'the stream is over', deadlineMs },
  );

describe('an API key', () => {
  it('is shown once, expires after 90 days, and is stored only as a hash', async () => {
    const made = await makeKey(member, { name: 'Nightly import' });
    expect(made).toMatchObject({ name: 'Nightly import', role: 'member', created_by: member.user, last_used_at: null });
    expect(made.key).toMatch(new RegExp(`^pws_${made.prefix}_[0-9a-f]{64}$`));
    const lifetime = new Date(made.expires_at).getTime() - new Date(made.created_at).getTime();
    expect(Math.abs(lifetime - 90 * DAY_MS)).toBeLessThan(60_000);
    const { key, ...shown } = made;
    const listed = (await listOf(member.client)).api_keys.find(({ id }) => id === made.id);
    expect(listed).toEqual(shown);
    const secret = key.split('_')[2] ?? '';
    const { rows } = await database.query<{ row: string; secret_hash: Buffer }>(
      'SELECT k::text AS row, secret_hash FROM api_keys k WHERE id = $1',
      [made.id],
    );
    expect(rows[0]?.secret_hash).toEqual(createHash('sha256').update(secret).digest());
    expect(rows[0]?.row).not.toContain(secret);
  });

  it('acts as a separate principal with its own role', async () => {
    const key = await makeKey(owner, { name: 'Reports', expires_at: '2099-01-01T00:00:00Z' });
    expect((await me(as(key))).body).toEqual({
      ...{ company_id: owner.company, kind: 'api_key', role: 'member', access: 'write', project_ids: null },
      ...{ user_id: null, user_name: null, user_email: null, user_avatar_url: null },
      ...{ api_key_id: key.id, api_key_name: 'Reports', api_key_prefix: key.prefix },
      expires_at: '2099-01-01T00:00:00.000Z',
    });
    expect((await me(as(await makeKey(owner, { role: 'company' })))).body.role).toBe('company');
  });

  it.each([
    ['in the past', '2020-01-01T00:00:00Z', 'value_error'],
    ['not a date', 'tomorrow', 'datetime_from_date_parsing'],
  ])('is rejected if its expiry is %s', async (_, expires_at, type) => {
    const { status, body } = await owner.client.send('POST', '/api-keys', { body: { name: 'Old', expires_at } });
    expect([status, body]).toMatchObject([422, { detail: [{ type, loc: ['body', 'expires_at'] }] }]);
  });

  it('is listed for its owner and for company-level callers until it is revoked', async () => {
    const [boss, worker] = [await service.session(), await service.session()];
    const colleague = await service.session({ company: boss.company, role: 'member' });
    const [a, b] = [await makeKey(boss, { role: 'company' }), await makeKey(colleague)];
    await makeKey(worker);
    const ids = async (client: Client): Promise<string[]> => (await listOf(client)).api_keys.map(({ id }) => id);
    expect(await ids(boss.client)).toEqual([b.id, a.id]);
    expect(await ids(as(a))).toEqual([b.id, a.id]);
    expect(await ids(colleague.client)).toEqual([b.id]);
    expect(await ids(as(b))).toEqual([b.id]);
    const page = await boss.client.get<ApiKeyListResponse>('/api-keys', { limit: 1, offset: 1 });
    expect(page).toMatchObject({ api_keys: [{ id: a.id }], limit: 1, offset: 1, total: 2 });
    expect(await boss.client.get('/api-keys', { offset: 5 })).toMatchObject({ api_keys: [], total: 2 });
    await boss.client.delete(`/api-keys/${b.id}`);
    expect(await ids(boss.client)).toEqual([a.id]);
    expect((await boss.client.send('DELETE', `/api-keys/${b.id}`)).status).toBe(404);
  });

  it('is rechecked every 5 s for role changes and revocation, and records its last use, even if a clock is set back or notifications fail', async () => {
    const { id: project } = await makeProject(owner.client);
    const demoted = await service.session();
    const [used, deployer, ended] = [
      await makeKey(member),
      await makeKey(demoted, { role: 'company' }),
      await makeKey(owner),
    ];
    const lastUse = async (): Promise<string> =>
      (await listOf(member.client)).api_keys.find(({ id }) => id === used.id)?.last_used_at ?? '';
    const roleIn = async (process: Service): Promise<unknown> => (await me(as(deployer, process))).body.role;
    const stream = await EventStream.open(other.url, ended.key, project);
    expect([stream.status, (await me(as(ended, other))).status]).toEqual([200, 200]);
    expect(await roleIn(other)).toBe('company');
    expect((await me(as(used))).status).toBe(200);
    const first = await lastUse();
    expect(first).not.toBe('');
    // The other process has not noticed the revocation yet. A second use within a minute is not recorded.
    expect((await me(as(used, other))).status).toBe(200);
    expect(await lastUse()).toBe(first);

    process.kill(other.pid, 'SIGUSR2');
    await database.query(`UPDATE api_keys SET last_used_at = last_used_at - interval '61 s' WHERE id = $1`, [used.id]);
    await database.query('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [ended.id]);
    const { company, user } = demoted;
    expect((await me((await service.session({ company, user, role: 'member' })).client)).body.role).toBe('member');
    // This process has not cached the key. The other process reads the key again.
    expect(await roleIn(service)).toBe('member');
    const deadlineMs = CACHED_MS + 3_000;
    await Promise.all([
      refused(as(ended, other), deadlineMs),
      eventually(
        () => roleIn(other),
        (role) => role === 'member',
        { until: 'the key has lost its role', deadlineMs },
      ),
      eventually(
        async () => [await me(as(used, other)), await lastUse()] as const,
        ([, last]) => last > first,
        { until: 'a later use is noted', deadlineMs },
      ),
    ]);
    expect((await as(deployer, other).send('POST', '/deployments', { body: { name: 'Mine' } })).status).toBe(403);
    // The stream must end even if the process missed the notification of the revocation.
    expect(stream.isOver).toBe(false);
    await database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name LIKE '% notifications'`,
    );
    await over(stream, STREAMING_MS);
  });

  it('counts towards a limit of 100 valid keys per user', async () => {
    const user = await service.session();
    const { company, client } = user;
    const stored = await makeKey(user);
    await database.query(
      `INSERT INTO api_keys (company_id, name, prefix, secret_hash, role, created_by, created_at, expires_at, revoked_at)
       SELECT company_id, name, lpad(to_hex(i), 12, 'f'), sha256(i::text::bytea), role, created_by, now() - interval '2 days',
              now() + CASE i WHEN 1 THEN interval '-1 day' ELSE interval '1 day' END, CASE i WHEN 2 THEN now() END
         FROM api_keys, generate_series(1, 99) i WHERE id = $1`,
      [stored.id],
    );
    // Concurrent requests cannot exceed the limit either.
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => client.send('POST', '/api-keys', { body: { name: 'One more' } })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409, 409]);
    await client.delete(`/api-keys/${stored.id}`);
    await makeKey(user);
    await makeKey(await service.session({ company, role: 'member' }));
    expect((await client.send('POST', '/api-keys', { body: { name: 'One more' } })).status).toBe(409);
  });

  it('does not regain a role through an older token of its creator', async () => {
    const [company, user] = [owner.company, 'changing'];
    const at = (secondsAgo: number) => ({ company, user, issuedAt: Math.floor(Date.now() / 1000) - secondsAgo });
    const promoted = await signIn(service.url, service.environment.secret, { ...at(60), role: 'company' });
    const key = await makeKey(promoted, { role: 'company' });
    const demoted = await signIn(service.url, service.environment.secret, { ...at(30), role: 'member' });
    expect((await me(demoted.client)).status).toBe(200);
    // A later token with the same role updates the issue time of the stored role.
    const latest = await signIn(service.url, service.environment.secret, { ...at(10), role: 'member' });
    expect((await me(latest.client)).status).toBe(200);
    for (const secondsAgo of [90, 20]) {
      const earlier = await signIn(other.url, service.environment.secret, { ...at(secondsAgo), role: 'company' });
      expect((await me(earlier.client)).body.role).toBe('company');
    }
    expect((await me(as(key))).body.role).toBe('member');
  });
});

describe('a message posted with an API key', () => {
  it('shows the key instead of a user, is charged to the key, and has a client_msg_id that is unique only per author', async () => {
    const { id: project } = await makeProject(owner.client);
    const key = await makeKey(owner, { name: 'Robot' });
    const second = await makeKey(owner, { name: 'Robot' });
    const post = (client: Client, content: string) =>
      client.send<ChatResponse>('POST', `/projects/${project}/chat`, { body: { content, client_msg_id: 'same' } });
    const { body: first } = await post(as(key), 'From a robot');
    expect(first.message).toMatchObject({
      ...{ role: 'user', content: 'From a robot', api_key_name: 'Robot', api_key_prefix: key.prefix },
      ...{ user_id: null, user_name: null, user_avatar_url: null },
    });
    const repeated = await post(as(key), 'From a robot');
    expect([repeated.status, repeated.body.message.id]).toEqual([202, first.message.id]);
    expect((await post(as(key), 'Something else')).status).toBe(409);
    await idle(owner.client, project);
    // With a different author, the same client_msg_id identifies a different message.
    const authors = [as(second), owner.client, member.client];
    const ids = new Set<string>([first.message.id]);
    for (const author of authors) {
      ids.add((await post(author, 'From a robot')).body.message.id);
      await idle(owner.client, project);
    }
    expect(ids.size).toBe(4);

    const { rows } = await database.query<{ user_id: string | null; api_key_id: string | null }>(
      'SELECT user_id, api_key_id FROM turns WHERE project_id = $1 ORDER BY id',
      [project],
    );
    expect(rows).toEqual([
      { user_id: null, api_key_id: key.id },
      { user_id: null, api_key_id: second.id },
      { user_id: owner.user, api_key_id: null },
      { user_id: member.user, api_key_id: null },
    ]);
    const usage = await owner.client.get<ApiKeyUsageListResponse>('/usage/api-keys');
    expect(
      usage.api_keys
        .filter(({ totals }) => totals.credits > 0)
        .map((row) => row.api_key_id)
        .sort(),
    ).toEqual([key.id, second.id].sort());
    const people = await owner.client.get<UserUsageListResponse>('/usage/users');
    expect(people.users.map(({ user_id }) => user_id).sort()).toEqual([owner.user, member.user].sort());
  });

  it('is charged to the key even if its turn starts after another turn', async () => {
    const { id: project } = await makeProject(owner.client);
    const key = await makeKey(owner);
    for (const client of [owner.client, as(key), as(key)]) {
      await client.post<ChatResponse>(`/projects/${project}/chat`, { content: 'x' });
    }
    await idle(owner.client, project);
    const { rows } = await database.query<{ author: string; spender: string; first: boolean }>(
      `SELECT coalesce(m.user_id, m.api_key_id::text) AS author, coalesce(t.user_id, t.api_key_id::text) AS spender,
              m.sequence = min(m.sequence) OVER (PARTITION BY t.id) AS first
         FROM messages m JOIN turns t ON t.id = m.turn_id WHERE m.project_id = $1 AND m.role = 'user'`,
      [project],
    );
    expect(rows).toHaveLength(3);
    expect(rows.filter(({ first, author, spender }) => first && author !== spender)).toEqual([]);
  });
});

describe('an API key in use', () => {
  it('becomes invalid in every process within seconds of its revocation, and its streams are closed', async () => {
    const { id: project } = await makeProject(owner.client);
    const [key, kept] = [await makeKey(owner), await makeKey(owner)];
    const open = (process: Service, by: Key): Promise<EventStream> => EventStream.open(process.url, by.key, project);
    const [here, there, unrelated] = [await open(service, key), await open(other, key), await open(other, kept)];
    expect([here.status, there.status, unrelated.status]).toEqual([200, 200, 200]);
    await owner.client.delete(`/api-keys/${key.id}`);
    // The process that handles the revocation applies it before it responds.
    expect((await me(as(key))).status).toBe(401);
    await refused(as(key, other), CACHED_MS);
    await Promise.all([over(here, STREAMING_MS), over(there, STREAMING_MS)]);
    expect(unrelated.isOver).toBe(false);
    expect((await me(as(kept, other))).status).toBe(200);
    unrelated.close();
  });

  it('is rejected if it is revoked before the request body has arrived completely', async () => {
    const { id: project } = await makeProject(owner.client);
    for (const endsBefore of [true, false]) {
      const key = await makeKey(owner);
      const body = JSON.stringify({ name: `Named while ${endsBefore}` });
      const request = http.request(`${service.url}/api/v1/projects/${project}`, {
        method: 'PATCH',
        headers: {
          authorization: `Bearer ${key.key}`,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        },
      });
      const answered = once(request, 'response') as Promise<[http.IncomingMessage]>;
      request.write(body.slice(0, 5));
      // The key is checked as soon as the request headers arrive.
      await eventually(
        () => listOf(owner.client),
        ({ api_keys }) => api_keys.find(({ id }) => id === key.id)?.last_used_at !== null,
        { until: 'the key is in use' },
      );
      if (endsBefore) await owner.client.delete(`/api-keys/${key.id}`);
      await pause(200);
      request.end(body.slice(5));
      const [response] = await answered;
      response.resume();
      expect(response.statusCode).toBe(endsBefore ? 401 : 200);
      const { name } = await owner.client.get<{ name: string }>(`/projects/${project}`);
      expect(name.startsWith('Named while')).toBe(!endsBefore);
    }
  });

  it('can open at most 20 streams, regardless of its creator’s streams', async () => {
    const { id: project } = await makeProject(owner.client);
    const key = await makeKey(owner);
    const streams = await Promise.all(
      Array.from({ length: 21 }, () => EventStream.open(service.url, key.key, project)),
    );
    expect(streams.map(({ status }) => status).filter((status) => status === 429)).toHaveLength(1);
    const own = await EventStream.open(service.url, owner.token, project);
    expect(own.status).toBe(200);
    for (const stream of [...streams, own]) stream.close();
  });

  it('shares a limit of 100 streams with the other keys of its creator', async () => {
    const { id: project } = await makeProject(owner.client);
    const keys = await Promise.all(Array.from({ length: 6 }, () => makeKey(owner)));
    const streams: EventStream[] = [];
    for (const { key } of keys)
      for (let round = 0; round < 18; round += 1)
        streams.push(await EventStream.open(service.url, key, project, { of: 'events' }));
    expect(streams.map(({ status }) => status)).toEqual(
      Array.from({ length: 108 }, (_, index) => (index < 100 ? 200 : 429)),
    );
    for (const stream of streams) stream.close();
  });
});
