import { beforeAll, describe, expect, it } from '@jest/globals';
import { CreateProjectMembers1760000000400 } from '../../../src/database/migrations/1760000000400-create-project-members.js';
import type { ApiKeyCreateResponse } from '../../../src/auth/api-keys/api-keys.dto.js';
import type { ProjectMemberListResponse } from '../../../src/projects/project-members.dto.js';
import type { ProjectResponse, ProjectSummaryListResponse } from '../../../src/projects/projects.dto.js';
import { ProjectMembersRepository } from '../../../src/projects/project-members.repository.js';
import { makeProject } from '../../factories/make.js';
import { Client } from '../../support/client.js';
import { useDatabase } from '../../support/database.js';
import { useSharedService } from '../../support/service.js';
import type { Session } from '../../support/session.js';

const service = useSharedService();
let boss: Session;
let ada: Session;
let ben: Session;
let eve: Session;

beforeAll(async () => {
  boss = await service.session();
  const join = async (): Promise<Session> => {
    const session = await service.session({ company: boss.company, role: 'member' });
    await session.client.get('/me');
    return session;
  };
  [ada, ben, eve] = [await join(), await join(), await join()];
});

const membersOf = async (client: Client, project: string) =>
  (await client.get<ProjectMemberListResponse>(`/projects/${project}/members`)).members;
const rolesOf = async (client: Client, project: string) =>
  Object.fromEntries((await membersOf(client, project)).map(({ user_id, role }) => [user_id, role]));
const put = (client: Client, project: string, user: string, role: string) =>
  client.send('PUT', `/projects/${project}/members/${user}`, { body: { role } });
const remove = (client: Client, project: string, user: string) =>
  client.send('DELETE', `/projects/${project}/members/${user}`);
const keyOf = async (client: Client, limits: object = {}): Promise<Client> =>
  new Client(service.url, (await client.post<ApiKeyCreateResponse>('/api-keys', { name: 'Program', ...limits })).key);

