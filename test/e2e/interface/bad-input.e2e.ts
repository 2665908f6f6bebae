import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { makeDeployment, makeFile, makeProject, sendParts } from '../../factories/make.js';
import { idle } from '../../factories/turns.js';
import { Client } from '../../support/client.js';
import { fingerprint } from '../../support/fingerprint.js';
import { useService } from '../../support/service.js';
import { type Session, signIn } from '../../support/session.js';

const MiB = 1024 ** 2;

/** Resources in the paths and bodies of requests. Defaults to the caller's existing resources. */
interface Target {
  project: string;
  deployment: string;
}
interface Call {
  method: string;
  path: string;
  body?: unknown;
}

/** Documented operations under a project. */
const projectCalls = ({ project }: Pick<Target, 'project'>): Call[] => {
  const at = `/projects/${project}`;
  const workspace = { source: 'workspace', project_id: project };
  return [
    { method: 'GET', path: at },
    { method: 'PATCH', path: at, body: { name: 'Changed' } },
    { method: 'GET', path: `${at}/solve/executions` },
    { method: 'POST', path: `${at}/chat`, body: { content: 'Hello' } },
    { method: 'GET', path: `${at}/chat` },
    { method: 'GET', path: `${at}/chat/sync` },
    { method: 'PUT', path: `${at}/skills/new-skill`, body: { files: { 'SKILL.md': 'New.' } } },
    { method: 'GET', path: `${at}/skills/shift-rules` },
    { method: 'POST', path: `${at}/agent-config/pull`, body: {} },
    { method: 'POST', path: '/files/mkdir', body: { ...workspace, path: 'new' } },
    { method: 'POST', path: '/files/content', body: { ...workspace, path: 'kept.txt' } },
    { method: 'POST', path: '/files/delete', body: { ...workspace, path: 'kept.txt' } },
    {
      method: 'POST',
      path: '/files/batch-move',
      body: { ...workspace, moves: [{ source_path: 'kept.txt', dest_path: 'moved.txt' }] },
    },
    { method: 'POST', path: '/files/batch-delete', body: { ...workspace, paths: ['kept.txt'] } },
  ];
};

/** Documented operations under a deployment. */
const deploymentCalls = ({ deployment }: Pick<Target, 'deployment'>): Call[] => {
  const container = { source: 'deployment', deployment_name: deployment };
  return [
    { method: 'PUT', path: `/deployments/${deployment}/instructions`, body: { content: 'Changed.' } },
    { method: 'POST', path: '/files/mkdir', body: { ...container, path: 'new' } },
    { method: 'POST', path: '/files/content', body: { ...container, path: 'AGENTS.md' } },
    { method: 'POST', path: '/files/delete', body: { ...container, path: 'AGENTS.md' } },
    {
      method: 'POST',
      path: '/files/batch-move',
      body: { ...container, moves: [{ source_path: 'AGENTS.md', dest_path: 'moved.md' }] },
    },
    { method: 'POST', path: '/files/batch-delete', body: { ...container, paths: ['AGENTS.md'] } },
  ];
};

/** Remaining operations. */
const otherCalls: Call[] = [
  { method: 'GET', path: '/projects' },
  { method: 'GET', path: '/deployments' },
  { method: 'POST', path: '/deployments', body: { name: 'New deployment' } },
  { method: 'GET', path: '/usage/users' },
  {
    method: 'POST',
    path: '/files/upload/complete',
    body: { source: 'workspace', project_id: randomUUID(), upload_token: 'none' },
  },
];

const allCalls = (target: Target): Call[] => [...projectCalls(target), ...deploymentCalls(target), ...otherCalls];
const send = (client: Client, { method, path, body }: Call) => client.send(method, path, { body });

const service = useService();
let owner: Session;
let member: Session;
let stranger: Session;
let mine: Target;
let foreign: Target;
let before: Record<string, string>;

async function furnish(session: Session): Promise<Target> {
  const { handle } = await makeDeployment(session.client, {
    name: 'Kept',
    instructions: '# Kept',
    skills: { 'shift-rules': { 'SKILL.md': 'Kept.' } },
  });
  const { id } = await makeProject(session.client, { from_deployment: handle });
  await makeFile(session.client, { source: 'workspace', project_id: id }, 'kept.txt', 'Kept.');
  await session.client.post(`/projects/${id}/chat`, { content: 'Kept.' });
  await idle(session.client, id);
  return { project: id, deployment: handle };
}

beforeAll(async () => {
  owner = await service.session();
  member = await service.session({ company: owner.company, role: 'member' });
  stranger = await service.session();
  mine = await furnish(owner);
  foreign = { ...(await furnish(stranger)), deployment: 'strangers-own' };
  await makeDeployment(stranger.client, { name: 'Strangers own', instructions: '# Theirs' });
  await member.client.get('/me');
});

beforeEach(async () => {
  before = await fingerprint(service.environment);
});

afterEach(async () => {
  expect(await fingerprint(service.environment)).toEqual(before);
});

