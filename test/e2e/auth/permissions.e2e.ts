import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { SignJWT, UnsecuredJWT } from 'jose';
import pg from 'pg';
import type { ConversationListResponse } from '../../../src/chat/conversations.dto.js';
import type { ApiKeyCreateResponse } from '../../../src/auth/api-keys/api-keys.dto.js';
import type { CardResponse } from '../../../src/projects/canvas/canvas.dto.js';
import type { ExecutionResponse } from '../../../src/executions/executions.dto.js';
import type { SnapshotResponse } from '../../../src/projects/snapshots.dto.js';
import type { ScenarioResponse } from '../../../src/scenarios/scenarios.dto.js';
import type { BudgetResponse } from '../../../src/usage/budgets.dto.js';
import type { WebhookCreatedResponse, WebhookDeliveryResponse } from '../../../src/webhooks/webhooks.dto.js';
import { makeDeployment, makeFile, makeProject, sendParts } from '../../factories/make.js';
import { idle } from '../../factories/turns.js';
import { type Answer, Client } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { assertComplete } from '../../support/hand-written-list.js';
import { isLongForm } from '../../support/long-form.js';
import { useSharedService } from '../../support/service.js';
import type { Session } from '../../support/session.js';
import { projectTables } from '../../support/project-tables.js';
import { EventStream, type StreamOptions } from '../../support/stream.js';
import { CALLERS, CALLERS_IN_PRIVATE, hook, PUBLIC, type Row, TABLE, type World } from './permissions.table.js';

const STREAMS = new Map<string, StreamOptions['of']>([
  ['GET /api/v1/projects/{project_id}/chat/stream', 'chat/stream'],
  ['GET /api/v1/projects/{project_id}/events', 'events'],
]);
const FILE = 'test/e2e/auth/permissions.table.ts';
const SKILL = 'marked';
const CASES = Object.entries(TABLE).flatMap(([operation, rows]) =>
  [rows].flat().map((row) => [operation, row] as const),
);

const service = useSharedService();
let database: pg.Client;
/** SQL query for the state of a project. */
let stateQuery: string;
/** Ids of the companies in these tests. */
let companies: string[];
let world: World;
/** Second company, whose data must stay invisible to the first. */
let elsewhere: World;
let callers: Record<(typeof CALLERS)[number], Client>;
/** Private project in the first company. */
let hidden: World;
let inPrivate: Record<keyof typeof CALLERS_IN_PRIVATE, Client>;
let documented: Map<string, object>;

beforeAll(async () => {
  database = new pg.Client(service.environment.databaseUrl);
  await database.connect();
  stateQuery = stateQueryOf(await projectTables(database));
  const { paths } = JSON.parse(await readFile('openapi.json', 'utf8')) as { paths: Record<string, object> };
  documented = new Map(
    Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(
        ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation as object] as const,
      ),
    ),
  );
  const [owner, stranger] = await Promise.all([service.session(), service.session()]);
  companies = [owner.company, stranger.company];
  const member = await service.session({ company: owner.company, role: 'member' });
  world = await furnish(owner, member);
  elsewhere = await furnish(stranger, await service.session({ company: stranger.company, role: 'member' }));
  callers = {
    member: member.client,
    company: owner.client,
    'member key': await keyOf(owner, 'member'),
    'company key': await keyOf(owner, 'company'),
    'another company': stranger.client,
    'read key': await keyOf(owner, 'company', { access: 'read' }),
  };
  hidden = await furnish(owner, member, 'private');
  inPrivate = await gather(owner, stranger);
});

afterAll(async () => await database.end());

