import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { SignJWT, UnsecuredJWT } from 'jose';
import pg from 'pg';
import type { ConversationListResponse } from '../../src/chat/conversations.dto.js';
import type { ApiKeyCreateResponse } from '../../src/platform/auth/api-keys/api-keys.dto.js';
import type { CardResponse } from '../../src/projects/canvas/canvas.dto.js';
import type { ExecutionResponse } from '../../src/executions/executions.dto.js';
import type { SnapshotResponse } from '../../src/projects/snapshots.dto.js';
import type { ScenarioResponse } from '../../src/scenarios/scenarios.dto.js';
import { makeDeployment, makeFile, makeProject, sendParts } from '../factories/make.js';
import { idle } from '../factories/turns.js';
import { type Answer, Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { useSharedService } from '../support/service.js';
import type { Session } from '../support/session.js';
import { EventStream } from '../support/stream.js';
import { CALLERS, PUBLIC, type Row, TABLE, type World } from './permissions.table.js';

const STREAM = 'GET /api/v1/projects/{project_id}/chat/stream';
const SKILL = 'marked';
const CASES = Object.entries(TABLE).flatMap(([operation, rows]) =>
  [rows].flat().map((row) => [operation, row] as const),
);

const service = useSharedService();
let world: World;
/** A second company, whose data nobody of the first may see. */
let elsewhere: World;
let callers: Record<(typeof CALLERS)[number], Client>;
let documented: Map<string, object>;

beforeAll(async () => {
  const { paths } = JSON.parse(await readFile('openapi.json', 'utf8')) as { paths: Record<string, object> };
  documented = new Map(
    Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(
        ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation as object] as const,
      ),
    ),
  );
  const [owner, stranger] = await Promise.all([service.session(), service.session()]);
  const member = await service.session({ company: owner.company, role: 'member' });
  world = await furnish(owner, member);
  elsewhere = await furnish(stranger, await service.session({ company: stranger.company, role: 'member' }));
  callers = {
    member: member.client,
    company: owner.client,
    'member key': await keyOf(owner, 'member'),
    'company key': await keyOf(owner, 'company'),
    'another company': stranger.client,
  };
});

describe('every operation', () => {
  it('is in the table, and nothing else is', () => {
    expect([...Object.keys(TABLE), ...PUBLIC].sort()).toEqual([...documented.keys()].sort());
    for (const operation of PUBLIC) expect(documented.get(operation)).not.toHaveProperty('security');
  });

  it('refuses whoever has no valid credential, and says nothing else', async () => {
    const credentials = Object.entries(await invalidCredentials());
    const wrong: unknown[] = [];
    for (const [operation, row] of CASES) {
      const attempts = credentials.map(async ([what, token]) => {
        const { status, body, headers } = await send(operation, row, new Client(service.url, token), world);
        const detail = token === undefined ? 'Not authenticated' : 'Invalid authentication credentials';
        const isRefused = status === 401 && headers.get('www-authenticate') === 'Bearer';
        if (!isRefused || JSON.stringify(body) !== JSON.stringify({ detail }))
          wrong.push([operation, what, status, body]);
      });
      await Promise.all(attempts);
    }
    expect(wrong).toEqual([]);
  });

  it('answers everybody as the table says, and nobody with what is another company’s', async () => {
    const wrong: unknown[] = [];
    const shown = new Set<string>();
    for (const [operation, row] of CASES) {
      for (const [column, caller] of CALLERS.entries()) {
        const place = { ...world, ...(await row.fresh?.(world)) };
        const { status, body } = await send(operation, row, callers[caller], place);
        if (status !== row.statuses[column]) wrong.push([operation, caller, status, body]);
        const text = body === undefined ? '' : JSON.stringify(body);
        const foreign = caller === 'another company' ? world : elsewhere;
        if (text.includes(foreign.mark)) wrong.push([operation, caller, 'shows', body]);
        if (text.includes(world.mark)) shown.add(operation);
      }
    }
    expect(wrong).toEqual([]);
    // The mark is in what people of the company see: that others do not see it means something.
    expect(shown.size).toBeGreaterThan(20);
  }, 60_000);
});