describe('a request for a resource that does not exist for the caller', () => {
  it('returns the same 404 for an unknown project, an invalid id and another company’s project', async () => {
    for (const project of [randomUUID(), 'not-an-id', '0', foreign.project]) {
      for (const call of projectCalls({ project })) {
        expect([call, await send(owner.client, call)]).toMatchObject([
          call,
          { status: 404, body: { detail: 'Project not found' } },
        ]);
      }
    }
  });

  it('returns 404 for an unknown deployment and for another company’s deployment', async () => {
    for (const deployment of ['no-such-deployment', foreign.deployment]) {
      for (const call of deploymentCalls({ deployment })) {
        expect([call, await send(owner.client, call)]).toMatchObject([
          call,
          { status: 404, body: { detail: 'Deployment not found' } },
        ]);
      }
      const pull = await owner.client.send('POST', `/projects/${mine.project}/agent-config/pull`, {
        body: { from_deployment: deployment },
      });
      expect(pull.status).toBe(404);
    }
  });

  it('returns 404 for a missing conversation, skill, file, snapshot or upload', async () => {
    const at = `/projects/${mine.project}`;
    const workspace = { source: 'workspace', project_id: mine.project };
    const calls: Call[] = [
      { method: 'POST', path: `${at}/chat`, body: { content: 'Hello', conversation_id: randomUUID() } },
      { method: 'GET', path: `${at}/chat?conversation_id=${randomUUID()}` },
      { method: 'GET', path: `${at}/chat/sync?conversation_id=none` },
      { method: 'GET', path: `${at}/skills/no-such-skill` },
      { method: 'POST', path: '/files/content', body: { ...workspace, path: 'missing.txt' } },
      { method: 'POST', path: '/files/delete', body: { ...workspace, path: 'missing.txt' } },
      { method: 'POST', path: '/files/content', body: { source: 'snapshot', snapshot_id: randomUUID(), path: 'a' } },
      { method: 'POST', path: '/files/upload/complete', body: { ...workspace, upload_token: 'no-such-token' } },
    ];
    for (const call of calls) {
      const answer = await send(owner.client, call);
      expect([call, answer.status]).toEqual([call, 404]);
    }
  });

  it('does not complete another company’s upload', async () => {
    const place = { source: 'workspace', project_id: foreign.project } as const;
    const sent = await sendParts(stranger.client, place, 'theirs.txt', Buffer.from('Theirs.'));
    before = await fingerprint(service.environment);
    for (const project_id of [mine.project, foreign.project]) {
      const body = { source: 'workspace', project_id, ...sent };
      expect(await owner.client.send('POST', '/files/upload/complete', { body })).toMatchObject({ status: 404 });
    }
  });
});

describe('a request without permission', () => {
  it('returns 401 with a challenge for every operation if it has no valid token', async () => {
    const { secret } = service.environment;
    const expired = await signIn(service.url, secret, { company: owner.company, user: owner.user, expiresIn: -3600 });
    const forged = await signIn(service.url, 'f'.repeat(64), { company: owner.company, user: owner.user });
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${owner.token.split('.')[1]}.`;
    const missing = { detail: 'Not authenticated', code: 'not_authenticated' };
    const invalid = { detail: 'Invalid authentication credentials', code: 'credentials_invalid' };
    const callers = [
      [service.anonymous, missing],
      [new Client(service.url, ''), missing],
      [expired.client, invalid],
      [forged.client, invalid],
      [new Client(service.url, unsigned), invalid],
    ] as const;
    for (const [client, refusal] of callers) {
      for (const call of allCalls(mine)) {
        const { status, body, headers } = await send(client, call);
        expect([call, status, body, headers.get('www-authenticate')]).toEqual([call, 401, refusal, 'Bearer']);
      }
    }
  });

  it('returns 403 to a member for company-level operations', async () => {
    const reading = (call: Call): boolean => call.path === '/files/content';
    const calls = deploymentCalls(mine).filter((call) => !reading(call));
    for (const call of [...calls, { method: 'POST', path: '/deployments', body: { name: 'Members own' } }]) {
      expect([call, (await send(member.client, call)).status]).toEqual([call, 403]);
    }
  });
});

describe('invalid requests', () => {
  it('are rejected with the position of malformed JSON, even without a token', async () => {
    for (const client of [owner.client, service.anonymous]) {
      for (const { method, path } of allCalls(mine).filter(({ body }) => body !== undefined)) {
        const answer = await client.send(method, path, { text: '{"name": nope}' });
        expect([path, answer]).toMatchObject([
          path,
          {
            status: 422,
            body: { detail: [{ type: 'json_invalid', loc: ['body', 9], msg: 'JSON decode error', input: {} }] },
          },
        ]);
      }
    }
  });

  it('are rejected with 413 if their body exceeds 1 MiB, or 8 MiB for skills and upload completions', async () => {
    const wide = (call: Call): boolean => /skills|upload\/complete/.test(call.path);
    for (const call of allCalls(mine).filter(({ body }) => body !== undefined)) {
      const text = JSON.stringify({ ...(call.body as object), padding: 'x'.repeat(wide(call) ? 8 * MiB : MiB) });
      const answer = await owner.client.send(call.method, call.path, { text });
      expect([call.path, answer.status]).toEqual([call.path, 413]);
    }
  });

  it('are rejected with 422 and an entry for each invalid field', async () => {
    const answer = await owner.client.send('POST', '/files/batch-move', {
      body: { source: 'attic', moves: [{ source_path: '', dest_path: 5 }] },
    });
    expect(answer).toMatchObject({
      status: 422,
      body: {
        detail: [
          { type: 'literal_error', loc: ['body', 'source'] },
          { type: 'string_too_short', loc: ['body', 'moves', 0, 'source_path'] },
          { type: 'string_type', loc: ['body', 'moves', 0, 'dest_path'] },
        ],
      },
    });
  });

  it('are rejected with 404 or 405 for unknown routes before the token is checked', async () => {
    expect(await service.anonymous.send('GET', '/nothing')).toMatchObject({
      status: 404,
      body: { detail: 'Not Found' },
    });
    expect(await service.anonymous.send('GET', '/Projects')).toMatchObject({ status: 404 });
    expect(await service.anonymous.send('GET', '/projects/%00')).toMatchObject({ status: 404 });
    const wrong = await service.anonymous.send('DELETE', '/projects');
    expect(wrong).toMatchObject({ status: 405, body: { detail: 'Method Not Allowed' } });
    expect(wrong.headers.get('allow')).toContain('GET');
  });
});