describe('every operation', () => {
  it('is listed in the permissions table, and all listed operations exist', () => {
    const listed = [...Object.keys(TABLE), ...PUBLIC];
    assertComplete(FILE, listed, [...documented.keys()]);
    for (const operation of PUBLIC) expect(documented.get(operation)).toHaveProperty('security', []);
  });

  it('rejects callers without valid credentials and reveals nothing to them', async () => {
    const [none, ...invalid] = Object.entries(await invalidCredentials());
    const wrong: unknown[] = [];
    for (const [index, [operation, row]] of CASES.entries()) {
      // One guard checks the credentials of all operations, so each operation is tried with only two of the defects.
      const some = isLongForm ? invalid : inTurn(invalid, index, 2);
      const attempts = [none!, ...some].map(async ([what, token]) => {
        const { status, body, headers } = await send(operation, row, new Client(service.url, token), world);
        const refusal =
          token === undefined
            ? { detail: 'Not authenticated', code: 'not_authenticated' }
            : { detail: 'Invalid authentication credentials', code: 'credentials_invalid' };
        const isRefused = status === 401 && headers.get('www-authenticate') === 'Bearer';
        if (!isRefused || JSON.stringify(body) !== JSON.stringify(refusal)) wrong.push([operation, what, status, body]);
      });
      await Promise.all(attempts);
    }
    expect(wrong).toEqual([]);
  }, 60_000);

  it('responds to each caller according to the permissions table and never shows data from another company', async () => {
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
    // If callers in the company never saw the mark either, its absence for other companies would prove nothing.
    expect(shown.size).toBeGreaterThan(20);
  }, 120_000);
});

describe('every operation in a private project', () => {
  const inProjects = CASES.flatMap(([operation, row]) =>
    row.needs === undefined ? [] : [{ operation, row, needs: row.needs }],
  );

  /** Callers with different roles. The remaining callers have the same roles and differ only in how they got them. */
  const IN_FULL = new Set<string>([
    'owner',
    'editor',
    'viewer',
    'outsider',
    'read-only key of the owner',
    'another company',
  ]);
  /** One operation for each combination of a module and a required role. */
  const samples = inProjects.filter(
    (one, index) => index === inProjects.findIndex((other) => kindOf(other) === kindOf(one)),
  );

  // Uploads in these tests are never completed, and a company may only have a limited number of open uploads.
  afterEach(async () => {
    await database.query(`UPDATE uploads SET expires_at = now() WHERE state = 'open' AND company_id = ANY ($1)`, [
      companies,
    ]);
  });

  it('documents the role it requires', () => {
    const lacking = CASES.filter(([operation, { needs }]) => operation.includes('{project_id}') && needs === undefined);
    if (lacking.length > 0)
      throw new Error(`${FILE} lacks the needs of ${lacking.map(([operation]) => operation).join(', ')}`);
  });

  it.each(Object.keys(CALLERS_IN_PRIVATE) as (keyof typeof CALLERS_IN_PRIVATE)[])(
    'responds according to the caller’s role and changes nothing if it rejects the request: %s',
    async (caller) => {
      const role = CALLERS_IN_PRIVATE[caller];
      const wrong: unknown[] = [];
      for (const { operation, row, needs } of isLongForm || IN_FULL.has(caller) ? inProjects : samples) {
        const place = { ...hidden, ...(await row.fresh?.(hidden)) };
        const before = await stateOf(place.project_id);
        const { status, body } = await send(operation, row, inPrivate[caller], place);
        // A key for another project does not see this project, regardless of who created the key.
        const isElsewhere = caller.endsWith('for this project') && place.project_id !== hidden.project_id;
        const expected = answerTo(isElsewhere ? null : role, needs);
        if (status !== expected) wrong.push([operation, caller, status, expected, body]);
        const isRefused = expected === 403 || expected === 404;
        if (isRefused && JSON.stringify(body).includes(hidden.mark)) wrong.push([operation, caller, 'shows', body]);
        const isChanged = (await stateOf(place.project_id)) !== before;
        const changes = needs.role !== 'viewer' && row.isIdle !== true && !isRefused;
        if (isChanged !== changes) wrong.push([operation, caller, status, isChanged ? 'has changed' : 'is the same']);
      }
      expect(wrong).toEqual([]);
    },
    120_000,
  );
});

/** Returns `count` items. A different `index` selects different items, so that all items are used in turn. */
const inTurn = <Item>(items: Item[], index: number, count: number): Item[] =>
  Array.from({ length: count }, (_, offset) => items[(index * count + offset) % items.length]!);

