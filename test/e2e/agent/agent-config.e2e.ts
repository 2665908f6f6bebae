import { beforeAll, describe, expect, it } from '@jest/globals';
import type { DeploymentResponse } from '../../../src/deployments/deployments.dto.js';
import type { FileListResponse } from '../../../src/files/files.dto.js';
import type { ProjectResponse } from '../../../src/projects/projects.dto.js';
import type {
  AgentConfigPullResponse,
  AgentConfigResponse,
  AgentInstructionsResponse,
  CheckoutResponse,
  ProjectSkillListResponse,
} from '../../../src/skills/skills.dto.js';
import { makeDeployment, makeFile, makeProject } from '../../factories/make.js';
import type { Client } from '../../support/client.js';
import { fingerprint } from '../../support/fingerprint.js';
import { useService } from '../../support/service.js';
import type { Session } from '../../support/session.js';

const service = useService();
let company: Session;
let client: Client;

beforeAll(async () => {
  company = await service.session();
  client = company.client;
});

interface Refusal {
  detail: { type: string; loc: unknown[]; msg: string; input: unknown }[];
}

const pull = (id: string, body: object = {}) =>
  client.post<AgentConfigPullResponse>(`/projects/${id}/agent-config/pull`, body);
const checkout = (id: string, from_deployment: string) =>
  client.post<CheckoutResponse>(`/projects/${id}/checkout`, { from_deployment });
const configOf = (id: string) => client.get<AgentConfigResponse>(`/projects/${id}/agent-config`);
const projectOf = (id: string) => client.get<ProjectResponse>(`/projects/${id}`);
const digestOf = async (handle: string) =>
  (await client.get<DeploymentResponse>(`/deployments/${handle}`)).config_digest;
const inDeployment = (deployment_name: string) => ({ source: 'deployment', deployment_name }) as const;
const inWorkspace = (project_id: string) => ({ source: 'workspace', project_id }) as const;
const textOf = async (id: string, path: string) =>
  (await client.post<{ text: string }>('/files/content', { ...inWorkspace(id), path })).text;

