import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { CardResponse } from '../../../src/projects/canvas/canvas.dto.js';
import { makeDeployment, makeFile, makeProject } from '../../factories/make.js';
import { idle } from '../../factories/turns.js';
import type { Client, Wire } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { doPeriodicWork } from '../../support/periodic-work.js';
import {
  say,
  type Script,
  ScriptedService,
  twoParts,
  useGates,
  useScriptedService,
} from '../../support/scripted-agent.js';
import { makeEnvironment, removeEnvironment } from '../../support/service.js';
import type { Session, SessionOptions } from '../../support/session.js';
import { EventStream, type StreamedEvent, type StreamOptions } from '../../support/stream.js';

let script: Script;
const service = useScriptedService((context) => script(context));
const gate = useGates();
let session: Session;
let client: Client;
const streams: EventStream[] = [];

const open = async (project: string, options?: StreamOptions, by = session): Promise<EventStream> => {
  const stream = await EventStream.open(service.url, by.token, project, { of: 'events', ...options });
  streams.push(stream);
  return stream;
};
const after = async (project: string, id: string | number, by = session): Promise<EventStream> =>
  await open(project, { headers: { 'last-event-id': String(id) } }, by);
const member = (options: SessionOptions = {}): Promise<Session> =>
  service.session({ company: session.company, role: 'member', ...options });
const newProject = async (body: object = {}): Promise<string> => (await makeProject(client, body)).id;
const types = ({ events }: EventStream): string[] => events.map(({ event }) => event);
const has = (stream: EventStream, count: number): Promise<void> =>
  stream.until(({ length }) => length >= count, `${count} events have come`);
const told = ({ data }: StreamedEvent): unknown => data['data'];
const addCard = (project: string, label = 'x'): Promise<Wire<CardResponse>> =>
  client.post<CardResponse>(`/projects/${project}/cards`, { card_type: 'kpi', label });

beforeAll(async () => {
  session = await service.session();
  client = session.client;
});
afterEach(() => {
  for (const stream of streams.splice(0)) stream.close();
});