/** Returns the module and the required role of an operation. */
function kindOf({ operation, needs }: { operation: string; needs: NonNullable<Row['needs']> }): string {
  const segments = operation.split('/').slice(3);
  const module = segments.find((segment) => segment !== 'projects' && !segment.startsWith('{'));
  return `${needs.role} ${module}`;
}

/** Returns the expected status for a role. It is written by hand, so that it is independent of the service. */
function answerTo(
  role: (typeof CALLERS_IN_PRIVATE)[keyof typeof CALLERS_IN_PRIVATE],
  { role: least, status }: NonNullable<Row['needs']>,
): number {
  const isWrite = least !== 'viewer';
  switch (role) {
    case 'owner':
      return status;
    case 'editor':
      return least === 'owner' ? 403 : status;
    case 'viewer':
      return isWrite ? 403 : status;
    case 'read key':
      return isWrite ? 403 : status;
    case null:
      return 404;
  }
}

describe('an id from another company', () => {
  it.each<[string, string, (theirs: World) => object | undefined]>([
    ['POST', '/projects', ({ name }) => ({ name: 'Mine', from_deployment: name })],
    ['POST', '/projects/:mine/agent-config/pull', ({ name }) => ({ from_deployment: name })],
    ['POST', '/projects/:mine/checkout', ({ name }) => ({ from_deployment: name })],
    ['POST', '/projects/:mine/chat', ({ conversation_id }) => ({ content: 'x', conversation_id })],
    ['POST', '/projects/:mine/chat/stop', ({ conversation_id }) => ({ conversation_id })],
    ['GET', '/projects/:mine/chat?conversation_id=:conversation', () => undefined],
    ['GET', '/projects/:mine/chat/sync?conversation_id=:conversation', () => undefined],
    ['POST', '/files/list', ({ snapshot_id }) => ({ source: 'snapshot', snapshot_id })],
    ['POST', '/files/content', ({ snapshot_id }) => ({ source: 'snapshot', snapshot_id, path: 'notes.txt' })],
    ['POST', '/files/delete', ({ conversation_id }) => ({ ...mine(), path: 'notes.txt', conversation_id })],
    ['POST', '/files/upload/complete', ({ upload_token }) => ({ ...mine(), upload_token })],
  ])('is not found by %s %s', async (method, path, body) => {
    const at = path.replace(':mine', world.project_id).replace(':conversation', elsewhere.conversation_id);
    const [bare = '', search = ''] = at.split('?');
    const query = Object.fromEntries(new URLSearchParams(search));
    const given = body(elsewhere);
    const answer = await callers.company.send(method, bare, { query, ...(given !== undefined && { body: given }) });
    expect(answer.status).toBe(404);
    expect(JSON.stringify(answer.body)).not.toContain(elsewhere.mark);
  });

  it('is not found under the path of the caller’s own project', async () => {
    const wrong: unknown[] = [];
    const place = { ...elsewhere, project_id: world.project_id };
    const below = CASES.filter(([operation]) => /\{project_id\}.*\{\w+_id\}/.test(operation));
    expect(below.length).toBeGreaterThan(10);
    for (const [operation, row] of below) {
      const { status, body } = await send(operation, row, callers.company, place);
      if (status !== 404 || JSON.stringify(body).includes(elsewhere.mark)) wrong.push([operation, status, body]);
    }
    expect(wrong).toEqual([]);
  });
});

const mine = (): object => ({ source: 'workspace', project_id: world.project_id });

async function send(operation: string, { body, query = {} }: Row, client: Client, place: World): Promise<Answer> {
  const [method = '', template = ''] = operation.split(' ');
  const path = template.replace('/api/v1', '').replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = place[name as keyof World];
    if (typeof value === 'string') return value;
    throw new Error(`World in ${FILE} lacks ${name}. Create it in furnish of permissions.e2e.ts.`);
  });
  const of = STREAMS.get(operation);
  if (of !== undefined && client.token !== undefined) {
    const stream = await EventStream.open(service.url, client.token, place.project_id, { of });
    // Streams have no body to compare.
    if (stream.status === 200) {
      stream.close();
      return { status: 200, headers: new Headers(), body: undefined };
    }
  }
  return await client.send(method, path, { query, ...(body !== undefined && { body: body(place) }) });
}