describe('an id of another company', () => {
  it.each<[string, string, (theirs: World) => object | undefined]>([
    ['POST', '/projects', ({ name }) => ({ name: 'Mine', from_deployment: name })],
    ['POST', '/projects/:mine/agent-config/pull', ({ name }) => ({ from_deployment: name })],
    ['POST', '/projects/:mine/checkout', ({ name }) => ({ from_deployment: name })],
    ['POST', '/projects/:mine/chat', ({ conversation_id }) => ({ content: 'x', conversation_id })],
    ['POST', '/projects/:mine/chat/stop', ({ conversation_id }) => ({ conversation_id })],
    ['GET', '/projects/:mine/chat?conversation_id=:conversation', () => undefined],
    ['GET', '/projects/:mine/chat/sync?conversation_id=:conversation', () => undefined],
    ['PATCH', '/projects/:mine/conversations/:conversation', () => ({ title: 'Mine' })],
    ['DELETE', '/projects/:mine/conversations/:conversation', () => undefined],
    ['PATCH', '/projects/:mine/cards/:card', () => ({ version: 1, label: 'Mine' })],
    ['DELETE', '/projects/:mine/cards/:card', () => undefined],
    ['DELETE', '/projects/:mine/snapshots/:snapshot', () => undefined],
    ['GET', '/projects/:mine/scenarios/:scenario', () => undefined],
    ['PATCH', '/projects/:mine/scenarios/:scenario', () => ({ name: 'Mine' })],
    ['DELETE', '/projects/:mine/scenarios/:scenario', () => undefined],
    ['GET', '/projects/:mine/solve/executions/:execution', () => undefined],
    ['GET', '/projects/:mine/solve/executions/:execution/values?family=x', () => undefined],
    ['GET', '/projects/:mine/solve/executions/:execution/log', () => undefined],
    ['GET', '/projects/:mine/solve/executions/:execution/cards', () => undefined],
    ['POST', '/projects/:mine/solve/executions/:execution/repeat', () => undefined],
    ['POST', '/projects/:mine/solve/executions/:execution/cancel', () => undefined],
    ['POST', '/files/list', ({ snapshot_id }) => ({ source: 'snapshot', snapshot_id })],
    ['POST', '/files/content', ({ snapshot_id }) => ({ source: 'snapshot', snapshot_id, path: 'notes.txt' })],
    ['POST', '/files/delete', ({ conversation_id }) => ({ ...mine(), path: 'notes.txt', conversation_id })],
    ['POST', '/files/upload/complete', ({ upload_token }) => ({ ...mine(), upload_token })],
  ])('is nobody’s in %s %s', async (method, path, body) => {
    const { conversation_id, card_id, snapshot_id, scenario_id, execution_id } = elsewhere;
    const at = path
      .replace(':mine', world.project_id)
      .replace(':conversation', conversation_id)
      .replace(':card', card_id)
      .replace(':snapshot', snapshot_id)
      .replace(':scenario', scenario_id)
      .replace(':execution', execution_id);
    const [bare = '', search = ''] = at.split('?');
    const query = Object.fromEntries(new URLSearchParams(search));
    const given = body(elsewhere);
    const answer = await callers.company.send(method, bare, { query, ...(given !== undefined && { body: given }) });
    expect(answer.status).toBe(404);
    expect(JSON.stringify(answer.body)).not.toContain(elsewhere.mark);
  });
});

const mine = (): object => ({ source: 'workspace', project_id: world.project_id });

async function send(operation: string, { body, query = {} }: Row, client: Client, place: World): Promise<Answer> {
  const [method = '', template = ''] = operation.split(' ');
  const path = template
    .replace('/api/v1', '')
    .replace(/\{(\w+)\}/g, (_, name: string) => place[name as Exclude<keyof World, 'owner' | 'member'>]);
  if (operation === STREAM && client.token !== undefined) {
    const stream = await EventStream.open(service.url, client.token, place.project_id);
    // What is no stream has a body.
    if (stream.status === 200) {
      stream.close();
      return { status: 200, headers: new Headers(), body: undefined };
    }
  }
  return await client.send(method, path, { query, ...(body !== undefined && { body: body(place) }) });
}