describe('the event stream of a project', () => {
  it('reports changes and their authors in envelopes numbered from 1', async () => {
    const project = await newProject();
    const stream = await open(project);
    const card = await addCard(project);
    await has(stream, 1);
    expect(stream.events).toEqual([
      {
        id: '1',
        event: 'cards.changed',
        text: JSON.stringify(stream.events[0]?.data),
        data: {
          id: 1,
          type: 'cards.changed',
          project_id: project,
          at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
          actor: { kind: 'user', id: session.user },
          data: { card_ids: [card.id], removed_card_ids: [] },
        },
      },
    ]);
    expect(stream.response.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store, no-transform',
    });
  });

  it('reports every kind of change', async () => {
    const { handle } = await makeDeployment(client, { instructions: 'Be brief.' });
    const friend = await member();
    await friend.client.get('/me');
    const project = await newProject();
    const stream = await open(project);
    const at = `/projects/${project}`;
    const place = { source: 'workspace', project_id: project } as const;
    const card = await addCard(project);
    await client.send('PATCH', `${at}/cards/${card.id}`, { body: { version: 1, label: 'y' } });
    await client.send('PATCH', `${at}/cards/${card.id}`, { body: { version: 2, label: 'y' } });
    await client.delete(`${at}/cards/${card.id}`);
    await client.send('PATCH', at, { body: { name: 'New', description: null } });
    await client.post(`${at}/snapshots`, {});
    await client.put(`${at}/members/${friend.user}`, { role: 'viewer' });
    await client.delete(`${at}/members/${friend.user}`);
    await makeFile(client, place, 'a/b.csv', 'x');
    await client.post('/files/mkdir', { ...place, path: 'c' });
    await client.post('/files/mkdir', { ...place, path: 'c' });
    await client.post('/files/batch-move', { ...place, moves: [{ source_path: 'a/b.csv', dest_path: 'd.csv' }] });
    await client.post('/files/delete', { ...place, path: 'd.csv' });
    await client.post('/files/batch-delete', {
      ...place,
      paths: ['c', ...Array.from({ length: 100 }, (_, i) => `none-${i}`)],
    });
    const { id: conversation } = await client.post<{ id: string }>(`${at}/conversations`, { title: 'One' });
    await client.send('PATCH', `${at}/conversations/${conversation}`, { body: { title: 'Two' } });
    await client.delete(`${at}/conversations/${conversation}`);
    const scenario = await client.post<{ id: string }>(`${at}/scenarios`, { name: 'S', changes: [] });
    await client.delete(`${at}/scenarios/${scenario.id}`);
    await client.put(`${at}/skills/own`, { files: { 'SKILL.md': '---\nname: own\ndescription: x\n---\n' } });
    await client.post(`${at}/agent-config/pull`, { from_deployment: handle });
    await has(stream, 19);
    expect(stream.events.map((event) => [event.event, told(event)])).toEqual(
      [
        ['cards.changed', { card_ids: [card.id], removed_card_ids: [] }],
        ['cards.changed', { card_ids: [card.id], removed_card_ids: [] }],
        ['cards.changed', { card_ids: [], removed_card_ids: [card.id] }],
        ['project.updated', { fields: ['name', 'description'] }],
        ['project.updated', { fields: ['current_snapshot_id', 'snapshots'] }],
        ['member.changed', { user_id: friend.user, role: 'viewer' }],
        ['member.changed', { user_id: friend.user, role: null }],
        ['files.changed', { paths: ['a/b.csv'], count: 1 }],
        ['files.changed', { paths: ['c'], count: 1 }],
        ['files.changed', { paths: ['a/b.csv', 'd.csv'], count: 2 }],
        ['files.changed', { paths: ['d.csv'], count: 1 }],
        ['files.changed', { paths: null, count: 101 }],
        ['conversation.changed', { conversation_id: conversation, deleted: false }],
        ['conversation.changed', { conversation_id: conversation, deleted: false }],
        ['conversation.changed', { conversation_id: conversation, deleted: true }],
        ['scenario.changed', { scenario_id: scenario.id, deleted: false }],
        ['scenario.changed', { scenario_id: scenario.id, deleted: true }],
        ['config.changed', { skill: 'own' }],
        ['config.changed', { skill: null }],
      ].slice(0, stream.events.length),
    );
  });

  it('reports turns and the changes that the agent makes in them', async () => {
    script = async function* () {
      yield await Promise.resolve(say('One'));
    };
    const project = await newProject();
    const stream = await open(project);
    await client.post(`/projects/${project}/chat`, { content: 'Hello' });
    const { messages, conversation_id } = await idle(client, project);
    await has(stream, 4);
    const turn_id = (told(stream.events[1] as StreamedEvent) as { turn_id: string }).turn_id;
    const [asked, answered] = messages;
    expect(stream.events.map(({ data }) => [data['type'], data['actor'], data['data']])).toEqual([
      ['message.created', { kind: 'user', id: session.user }, { conversation_id, message_id: asked?.id, role: 'user' }],
      ['turn.dispatched', { kind: 'user', id: session.user }, { conversation_id, turn_id }],
      [
        'message.created',
        { kind: 'agent', id: turn_id },
        { conversation_id, message_id: answered?.id, role: 'assistant' },
      ],
      [
        'turn.ended',
        { kind: 'agent', id: turn_id },
        { conversation_id, turn_id, outcome: 'completed', message_id: answered?.id },
      ],
    ]);
  });

  it('reports solves from start to end, including their progress', async () => {
    const project = await newProject();
    const place = { source: 'workspace', project_id: project } as const;
    await makeFile(client, place, 'm.lp', 'Minimize\n obj: x\nSubject To\n c: x >= 1\nEnd\n');
    const stream = await open(project);
    const { id } = await client.post<{ id: string }>(`/projects/${project}/solve/executions`, {
      input_file_ids: ['m.lp'],
    });
    const statuses = (): unknown[] =>
      stream.named('execution.changed').map((event) => [told(event), event.data['actor']]);
    await stream.until(() => statuses().length === 3, 'the solve is over', 20_000);
    const by = { kind: 'execution', id };
    expect(statuses()).toEqual([
      [
        { execution_id: id, status: 'queued' },
        { kind: 'user', id: session.user },
      ],
      [{ execution_id: id, status: 'running' }, by],
      [{ execution_id: id, status: 'succeeded' }, by],
    ]);
    expect(stream.named('execution.progress')[0]?.data).toMatchObject({
      actor: by,
      data: { execution_id: id, progress: { phase: expect.any(String), nodes: expect.any(Number) } },
    });
    expect(stream.named('files.changed').map(told)).toMatchObject([{ paths: [`results/${id}.json`] }]);
  });

  it('contains an event for every committed change and no events for changes that were rolled back', async () => {
    const project = await newProject();
    const stream = await open(project);
    const refused = await client.send('POST', `/projects/${project}/scenarios`, {
      body: { name: 'S', changes: [{ kind: 'value', card: 'nothing', value: 1 }] },
    });
    expect(refused.status).toBe(422);
    const card = await addCard(project);
    await has(stream, 1);
    expect(stream.events[0]?.id).toBe('1');
    // The statement that numbers the events fails without this row, after all other statements have succeeded.
    await service.database.query('DELETE FROM event_heads WHERE stream_id = $1', [project]);
    const failed = await fetch(`${service.url}/api/v1/projects/${project}/cards/${card.id}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${session.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ version: 1, label: 'z' }),
    });
    expect(failed.status).toBe(500);
    const { cards } = await client.get<{ cards: CardResponse[] }>(`/projects/${project}/cards`);
    expect(cards.map(({ label }) => label)).toEqual(['x']);
  });
});

describe('a reader', () => {
  it('receives every event after its position exactly once', async () => {
    const project = await newProject();
    const count = 450;
    const whole = await open(project);
    await service.database.query(
      `WITH h AS (UPDATE event_heads SET last_id = $2 WHERE stream_id = $1)
       INSERT INTO events (stream_id, id, type, at, actor_kind, data)
       SELECT $1, i, 'cards.changed', now(), 'service', '{}' FROM generate_series(1, $2::integer) i`,
      [project, count],
    );
    const late = await after(project, 7);
    await Promise.all([has(whole, count), has(late, count - 7)]);
    expect(whole.events.map(({ id }) => id)).toEqual(Array.from({ length: count }, (_, i) => String(i + 1)));
    expect(late.events.map(({ id }) => id)).toEqual(Array.from({ length: count - 7 }, (_, i) => String(i + 8)));
  });

  it.each(['x', '9', '-1', '1e3', '99999999999999999999'])(
    'receives a resync for the unknown position %j',
    async (position) => {
      const project = await newProject();
      await addCard(project);
      const stream = await after(project, position);
      await has(stream, 1);
      expect(stream.events).toMatchObject([{ event: 'resync', data: { reason: 'unknown_position' } }]);
      await addCard(project);
      await has(stream, 2);
      expect(stream.events[1]).toMatchObject({ id: '2', event: 'cards.changed' });
    },
  );

  it('receives a resync if missed events were removed, but no events are removed within a day', async () => {
    const project = await newProject();
    for (const label of ['a', 'b', 'c']) await addCard(project, label);
    const age = (id: number, interval: string) =>
      service.database.query('UPDATE events SET at = now() - $3::interval WHERE stream_id = $1 AND id = $2', [
        project,
        id,
        interval,
      ]);
    await age(1, '24 h 1 min');
    await age(2, '23 h 59 min');
    await doPeriodicWork(service.database, 'remove_old_events');
    const kept = async (): Promise<number[]> => {
      const sql = 'SELECT id::integer FROM events WHERE stream_id = $1 ORDER BY id';
      return (await service.database.query<{ id: number }>(sql, [project])).rows.map(({ id }) => id);
    };
    await eventually(kept, ({ length }) => length < 3, { until: 'old events are gone' });
    expect(await kept()).toEqual([2, 3]);
    const missed = await after(project, 0);
    await has(missed, 1);
    expect(missed.events).toMatchObject([{ event: 'resync', data: { reason: 'evicted' } }]);
    const complete = await after(project, 1);
    await has(complete, 2);
    expect(types(complete)).toEqual(['cards.changed', 'cards.changed']);
  });

  it('receives the deletion event before its stream ends, and can resume after the project is restored', async () => {
    script = twoParts(gate());
    const project = await newProject();
    await client.post(`/projects/${project}/chat`, { content: 'Hello' });
    const stream = await open(project);
    await client.delete(`/projects/${project}`);
    await stream.over();
    expect(types(stream).slice(-2)).toEqual(['turn.ended', 'project.deleted']);
    expect((await open(project)).status).toBe(404);
    await client.post(`/projects/${project}/restore`, {});
    const back = await after(project, stream.events.at(-1)?.id ?? '');
    await has(back, 1);
    expect(types(back)).toEqual(['project.restored']);
  });

  it('receives events of a private project only while it has access', async () => {
    const [friend, stranger] = [await member(), await member()];
    for (const { client: seen } of [friend, stranger]) await seen.get('/me');
    const project = await newProject({ visibility: 'private' });
    await client.put(`/projects/${project}/members/${friend.user}`, { role: 'viewer' });
    expect((await open(project, {}, stranger)).status).toBe(404);
    const stream = await open(project, {}, friend);
    expect(stream.status).toBe(200);
    await client.delete(`/projects/${project}/members/${friend.user}`);
    const began = performance.now();
    await stream.over();
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  it('is disconnected when its key is revoked or its token expires', async () => {
    const project = await newProject();
    const key = await client.post<{ id: string; key: string }>('/api-keys', { name: 'k' });
    const stream = await open(project, {}, { ...session, token: key.key });
    const short = await open(project, {}, await member({ expiresIn: 2 }));
    expect([stream.status, short.status]).toEqual([200, 200]);
    await client.delete(`/api-keys/${key.id}`);
    await Promise.all([stream.over(), short.over()]);
  });

  it('can have at most 20 streams, including chat and event streams', async () => {
    const project = await newProject();
    const busy = await member();
    for (let at = 0; at < 20; at += 1) {
      const stream = await open(project, { of: at % 2 === 0 ? 'events' : 'chat/stream' }, busy);
      expect(stream.status).toBe(200);
    }
    const refused = await open(project, {}, busy);
    expect([refused.status, refused.response.headers['retry-after']]).toEqual([429, '5']);
    expect((await open(project, { of: 'chat/stream' }, busy)).status).toBe(429);
    expect((await open(project, {}, await member())).status).toBe(200);
  });
});

it('sends every event to each of a thousand readers', async () => {
  const project = await newProject();
  const readers = await Promise.all(Array.from({ length: 50 }, () => member()));
  for (const reader of readers) await Promise.all(Array.from({ length: 20 }, () => open(project, {}, reader)));
  expect(streams.map(({ status }) => status)).toEqual(Array.from({ length: 1_000 }, () => 200));
  for (const label of ['a', 'b', 'c']) await addCard(project, label);
  const got = () => Promise.resolve(streams.map(({ events }) => events.map(({ id }) => id).join()));
  await eventually(got, (ids) => ids.every((of) => of === '1,2,3'), { until: 'all have all', deadlineMs: 20_000 });
}, 60_000);

it('sends changes made in other processes, even without notifications', async () => {
  script = async function* () {
    yield await Promise.resolve(say('One'));
  };
  const apart = await makeEnvironment();
  const [one, other] = await Promise.all([
    ScriptedService.start(apart, script, 'api'),
    ScriptedService.start(apart, script, 'all'),
  ]);
  const { client: caller, token, company, user } = await one.session();
  const { client: elsewhere } = await other.session({ company, user });
  const { id } = await makeProject(caller);
  const database = new pg.Client(apart.databaseUrl);
  await database.connect();
  const stream = await EventStream.open(one.url, token, id, { of: 'events' });
  const add = () => elsewhere.post(`/projects/${id}/cards`, { card_type: 'kpi', label: 'x' });
  await add();
  await has(stream, 1);
  await database.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name LIKE '%notifications' AND datname = current_database()`,
  );
  await database.end();
  await add();
  await has(stream, 2);
  await Promise.all([one.stop(), other.stop()]);
  await stream.over();
  await removeEnvironment(apart);
});
