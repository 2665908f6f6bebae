import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ProjectResponse } from '../../../src/projects/projects.dto.js';
import type {
  ProjectSkillDetail,
  ProjectSkillListResponse,
  SkillDetail,
  SkillListResponse,
  SkillSummary,
} from '../../../src/skills/skills.dto.js';
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

const statusOf = async (method: string, path: string, by = client, body?: object) =>
  (await by.send(method, path, body && { body })).status;
const put = (at: string, files: Record<string, string>) => client.put<SkillSummary>(at, { files });

describe('skills', () => {
  it('are listed by name with their descriptions and paths, for a deployment and for a project', async () => {
    const skills = {
      'b-2': { 'SKILL.md': '---\nname: b-2\ndescription: >\n  Said in\n  two lines\n---\n# Title\n' },
      b: {
        'SKILL.md': '\uFEFF---\r\nname: b\r\n---\r\n\r\n## The title ##\r\n',
        'z.txt': 'z',
        'a/é.txt': 'é',
        '10': '',
      },
      'a-1': { 'SKILL.md': '' },
    };
    const { handle } = await makeDeployment(client, { skills });
    const summaries = [
      { name: 'a-1', description: '', files: ['SKILL.md'] },
      { name: 'b', description: 'The title ##', files: ['10', 'SKILL.md', 'a/é.txt', 'z.txt'] },
      { name: 'b-2', description: 'Said in two lines', files: ['SKILL.md'] },
    ];
    expect(await client.get<SkillListResponse>(`/deployments/${handle}/skills`)).toEqual({ skills: summaries });
    expect(await client.get<SkillDetail>(`/deployments/${handle}/skills/b`)).toEqual({
      name: 'b',
      description: 'The title ##',
      files: skills.b,
    });

    const { id } = await makeProject(client, { from_deployment: handle });
    const copied = { scope: 'deployment', shadows: false };
    const own = { scope: 'project', shadows: false };
    const answer = await put(`/projects/${id}/skills/a`, { 'x.txt': '', 'SKILL.md': 'Mine', 'a.txt': '' });
    expect(answer).toEqual({ name: 'a', description: 'Mine', files: ['SKILL.md', 'a.txt', 'x.txt'] });
    expect((await put(`/projects/${id}/skills/b-2`, { 'SKILL.md': 'Mine too' })).description).toBe('Mine too');
    expect(await client.get<ProjectSkillListResponse>(`/projects/${id}/skills`)).toEqual({
      skills: [
        { ...answer, ...own },
        { ...summaries[0], ...copied },
        { ...summaries[1], ...copied },
        { name: 'b-2', description: 'Mine too', files: ['SKILL.md'], ...own, shadows: true },
      ],
    });
  });

  it('include uploaded directories with a valid name and a SKILL.md, even if their content is invalid', async () => {
    const { handle } = await makeDeployment(client);
    const tree = { source: 'deployment', deployment_name: handle } as const;
    await makeFile(client, tree, 'skills/faulty/SKILL.md', '---\na: b: c\n---\n# Title');
    await makeFile(client, tree, 'skills/faulty/data.bin', new Uint8Array([0x61, 0xff, 0x62]));
    await makeFile(client, tree, 'skills/README.md', 'No skill');
    await makeFile(client, tree, 'skills/No-Skill/SKILL.md', 'No skill');
    await makeFile(client, tree, 'skills/none/notes.md', 'No skill');
    const at = `/deployments/${handle}/skills`;
    const faulty = { name: 'faulty', description: '', files: ['SKILL.md', 'data.bin'] };
    expect(await client.get<SkillListResponse>(at)).toEqual({ skills: [faulty] });
    expect((await client.get<SkillDetail>(`${at}/faulty`)).files['data.bin']).toBe('a\ufffdb');
    for (const name of ['none', 'No-Skill', 'README.md']) {
      expect([name, await statusOf('GET', `${at}/${name}`), await statusOf('DELETE', `${at}/${name}`)]).toEqual([
        name,
        404,
        404,
      ]);
    }
    const { id } = await makeProject(client, { from_deployment: handle });
    expect(await client.get(`/projects/${id}/skills`)).toMatchObject({ skills: [faulty] });
    expect(await client.post('/files/content', { ...tree, path: 'skills/none/notes.md' })).toMatchObject({
      text: 'No skill',
    });

    await put(`${at}/none`, { 'SKILL.md': 'A skill now' });
    expect((await client.get<SkillDetail>(`${at}/none`)).files).toEqual({ 'SKILL.md': 'A skill now' });
    await client.delete(`${at}/none`);
    await client.delete(`${at}/faulty`);
    expect(await client.get<SkillListResponse>(at)).toEqual({ skills: [] });
    expect(await client.post('/files/list', { ...tree, path: 'skills' })).toMatchObject({
      directories: ['skills/No-Skill'],
    });
  });

  it('are rejected if other files occupy their paths', async () => {
    const { handle } = await makeDeployment(client);
    const tree = { source: 'deployment', deployment_name: handle } as const;
    await makeFile(client, tree, 'skills', 'a file');
    await client.post('/files/mkdir', { ...tree, path: 'AGENTS.md' });
    const at = `/deployments/${handle}`;
    expect(await statusOf('PUT', `${at}/skills/a`, client, { files: { 'SKILL.md': 'x' } })).toBe(409);
    expect(await statusOf('PUT', `${at}/instructions`, client, { content: 'x' })).toBe(409);
    expect(await statusOf('GET', `${at}/instructions`)).toBe(404);
    expect(await client.get(`${at}/skills`)).toEqual({ skills: [] });
  });

  it('contain the files of exactly one PUT after concurrent PUTs, never a mixture', async () => {
    const { id } = await makeProject(client);
    const at = `/projects/${id}/skills/same`;
    const sets = Array.from({ length: 8 }, (_, index) => ({
      'SKILL.md': `${index}`,
      [`only-${index}`]: `${index}`,
      'deep/er/x': `${index}`,
    }));
    for (let round = 1; round <= 3; round += 1) {
      const statuses = await Promise.all([
        ...sets.map((files) => statusOf('PUT', at, client, { files })),
        statusOf('DELETE', at),
      ]);
      expect(statuses.slice(0, -1)).toEqual(sets.map(() => 200));
      expect([204, 404]).toContain(statuses.at(-1));
      const { status, body } = await client.send<ProjectSkillDetail>('GET', at);
      if (status === 200) expect(sets).toContainEqual(body.files);
      else expect(status).toBe(404);
    }
  });

  it('update the project’s `updated_at` when they change', async () => {
    const { handle } = await makeDeployment(client, { instructions: 'x' });
    const { id, updated_at } = await makeProject(client, { from_deployment: handle });
    const moments = [updated_at];
    for (const [method, path, body] of [
      ['PUT', 'skills/a', { files: { 'SKILL.md': 'a' } }],
      ['DELETE', 'skills/a'],
      ['POST', 'agent-config/pull', {}],
      ['POST', 'checkout', { from_deployment: handle }],
    ] as const) {
      await pause(2);
      expect(await statusOf(method, `/projects/${id}/${path}`, client, body)).toBeLessThan(300);
      moments.push((await client.get<ProjectResponse>(`/projects/${id}`)).updated_at);
    }
    expect(moments).toEqual([...new Set(moments)].sort());
  });

  it('are accessible only in their company, like the agent configuration', async () => {
    const { handle } = await makeDeployment(client, { skills: { a: { 'SKILL.md': 'a' } } });
    const { id } = await makeProject(client, { from_deployment: handle });
    const requests = (project: string): [string, string, object?][] => [
      ['GET', `/projects/${project}/skills`],
      ['GET', `/projects/${project}/skills/a`],
      ['PUT', `/projects/${project}/skills/a`, { files: { 'SKILL.md': 'x' } }],
      ['DELETE', `/projects/${project}/skills/a`],
      ['GET', `/projects/${project}/agent-config`],
      ['POST', `/projects/${project}/agent-config/pull`, {}],
      ['POST', `/projects/${project}/checkout`, { from_deployment: handle }],
    ];
    const foreign = (await service.session()).client;
    for (const [method, path, body] of requests(id)) {
      expect([method, path, await statusOf(method, path, foreign, body)]).toEqual([method, path, 404]);
    }
    for (const unknown of ['00000000-0000-7000-8000-000000000000', 'none']) {
      for (const [method, path, body] of requests(unknown)) {
        expect([method, path, await statusOf(method, path, client, body)]).toEqual([method, path, 404]);
      }
    }
    // Another company's deployment is not found, even for the caller's own project.
    const theirs = await makeProject(foreign);
    for (const path of ['agent-config/pull', 'checkout']) {
      expect(await statusOf('POST', `/projects/${theirs.id}/${path}`, foreign, { from_deployment: handle })).toBe(404);
    }
    expect(await statusOf('POST', '/projects', foreign, { name: 'Theirs', from_deployment: handle })).toBe(404);
  });
});