describe('the member list of a project', () => {
  it('includes only the creator until owners add other members', async () => {
    const { id, visibility, role } = await makeProject(ada.client, { visibility: 'private' });
    expect({ visibility, role }).toEqual({ visibility: 'private', role: 'owner' });
    expect(await membersOf(ada.client, id)).toEqual([
      {
        ...{ user_id: ada.user, display_name: ada.name, email: `${ada.user}@example.com`, avatar_url: null },
        ...{ role: 'owner', added_at: expect.any(String) },
      },
    ]);
    expect((await put(ada.client, id, ben.user, 'viewer')).body).toMatchObject({ user_id: ben.user, role: 'viewer' });
    expect((await ben.client.get<ProjectResponse>(`/projects/${id}`)).role).toBe('viewer');
    expect((await put(ada.client, id, ben.user, 'editor')).status).toBe(200);
    expect((await ben.client.get<ProjectResponse>(`/projects/${id}`)).role).toBe('editor');
    expect(await rolesOf(ben.client, id)).toEqual({ [ada.user]: 'owner', [ben.user]: 'editor' });
    const { members, ...page } = await ada.client.get<ProjectMemberListResponse>(`/projects/${id}/members`, {
      limit: 1,
      offset: 1,
    });
    expect(members.map(({ user_id }) => user_id)).toEqual([ben.user]);
    expect(page).toEqual({ limit: 1, offset: 1, total: 2 });
    expect((await boss.client.get<ProjectResponse>(`/projects/${id}`)).role).toBe('owner');
  });

  it('includes the creator of the API key that created the project', async () => {
    const key = await keyOf(ada.client);
    const { id, created_by } = await makeProject(key, { visibility: 'private' });
    expect(created_by).toBeNull();
    expect(await rolesOf(ada.client, id)).toEqual({ [ada.user]: 'owner' });
    expect((await ben.client.send('GET', `/projects/${id}`)).status).toBe(404);
  });

  it.each([
    ['who has never signed in', 'nobody'],
    ['from another company', 'the stranger'],
  ])('cannot include a user %s', async (_, user) => {
    const { id } = await makeProject(ada.client);
    const stranger = await service.session();
    await stranger.client.get('/me');
    const sought = user === 'the stranger' ? stranger.user : user;
    expect(await put(ada.client, id, sought, 'viewer')).toMatchObject({
      status: 404,
      body: { detail: 'User not found' },
    });
    expect((await remove(ada.client, id, sought)).body).toEqual({
      detail: 'Member not found',
      code: 'member_not_found',
    });
  });

  it('accepts only known roles', async () => {
    const { id } = await makeProject(ada.client);
    for (const body of [{ role: 'boss' }, { role: null }, {}])
      expect((await ada.client.send('PUT', `/projects/${id}/members/${ben.user}`, { body })).status).toBe(422);
    expect(await rolesOf(ada.client, id)).toEqual({ [ada.user]: 'owner' });
  });

  it('accepts user ids that look like URLs, but tokens with the user ids `.` and `..` are rejected', async () => {
    const { id } = await makeProject(ada.client, { visibility: 'private' });
    const session = { company: boss.company, role: 'member' } as const;
    const url = await service.session({ ...session, user: 'https://idp.example/u/1?a=b#c' });
    await url.client.get('/me');
    const name = encodeURIComponent(url.user);
    expect((await put(ada.client, id, name, 'owner')).status).toBe(200);
    expect(await rolesOf(url.client, id)).toEqual({ [ada.user]: 'owner', [url.user]: 'owner' });
    expect((await remove(ada.client, id, name)).status).toBe(204);
    expect((await url.client.send('GET', `/projects/${id}`)).status).toBe(404);
    for (const user of ['.', '..']) {
      const { client } = await service.session({ ...session, user });
      expect((await client.send('GET', '/me')).status).toBe(401);
    }
  });

  it('lets members of a private project leave, and they then lose access', async () => {
    const { id } = await makeProject(ada.client, { visibility: 'private' });
    await put(ada.client, id, ben.user, 'viewer');
    const key = await keyOf(ben.client);
    // An API key cannot remove its creator from the project.
    expect((await remove(key, id, ben.user)).status).toBe(403);
    expect((await remove(eve.client, id, eve.user)).body).toEqual({
      detail: 'Project not found',
      code: 'project_not_found',
    });
    expect((await remove(ben.client, id, ben.user)).status).toBe(204);
    expect((await ben.client.send('GET', `/projects/${id}`)).body).toEqual({
      detail: 'Project not found',
      code: 'project_not_found',
    });
    expect((await key.send('GET', `/projects/${id}`)).status).toBe(404);
  });

  it('does not reduce the rights of a user if the whole company has access to the project', async () => {
    const { id } = await makeProject(ada.client);
    await put(ada.client, id, ben.user, 'viewer');
    expect((await ben.client.get<ProjectResponse>(`/projects/${id}`)).role).toBe('editor');
    await ben.client.patch(`/projects/${id}`, { description: 'Mine too' });
    expect((await ben.client.send('DELETE', `/projects/${id}`)).status).toBe(403);
    await put(ada.client, id, ben.user, 'owner');
    expect((await ben.client.get<ProjectResponse>(`/projects/${id}`)).role).toBe('owner');
    await remove(ada.client, id, ben.user);
    expect((await ben.client.get<ProjectResponse>(`/projects/${id}`)).role).toBe('editor');
    expect((await ben.client.send('PATCH', `/projects/${id}`, { body: { visibility: 'private' } })).status).toBe(403);
  });

  it('always includes an owner', async () => {
    const { id } = await makeProject(ada.client, { visibility: 'private' });
    const detail = 'A project needs an owner; make another member an owner first';
    for (const by of [ada.client, boss.client]) {
      expect(await remove(by, id, ada.user)).toMatchObject({ status: 409, body: { detail } });
      expect(await put(by, id, ada.user, 'viewer')).toMatchObject({ status: 409, body: { detail } });
    }
    await put(ada.client, id, ben.user, 'owner');
    expect((await remove(ben.client, id, ada.user)).status).toBe(204);
    expect((await remove(ben.client, id, ben.user)).status).toBe(409);
    expect(await rolesOf(ben.client, id)).toEqual({ [ben.user]: 'owner' });
  });

  it('keeps an owner even if the last two owners remove each other concurrently', async () => {
    const outcomes: string[] = [];
    for (let round = 0; round < 25; round += 1) {
      const { id } = await makeProject(ada.client, { visibility: 'private' });
      await put(ada.client, id, ben.user, 'owner');
      const attempts = [
        () => remove(ada.client, id, ben.user),
        () => remove(ben.client, id, ada.user),
        ...(round % 2 === 0
          ? [() => put(ada.client, id, ada.user, 'editor'), () => remove(ben.client, id, ben.user)]
          : []),
      ];
      const statuses = (await Promise.all(attempts.map(async (attempt) => (await attempt()).status))).sort();
      for (const status of statuses) expect([200, 204, 403, 404, 409]).toContain(status);
      const owners = Object.values(await rolesOf(boss.client, id)).filter((role) => role === 'owner');
      expect(owners.length).toBeGreaterThan(0);
      outcomes.push(statuses.join());
    }
    // A rejected request shows that the removals did run concurrently.
    expect(outcomes.some((statuses) => /40[349]/.test(statuses))).toBe(true);
  }, 60_000);
});

