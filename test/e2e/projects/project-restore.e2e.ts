import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ConversationSyncResponse } from '../../../src/chat/chat.dto.js';
import type { ConversationResponse } from '../../../src/chat/conversations.dto.js';
import { Config } from '../../../src/config/config.js';
import type { ExecutionResponse } from '../../../src/executions/executions.dto.js';
import type { FileContentResponse, FileListResponse } from '../../../src/files/files.dto.js';
import { CollectorService } from '../../../src/files/maintenance/collector.service.js';
import type { UploadStartResponse } from '../../../src/files/uploads/uploads.dto.js';
import { ProjectPurgeService } from '../../../src/projects/project-purge.service.js';
import { DatabaseService } from '../../../src/database/database.service.js';
import type { ProjectResponse, ProjectSummaryListResponse } from '../../../src/projects/projects.dto.js';
import { makeDeployment, makeFile, makeProject } from '../../factories/make.js';
import { untilBlocked } from '../../support/blocked.js';
import type { Client } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { isLongForm } from '../../support/long-form.js';
import { raw } from '../../support/raw.js';
import { type Script, say, useScriptedService } from '../../support/scripted-agent.js';
import type { Session } from '../../support/session.js';
import { EventStream } from '../../support/stream.js';

/** Number of files. Set RESTORED_FILES to 10000 for a longer manual run. */
const FILES = Number(process.env['RESTORED_FILES'] ?? (isLongForm ? 120 : 40));
const MESSAGES = 5_000;
const AT_ONCE = 10;

let script: Script;
const service = useScriptedService((context) => script(context));
let owner: Session;
let client: Client;

beforeAll(async () => {
  owner = await service.session({ role: 'member' });
  ({ client } = owner);
}, 30_000);

const speakAndWait: Script = async function* ({ signal }) {
  yield say('One');
  yield { type: 'tool_started', id: 'call-1', tool: 'read_file', input: {} };
  // The turn must still be running after the test has read many files.
  await pause(3_600_000, undefined, { signal });
};

/** Does `work` for all items, a few at a time. */
async function forAll<Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE) {
    results.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(work))));
  }
  return results;
}

/** Creates a project with every kind of resource and without running work. */
async function makeFullProject(files: number): Promise<string> {
  const boss = await service.session({ company: owner.company });
  const { handle } = await makeDeployment(boss.client, { instructions: 'Text', skills: { a: { 'SKILL.md': 'Text' } } });
  const { id } = await makeProject(client, { from_deployment: handle, visibility: 'private' });
  const place = { source: 'workspace' as const, project_id: id };
  await forAll(
    Array.from({ length: files }, (_, index) => index),
    (index) =>
      makeFile(client, place, `data/${index % 50}/${index}.bin`, Buffer.from([index & 255, index >> 8, 0, 200])),
  );
  const at = `/projects/${id}`;
  await client.put(`${at}/skills/own`, { files: { 'SKILL.md': 'Own' } });
  await client.post(`${at}/cards`, { card_type: 'kpi', label: 'Cost' });
  await client.post(`${at}/scenarios`, { name: 'Two shifts', changes: [] });
  await client.post(`${at}/snapshots`);
  await client.patch(at, { workspace_mode: 'run' });
  const { id: run } = await client.post<ExecutionResponse>(`${at}/solve/executions`, {});
  await eventually(
    () => client.get<ExecutionResponse>(`${at}/solve/executions/${run}`),
    ({ status }) => status === 'failed',
    { until: 'the canvas has turned out to be no model' },
  );
  return id;
}

/** Returns everything that a reader can see in a project, including the content of every file. */
async function contentsOf(id: string): Promise<object> {
  const at = `/projects/${id}`;
  const read = async (path: string): Promise<unknown> => await client.get(`${at}${path}`);
  const paths: string[] = [];
  for (let total = 1; paths.length < total;) {
    const page = await client.post<FileListResponse>('/files/list', {
      ...{ source: 'workspace', project_id: id, path: 'data', recursive: true, limit: 1_000, offset: paths.length },
    });
    total = page.total;
    paths.push(...page.directories, ...page.entries.map(({ path }) => path));
  }
  const contents = await forAll(
    paths.filter((path) => path.endsWith('.bin')),
    async (path) => {
      const body = { source: 'workspace', project_id: id, path };
      return [path, (await client.post<FileContentResponse>('/files/content', body)).base64] as const;
    },
  );
  const project = { ...(await client.get<ProjectResponse>(at)), updated_at: null };
  return {
    project,
    paths,
    contents,
    messages: await client.get(`${at}/chat`, { limit: 1_000 }),
    earlier: await client.get(`${at}/chat`, { limit: 1_000, offset: 4_000 }),
    ...{ cards: await read('/cards'), scenarios: await read('/scenarios'), snapshots: await read('/snapshots') },
    ...{ skills: await read('/skills'), config: await read('/agent-config'), members: await read('/members') },
    runs: await read('/solve/executions'),
  };
}

