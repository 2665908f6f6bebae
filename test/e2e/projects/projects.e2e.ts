import { beforeAll, describe, expect, it } from '@jest/globals';
import type { DeploymentListResponse, DeploymentResponse } from '../../../src/deployments/deployments.dto.js';
import type { ProjectResponse, ProjectSummaryListResponse } from '../../../src/projects/projects.dto.js';
import type { Client } from '../../support/client.js';
import { useSharedService } from '../../support/service.js';
import type { Session } from '../../support/session.js';

const service = useSharedService();
let session: Session;
let client: Client;

beforeAll(async () => {
  session = await service.session({ picture: 'https://example.com/a.png' });
  client = session.client;
});

const create = (body: object) => client.post<ProjectResponse>('/projects', body);

describe('a project', () => {
  it('starts with the documented defaults', async () => {
    const project = await create({ name: 'Plan' });
    expect(await client.get(`/projects/${project.id}`)).toEqual(project);
    expect(project).toMatchObject({
      name: 'Plan',
      description: null,
      short_description: null,
      created_by: { id: session.user, display_name: session.name, avatar_url: 'https://example.com/a.png' },
      completeness: {
        all_constraints_classified: false,
        all_variables_provided: false,
        data_available: false,
        kpis_defined: false,
        objective_drafted: false,
        objectives_defined: false,
        production_requirements_defined: false,
        feasibility_result: 'unchecked',
        overall: 'incomplete',
      },
      current_snapshot_id: null,
      objective_components: [],
      objective_confirmed: false,
      objective_description: null,
      objective_type: null,
      origin_deployment_handle: null,
      run_setup_status: null,
      total_credits: 0,
      workspace_mode: 'define',
    });
    expect(await client.get(`/projects/${project.id}/cards`)).toEqual({ cards: [] });
  });

  it('changes only in the given fields, and null clears its description', async () => {
    const { id, updated_at } = await create({ name: 'Before', description: 'long', short_description: 'short' });
    const patch = (body: object) => client.patch<ProjectResponse>(`/projects/${id}`, body);
    expect(await patch({ name: 'After' })).toMatchObject({
      name: 'After',
      description: 'long',
      short_description: 'short',
    });
    expect(await patch({ name: null, workspace_mode: null, description: null })).toMatchObject({
      name: 'After',
      description: null,
      short_description: 'short',
      workspace_mode: 'define',
    });
    const unchanged = await patch({});
    expect(unchanged.name).toBe('After');
    expect(unchanged.updated_at >= updated_at).toBe(true);
  });

  it('takes a snapshot only when it changes to run mode', async () => {
    const { id } = await create({ name: 'To run' });
    await client.post('/files/mkdir', { source: 'workspace', project_id: id, path: 'inputs' });
    const run = await client.patch<ProjectResponse>(`/projects/${id}`, { workspace_mode: 'run' });
    expect(run).toMatchObject({
      workspace_mode: 'run',
      run_setup_status: 'ready',
      current_snapshot_id: expect.any(String),
    });
    const again = await client.patch<ProjectResponse>(`/projects/${id}`, { workspace_mode: 'run' });
    expect(again.current_snapshot_id).toBe(run.current_snapshot_id);
    await client.post('/files/delete', { source: 'workspace', project_id: id, path: 'inputs' });
    const kept = await client.post('/files/list', { source: 'snapshot', snapshot_id: run.current_snapshot_id });
    expect(kept).toMatchObject({ directories: ['inputs'] });
    const defined = await client.patch<ProjectResponse>(`/projects/${id}`, { workspace_mode: 'define' });
    expect(defined).toMatchObject({ workspace_mode: 'define', current_snapshot_id: run.current_snapshot_id });
    const born = await create({ name: 'Born running', workspace_mode: 'run' });
    expect(born).toMatchObject({ workspace_mode: 'run', current_snapshot_id: expect.any(String) });
  });

  it('is listed in pages, latest change first, and can be filtered by name and mode', async () => {
    const own = await service.session();
    const made: string[] = [];
    for (const name of ['Alpha plan', 'Beta', 'Gamma PLAN']) {
      made.push((await own.client.post<ProjectResponse>('/projects', { name })).id);
    }
    await own.client.patch(`/projects/${made[0]}`, { workspace_mode: 'run' });
    const list = async (query: Record<string, string | number>) => {
      const { projects, total, limit, offset } = await own.client.get<ProjectSummaryListResponse>('/projects', query);
      return { names: projects.map(({ name }) => name), total, limit, offset };
    };
    expect(await list({})).toEqual({ names: ['Alpha plan', 'Gamma PLAN', 'Beta'], total: 3, limit: 50, offset: 0 });
    expect(await list({ limit: 1, offset: 1 })).toEqual({ names: ['Gamma PLAN'], total: 3, limit: 1, offset: 1 });
    expect(await list({ offset: 9 })).toMatchObject({ names: [], total: 3 });
    expect(await list({ q: 'plan' })).toMatchObject({ names: ['Alpha plan', 'Gamma PLAN'], total: 2 });
    expect(await list({ q: '%' })).toMatchObject({ names: [], total: 0 });
    expect(await list({ workspace_mode: 'run' })).toMatchObject({ names: ['Alpha plan'], total: 1 });
  });

  it('contains copies of the deployment’s template files in its workspace', async () => {
    const { handle } = await client.post<DeploymentResponse>('/deployments', { name: 'With files' });
    await client.post('/files/mkdir', { source: 'deployment', deployment_name: handle, path: 'inputs/weekly' });
    await client.put(`/deployments/${handle}/instructions`, { content: 'Hello' });
    const { id, origin_deployment_handle } = await create({ name: 'Seeded', from_deployment: 'With files' });
    expect(origin_deployment_handle).toBe(handle);
    const tree = await client.post('/files/list', { source: 'workspace', project_id: id, recursive: true });
    expect(tree).toMatchObject({ directories: ['inputs', 'inputs/weekly'], entries: [] });
    const { status } = await client.send('POST', '/projects', { body: { name: 'x', from_deployment: 'none' } });
    expect(status).toBe(404);
  });
});

describe('a deployment', () => {
  it('has a handle and a name that are unique in the company', async () => {
    const own = await service.session();
    const add = (name: string) => own.client.send<DeploymentResponse>('POST', '/deployments', { body: { name } });
    expect((await add('Plan A')).body.handle).toBe('plan-a');
    expect((await add('Plan: A')).body.handle).toBe('plan-a-2');
    expect((await add('plan a')).body.handle).toBe('plan-a-3');
    expect((await add('Plan A')).status).toBe(409);
    const many = await Promise.all(Array.from({ length: 8 }, (_, index) => add(`Parallel${'!'.repeat(index)}`)));
    expect(new Set(many.map(({ body }) => body.handle)).size).toBe(8);
    const { deployments, total } = await own.client.get<DeploymentListResponse>('/deployments', { limit: 3 });
    expect([deployments.length, total]).toEqual([3, 11]);
    const byName = await own.client.get<DeploymentResponse>(`/deployments/${encodeURIComponent('plan a')}`);
    expect(byName.handle).toBe('plan-a-3');
  });

  it('can be created only by company-level callers', async () => {
    const member = await service.session({ company: session.company, role: 'member' });
    expect((await member.client.send('POST', '/deployments', { body: { name: 'Mine' } })).status).toBe(403);
  });
});
