import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { DeploymentListResponse, DeploymentResponse } from '../../../src/deployments/deployments.dto.js';
import type { ProjectResponse } from '../../../src/projects/projects.dto.js';
import type { AgentConfigResponse } from '../../../src/skills/skills.dto.js';
import { makeDeployment, makeFile, makeProject } from '../../factories/make.js';
import type { Client } from '../../support/client.js';
import { useSharedService } from '../../support/service.js';
import type { Session } from '../../support/session.js';

const service = useSharedService();
let company: Session;
let client: Client;

beforeAll(async () => {
  company = await service.session();
  client = company.client;
});

const get = (name: string, by = client) => by.get<DeploymentResponse>(`/deployments/${encodeURIComponent(name)}`);
const add = (by: Client, name: string) => by.send<DeploymentResponse>('POST', '/deployments', { body: { name } });
const statusOf = async (method: string, path: string, by = client, body?: object) =>
  (await by.send(method, path, body && { body })).status;

describe('a deployment', () => {
  it('gets a handle, is found by handle or else by exact name, and appears in lists, newest first', async () => {
    const own = (await service.session()).client;
    const { status, body: created } = await add(own, 'Plan für Öfen');
    expect(status).toBe(201);
    expect(created).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'Plan für Öfen',
      handle: 'plan-fur-ofen',
      created_at: expect.any(String),
      updated_at: created.created_at,
      config_digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(await get('plan-fur-ofen', own)).toEqual(created);
    expect(await get('Plan für Öfen', own)).toEqual(created);
    for (const name of ['plan für öfen', 'Plan für Öfen ', 'PLAN-FUR-OFEN', 'none', ' ', '\u{1F600}']) {
      expect(await statusOf('GET', `/deployments/${encodeURIComponent(name)}`, own)).toBe(404);
    }

    // If the handle of one deployment is the name of another, the handle takes precedence.
    const { body: second } = await add(own, 'plan-fur-ofen');
    expect(second.handle).toBe('plan-fur-ofen-2');
    expect((await get('plan-fur-ofen', own)).id).toBe(created.id);
    const page = await own.get<DeploymentListResponse>('/deployments', { limit: 1, offset: 1 });
    const { id, name, handle, created_at, updated_at } = created;
    const row = { id, name, handle, created_at, updated_at };
    expect(page).toEqual({ deployments: [row], limit: 1, offset: 1, total: 2 });
  });

  it('requires a name of 1 to 100 characters that is unique in the company', async () => {
    const own = (await service.session()).client;
    expect((await add(own, '')).status).toBe(422);
    expect((await add(own, 'x'.repeat(101))).status).toBe(422);
    const long = await add(own, '\u{1F600}'.repeat(100));
    expect([long.status, long.body.handle]).toEqual([201, 'deployment']);
    expect((await add(own, '\u{1F600}'.repeat(100))).status).toBe(409);
    expect((await add((await service.session()).client, '\u{1F600}'.repeat(100))).body.handle).toBe('deployment');

    const twins = await Promise.all(Array.from({ length: 6 }, () => add(own, 'Twin')));
    expect(twins.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
    const similar = await Promise.all(Array.from({ length: 6 }, (_, index) => add(own, `Like${'!'.repeat(index)}`)));
    const handles = similar.map(({ body }) => body.handle).sort();
    expect(handles).toEqual(['like', 'like-2', 'like-3', 'like-4', 'like-5', 'like-6']);
  });

  it('is visible only to its company and can be changed only by company-level callers', async () => {
    const { handle } = await makeDeployment(client, { instructions: 'x', skills: { a: { 'SKILL.md': 'x' } } });
    const at = `/deployments/${handle}`;
    const member = (await service.session({ company: company.company, role: 'member' })).client;
    const foreign = (await service.session()).client;
    for (const path of [at, `${at}/instructions`, `${at}/skills`, `${at}/skills/a`]) {
      expect([path, await statusOf('GET', path, member), await statusOf('GET', path, foreign)]).toEqual([
        path,
        200,
        404,
      ]);
    }
    const writes: [string, string, object?][] = [
      ['PUT', `${at}/instructions`, { content: 'y' }],
      ['PUT', `${at}/skills/a`, { files: { 'SKILL.md': 'y' } }],
      ['DELETE', `${at}/skills/a`],
      ['DELETE', at],
    ];
    for (const [method, path, body] of writes) {
      expect([path, await statusOf(method, path, member, body)]).toEqual([path, 403]);
      expect([path, await statusOf(method, path, foreign, body)]).toEqual([path, 404]);
    }
    expect((await add(member, 'Mine')).status).toBe(403);
    const tree = { source: 'deployment', deployment_name: handle };
    expect(await statusOf('POST', '/files/delete', member, { ...tree, path: 'AGENTS.md' })).toBe(403);
    expect(await client.get(`${at}/instructions`)).toEqual({ content: 'x' });
  });

  it('shows when its instructions or skills last changed, and a hash of the content', async () => {
    const { handle } = await makeDeployment(client);
    const at = `/deployments/${handle}`;
    const seen = [await get(handle)];
    const change = async (method: string, path: string, body?: object): Promise<void> => {
      await pause(2);
      expect(await statusOf(method, `${at}${path}`, client, body)).toBeLessThan(300);
      seen.push(await get(handle));
    };
    await change('PUT', '/instructions', { content: 'Text' });
    await change('PUT', '/skills/a', { files: { 'SKILL.md': 'a' } });
    await change('PUT', '/skills/a', { files: { 'SKILL.md': 'a', b: 'b' } });
    await change('PUT', '/skills/a', { files: { 'SKILL.md': 'a' } });
    await change('DELETE', '/skills/a');
    const times = seen.map(({ updated_at }) => updated_at);
    expect(times).toEqual([...new Set(times)].sort());
    const digests = seen.map(({ config_digest }) => config_digest);
    expect(new Set(digests).size).toBe(4);
    expect([digests[4], digests[5]]).toEqual([digests[2], digests[1]]);

    // The digest includes uploaded skill files but not template files.
    await makeFile(client, { source: 'deployment', deployment_name: handle }, 'data/table.csv', 'x');
    expect((await get(handle)).config_digest).toBe(digests[5]);
    await makeFile(client, { source: 'deployment', deployment_name: handle }, 'skills/a/SKILL.md', 'a');
    expect((await get(handle)).config_digest).not.toBe(digests[5]);
  });
});

describe('a deleted deployment', () => {
  it('disappears immediately, while projects keep their copies', async () => {
    const skills = { alpha: { 'SKILL.md': 'Alpha.' } };
    const { handle, name } = await makeDeployment(client, { instructions: 'Text', skills });
    const tree = { source: 'deployment', deployment_name: handle } as const;
    await makeFile(client, tree, 'data/table.csv', 'x');
    const started = await client.post<{ upload_token: string }>('/files/upload/start', { ...tree, path: 'late.txt' });
    const { id } = await makeProject(client, { from_deployment: handle });
    const total = async () => (await client.get<DeploymentListResponse>('/deployments')).total;
    const before = await total();

    const at = `/deployments/${handle}`;
    const { status, body } = await client.send('DELETE', `/deployments/${encodeURIComponent(name)}`);
    expect([status, body]).toEqual([204, undefined]);
    expect(await total()).toBe(before - 1);
    const requests: [string, string, object?][] = [
      ['DELETE', at],
      ['GET', at],
      ['GET', `/deployments/${encodeURIComponent(name)}`],
      ['GET', `${at}/instructions`],
      ['PUT', `${at}/instructions`, { content: 'x' }],
      ['GET', `${at}/skills`],
      ['GET', `${at}/skills/alpha`],
      ['PUT', `${at}/skills/alpha`, { files: { 'SKILL.md': 'x' } }],
      ['DELETE', `${at}/skills/alpha`],
      ['POST', '/files/list', tree],
      ['POST', '/files/content', { ...tree, path: 'AGENTS.md' }],
      ['POST', '/files/upload/complete', { ...tree, upload_token: started.upload_token }],
      ['POST', '/projects', { name: 'Late', from_deployment: handle }],
      ['POST', `/projects/${id}/agent-config/pull`, { from_deployment: handle }],
      ['POST', `/projects/${id}/checkout`, { from_deployment: handle }],
    ];
    for (const [method, path, sent] of requests) {
      expect([method, path, await statusOf(method, path, client, sent)]).toEqual([method, path, 404]);
    }

    const project = `/projects/${id}`;
    expect((await client.get<ProjectResponse>(project)).origin_deployment_handle).toBe(handle);
    expect(await client.get<AgentConfigResponse>(`${project}/agent-config`)).toMatchObject({
      instructions: 'Text',
      skills: [{ name: 'alpha', scope: 'deployment' }],
    });
    const workspace = { source: 'workspace', project_id: id, path: 'data/table.csv' };
    expect(await client.post('/files/content', workspace)).toMatchObject({ text: 'x' });
    expect(await client.send('POST', `${project}/agent-config/pull`, { body: {} })).toMatchObject({
      status: 409,
      body: { detail: 'The project has no deployment to pull from; name one in from_deployment' },
    });
    expect((await client.get<ProjectResponse>(project)).config_digest).toHaveLength(64);
  });

  it('makes its name, but not its handle, available to another deployment', async () => {
    const own = (await service.session()).client;
    const handles: string[] = [];
    for (let round = 1; round <= 3; round += 1) {
      const { body } = await add(own, 'Again');
      handles.push(body.handle);
      expect((await get('Again', own)).id).toBe(body.id);
      await own.delete(`/deployments/${body.handle}`);
      expect(await statusOf('GET', '/deployments/Again', own)).toBe(404);
    }
    expect(handles).toEqual(['again', 'again-2', 'again-3']);
    expect(await statusOf('GET', '/deployments/again', own)).toBe(404);
  });

  it('is deleted by only one of two concurrent requests, even if other requests change it', async () => {
    const files = { 'SKILL.md': 'New.' };
    for (let round = 1; round <= 5; round += 1) {
      const skills = { alpha: { 'SKILL.md': 'Alpha.' } };
      const { handle } = await makeDeployment(client, { instructions: 'Text', skills });
      const { id } = await makeProject(client, { from_deployment: handle });
      const at = `/deployments/${handle}`;
      const [first, second, put, instructions, pulled, seeded] = await Promise.all([
        statusOf('DELETE', at),
        statusOf('DELETE', at),
        statusOf('PUT', `${at}/skills/alpha`, client, { files }),
        statusOf('PUT', `${at}/instructions`, client, { content: 'New.' }),
        statusOf('POST', `/projects/${id}/agent-config/pull`, client, {}),
        statusOf('POST', '/projects', client, { name: 'Seeded', from_deployment: handle }),
      ]);
      expect([first, second].sort()).toEqual([204, 404]);
      for (const status of [put, instructions]) expect([200, 404]).toContain(status);
      expect([200, 409]).toContain(pulled);
      expect([201, 404]).toContain(seeded);
      const { instructions: text, skills: mounted } = await client.get<AgentConfigResponse>(
        `/projects/${id}/agent-config`,
      );
      expect(['Text', 'New.']).toContain(text);
      expect(['Alpha.', 'New.']).toContain(mounted[0]?.description);
    }
  });
});
