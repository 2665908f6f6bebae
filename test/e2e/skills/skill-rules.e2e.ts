import { beforeAll, describe, expect, it } from '@jest/globals';
import type { AgentContext } from '../../../src/agent/agent.js';
import { ContainerResolverService } from '../../../src/files/container-resolver.service.js';
import { companyLevel } from '../../../src/auth/company-level.js';
import { Forbidden } from '../../../src/common/errors/errors.js';
import type { ProjectResponse } from '../../../src/projects/projects.dto.js';
import { DeploymentsService } from '../../../src/deployments/deployments.service.js';
import { DeploymentSkillsService } from '../../../src/skills/deployment-skills.service.js';
import { InstructionsService } from '../../../src/skills/instructions.service.js';
import type {
  AgentConfigPullResponse,
  AgentConfigResponse,
  AgentInstructionsResponse,
  ProjectSkillDetail,
  ProjectSkillListResponse,
  SkillDetail,
  SkillSummary,
} from '../../../src/skills/skills.dto.js';
import { makeDeployment, makeProject } from '../../factories/make.js';
import { idle } from '../../factories/turns.js';
import type { Client, Wire } from '../../support/client.js';
import { type Script, useScriptedService } from '../../support/scripted-agent.js';
import type { Session } from '../../support/session.js';

let company: Session;
let client: Client;
/** Contexts of all turns, in order. */
const turns: AgentContext[] = [];

const script: Script = async function* (context) {
  await Promise.resolve();
  turns.push(context);
  yield { type: 'text', text: 'Seen.' };
};

const service = useScriptedService(script);

beforeAll(async () => {
  company = await service.session();
  client = company.client;
}, 60_000);

/** Creates a deployment with instructions and the skills `alpha` and `beta`, and a project from that deployment. */
async function scene() {
  const skills = { alpha: { 'SKILL.md': 'Alpha.', 'notes/a.txt': 'a' }, beta: { 'SKILL.md': 'Beta.' } };
  const { handle } = await makeDeployment(client, { instructions: 'First text', skills });
  const { id } = await makeProject(client, { from_deployment: handle });
  return { handle, id, project: `/projects/${id}`, deployment: `/deployments/${handle}` };
}

const skillAt = (owner: string, name: string) => client.get<ProjectSkillDetail>(`${owner}/skills/${name}`);
const configOf = (project: string) => client.get<AgentConfigResponse>(`${project}/agent-config`);
const digestOf = async (owner: string) => (await client.get<ProjectResponse>(owner)).config_digest;
const pull = (project: string, body: object = {}) =>
  client.post<AgentConfigPullResponse>(`${project}/agent-config/pull`, body);

/** Starts a turn and returns its context. */
async function nextTurn(id: string): Promise<AgentContext> {
  await client.post(`/projects/${id}/chat`, { content: 'Hello' });
  await idle(client, id);
  return turns.at(-1) as AgentContext;
}

const names = ({ skills }: Wire<ProjectSkillListResponse>) => skills.map(({ name, scope }) => `${name}: ${scope}`);