describe('a private project', () => {
  it('can be made visible to the company again only by owners', async () => {
    const { id } = await makeProject(ada.client);
    await ben.client.get(`/projects/${id}`);
    expect((await ada.client.patch<ProjectResponse>(`/projects/${id}`, { visibility: 'private' })).visibility).toBe(
      'private',
    );
    expect((await ben.client.send('GET', `/projects/${id}`)).status).toBe(404);
    await ada.client.patch(`/projects/${id}`, { visibility: null, name: 'Still private' });
    await put(ada.client, id, eve.user, 'editor');
    // A form that shows the visibility also sends it back unchanged.
    const { status } = await eve.client.send('PATCH', `/projects/${id}`, { body: { visibility: 'private' } });
    expect(status).toBe(200);
    const opened = await eve.client.send('PATCH', `/projects/${id}`, { body: { visibility: 'company' } });
    expect(opened).toMatchObject({ status: 403, body: { code: 'owner_required' } });
    expect((await ben.client.send('GET', `/projects/${id}`)).status).toBe(404);
    await boss.client.patch(`/projects/${id}`, { visibility: 'company' });
    expect((await ben.client.get<ProjectResponse>(`/projects/${id}`)).name).toBe('Still private');
  });

  it('appears in lists, totals and filters only for people with access', async () => {
    const { client: other } = await service.session({ company: boss.company, role: 'member' });
    const mark = `Secret ${ada.user}`;
    const { id } = await makeProject(ada.client, { name: `${mark} 1`, visibility: 'private' });
    const open = await makeProject(ada.client, { name: `${mark} 2` });
    const list = async (client: Client, query = {}) => {
      const { projects, total } = await client.get<ProjectSummaryListResponse>('/projects', { q: mark, ...query });
      expect(total).toBe(projects.length);
      return projects.map((project) => project.id).sort();
    };
    const [both, one] = [[id, open.id].sort(), [open.id]];
    expect(await list(ada.client)).toEqual(both);
    expect(await list(boss.client)).toEqual(both);
    expect(await list(other)).toEqual(one);
    expect(await list(ada.client, { visibility: 'private' })).toEqual([id]);
    expect(await list(other, { visibility: 'private' })).toEqual([]);
    expect(await list(ada.client, { created_by: 'me' })).toEqual(both);
    expect(await list(boss.client, { created_by: 'me' })).toEqual([]);
    expect(await list(boss.client, { created_by: ada.user })).toEqual(both);
    expect(await list(other, { created_by: ada.user })).toEqual(one);
    expect(await list(await keyOf(ada.client), { created_by: 'me' })).toEqual(both);
    expect(await list(ada.client, { status: 'idle' })).toEqual(both);
    expect(await list(ada.client, { status: 'solving' })).toEqual([]);
    expect(await list(await keyOf(ada.client, { project_ids: [open.id] }))).toEqual(one);
    expect(await list(await keyOf(ada.client, { project_ids: [id.toUpperCase(), id] }))).toEqual([id]);
    const wrong: Record<string, string>[] = [{ visibility: 'secret' }, { status: 'done' }, { deleted: 'perhaps' }];
    for (const query of wrong) expect((await ada.client.send('GET', '/projects', { query })).status).toBe(422);
  });

  it('returns the same 404 in the same time as a project that does not exist', async () => {
    const { id } = await makeProject(ada.client, { visibility: 'private' });
    const none = '01a1fdd8-aae9-7686-bf03-000000000000';
    const paths = ['', '/chat', '/chat/sync', '/cards', '/solve/executions', '/members', '/skills', '/snapshots'];
    const taken = { [id]: [] as number[], [none]: [] as number[] };
    for (let round = 0; round < 60; round += 1) {
      for (const project of round % 2 === 0 ? [id, none] : [none, id]) {
        const path = paths[round % paths.length] ?? '';
        const began = performance.now();
        const { status, body } = await eve.client.send('GET', `/projects/${project}${path}`);
        taken[project]?.push(performance.now() - began);
        expect({ status, body }).toEqual({
          status: 404,
          body: { detail: 'Project not found', code: 'project_not_found' },
        });
      }
    }
    const median = (times: number[] = []): number => times.sort((a, b) => a - b)[times.length >> 1] ?? 0;
    // The limit grows with the response time, because on a busy machine both responses take longer.
    expect(Math.abs(median(taken[id]) - median(taken[none]))).toBeLessThan(5 + median(taken[none]));
  }, 30_000);
});

