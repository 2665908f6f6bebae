import { beforeAll, describe, expect, it } from '@jest/globals';
import type { DeploymentResponse } from '../../src/deployments/deployments.dto.js';
import type { ProjectResponse } from '../../src/projects/projects.dto.js';
import type {
  AgentConfigPullResponse,
  AgentInstructionsResponse,
  ProjectSkillDetail,
  SkillSummary,
} from '../../src/skills/skills.dto.js';
import type { Client } from '../support/client.js';
import { useService } from '../support/service.js';
import type { Session } from '../support/session.js';

const service = useService();
let company: Session;
let client: Client;
let deployments = 0;

beforeAll(async () => {
  company = await service.session();
  client = company.client;
});

const skillOf = (text: string) => ({ files: { 'SKILL.md': text } });

/** A deployment with instructions and the skills `alpha` and `beta`, and a project made from it. */
async function scene() {
  deployments += 1;
  const { handle } = await client.post<DeploymentResponse>('/deployments', { name: `Template ${deployments}` });
  await client.put(`/deployments/${handle}/instructions`, { content: 'First instructions' });
  await client.put(`/deployments/${handle}/skills/alpha`, skillOf('alpha of the deployment'));
  await client.put(`/deployments/${handle}/skills/beta`, skillOf('beta of the deployment'));
  const { id } = await client.post<ProjectResponse>('/projects', { name: 'Project', from_deployment: handle });
  const skill = (name: string) => client.get<ProjectSkillDetail>(`/projects/${id}/skills/${name}`);
  const pull = (body: object) => client.post<AgentConfigPullResponse>(`/projects/${id}/agent-config/pull`, body);
  return { handle, id, skill, pull };
}

describe('put project skill', () => {
  it('writes the project’s own scope only and shadows the deployment’s skill', async () => {
    const { handle, id, skill } = await scene();
    expect(await skill('alpha')).toMatchObject({
      scope: 'deployment',
      shadows: false,
      files: { 'SKILL.md': 'alpha of the deployment' },
    });
    const summary = await client.put<SkillSummary>(`/projects/${id}/skills/alpha`, {
      files: { 'SKILL.md': '---\nname: alpha\ndescription: Own alpha\n---\n', 'data/10.txt': 'ten', '9.txt': 'nine' },
    });
    expect(summary).toEqual({ name: 'alpha', description: 'Own alpha', files: ['SKILL.md', 'data/10.txt', '9.txt'] });
    expect(await skill('alpha')).toMatchObject({ scope: 'project', shadows: true, description: 'Own alpha' });
    const template = await client.get<{ files: object }>(`/deployments/${handle}/skills/alpha`);
    expect(template.files).toEqual({ 'SKILL.md': 'alpha of the deployment' });
    const sibling = await client.post<ProjectResponse>('/projects', { name: 'Sibling', from_deployment: handle });
    expect(await client.get(`/projects/${sibling.id}/skills/alpha`)).toMatchObject({ scope: 'deployment' });
  });

  it('replaces the whole file set', async () => {
    const { id, skill } = await scene();
    await client.put(`/projects/${id}/skills/own`, { files: { 'SKILL.md': 'one', 'a/b.txt': 'b', 'c.txt': 'c' } });
    await client.put(`/projects/${id}/skills/own`, { files: { 'SKILL.md': 'two', c: 'now a file' } });
    expect((await skill('own')).files).toEqual({ 'SKILL.md': 'two', c: 'now a file' });
  });

  it.each<[string, string, Record<string, string>, unknown[]]>([
    ['without SKILL.md', 'own', { 'a.txt': 'x' }, ['body', 'files', 'SKILL.md']],
    ['with a bad path', 'own', { 'SKILL.md': 'x', '../up': 'x' }, ['body', 'files', '../up']],
    ['with a path that is file and folder', 'own', { 'SKILL.md': 'x', a: 'x', 'a/b': 'x' }, ['body', 'files', 'a/b']],
    [
      'with frontmatter that does not parse',
      'own',
      { 'SKILL.md': '---\na: b: c\n---\n' },
      ['body', 'files', 'SKILL.md'],
    ],
    [
      'whose frontmatter names another',
      'own',
      { 'SKILL.md': '---\nname: other\n---\n' },
      ['body', 'files', 'SKILL.md'],
    ],
    ['of a bad name', 'Own', { 'SKILL.md': 'x' }, ['path', 'skill']],
  ])('refuses a skill %s and changes nothing', async (_, name, files, loc) => {
    const { id, skill } = await scene();
    await client.put(`/projects/${id}/skills/own`, skillOf('before'));
    const { status, body } = await client.send<{ detail: { loc: unknown[] }[] }>(
      'PUT',
      `/projects/${id}/skills/${name}`,
      { body: { files } },
    );
    expect(status).toBe(422);
    expect(body.detail.map((entry) => entry.loc)).toEqual([loc]);
    expect((await skill('own')).files).toEqual({ 'SKILL.md': 'before' });
  });

  it('answers 404 for a project or skill that is not there', async () => {
    const { id } = await scene();
    for (const path of [
      `/projects/${id}/skills/none`,
      '/projects/none/skills/alpha',
      `/projects/${id}/skills/Bad..name`,
    ]) {
      expect((await client.send('GET', path)).status).toBe(404);
    }
  });
});