/** A company in which everything there is has a name with a mark. */
async function furnish(owner: Session, member: Session): Promise<World> {
  const mark = `mark${randomBytes(8).toString('hex')}`;
  const { client } = owner;
  const skills = { [SKILL]: { 'SKILL.md': mark } };
  const { handle: name } = await makeDeployment(client, { name: mark, instructions: mark, skills });
  await makeFile(client, { source: 'deployment', deployment_name: name }, 'notes.txt', mark);
  const { id: project_id } = await makeProject(client, { name: mark, from_deployment: name, description: mark });
  const at = `/projects/${project_id}`;
  await client.put(`${at}/skills/own-${mark}`, { files: { 'SKILL.md': mark } });
  await makeFile(client, { source: 'workspace', project_id }, `${mark}.txt`, mark);
  const card = await client.post<CardResponse>(`${at}/cards`, { card_type: 'kpi', label: mark });
  const snapshot = await client.post<SnapshotResponse>(`${at}/snapshots`);
  const scenario = await client.post<ScenarioResponse>(`${at}/scenarios`, { name: mark, changes: [] });
  const { id: execution_id } = await client.post<ExecutionResponse>(`${at}/solve/executions`, {});
  await eventually(
    () => client.get<ExecutionResponse>(`${at}/solve/executions/${execution_id}`),
    ({ status }) => status === 'failed',
    { until: 'the canvas has turned out to be no model' },
  );
  const { conversations } = await client.get<ConversationListResponse>(`${at}/conversations`);
  await client.post(`${at}/chat`, { content: mark });
  await idle(client, project_id);
  const { upload_token } = await sendParts(client, { source: 'workspace', project_id }, 'open.txt', Buffer.from(mark));
  const key = await member.client.post<ApiKeyCreateResponse>('/api-keys', { name: mark });
  return {
    ...{ mark, owner: client, member: member.client, project_id, name, skill: SKILL, upload_token },
    conversation_id: conversations[0]?.id ?? '',
    card_id: card.id,
    snapshot_id: snapshot.id,
    scenario_id: scenario.id,
    execution_id,
    api_key_id: key.id,
  };
}

async function keyOf({ client }: Session, role: 'member' | 'company'): Promise<Client> {
  const { key } = await client.post<ApiKeyCreateResponse>('/api-keys', { name: `For ${role}`, role });
  return new Client(service.url, key);
}

/** What lets nobody in, by what is wrong with it. */
async function invalidCredentials(): Promise<Record<string, string | undefined>> {
  const claims = { sub: 'ada', company_id: 'company', role: 'company' };
  const sign = (secret: string, payload: object = claims, expires: string | number = '1h'): Promise<string> =>
    new SignJWT({ ...payload })
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime(expires)
      .sign(new TextEncoder().encode(secret));
  const { secret } = service.environment;
  const make = () => world.owner.post<ApiKeyCreateResponse>('/api-keys', { name: 'Short-lived', role: 'company' });
  const [revoked, expired] = await Promise.all([make(), make()]);
  await world.owner.delete(`/api-keys/${revoked.id}`);
  const database = new pg.Client(service.environment.databaseUrl);
  await database.connect();
  await database.query(
    `UPDATE api_keys SET created_at = now() - interval '2 h', expires_at = now() - interval '1 h' WHERE id = $1`,
    [expired.id],
  );
  const { rows } = await database.query<{ id: string; message_id: string }>(
    'SELECT id, message_id FROM turns WHERE project_id = $1',
    [world.project_id],
  );
  await database.end();
  return {
    'no token': undefined,
    garbage: 'garbage',
    'garbage in three parts': 'a.b.c',
    'an expired token': await sign(secret, claims, Math.floor(Date.now() / 1000) - 3600),
    'a token that never ends': await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256' })
      .sign(new TextEncoder().encode(secret)),
    'a token signed with another secret': await sign('another secret, as long as the one of the service'),
    'an unsigned token': new UnsecuredJWT(claims).setExpirationTime('1h').encode(),
    'a token without company': await sign(secret, { ...claims, company_id: undefined }),
    // The agent has no credential: neither a role nor anything that a turn holds makes one.
    'a token for the agent': await sign(secret, { ...claims, kind: 'agent', role: 'agent' }),
    'the id of a turn': rows[0]?.id,
    'the message of a turn': rows[0]?.message_id,
    'an upload token': world.upload_token,
    'a revoked API key': revoked.key,
    'an expired API key': expired.key,
    'an API key with another secret': revoked.key.replace(/_[^_]*$/, `_${'0'.repeat(64)}`),
    'the prefix of an API key': `pws_${expired.prefix}`,
  };
}