describe('checkout', () => {
  it('sets the deployment as the origin, pulls instructions and skills, and adds template files to the workspace', async () => {
    const skills = { alpha: { 'SKILL.md': 'Alpha.', 'a.txt': 'a' } };
    const { handle, name } = await makeDeployment(client, { instructions: 'Text', skills });
    for (const path of ['README.md', 'data/old.csv', 'data/new.csv', 'notes', 'docs/AGENTS.md']) {
      await makeFile(client, inDeployment(handle), path, `${path} of the template`);
    }
    const { id } = await makeProject(client);
    const kept = await makeFile(client, inWorkspace(id), 'data/old.csv', 'mine');
    await makeFile(client, inWorkspace(id), 'notes/mine.txt', 'mine');
    await client.put(`/projects/${id}/skills/own`, { files: { 'SKILL.md': 'Own.' } });

    // `notes` is a directory here, so the template file named `notes` is not added.
    expect(await checkout(id, name)).toEqual({ from_deployment: handle, objects: 3, workspace_files: 3 });
    expect(await projectOf(id)).toMatchObject({
      origin_deployment_handle: handle,
      config_digest: await digestOf(handle),
    });
    expect(await configOf(id)).toMatchObject({
      instructions: 'Text',
      skills: [
        { name: 'alpha', scope: 'deployment', files: ['SKILL.md', 'a.txt'] },
        { name: 'own', scope: 'project' },
      ],
    });
    const { entries } = await client.post<FileListResponse>('/files/list', { ...inWorkspace(id), recursive: true });
    expect(entries.map(({ path, source }) => [path, source])).toEqual([
      ['README.md', 'deployment'],
      ['data/new.csv', 'deployment'],
      ['data/old.csv', 'upload'],
      ['docs/AGENTS.md', 'deployment'],
      ['notes/mine.txt', 'upload'],
    ]);
    expect(entries.find(({ path }) => path === 'data/old.csv')?.id).toBe(kept.id);
    expect(await textOf(id, 'data/old.csv')).toBe('mine');
    expect(await textOf(id, 'README.md')).toBe('README.md of the template');

    // A checkout does not overwrite workspace files that were changed in the project.
    await makeFile(client, inWorkspace(id), 'README.md', 'changed');
    expect(await checkout(id, handle)).toEqual({ from_deployment: handle, objects: 3, workspace_files: 0 });
    expect(await textOf(id, 'README.md')).toBe('changed');
  });

  it('can change the origin that later pulls use by default', async () => {
    const one = await makeDeployment(client, { instructions: 'One', skills: { one: { 'SKILL.md': 'One.' } } });
    const two = await makeDeployment(client, { instructions: 'Two' });
    const { id } = await makeProject(client, { from_deployment: one.handle });
    expect(await checkout(id, two.handle)).toEqual({ from_deployment: two.handle, objects: 1, workspace_files: 0 });
    expect(await configOf(id)).toEqual({ instructions: 'Two', skills: [] });
    expect((await pull(id)).from_deployment).toBe(two.handle);
    await client.delete(`/deployments/${two.handle}`);
    expect((await client.send('POST', `/projects/${id}/agent-config/pull`, { body: {} })).status).toBe(409);
    expect((await pull(id, { from_deployment: one.handle })).objects).toBe(2);
  });

  it('is rejected without an existing deployment, and so is a pull', async () => {
    const { id } = await makeProject(client);
    const before = await projectOf(id);
    const answer = async (path: string, body: object) => {
      const sent = await client.send<Refusal>('POST', `/projects/${id}/${path}`, { body });
      return [sent.status, sent.body.detail];
    };
    const lacks = [{ type: 'missing', loc: ['body', 'from_deployment'], msg: 'Field required', input: {} }];
    expect(await answer('checkout', {})).toEqual([422, lacks]);
    expect(await answer('checkout', { from_deployment: 'none' })).toEqual([404, 'Deployment not found']);
    expect(await answer('agent-config/pull', { from_deployment: 'none' })).toEqual([404, 'Deployment not found']);
    expect((await answer('agent-config/pull', {}))[0]).toBe(409);
    expect(await projectOf(id)).toEqual(before);
  });
});

describe('config_digest', () => {
  it('matches the deployment’s digest until the deployment changes', async () => {
    const skills = { alpha: { 'SKILL.md': 'Alpha.' }, beta: { 'SKILL.md': 'Beta.' } };
    const { handle } = await makeDeployment(client, { instructions: 'Text', skills });
    const { id, config_digest } = await makeProject(client, { from_deployment: handle });
    const isBehind = async () => (await projectOf(id)).config_digest !== (await digestOf(handle));
    expect(config_digest).toBe(await digestOf(handle));

    await client.put(`/projects/${id}/skills/alpha`, { files: { 'SKILL.md': 'Own.' } });
    await makeFile(client, inDeployment(handle), 'data.csv', 'x');
    expect(await isBehind()).toBe(false);
    const at = `/deployments/${handle}`;
    const changes = [
      () => client.put(`${at}/instructions`, { content: 'Other text' }),
      () => client.put(`${at}/skills/alpha`, { files: { 'SKILL.md': 'Alpha.', 'b.txt': 'b' } }),
      () => client.delete(`${at}/skills/beta`),
      () => makeFile(client, inDeployment(handle), 'skills/alpha/c.txt', 'c'),
      () => client.post('/files/delete', { ...inDeployment(handle), path: 'AGENTS.md' }),
    ];
    for (const change of changes) {
      await change();
      expect(await isBehind()).toBe(true);
      await pull(id);
      expect(await isBehind()).toBe(false);
    }

    await client.put(`${at}/instructions`, { content: 'New' });
    await client.put(`${at}/skills/alpha`, { files: { 'SKILL.md': 'New' } });
    await pull(id, { skills: false });
    expect(await isBehind()).toBe(true);
    await pull(id, { instructions: false });
    expect(await isBehind()).toBe(false);
  });

  it('is the same for identical content, regardless of its history', async () => {
    const one = await makeDeployment(client, { instructions: 'Text', skills: { a: { 'SKILL.md': 'a' } } });
    const two = await makeDeployment(client, { instructions: 'Other', skills: { b: { 'SKILL.md': 'b' } } });
    expect(one.config_digest).toBe(two.config_digest);
    expect(one.config_digest).toBe((await makeProject(client)).config_digest);
    await client.delete(`/deployments/${two.handle}/skills/b`);
    await client.put(`/deployments/${two.handle}/skills/a`, { files: { 'SKILL.md': 'a' } });
    await client.put(`/deployments/${two.handle}/instructions`, { content: 'Text' });
    expect(await digestOf(two.handle)).toBe(await digestOf(one.handle));
  });
});