describe('the skill and configuration API', () => {
  it('creates or replaces only the project’s own skill on a PUT (rule 1)', async () => {
    const { project, deployment, handle } = await scene();
    const sibling = await makeProject(client, { from_deployment: handle });
    const before = [await digestOf(project), await client.get(deployment), await skillAt(deployment, 'alpha')];

    const created = await client.put<SkillSummary>(`${project}/skills/own`, { files: { 'SKILL.md': 'One.' } });
    expect(created).toEqual({ name: 'own', description: 'One.', files: ['SKILL.md'] });
    await client.put(`${project}/skills/own`, { files: { 'SKILL.md': 'Two.' } });
    await client.put(`${project}/skills/alpha`, { files: { 'SKILL.md': 'Mine.' } });
    expect(await skillAt(project, 'own')).toMatchObject({ scope: 'project', files: { 'SKILL.md': 'Two.' } });
    expect(names(await client.get(`${project}/skills`))).toEqual([
      'alpha: project',
      'beta: deployment',
      'own: project',
    ]);

    expect([await digestOf(project), await client.get(deployment), await skillAt(deployment, 'alpha')]).toEqual(before);
    expect(names(await client.get(`/projects/${sibling.id}/skills`))).toEqual([
      'alpha: deployment',
      'beta: deployment',
    ]);
  });

  it('lets a project’s skill completely shadow a deployment skill of the same name, without changing the deployment (rule 2)', async () => {
    const { id, project, deployment } = await scene();
    const template = await client.get<SkillDetail>(`${deployment}/skills/alpha`);
    await client.put(`${project}/skills/alpha`, { files: { 'SKILL.md': 'Mine.', 'own.txt': 'own' } });
    const shadowing = { scope: 'project', shadows: true, files: { 'SKILL.md': 'Mine.', 'own.txt': 'own' } };
    expect(await skillAt(project, 'alpha')).toMatchObject(shadowing);
    const { skills } = (await nextTurn(id)).configuration;
    expect(skills.map(({ name, scope, shadows, files }) => [name, scope, shadows, ...files.keys()])).toEqual([
      ['alpha', 'project', true, 'SKILL.md', 'own.txt'],
      ['beta', 'deployment', false, 'SKILL.md'],
    ]);
    expect(await client.get(`${deployment}/skills/alpha`)).toEqual(template);

    await client.delete(`${project}/skills/alpha`);
    expect(await skillAt(project, 'alpha')).toEqual({ ...template, scope: 'deployment', shadows: false });
    expect((await client.send('DELETE', `${project}/skills/alpha`)).status).toBe(404);
  });

  it('replaces the whole set of files on a PUT and removes omitted files (rule 3)', async () => {
    const { id, project } = await scene();
    const put = (files: object) => client.put<SkillSummary>(`${project}/skills/own`, { files });
    await put({ 'SKILL.md': 'One.', 'a/b.txt': 'b', 'a/c.txt': 'c', 'd.txt': 'd' });
    expect((await put({ 'SKILL.md': 'Two.', a: 'a file now' })).files).toEqual(['SKILL.md', 'a']);
    expect((await skillAt(project, 'own')).files).toEqual({ 'SKILL.md': 'Two.', a: 'a file now' });
    const mounted = (await nextTurn(id)).configuration.skills.find(({ name }) => name === 'own');
    expect([...(mounted?.files.keys() ?? [])]).toEqual(['SKILL.md', 'a']);
  });

  it('requires SKILL.md in the set of files and accepts only text files (rule 4)', async () => {
    const { project } = await scene();
    await client.put(`${project}/skills/own`, { files: { 'SKILL.md': 'Before.' } });
    const refusal = async (files: unknown) => {
      const options = { body: { files } };
      const { status, body } = await client.send<{ detail: object[] }>('PUT', `${project}/skills/own`, options);
      return [status, ...body.detail];
    };
    const entry = { type: 'missing', loc: ['body', 'files', 'SKILL.md'], msg: 'Field required' };
    for (const files of [{}, { 'skill.md': 'x' }, { 'a/SKILL.md': 'x' }, { 'SKILL.md ': 'x' }]) {
      expect(await refusal(files)).toEqual([422, { ...entry, input: files }]);
    }
    for (const value of [5, null, true, ['x'], { base64: 'eA==' }]) {
      const type = 'string_type';
      expect(await refusal({ 'SKILL.md': 'x', 'a.bin': value })).toMatchObject([
        422,
        { type, loc: ['body', 'files', 'a.bin'] },
      ]);
    }
    expect((await skillAt(project, 'own')).files).toEqual({ 'SKILL.md': 'Before.' });
  });

  it('returns the whole skill: the project’s copy if it exists, and otherwise the deployment’s copy (rule 5)', async () => {
    const { project } = await scene();
    expect(await skillAt(project, 'alpha')).toEqual({
      name: 'alpha',
      description: 'Alpha.',
      files: { 'SKILL.md': 'Alpha.', 'notes/a.txt': 'a' },
      scope: 'deployment',
      shadows: false,
    });
    const own = { 'SKILL.md': '---\nname: alpha\ndescription: Ours\n---\nText', 'x/y/z.md': 'z', ['__proto__']: 'p' };
    await client.put(`${project}/skills/alpha`, { files: own });
    const found = await skillAt(project, 'alpha');
    expect(found).toEqual({ name: 'alpha', description: 'Ours', files: found.files, scope: 'project', shadows: true });
    expect(Object.entries(found.files).sort()).toEqual(Object.entries(own).sort());
    for (const name of ['none', 'Alpha', 'a..b', 'SKILL.md']) {
      expect((await client.send('GET', `${project}/skills/${name}`)).status).toBe(404);
    }
  });

  it('replaces AGENTS.md on a PUT and returns the stored text (rule 6)', async () => {
    const { deployment, handle } = await scene();
    const content = '\uFEFF# Two\r\nno end of line';
    expect(await client.put<AgentInstructionsResponse>(`${deployment}/instructions`, { content })).toEqual({ content });
    expect(await client.get(`${deployment}/instructions`)).toEqual({ content });
    const file = { source: 'deployment', deployment_name: handle, path: 'AGENTS.md' };
    expect(await client.post('/files/content', file)).toMatchObject({ text: content, base64: null });
  });

  it('does not let turns write deployment instructions, because that requires company-level write access (rule 7)', async () => {
    const { id, deployment, handle } = await scene();
    const member = await service.session({ company: company.company, role: 'member' });
    const body = { content: 'mine' };
    expect((await member.client.send('PUT', `${deployment}/instructions`, { body })).status).toBe(403);
    const foreign = await service.session();
    expect((await foreign.client.send('PUT', `${deployment}/instructions`, { body })).status).toBe(404);

    // A company-level user has started this turn.
    const { principal } = await nextTurn(id);
    expect(principal).toMatchObject({ kind: 'agent', company_id: company.company, role: 'member' });
    const forged = Object.assign(Object.create(principal) as typeof principal, { role: 'company' });
    const instructions = service.app.get(InstructionsService);
    const skills = service.app.get(DeploymentSkillsService);
    const deployments = service.app.get(DeploymentsService);
    const files = new Map([['SKILL.md', 'mine']]);
    for (const agent of [principal, forged]) {
      expect(() => companyLevel(agent)).toThrow(Forbidden);
      // @ts-expect-error An agent's principal has no company-level rights.
      await expect(instructions.put(agent, handle, 'mine')).rejects.toThrow(Forbidden);
      // @ts-expect-error An agent's principal has no company-level rights.
      await expect(skills.put(agent, handle, 'alpha', files)).rejects.toThrow(Forbidden);
      // @ts-expect-error An agent's principal has no company-level rights.
      await expect(skills.delete(agent, handle, 'alpha')).rejects.toThrow(Forbidden);
      // @ts-expect-error An agent's principal has no company-level rights.
      await expect(deployments.create(agent, { name: 'Mine' })).rejects.toThrow(Forbidden);
      // @ts-expect-error An agent's principal has no company-level rights.
      await expect(deployments.delete(agent, handle)).rejects.toThrow(Forbidden);
      const place = { source: 'deployment' as const, deployment_name: handle };
      await expect(service.app.get(ContainerResolverService).findForWriting(agent, place)).rejects.toThrow(Forbidden);
    }
    expect(await client.get(`${deployment}/instructions`)).toEqual({ content: 'First text' });
    expect(names(await client.get(`/projects/${id}/skills`))).toEqual(['alpha: deployment', 'beta: deployment']);
  });

  it('keeps the instructions of existing projects until a pull or checkout, and gives new projects the new text (rule 8)', async () => {
    const { handle, id, project, deployment } = await scene();
    const other = await makeProject(client, { from_deployment: handle });
    await client.put(`${deployment}/instructions`, { content: 'Second text' });
    const textOf = async (owner: string) => (await configOf(owner)).instructions;
    expect(await textOf(project)).toBe('First text');
    expect((await nextTurn(id)).configuration.instructions).toBe('First text');
    const late = await makeProject(client, { from_deployment: handle });
    expect(await textOf(`/projects/${late.id}`)).toBe('Second text');

    await pull(project);
    expect(await textOf(project)).toBe('Second text');
    expect((await nextTurn(id)).configuration.instructions).toBe('Second text');
    expect(await textOf(`/projects/${other.id}`)).toBe('First text');
    await client.post(`/projects/${other.id}/checkout`, { from_deployment: handle });
    expect(await textOf(`/projects/${other.id}`)).toBe('Second text');
  });

  it('pulls instructions and skills unless the request sets them to false (rule 9)', async () => {
    const { handle, project, deployment } = await scene();
    const change = async (text: string) => {
      await client.put(`${deployment}/instructions`, { content: text });
      await client.put(`${deployment}/skills/alpha`, { files: { 'SKILL.md': text } });
    };
    const held = async () => [(await configOf(project)).instructions, (await skillAt(project, 'alpha')).description];

    await change('two');
    expect(await pull(project, { instructions: false, skills: false })).toEqual({
      from_deployment: handle,
      objects: 0,
    });
    expect(await held()).toEqual(['First text', 'Alpha.']);
    expect(await pull(project, { skills: false })).toEqual({ from_deployment: handle, objects: 1 });
    expect(await held()).toEqual(['two', 'Alpha.']);
    await change('three');
    expect(await pull(project, { instructions: false })).toEqual({ from_deployment: handle, objects: 2 });
    expect(await held()).toEqual(['two', 'three']);
    expect(await pull(project, { from_deployment: handle })).toEqual({ from_deployment: handle, objects: 3 });
    expect(await held()).toEqual(['three', 'three']);

    const { name, handle: another } = await makeDeployment(client, { skills: { gamma: { 'SKILL.md': 'Gamma.' } } });
    expect(await pull(project, { from_deployment: name })).toEqual({ from_deployment: another, objects: 1 });
    expect(await configOf(project)).toMatchObject({ instructions: null, skills: [{ name: 'gamma' }] });
    const { origin_deployment_handle } = await client.get<ProjectResponse>(project);
    expect(origin_deployment_handle).toBe(handle);
  });

  it('replaces the deployment scope on a pull, removes retired rules, and keeps the project’s own scope (rule 10)', async () => {
    const { id, project, deployment, handle } = await scene();
    await client.put(`${project}/skills/own`, { files: { 'SKILL.md': 'Own.' } });
    await client.put(`${project}/skills/alpha`, { files: { 'SKILL.md': 'Mine.' } });
    await client.delete(`${deployment}/skills/beta`);
    await client.delete(`${deployment}/skills/alpha`);
    await client.post('/files/delete', { source: 'deployment', deployment_name: handle, path: 'AGENTS.md' });
    await client.put(`${deployment}/skills/gamma`, { files: { 'SKILL.md': 'Gamma.' } });

    const mounted = async () => {
      const { instructions, skills } = (await nextTurn(id)).configuration;
      return [
        instructions,
        ...skills.map(({ name, scope, shadows }) => `${name}: ${scope}${shadows ? ', shadows' : ''}`),
      ];
    };
    expect(await mounted()).toEqual(['First text', 'alpha: project, shadows', 'beta: deployment', 'own: project']);
    expect(await pull(project)).toMatchObject({ objects: 1 });
    expect(await mounted()).toEqual([null, 'alpha: project', 'gamma: deployment', 'own: project']);
    expect((await client.send('GET', `${project}/skills/beta`)).status).toBe(404);
    await client.post(`${project}/checkout`, { from_deployment: handle });
    expect(await mounted()).toEqual([null, 'alpha: project', 'gamma: deployment', 'own: project']);
    await client.delete(`${project}/skills/alpha`);
    expect((await client.send('GET', `${project}/skills/alpha`)).status).toBe(404);
  });

  it('allows skill names that equal a segment of an API route (rule 11)', async () => {
    const { project, deployment } = await scene();
    for (const name of ['agent-config', 'pull', 'skills']) {
      await client.put(`${deployment}/skills/${name}`, { files: { 'SKILL.md': `${name}, of the deployment` } });
      await client.put(`${project}/skills/${name}`, { files: { 'SKILL.md': name } });
      expect(await skillAt(project, name)).toMatchObject({ name, description: name, scope: 'project' });
    }
    expect(await pull(project)).toMatchObject({ objects: 7 });
    const { skills } = await client.get<ProjectSkillListResponse>(`${project}/skills`);
    expect(skills.filter(({ shadows }) => shadows).map(({ name }) => name)).toEqual(['agent-config', 'pull', 'skills']);
  });
});