describe('an API key with limits', () => {
  it('shows its limits when it is created and when it calls /me', async () => {
    const { id } = await makeProject(ada.client);
    const made = await ada.client.post<ApiKeyCreateResponse>('/api-keys', {
      ...{ name: 'Report', access: 'read', project_ids: [id] },
    });
    expect(made).toMatchObject({ access: 'read', project_ids: [id] });
    expect(await new Client(service.url, made.key).get('/me')).toMatchObject({ access: 'read', project_ids: [id] });
    expect(await ada.client.get('/me')).toMatchObject({ access: 'write', project_ids: null });
    const plain = await ada.client.post<ApiKeyCreateResponse>('/api-keys', { name: 'All', project_ids: null });
    expect(plain).toMatchObject({ access: 'write', project_ids: null });
  });

  it('can be limited only to projects that its creator can access', async () => {
    const { id } = await makeProject(ada.client, { visibility: 'private' });
    const none = '01a1fdd8-aae9-7686-bf03-000000000000';
    const answers = [];
    for (const project of [id, none]) {
      const { status, body } = await ben.client.send('POST', '/api-keys', {
        body: { name: 'Mine', project_ids: [project] },
      });
      answers.push({ status, text: JSON.stringify(body).replaceAll(project, 'it') });
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]?.status).toBe(422);
    expect(answers[0]?.text).toContain('"loc":["body","project_ids",0]');
    for (const project_ids of [[], ['x'], [3], Array.from({ length: 101 }, () => id)])
      expect((await ada.client.send('POST', '/api-keys', { body: { name: 'No', project_ids } })).status).toBe(422);
  });

  it('cannot create projects if it is restricted to some projects, and can revoke itself even if it is read-only', async () => {
    const { id } = await makeProject(ada.client);
    const some = await keyOf(ada.client, { project_ids: [id] });
    expect((await some.send('POST', '/projects', { body: { name: 'More' } })).status).toBe(403);
    const made = await ada.client.post<ApiKeyCreateResponse>('/api-keys', { name: 'Reads', access: 'read' });
    const reading = new Client(service.url, made.key);
    expect((await reading.send('POST', '/projects', { body: {} })).body).toEqual({
      detail: 'This API key is read-only',
      code: 'api_key_reads_only',
    });
    expect((await reading.send('DELETE', `/api-keys/${made.id}`)).status).toBe(204);
    expect((await reading.send('GET', '/me')).status).toBe(401);
  });

  it('has company-level rights only in its own projects', async () => {
    const { id } = await makeProject(ada.client, { visibility: 'private' });
    const { id: other } = await makeProject(ben.client, { visibility: 'private' });
    const limited = await keyOf(boss.client, { role: 'company', project_ids: [id] });
    expect((await limited.get<ProjectResponse>(`/projects/${id}`)).role).toBe('owner');
    expect((await limited.send('GET', `/projects/${other}`)).status).toBe(404);
    const budget = { scope: 'company', period: 'total', limit_credits: 0, action: 'block' };
    const attempts: [method: 'GET' | 'PUT' | 'POST', path: string, body?: object][] = [
      ['GET', '/usage/budgets'],
      ['PUT', '/usage/budgets', budget],
      ['PUT', '/usage/budgets', { ...budget, scope: 'project', subject_id: other }],
      ['POST', '/deployments', { name: 'Mine' }],
    ];
    for (const [method, path, body] of attempts) {
      const answer = await limited.send(method, path, body && { body });
      expect({ path, ...answer }).toMatchObject({ path, status: 403, body: { code: 'company_level_required' } });
    }
    const theirs = await ben.client.post<ApiKeyCreateResponse>('/api-keys', { name: 'Private' });
    expect((await limited.get<{ total: number }>('/api-keys')).total).toBe(1);
    expect((await limited.send('DELETE', `/api-keys/${theirs.id}`)).status).toBe(404);
    expect((await limited.get<{ total: number }>('/usage/users')).total).toBe(0);
  });

  it('loses access immediately when its creator loses it', async () => {
    const { id } = await makeProject(ada.client, { visibility: 'private' });
    const former = await service.session({ company: boss.company, role: 'company', issuedAt: 1_000_000_000 });
    const key = await keyOf(former.client, { role: 'company' });
    expect((await key.get<ProjectResponse>(`/projects/${id}`)).role).toBe('owner');
    const { client } = await service.session({ ...former, role: 'member', issuedAt: 1_000_000_001 });
    await client.get('/me');
    // At this point, the credentials are still cached.
    expect((await key.send('GET', `/projects/${id}`)).status).toBe(404);
    expect((await key.get<ProjectSummaryListResponse>('/projects', { visibility: 'private' })).total).toBe(0);
    await put(ada.client, id, former.user, 'viewer');
    expect((await key.get<ProjectResponse>(`/projects/${id}`)).role).toBe('viewer');
    expect((await key.send('POST', `/projects/${id}/chat`, { body: { content: 'Hello' } })).status).toBe(403);
    await put(ada.client, id, former.user, 'editor');
    expect((await key.send('POST', `/projects/${id}/conversations`, { body: {} })).status).toBe(201);
    await remove(ada.client, id, former.user);
    expect((await key.send('GET', `/projects/${id}/chat/sync`)).status).toBe(404);
  });
});