describe('AGENTS.md', () => {
  it('is stored byte for byte in the deployment and in the project’s copy', async () => {
    const { handle } = await makeDeployment(client);
    const { id } = await makeProject(client, { from_deployment: handle });
    const at = `/deployments/${handle}/instructions`;
    const long = '\uFEFF# Line \u{1F600}\r\n\ttext\n'.repeat(20_000).slice(0, 262_144);
    const contents = [
      '\uFEFFline\r\nline\r\nno end',
      'one\rtwo\u2028three\u0085',
      ' ',
      '\r\n',
      '\n\n\t ',
      'x'.repeat(262_144),
      '\u20ac'.repeat(87_381),
      Buffer.from(long).subarray(0, 262_000).toString().toWellFormed(),
      'e\u0301 \u00e9 \u0001\u007f "\\',
    ];
    for (const content of contents) {
      expect(await client.put<AgentInstructionsResponse>(at, { content })).toEqual({ content });
      expect(await client.get<AgentInstructionsResponse>(at)).toEqual({ content });
      await pull(id);
      expect((await configOf(id)).instructions).toBe(content);
      const file = { ...inDeployment(handle), path: 'AGENTS.md' };
      expect(await client.post('/files/content', file)).toMatchObject({ text: content });
    }
  });

  it('can contain 1 to 262,144 bytes of text', async () => {
    const { handle } = await makeDeployment(client, { instructions: 'Before' });
    const at = `/deployments/${handle}/instructions`;
    const before = await fingerprint(service.environment);
    for (const [content, type] of [
      ['', 'string_too_short'],
      ['x'.repeat(262_145), 'value_error'],
      ['é'.repeat(131_073), 'value_error'],
      ['a\0b', 'value_error'],
      ['\ud800', 'value_error'],
      [null, 'string_type'],
    ] as const) {
      const { status, body } = await client.send<Refusal>('PUT', at, { body: { content } });
      expect([status, ...body.detail.map((entry) => [entry.type, ...entry.loc])]).toEqual([
        422,
        [type, 'body', 'content'],
      ]);
    }
    expect(await fingerprint(service.environment)).toEqual(before);
    const { body } = await client.send<Refusal>('PUT', at, { body: { content: 'x'.repeat(262_145) } });
    expect(body.detail[0]?.msg).toBe('Value error, AGENTS.md can have at most 262144 bytes, not 262145');
  });
});