describe('a deleted project', () => {
  it('is restored byte for byte, but work that has ended stays ended', async () => {
    const id = await makeFullProject(FILES);
    const at = `/projects/${id}`;
    const other = await client.post<ConversationResponse>(`${at}/conversations`, { title: 'Other' });
    await service.database.query(
      `WITH said AS (
         INSERT INTO messages (project_id, conversation_id, sequence, role, content, user_id)
         SELECT c.project_id, c.id, n, 'user', 'Message ' || n, $2 FROM conversations c, generate_series(1, $3) n
          WHERE c.project_id = $1 AND c.is_default RETURNING 1)
       UPDATE conversations SET last_sequence = (SELECT count(*) FROM said) WHERE project_id = $1 AND is_default`,
      [id, owner.user, MESSAGES],
    );
    await service.database.query(
      `WITH t AS (
         INSERT INTO turns (project_id, conversation_id, company_id, user_id, state, outcome, due_at, ended_at)
         SELECT $1, id, $2, $3, 'ended', 'completed', NULL, now() FROM conversations WHERE project_id = $1 AND is_default
         RETURNING id)
       UPDATE messages SET turn_id = t.id FROM t WHERE project_id = $1`,
      [id, owner.company, owner.user],
    );
    script = speakAndWait;
    await client.post(`${at}/chat`, { content: 'Hello', conversation_id: other.id });
    const conversation = { conversation_id: other.id };
    await eventually(
      () => client.get<ConversationSyncResponse>(`${at}/chat/sync`, conversation),
      ({ turn }) => turn.state === 'streaming' && turn.next_seq >= 3,
      { until: 'the agent has spoken' },
    );
    const place = { source: 'workspace', project_id: id };
    const upload = await client.post<UploadStartResponse>('/files/upload/start', { ...place, path: 'b.csv', size: 4 });
    const before = await contentsOf(id);
    await client.delete(at);
    // Files must be kept until their project is purged, even if their own grace period is shorter.
    const config = service.app.get(Config);
    config.FILES_GRACE_SECONDS = 0;
    for (let pass = 0; pass < 3; pass += 1) await service.app.get(CollectorService).collect();
    config.FILES_GRACE_SECONDS = 86_400;
    await service.app.get(ProjectPurgeService).purge();
    expect((await client.send('GET', at)).status).toBe(404);

    const { projects } = await client.get<ProjectSummaryListResponse>('/projects', { deleted: true });
    expect(projects.find((project) => project.id === id)).toMatchObject({ deleted_at: expect.any(String) });
    expect((await client.send('GET', '/projects', { query: { deleted: false } })).body).not.toMatchObject({
      projects: expect.arrayContaining([expect.objectContaining({ id })]),
    });
    const restored = await client.post<ProjectResponse>(`${at}/restore`);
    expect(restored).toMatchObject({ id, visibility: 'private', role: 'owner' });
    expect(await contentsOf(id)).toEqual(before);
    // Repeats the request, as after a lost response.
    expect(await client.post(`${at}/restore`)).toEqual(restored);
    expect((await client.get<ProjectSummaryListResponse>('/projects', { deleted: true })).projects).toEqual([]);

    // Work that was in progress has ended and reports the reason.
    const { turn, messages } = await client.get<ConversationSyncResponse>(`${at}/chat/sync`, conversation);
    expect(turn.state).toBe('idle');
    const { is_partial, content, tool_calls } = messages.at(-1) ?? {};
    expect({ is_partial, content }).toEqual({ is_partial: false, content: 'One' });
    expect(tool_calls).toMatchObject([{ status: 'failed', error_code: 'stopped' }]);
    const body = { upload_token: upload.upload_token };
    const status = await client.send('POST', '/files/upload/status', { body });
    expect([409, 410]).toContain(status.status);
    expect((await raw(upload.parts[0]?.url ?? '', { method: 'PUT', body: Buffer.from('four') })).status).toBe(404);
    expect((await client.send('POST', '/files/upload/complete', { body: { ...place, ...body } })).status).toBe(
      status.status,
    );

    // The restored project works as it did before.
    script = async function* () {
      yield await Promise.resolve(say('Back.'));
    };
    const stream = await EventStream.open(service.url, owner.token, id);
    await client.post(`${at}/chat`, { content: 'Are you there?' });
    await stream.ended();
    stream.close();
    await makeFile(client, { source: 'workspace', project_id: id }, 'data/new.bin', 'new');
    await client.post(`${at}/snapshots`);
    await client.delete(at);
  }, 1_800_000);

  it('can be restored only by owners and by company-level callers with access', async () => {
    const join = async (role: 'member' | 'company' = 'member') => {
      const session = await service.session({ company: owner.company, role });
      await session.client.get('/me');
      return session;
    };
    const [editor, viewer, outsider, boss] = [await join(), await join(), await join(), await join('company')];
    const { id } = await makeProject(client, { visibility: 'private' });
    await client.put(`/projects/${id}/members/${editor.user}`, { role: 'editor' });
    await client.put(`/projects/${id}/members/${viewer.user}`, { role: 'viewer' });
    const restore = async (by: Client) => (await by.send('POST', `/projects/${id}/restore`)).status;
    const listed = async (by: Client) =>
      (await by.get<ProjectSummaryListResponse>('/projects', { deleted: true })).projects.some((one) => one.id === id);
    expect(await restore(client)).toBe(200);
    expect(await restore(editor.client)).toBe(403);
    await client.delete(`/projects/${id}`);
    for (const [session, status] of [
      [editor, 403],
      [viewer, 403],
      [outsider, 404],
    ] as const) {
      expect(await restore(session.client)).toBe(status);
      expect(await listed(session.client)).toBe(status === 403);
    }
    const stranger = await service.session();
    expect(await restore(stranger.client)).toBe(404);
    expect(await restore(boss.client)).toBe(200);
    expect((await editor.client.get<ProjectResponse>(`/projects/${id}`)).role).toBe('editor');
  });

  it('cannot be restored after the grace period or after its removal has begun', async () => {
    const restore = async (id: string) => await client.send('POST', `/projects/${id}/restore`);
    const age = async (id: string, age: string) =>
      await service.database.query(`UPDATE projects SET deleted_at = now() - $2::interval WHERE id = $1`, [id, age]);
    const { id } = await makeProject(client);
    await client.delete(`/projects/${id}`);
    await age(id, '86390 s');
    expect((await restore(id)).status).toBe(200);
    await client.delete(`/projects/${id}`);
    await age(id, '86401 s');
    expect(await restore(id)).toMatchObject({ status: 404, body: { detail: 'Project not found' } });
    const { projects } = await client.get<ProjectSummaryListResponse>('/projects', { deleted: true });
    expect(projects.map((project) => project.id)).not.toContain(id);

    // The purge waits for a card in the middle of its work. This shows that the purge, rather than the clock, prevents
    // the restoration.
    await service.database.query(
      `INSERT INTO cards (project_id, card_type, label, status) VALUES ($1, 'kpi', 'Cost', 'draft')`,
      [id],
    );
    await service.database.query('BEGIN');
    await service.database.query('SELECT FROM cards WHERE project_id = $1 FOR UPDATE', [id]);
    const purging = service.app.get(ProjectPurgeService).purge();
    const config = service.app.get(Config);
    let restoring: ReturnType<typeof restore> | undefined;
    try {
      await untilBlocked((text, values) => service.app.get(DatabaseService).manager.query(text, values));
      config.PROJECTS_GRACE_SECONDS = 1_000_000;
      restoring = restore(id);
      await pause(200);
    } finally {
      await service.database.query('COMMIT');
      expect((await restoring)?.status).toBe(404);
      await purging;
      config.PROJECTS_GRACE_SECONDS = 86_400;
    }
    const { rows } = await service.database.query('SELECT FROM projects WHERE id = $1', [id]);
    expect(rows).toEqual([]);
  }, 30_000);
});