describe('deployment instructions', () => {
  it('are stored byte for byte and echoed', async () => {
    const { handle } = await scene();
    for (const content of ['\uFEFFline\r\nno end', ' ', 'x'.repeat(256 * 1024)]) {
      expect(await client.put<AgentInstructionsResponse>(`/deployments/${handle}/instructions`, { content })).toEqual({
        content,
      });
      expect(await client.get<AgentInstructionsResponse>(`/deployments/${handle}/instructions`)).toEqual({ content });
    }
    const tooLong = await client.send('PUT', `/deployments/${handle}/instructions`, {
      body: { content: 'é'.repeat(128 * 1024 + 1) },
    });
    expect(tooLong.status).toBe(422);
  });

  it('are a company write', async () => {
    const { handle } = await scene();
    const member = await service.session({ company: company.company, role: 'member' });
    const refused = await member.client.send('PUT', `/deployments/${handle}/instructions`, {
      body: { content: 'mine' },
    });
    expect(refused.status).toBe(403);
    const foreign = await service.session();
    expect(
      (await foreign.client.send('PUT', `/deployments/${handle}/instructions`, { body: { content: 'mine' } })).status,
    ).toBe(404);
    expect(await client.get(`/deployments/${handle}/instructions`)).toEqual({ content: 'First instructions' });
  });
});

describe('pull', () => {
  it('replaces the project’s deployment scope and leaves its own', async () => {
    const { handle, id, skill, pull } = await scene();
    await client.put(`/projects/${id}/skills/own`, skillOf('own'));
    await client.put(`/deployments/${handle}/skills/alpha`, skillOf('alpha, changed'));
    await client.delete(`/deployments/${handle}/skills/beta`);
    expect((await skill('alpha')).files).toEqual({ 'SKILL.md': 'alpha of the deployment' });
    expect((await skill('beta')).scope).toBe('deployment');
    expect(await pull({ from_deployment: handle })).toEqual({ from_deployment: handle, objects: 2 });
    expect((await skill('alpha')).files).toEqual({ 'SKILL.md': 'alpha, changed' });
    expect((await client.send('GET', `/projects/${id}/skills/beta`)).status).toBe(404);
    expect((await skill('own')).scope).toBe('project');
  });

  it('takes the kinds that are asked for, from the origin unless another is named', async () => {
    const { handle, id, skill, pull } = await scene();
    await client.put(`/deployments/${handle}/skills/alpha`, skillOf('alpha, changed'));
    expect(await pull({ skills: false })).toEqual({ from_deployment: handle, objects: 1 });
    expect((await skill('alpha')).files).toEqual({ 'SKILL.md': 'alpha of the deployment' });
    expect(await pull({ instructions: false, skills: false })).toEqual({ from_deployment: handle, objects: 0 });
    expect(await pull({ instructions: false })).toEqual({ from_deployment: handle, objects: 2 });
    expect((await skill('alpha')).files).toEqual({ 'SKILL.md': 'alpha, changed' });

    const other = await client.post<DeploymentResponse>('/deployments', { name: `Other of ${handle}` });
    expect(await pull({ from_deployment: other.name })).toEqual({ from_deployment: other.handle, objects: 0 });
    expect((await client.send('GET', `/projects/${id}/skills/alpha`)).status).toBe(404);
    expect(
      (await client.send('POST', `/projects/${id}/agent-config/pull`, { body: { from_deployment: 'none' } })).status,
    ).toBe(404);
  });

  it('is in conflict for a project that came from nowhere', async () => {
    const { id } = await client.post<ProjectResponse>('/projects', { name: 'From nowhere' });
    expect((await client.send('POST', `/projects/${id}/agent-config/pull`, { body: {} })).status).toBe(409);
  });
});