describe('a deployment at or above the limits of a project', () => {
  /** Each case fills a deployment through uploads and moves, the only operations that can exceed a project's limits. */
  const overfull: [string, (handle: string) => Promise<unknown>, string, object?][] = [
    [
      'a large AGENTS.md',
      (handle) => makeFile(client, inDeployment(handle), 'AGENTS.md', 'x'.repeat(262_145)),
      'AGENTS.md has 262145 bytes, more than 262144',
      { instructions: false },
    ],
    [
      'a directory named AGENTS.md',
      (handle) => makeFile(client, inDeployment(handle), 'AGENTS.md/a.md', 'x'),
      'AGENTS.md is a directory',
      { instructions: false },
    ],
    [
      'a skill with many files',
      async (handle) => {
        const files = Object.fromEntries(Array.from({ length: 199 }, (_, index) => [`${index}`, '']));
        await client.put(`/deployments/${handle}/skills/many`, { files: { 'SKILL.md': '', ...files } });
        await makeFile(client, inDeployment(handle), 'skills/many/one/more', 'x');
      },
      'skill many has 201 files, more than 200',
      { skills: false },
    ],
    [
      'a large skill',
      async (handle) => {
        const files = { 'SKILL.md': 'x'.repeat(1_000_000) };
        await client.put(`/deployments/${handle}/skills/large`, { files });
        await makeFile(client, inDeployment(handle), 'skills/large/more', 'x');
      },
      'skill large has 1000001 bytes, more than 1000000',
      { skills: false },
    ],
    [
      'many skills',
      async (handle) => {
        const folders = Array.from({ length: 199 }, (_, index) => `s${index}`);
        const files = Object.fromEntries(folders.map((folder) => [`${folder}/SKILL.md`, folder]));
        await client.put(`/deployments/${handle}/skills/first`, { files: { 'SKILL.md': 'first', ...files } });
        const moves = folders.map((folder) => ({
          source_path: `skills/first/${folder}`,
          dest_path: `skills/${folder}`,
        }));
        await client.post('/files/batch-move', { ...inDeployment(handle), moves });
        await makeFile(client, inDeployment(handle), 'skills/one-more/SKILL.md', 'x');
      },
      'there are 201 skills, more than 200',
      { skills: false },
    ],
  ];

  it.each(overfull)('is rejected with a reason and changes nothing if it has %s', async (_, fill, reason, without) => {
    const { handle, name } = await makeDeployment(client);
    const { id } = await makeProject(client, { from_deployment: handle });
    await client.put(`/deployments/${handle}/skills/plain`, { files: { 'SKILL.md': 'Plain.' } });
    await pull(id);
    await client.delete(`/deployments/${handle}/skills/plain`);
    await fill(handle);
    const before = await fingerprint(service.environment);
    const entry = (input: unknown) => ({
      type: 'value_error',
      loc: ['body', 'from_deployment'],
      msg: `Value error, the deployment cannot be copied: ${reason}`,
      input,
      ctx: { error: {} },
    });
    for (const [path, body, input] of [
      [`/projects/${id}/agent-config/pull`, {}, null],
      [`/projects/${id}/agent-config/pull`, { from_deployment: name }, name],
      [`/projects/${id}/checkout`, { from_deployment: handle }, handle],
      ['/projects', { name: 'New', from_deployment: handle }, handle],
    ] as const) {
      const { status, body: answer } = await client.send<Refusal>('POST', path, { body });
      expect([path, status, answer.detail]).toEqual([path, 422, [entry(input)]]);
    }
    expect(await fingerprint(service.environment)).toEqual(before);
    expect(await configOf(id)).toMatchObject({ instructions: null, skills: [{ name: 'plain' }] });
    // Skills or AGENTS.md can still be pulled if they are within their limits.
    await pull(id, without);
  });

  it('is accepted if it reaches every limit exactly', async () => {
    const { handle } = await makeDeployment(client, { instructions: 'x'.repeat(262_144) });
    const files = Object.fromEntries(Array.from({ length: 199 }, (_, index) => [`s${index}/SKILL.md`, '']));
    const at = `/deployments/${handle}/skills`;
    await client.put(`${at}/full`, { files: { 'SKILL.md': 'x'.repeat(1_000_000), ...files } });
    const { id } = await makeProject(client, { from_deployment: handle });
    expect((await pull(id)).objects).toBe(201);
    const moves = Object.keys(files).map((path) => ({
      source_path: `skills/full/${path}`,
      dest_path: `skills/${path}`,
    }));
    await client.post('/files/batch-move', { ...inDeployment(handle), moves });
    expect((await pull(id)).objects).toBe(201);
    expect((await client.get<ProjectSkillListResponse>(`/projects/${id}/skills`)).skills).toHaveLength(200);

    await client.put(`${at}/s7`, { files: { 'SKILL.md': 'Replaced.' } });
    const { status, body } = await client.send<Refusal>('PUT', `${at}/one-more`, {
      body: { files: { 'SKILL.md': '' } },
    });
    expect([status, body.detail]).toMatchObject([
      422,
      [{ type: 'value_error', loc: ['path', 'skill'], input: 'one-more' }],
    ]);
    expect((await client.get<{ skills: object[] }>(at)).skills).toHaveLength(200);
  });
});
