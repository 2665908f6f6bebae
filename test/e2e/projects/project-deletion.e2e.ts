import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { ChatResponse, ConversationSyncResponse } from '../../../src/chat/chat.dto.js';
import type { ConversationResponse } from '../../../src/chat/conversations.dto.js';
import { Principal } from '../../../src/auth/principal.js';
import type { CardResponse } from '../../../src/projects/canvas/canvas.dto.js';
import { ProjectOwner } from '../../../src/projects/project-access.js';
import type { ProjectSummaryListResponse } from '../../../src/projects/projects.dto.js';
import type { SnapshotResponse } from '../../../src/projects/snapshots.dto.js';
import type { UserUsageListResponse } from '../../../src/usage/usage.dto.js';
import { makeDeployment, makeFile, makeProject, sendParts } from '../../factories/make.js';
import type { Client } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { exampleOperations } from '../../support/examples.js';
import { type Script, ScriptedService } from '../../support/scripted-agent.js';
import { makeEnvironment, removeEnvironment, type ServiceEnvironment } from '../../support/service.js';
import { EventStream } from '../../support/stream.js';

let script: Script;
let environment: ServiceEnvironment;
let api: ScriptedService;
let beside: ScriptedService;
let database: pg.Client;

beforeAll(async () => {
  environment = await makeEnvironment();
  api = await ScriptedService.start(environment, (context) => script(context), 'api');
  beside = await ScriptedService.start(environment, (context) => script(context));
  database = new pg.Client(environment.databaseUrl);
  await database.connect();
});

afterAll(async () => {
  await api.stop();
  await beside.stop();
  await database.end();
  await removeEnvironment(environment);
});

const inDatabase = async <Row extends object>(statement: string, parameters: unknown[] = []): Promise<Row[]> =>
  (await database.query<Row>(statement, parameters)).rows;

/** Speaks, and then waits until the turn is ended. */
const speakAndWait: Script = async function* ({ signal }) {
  yield { type: 'text', text: 'One' };
  yield { type: 'usage', credits: 0.25 };
  yield { type: 'tool_started', id: 'call-1', tool: 'read_file', input: {} };
  await pause(60_000, undefined, { signal });
};

const running = (client: Client, project: string, query = {}) =>
  eventually(
    () => client.get<ConversationSyncResponse>(`/projects/${project}/chat/sync`, query),
    ({ turn }) => turn.state === 'streaming' && turn.next_seq >= 3,
    { until: 'the agent has spoken' },
  );