describe('projects created before memberships existed', () => {
  const db = useDatabase();
  it('are visible to the company and have an owner', async () => {
    const runner = db.source.createQueryRunner();
    const migration = new CreateProjectMembers1760000000400();
    await runner.query('TRUNCATE project_members');
    await migration.down(runner);
    const project = async (created_by: string | null, name: string, created_at = '2026-05-01'): Promise<void> => {
      const trees = [];
      for (const kind of ['workspace', 'agent_config', 'project_skills']) {
        const [made] = await db.source.query<{ id: string }[]>(
          `INSERT INTO containers (company_id, kind) VALUES ('c', $1) RETURNING id`,
          [kind],
        );
        trees.push(made?.id);
      }
      await runner.query(
        `INSERT INTO projects (company_id, name, created_by, created_at, workspace_id, agent_config_id, project_skills_id)
         VALUES ('c', $1, $2, $3, $4, $5, $6)`,
        [name, created_by, created_at, ...trees],
      );
    };
    await runner.query(`
      INSERT INTO companies (id) VALUES ('c')`);
    await runner.query(`
      INSERT INTO users (company_id, id, display_name, role) VALUES ('c', 'ada', 'Ada', 'member'), ('c', 'ben', 'Ben', 'member'), ('c', 'zoe', 'Zoe', 'company')`);
    await runner.query(`
      INSERT INTO api_keys (company_id, name, prefix, secret_hash, role, created_by, created_at, expires_at, revoked_at, last_used_at) VALUES
        ('c', 'Old', '000000000001', sha256('1'), 'member', 'ada', '2026-01-01', '2027-01-01', '2026-03-01', '2026-02-01'),
        ('c', 'In use', '000000000002', sha256('2'), 'member', 'ben', '2026-02-15', '2027-01-01', NULL, '2026-06-01'),
        ('c', 'Never used', '000000000003', sha256('3'), 'member', 'ada', '2026-04-01', '2027-01-01', NULL, NULL)`);
    await project('ada', 'Of Ada');
    await project(null, 'Of the key in use');
    await project(null, 'Of the old key', '2026-01-15');
    await project(null, 'Of nobody', '2025-01-01');
    await migration.up(runner);
    await runner.release();
    const rows = await db.source.query<object[]>(
      `SELECT p.name, p.visibility, m.user_id, m.role FROM projects p LEFT JOIN project_members m ON m.project_id = p.id ORDER BY p.id`,
    );
    const seen = { visibility: 'company', role: 'owner' };
    expect(rows).toEqual([
      { name: 'Of Ada', user_id: 'ada', ...seen },
      { name: 'Of the key in use', user_id: 'ben', ...seen },
      { name: 'Of the old key', user_id: 'ada', ...seen },
      { name: 'Of nobody', user_id: 'zoe', ...seen },
    ]);
    expect(await new ProjectMembersRepository(db.source).countBy({ role: 'owner' })).toBe(4);
  });
});