/** Returns the state of a project, or several states if its resources disagree. */
async function stateOf(id: string): Promise<string> {
  const { rows } = await service.database.query<{ parts: string[] }>(
    `SELECT array_agg(DISTINCT part) AS parts FROM (
       SELECT CASE WHEN deleted_at IS NULL THEN 'there' ELSE 'deleted' END AS part FROM projects WHERE id = $1
       UNION ALL SELECT CASE WHEN deleted_at IS NULL THEN 'there' ELSE 'deleted' END FROM conversations WHERE project_id = $1
       UNION ALL
       SELECT CASE WHEN c.deleted_at IS NULL AND NOT c.is_restorable THEN 'there' WHEN c.is_restorable THEN 'deleted' ELSE 'lost' END
         FROM containers c
        WHERE c.id IN (SELECT unnest(ARRAY[workspace_id, agent_config_id, project_skills_id]) FROM projects WHERE id = $1
                       UNION ALL SELECT container_id FROM snapshots WHERE project_id = $1)) parts`,
    [id],
  );
  return (rows[0]?.parts ?? ['gone']).join();
}

describe('concurrent deletion and restoration', () => {
  it('leave a project either entirely present or entirely deleted while other work continues', async () => {
    script = async function* () {
      yield await Promise.resolve(say('Done.'));
    };
    for (let round = 0; round < (isLongForm ? 15 : 6); round += 1) {
      const { id } = await makeProject(client);
      const place = { source: 'workspace' as const, project_id: id };
      await client.post(`/projects/${id}/snapshots`);
      const soon = async (work: () => Promise<{ status: number }>, later = 0): Promise<number> => {
        await pause(Math.random() * 40 + later);
        return (await work()).status;
      };
      const statuses = await Promise.all([
        ...[1, 2, 3].map(() => soon(() => client.send('DELETE', `/projects/${id}`))),
        ...[1, 2, 3].map(() => soon(() => client.send('POST', `/projects/${id}/restore`), (round % 3) * 60)),
        ...[1, 2].map(() => soon(() => client.send('POST', `/projects/${id}/chat`, { body: { content: 'Hello' } }))),
        ...[1, 2].map((n) => soon(() => client.send('POST', '/files/mkdir', { body: { ...place, path: `${n}` } }))),
        soon(() => client.send('POST', `/projects/${id}/snapshots`)),
      ]);
      for (const status of statuses) expect([200, 201, 202, 204, 404]).toContain(status);
      const state = await stateOf(id);
      expect(['there', 'deleted']).toContain(state);
      expect((await client.send('GET', `/projects/${id}`)).status).toBe(state === 'there' ? 200 : 404);
      const [deleted, restored] = [204, 200].map(
        (wanted, kind) => statuses.slice(kind * 3, kind * 3 + 3).filter((status) => status === wanted).length,
      );
      // A restore request that arrives before any deletion finds an existing project and also succeeds.
      if (deleted === 0) expect(state).toBe('there');
      if (restored === 0 && deleted !== 0) expect(state).toBe('deleted');
      // After either outcome, the project can be deleted and restored again.
      await client.send('DELETE', `/projects/${id}`);
      expect(await stateOf(id)).toBe('deleted');
      expect((await client.send('POST', `/projects/${id}/restore`)).status).toBe(200);
      expect(await stateOf(id)).toBe('there');
    }
  }, 60_000);

  it('let either the purge or the restoration succeed, but not both', async () => {
    const config = service.app.get(Config);
    config.PROJECTS_GRACE_SECONDS = 0.3;
    const rounds = isLongForm ? 20 : 8;
    try {
      for (let round = 0; round < rounds; round += 1) {
        const { id } = await makeProject(client);
        await client.post(`/projects/${id}/cards`, { card_type: 'kpi', label: 'Cost' });
        await makeFile(client, { source: 'workspace', project_id: id }, 'a.txt', `Text of ${id}`);
        await client.delete(`/projects/${id}`);
        await pause(250 + (round * 100) / rounds);
        const restoring = client.send('POST', `/projects/${id}/restore`);
        const purges = [1, 2, 3, 4, 5, 6].map(async (n) => {
          await pause(n * 10);
          await service.app.get(ProjectPurgeService).purge();
        });
        const { status } = await restoring;
        await Promise.all(purges);
        if (status === 200) {
          expect(await stateOf(id)).toBe('there');
          const body = { source: 'workspace', project_id: id, path: 'a.txt' };
          expect(await client.post('/files/content', body)).toMatchObject({ text: `Text of ${id}` });
        } else {
          expect(status).toBe(404);
          await eventually(
            async () => {
              await service.app.get(ProjectPurgeService).purge();
              return await stateOf(id);
            },
            (state) => state === 'gone',
            { until: 'it is removed' },
          );
        }
      }
    } finally {
      config.PROJECTS_GRACE_SECONDS = 86_400;
    }
  }, 60_000);
});