/** Creates a company whose resources all have a mark in their names. */
async function furnish(owner: Session, member: Session, visibility: 'company' | 'private' = 'company'): Promise<World> {
  const mark = `mark${randomBytes(8).toString('hex')}`;
  const { client } = owner;
  const skills = { [SKILL]: { 'SKILL.md': mark } };
  const { handle: name } = await makeDeployment(client, { name: mark, instructions: mark, skills });
  await makeFile(client, { source: 'deployment', deployment_name: name }, 'notes.txt', mark);
  const { id: project_id } = await makeProject(client, {
    name: mark,
    from_deployment: name,
    description: mark,
    visibility,
  });
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
  const budget = {
    scope: 'project',
    subject_id: project_id,
    period: 'day',
    limit_credits: 1_000_000,
    action: 'notice',
  };
  const { id: budget_id } = await client.put<BudgetResponse>('/usage/budgets', budget);
  const { id: webhook_id } = await client.post<WebhookCreatedResponse>('/webhooks', hook(mark));
  const { id: delivery_id } = await client.post<WebhookDeliveryResponse>(`/webhooks/${webhook_id}/test`);
  return {
    ...{ mark, owner: client, member: member.client, project_id, visibility, name, skill: SKILL, upload_token },
    conversation_id: conversations[0]?.id ?? '',
    card_id: card.id,
    snapshot_id: snapshot.id,
    scenario_id: scenario.id,
    execution_id,
    api_key_id: key.id,
    budget_id,
    webhook_id,
    delivery_id,
    user_id: member.user,
    makeProject: async () => {
      const { id } = await makeProject(client, { name: mark, visibility });
      for (const [user, role] of Object.entries(roles)) await client.put(`/projects/${id}/members/${user}`, { role });
      return id;
    },
    makeUser: async () => {
      const session = await service.session({ company: owner.company, role: 'member' });
      await session.client.get('/me');
      return session.user;
    },
  };
}

/** Roles in every private project, by user. */
const roles: Record<string, string> = {};

/** Returns the callers for operations in the private project `hidden`. */
async function gather(owner: Session, stranger: Session): Promise<typeof inPrivate> {
  const { company } = owner;
  const join = async (role?: 'owner' | 'editor' | 'viewer'): Promise<Session> => {
    const session = await service.session({ company, role: 'member' });
    await session.client.get('/me');
    if (role === undefined) return session;
    roles[session.user] = role;
    await owner.client.put(`/projects/${hidden.project_id}/members/${session.user}`, { role });
    return session;
  };
  const [projectOwner, editor, viewer, outsider] = [
    await join('owner'),
    await join('editor'),
    await join('viewer'),
    await join(),
  ];
  const here = { project_ids: [hidden.project_id] };
  const demoted = await service.session({ company, role: 'company', issuedAt: 1_000_000_000 });
  const keyOfDemoted = await keyOf(demoted, 'company');
  await (
    await service.session({ company, user: demoted.user, role: 'member', issuedAt: 1_000_000_001 })
  ).client.get('/me');
  return {
    'company-level user': (await service.session({ company })).client,
    owner: projectOwner.client,
    editor: editor.client,
    viewer: viewer.client,
    outsider: outsider.client,
    'key of the owner': await keyOf(projectOwner, 'member'),
    'read-only key of the owner': await keyOf(projectOwner, 'member', { access: 'read' }),
    'key of the owner for this project': await keyOf(projectOwner, 'member', here),
    'key of the owner for another project': await keyOf(projectOwner, 'member', { project_ids: [world.project_id] }),
    'key of the editor': await keyOf(editor, 'member'),
    'key of the viewer': await keyOf(viewer, 'member'),
    'key of the viewer for this project': await keyOf(viewer, 'member', here),
    'key of the outsider': await keyOf(outsider, 'member'),
    'key of the outsider for this project': await keyOfFormerMember(owner, outsider, here),
    'member key of the company-level user': await keyOf(await service.session({ company }), 'member'),
    'company key of the company-level user': await keyOf(await service.session({ company }), 'company'),
    'company key of a user who was demoted to member': keyOfDemoted,
    'another company': stranger.client,
  };
}