describe('a deleted project', () => {
  it('disappears immediately and stops its turns and streams, while its cost remains', async () => {
    script = speakAndWait;
    const { client, token, company } = await api.session();
    const { id, name } = await makeProject(client);
    const other = await client.post<ConversationResponse>(`/projects/${id}/conversations`, {});
    await client.post(`/projects/${id}/chat`, { content: 'Hello' });
    await client.post(`/projects/${id}/chat`, { content: 'Hello', conversation_id: other.id });
    await running(client, id);
    await running(client, id, { conversation_id: other.id });
    await client.post(`/projects/${id}/chat`, { content: 'I wait.' });
    const streams = await Promise.all([api, beside].map(async ({ url }) => await EventStream.open(url, token, id)));
    await Promise.all(streams.map(async (stream) => await stream.until((events) => events.length > 2, 'it has begun')));
    expect(await client.send('DELETE', `/projects/${id}`)).toMatchObject({ status: 204, body: undefined });
    await Promise.all(streams.map(async (stream) => await stream.over()));

    const turns = await inDatabase('SELECT state, outcome, credits::float8 FROM turns WHERE project_id = $1', [id]);
    const stopped = { state: 'ended', outcome: 'stopped', credits: 0.25 };
    expect(turns).toEqual([stopped, stopped]);
    const { users } = await client.get<UserUsageListResponse>('/usage/users');
    expect(users.map(({ totals }) => totals.credits)).toEqual([0.5]);
    const { projects, total } = await client.get<ProjectSummaryListResponse>('/projects', { q: name });
    expect({ projects, total }).toEqual({ projects: [], total: 0 });
    expect((await client.send('DELETE', `/projects/${id}`)).status).toBe(404);
    await pause(200);
    expect(await inDatabase('SELECT FROM turns WHERE project_id = $1', [id])).toHaveLength(2);
    expect(await inDatabase('SELECT FROM usage_ledger WHERE company_id = $1', [company])).toHaveLength(2);
  });

  it('is not found by any operation, and neither is anything in it', async () => {
    const { client } = await api.session();
    const { handle } = await makeDeployment(client, { skills: { shifts: { 'SKILL.md': 'Text' } } });
    const { id } = await makeProject(client, { from_deployment: handle });
    const { id: conversation_id } = await client.post<ConversationResponse>(`/projects/${id}/conversations`, {});
    const card = { card_type: 'kpi', label: 'Cost' };
    const { id: card_id } = await client.post<CardResponse>(`/projects/${id}/cards`, card);
    const place = { source: 'workspace' as const, project_id: id };
    await makeFile(client, place, 'a.csv', 'a');
    const { id: snapshot_id } = await client.post<SnapshotResponse>(`/projects/${id}/snapshots`);
    const upload = await sendParts(client, place, 'b.csv', Buffer.from('b'));
    await client.delete(`/projects/${id}`);

    const ids: Record<string, string> = {
      project_id: id,
      conversation_id,
      card_id,
      snapshot_id,
      skill: 'shifts',
      user_id: 'ada',
    };
    const answers: Record<string, number> = {};
    for (const { operation, method, path, requestBody } of exampleOperations()) {
      // Only the restore operation accepts a deleted project.
      if (!path.startsWith('/projects/{project_id}') || path.endsWith('/restore')) continue;
      // For other parameters, the project id serves as an unknown id, which also returns 404.
      const filled = path.replace(/{(\w+)}/g, (_, key: string) => ids[key] ?? id);
      const query: Record<string, string> = path.endsWith('/values') ? { family: 'x' } : {};
      const body = requestBody?.content['application/json'].example;
      answers[operation] = (await client.send(method, filled, { query, ...(body && { body }) })).status;
    }
    expect(Object.keys(answers).length).toBeGreaterThan(25);
    expect(Object.entries(answers).filter(([, status]) => status !== 404)).toEqual([]);
    const ofSnapshot = { source: 'snapshot', snapshot_id };
    const { upload_token } = upload;
    const requests: [string, object][] = [
      ['/files/list', place],
      ['/files/list', ofSnapshot],
      ['/files/content', { ...place, path: 'a.csv' }],
      ['/files/content', { ...ofSnapshot, path: 'a.csv' }],
      ['/files/download', { ...place, path: 'a.csv' }],
      ['/files/mkdir', { ...place, path: 'c' }],
      ['/files/delete', { ...place, path: 'a.csv' }],
      ['/files/batch-delete', { ...place, paths: ['a.csv'] }],
      ['/files/batch-move', { ...place, moves: [{ source_path: 'a.csv', dest_path: 'd.csv' }] }],
      ['/files/upload/start', { ...place, path: 'e.csv' }],
      ['/files/upload/complete', { ...place, ...upload }],
      ['/files/upload/parts', { upload_token, part_numbers: [1] }],
      ['/files/upload/status', { upload_token }],
      ['/files/upload/abort', { upload_token }],
    ];
    for (const [path, body] of requests) {
      expect([path, (await client.send('POST', path, { body })).status]).toEqual([path, 404]);
    }
    // The stored parts of the upload are removed immediately, without waiting for the next upload sweep.
    await eventually(
      () =>
        inDatabase(
          'SELECT state, blob_id FROM uploads WHERE company_id = (SELECT company_id FROM projects WHERE id = $1) AND path = $2',
          [id, 'b.csv'],
        ),
      ([row]) => (row as { state: string }).state === 'aborted',
      { until: 'the upload is aborted' },
    );
  });

  it('does not accept any work from concurrent requests', async () => {
    script = async function* () {
      yield await Promise.resolve({ type: 'text', text: 'Done.' } as const);
      yield { type: 'usage', credits: 0.125 };
    };
    const { client, company } = await api.session();
    const second = (await beside.session({ company })).client;
    let refused = 0;
    let taken = 0;
    for (let round = 0; round < 8; round += 1) {
      const { id } = await makeProject(client);
      const place = { source: 'workspace' as const, project_id: id };
      const uploads = await Promise.all(
        [1, 2, 3].map(async (number) => await sendParts(client, place, `${number}.csv`, Buffer.from('1'))),
      );
      const attempts: (() => Promise<{ status: number }>)[] = [client, second].flatMap((by) => [
        ...[1, 2, 3].map(
          (number) => () => by.send<ChatResponse>('POST', `/projects/${id}/chat`, { body: { content: `${number}` } }),
        ),
        () => by.send('POST', `/projects/${id}/cards`, { body: { card_type: 'kpi', label: 'Cost' } }),
        () => by.send('POST', `/projects/${id}/snapshots`),
        () => by.send('POST', `/projects/${id}/conversations`, { body: {} }),
        () => by.send('PUT', `/projects/${id}/skills/shifts`, { body: { files: { 'SKILL.md': 'Text' } } }),
        () => by.send('POST', '/files/mkdir', { body: { ...place, path: 'a/b' } }),
        () => by.send('POST', '/files/upload/start', { body: { ...place, path: 'c' } }),
      ]);
      const completions = uploads.map(
        (upload) => () => client.send('POST', '/files/upload/complete', { body: { ...place, ...upload } }),
      );
      // These requests run concurrently with the deletion. A request that succeeds has committed before the deletion.
      const answers = [...attempts, ...completions].map(async (attempt) => {
        await pause(Math.random() * 60);
        return await attempt();
      });
      await pause(Math.random() * 40);
      await second.delete(`/projects/${id}`);
      const before = await holdings(id);
      for (const { status } of await Promise.all(answers)) {
        expect([200, 201, 202, 404]).toContain(status);
        if (status === 404) refused += 1;
        else taken += 1;
      }
      expect(await holdings(id)).toEqual(before);
      expect(before).toMatchObject({ active: 0, open_containers: 0 });
    }
    expect(refused).toBeGreaterThan(10);
    expect(taken).toBeGreaterThan(10);
    const [charged] = await inDatabase(
      `SELECT sum(total_credits) = (SELECT coalesce(sum(credits), 0) FROM usage_ledger WHERE company_id = $1) AS exactly
         FROM projects WHERE company_id = $1`,
      [company],
    );
    expect(charged).toEqual({ exactly: true });
  }, 60_000);

  it('can be deleted only by owners and company-level callers, and never by the agent', async () => {
    const owner = await api.session();
    const member = await api.session({ company: owner.company, role: 'member' });
    const stranger = await api.session();
    const { id } = await makeProject(owner.client);
    expect((await stranger.client.send('DELETE', `/projects/${id}`)).status).toBe(404);
    const asker = { person_id: owner.user, sees_all: true, access: 'write', project_ids: null } as const;
    expect(() => ProjectOwner.of(Principal.agent(owner.company, asker))).toThrow(
      'An agent cannot act as a project owner',
    );
    expect((await member.client.send('DELETE', `/projects/${id}`)).status).toBe(403);
    await member.client.get(`/projects/${id}`);
    expect((await owner.client.send('DELETE', `/projects/${id}`)).status).toBe(204);
    for (const wrong of ['nothing', '01a1fdd8-aae9-7686-bf03-000000000000']) {
      expect((await owner.client.send('DELETE', `/projects/${wrong}`)).status).toBe(404);
    }
  });
});

