import { beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { ChatMessageListResponse, ChatResponse, ConversationSyncResponse } from '../../../src/chat/chat.dto.js';
import type { ConversationListResponse, ConversationResponse } from '../../../src/chat/conversations.dto.js';
import type { ProjectResponse } from '../../../src/projects/projects.dto.js';
import { makeProject } from '../../factories/make.js';
import { idle } from '../../factories/turns.js';
import type { Client, Wire } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { useSharedService } from '../../support/service.js';
import { EventStream } from '../../support/stream.js';

const service = useSharedService();
let client: Client;

beforeAll(async () => {
  ({ client } = await service.session());
});

const newProject = async (): Promise<string> => (await makeProject(client)).id;
const at = (project: string, id = ''): string => `/projects/${project}/conversations${id && `/${id}`}`;
const create = (project: string, body: object = {}) => client.post<ConversationResponse>(at(project), body);
const list = (project: string, query = {}): Promise<Wire<ConversationListResponse>> =>
  client.get<ConversationListResponse>(at(project), query);

describe('conversations in a project', () => {
  it('are listed together with the default conversation, most recently changed first', async () => {
    const project = await newProject();
    const { conversation_id } = await client.get<ConversationSyncResponse>(`/projects/${project}/chat/sync`);
    const named = await create(project, { title: 'Nights' });
    expect(named).toEqual({
      id: expect.any(String),
      title: 'Nights',
      is_default: false,
      created_at: expect.any(String),
      updated_at: named.created_at,
    });
    const plain = await create(project);
    expect(plain.title).toBeNull();
    await client.post(`/projects/${project}/chat`, { content: 'x', conversation_id: named.id });
    await idle(client, project, { conversation_id: named.id });
    const { conversations, ...page } = await list(project);
    expect(page).toEqual({ limit: 50, offset: 0, total: 3 });
    expect(conversations.map(({ id }) => id)).toEqual([named.id, plain.id, conversation_id]);
    expect(conversations.map(({ is_default }) => is_default)).toEqual([false, false, true]);
    expect((await list(project, { limit: 1, offset: 1 })).conversations.map(({ id }) => id)).toEqual([plain.id]);
  });

  it('keep their messages separate', async () => {
    const project = await newProject();
    const { id } = await create(project);
    const { message } = await client.post<ChatResponse>(`/projects/${project}/chat`, {
      content: 'x',
      conversation_id: id,
    });
    expect(message).toMatchObject({ conversation_id: id, sequence: 1 });
    await idle(client, project, { conversation_id: id });
    expect((await client.get<ChatMessageListResponse>(`/projects/${project}/chat`)).total).toBe(0);
  });

  it('have a title that can be set and cleared', async () => {
    const project = await newProject();
    const { id, title } = await create(project, { title: 'Nights' });
    const change = (body: object) => client.patch<ConversationResponse>(at(project, id), body);
    expect((await change({})).title).toBe(title);
    expect((await change({ title: 'Days' })).title).toBe('Days');
    expect((await change({ title: null })).title).toBeNull();
    for (const wrong of ['', 'x'.repeat(201)]) {
      expect((await client.send('PATCH', at(project, id), { body: { title: wrong } })).status).toBe(422);
    }
  });

  it('can be deleted with their messages, closing their streams but keeping their cost in the project total', async () => {
    const project = await newProject();
    const { id } = await create(project);
    const say = (content: string) => client.post(`/projects/${project}/chat`, { content, conversation_id: id });
    await say('Hello');
    await idle(client, project, { conversation_id: id });
    const stream = await EventStream.open(service.url, client.token ?? '', project, { query: { conversation_id: id } });
    // This post starts another turn, which may be in any state when the conversation is deleted.
    await say('Again');
    expect((await client.send('DELETE', at(project, id))).status).toBe(204);
    await stream.over();
    expect((await client.send('DELETE', at(project, id))).status).toBe(404);
    const read = await client.send('GET', `/projects/${project}/chat/sync`, { query: { conversation_id: id } });
    expect(read.status).toBe(404);
    expect((await list(project)).total).toBe(1);
    expect((await client.get<ProjectResponse>(`/projects/${project}`)).total_credits).toBeGreaterThan(0);
    await client.post(`/projects/${project}/chat`, { content: 'And here?' });
    expect((await idle(client, project)).messages).toHaveLength(2);
  });

  it('can be deleted even while a workspace change is being recorded', async () => {
    const project = await newProject();
    const { id } = await create(project);
    const database = new pg.Client(service.environment.databaseUrl);
    await database.connect();
    await database.query('BEGIN');
    await database.query(
      `INSERT INTO workspace_changes (project_id, conversation_id, kind, path) VALUES ($1, $2, 'uploaded', 'a.csv')`,
      [project, id],
    );
    const deletion = client.send('DELETE', at(project, id));
    await eventually(
      () => database.query('SELECT FROM pg_stat_activity WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))'),
      ({ rowCount }) => (rowCount ?? 0) > 0,
      { until: 'the deletion waits' },
    );
    await database.query('COMMIT');
    expect((await deletion).status).toBe(204);
    await database.end();
  });

  it('can be deleted, except for the default conversation', async () => {
    const project = await newProject();
    const { conversation_id } = await client.get<ConversationSyncResponse>(`/projects/${project}/chat/sync`);
    const refused = await client.send('DELETE', at(project, conversation_id));
    expect(refused).toMatchObject({ status: 409, body: { detail: 'The default conversation cannot be deleted' } });
  });

  it('return 404 to requests through another project or from another company', async () => {
    const [project, other] = [await newProject(), await newProject()];
    const { id } = await create(other);
    const stranger = await service.session();
    for (const [by, path] of [
      [client, at(project, id)],
      [client, at(project, 'nothing')],
      [stranger.client, at(other, id)],
    ] as const) {
      expect((await by.send('PATCH', path, { body: { title: 'Mine' } })).status).toBe(404);
      expect((await by.send('DELETE', path)).status).toBe(404);
    }
    for (const method of ['GET', 'POST']) {
      expect((await stranger.client.send(method, at(other), method === 'POST' ? { body: {} } : {})).status).toBe(404);
    }
  });
});