/**
 * Returns a client with a key for the private project. Its creator is a member only while the key is created, because
 * other users cannot create such a key.
 */
async function keyOfFormerMember(owner: Session, outsider: Session, limits: object): Promise<Client> {
  const at = `/projects/${hidden.project_id}/members/${outsider.user}`;
  await owner.client.put(at, { role: 'viewer' });
  const key = await keyOf(outsider, 'member', limits);
  await owner.client.delete(at);
  return key;
}

/** Returns a hash of everything stored for a project, as soon as no work is running in it. */
async function stateOf(project_id: string): Promise<string> {
  const { state } = await eventually(
    async () => {
      const { rows } = await database.query<{ state: string; is_idle: boolean }>(stateQuery, [project_id]);
      return rows[0] ?? { state: 'none', is_idle: true };
    },
    ({ is_idle }) => is_idle,
    { until: 'nothing works on the project' },
  );
  return state;
}

/** Returns the SQL query that reads a hash of a project's rows and whether the project is idle. */
const stateQueryOf = (tables: readonly string[]): string => `
  WITH p AS (SELECT * FROM projects WHERE id = $1
  ), trees AS (
    SELECT c.* FROM containers c
     WHERE c.id IN (SELECT unnest(ARRAY[workspace_id, agent_config_id, project_skills_id]) FROM p
                    UNION ALL SELECT container_id FROM snapshots WHERE project_id = $1)
  )
  SELECT md5(string_agg(line, E'\\n' ORDER BY line)) AS state,
         (SELECT active_turns + active_solves = 0 FROM p) AS is_idle
    FROM (SELECT p::text AS line FROM p
          ${tables.map((table) => `UNION ALL SELECT t::text FROM ${table} t WHERE project_id = $1`).join('\n          ')}
          UNION ALL SELECT t::text FROM trees t
          UNION ALL SELECT n::text FROM nodes n WHERE container_id IN (SELECT id FROM trees)
          -- those that have expired are swept at any time
          UNION ALL SELECT u::text FROM uploads u WHERE container_id IN (SELECT id FROM trees) AND expires_at > now()) lines`;

async function keyOf({ client }: Session, role: 'member' | 'company', limits: object = {}): Promise<Client> {
  const { key } = await client.post<ApiKeyCreateResponse>('/api-keys', { name: `For ${role}`, role, ...limits });
  return new Client(service.url, key);
}

/** Returns invalid credentials, named after their defect. */
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
  await database.query(
    `UPDATE api_keys SET created_at = now() - interval '2 h', expires_at = now() - interval '1 h' WHERE id = $1`,
    [expired.id],
  );
  const { rows } = await database.query<{ id: string; message_id: string }>(
    'SELECT id, message_id FROM turns WHERE project_id = $1',
    [world.project_id],
  );
  return {
    'no token': undefined,
    garbage: 'garbage',
    'garbage in three parts': 'a.b.c',
    'an expired token': await sign(secret, claims, Math.floor(Date.now() / 1000) - 3600),
    'a token without an expiry': await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256' })
      .sign(new TextEncoder().encode(secret)),
    'a token signed with another secret': await sign('another secret, as long as the one of the service'),
    'an unsigned token': new UnsecuredJWT(claims).setExpirationTime('1h').encode(),
    'a token without a company': await sign(secret, { ...claims, company_id: undefined }),
    // The agent has no credentials. Neither its role nor any data from a turn can be used as credentials.
    'a token for the agent': await sign(secret, { ...claims, kind: 'agent', role: 'agent' }),
    'the id of a turn': rows[0]?.id,
    'the id of a message that started a turn': rows[0]?.message_id,
    'an upload token': world.upload_token,
    'a revoked API key': revoked.key,
    'an expired API key': expired.key,
    'an API key with another secret': revoked.key.replace(/_[^_]*$/, `_${'0'.repeat(64)}`),
    'the prefix of an API key': `pws_${expired.prefix}`,
  };
}