/** Returns the number of rows of each kind in a project. Comparing two results reveals added rows. */
async function holdings(id: string): Promise<object> {
  const [found] = await inDatabase<object>(
    `WITH trees AS (
       SELECT c.* FROM containers c
        WHERE c.id IN (SELECT unnest(ARRAY[workspace_id, agent_config_id, project_skills_id]) FROM projects WHERE id = $1
                       UNION ALL SELECT container_id FROM snapshots WHERE project_id = $1)
     )
     SELECT (SELECT count(*) FROM conversations WHERE project_id = $1) AS conversations,
            (SELECT count(*) FROM messages WHERE project_id = $1) AS messages,
            (SELECT count(*) FROM turns WHERE project_id = $1) AS turns,
            (SELECT count(*) FROM turns WHERE project_id = $1 AND state <> 'ended') AS active,
            (SELECT count(*) FROM cards WHERE project_id = $1) AS cards,
            (SELECT count(*) FROM snapshots WHERE project_id = $1) AS snapshots,
            (SELECT count(*) FROM trees WHERE deleted_at IS NULL) AS open_containers,
            (SELECT count(*) FROM nodes WHERE container_id IN (SELECT id FROM trees)) AS nodes,
            (SELECT total_credits FROM projects WHERE id = $1) AS credits`,
    [id],
  );
  return found ?? {};
}
