import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  ConnectionError,
  type ConversationState,
  NotFoundError,
  type ProjectEvent,
  type Resync,
  type WorkspaceClient,
} from '@project-workspace/client';
import pg from 'pg';
import { makeProject } from '../../factories/make.js';
import { eventually } from '../../support/eventually.js';
import { isLongForm } from '../../support/long-form.js';
import { RANDOM_AGENT } from '../../support/random-agent.js';
import { makeEnvironment, removeEnvironment, Service, type ServiceEnvironment } from '../../support/service.js';
import type { Session } from '../../support/session.js';
import { TcpProxy } from '../../support/tcp-proxy.js';
import { checkedFetch, typedClient } from '../../support/typed-client.js';

const HASTY = { minDelayMs: 10, maxDelayMs: 100 };
const DISCONNECTS = isLongForm ? 20 : 9;

let environment: ServiceEnvironment;
let api: Service;
let worker: Service;
let proxy: TcpProxy;
let database: pg.Client;
let session: Session;
/** Client that reaches the service without the proxy. */
let direct: WorkspaceClient;
const start = (ROLE: string, PORT = '0'): Promise<Service> =>
  Service.start({
    environment,
    settings: { ...RANDOM_AGENT.settings, ROLE, PORT },
    // Only workers run agents.
    preload: ROLE === 'worker' ? RANDOM_AGENT.preload : [],
  });

beforeAll(async () => {
  environment = await makeEnvironment();
  [api, worker] = await Promise.all([start('api'), start('worker')]);
  proxy = await TcpProxy.start(Number(new URL(api.url).port));
  database = new pg.Client(environment.databaseUrl);
  await database.connect();
  session = await api.session();
  direct = typedClient(api.url, session, { retry: HASTY });
}, 60_000);

afterAll(async () => {
  await proxy.stop();
  await Promise.all([api.stop(), worker.stop()]);
  await database.end();
  await removeEnvironment(environment);
}, 60_000);

/** Returns a client behind the proxy, and the number of streams that it has opened. */
function behindProxy(options: { token?: () => Promise<string> } = {}): {
  client: WorkspaceClient;
  opened: () => number;
} {
  let opened = 0;
  const client = typedClient(`http://127.0.0.1:${proxy.port}`, session, {
    retry: { ...HASTY, maxRetries: 100 },
    ...options,
    fetch: async (request) => {
      const response = await checkedFetch(request);
      if (response.headers.get('content-type') === 'text/event-stream') opened += 1;
      return response;
    },
  });
  return { client, opened: () => opened };
}

const readers: AbortController[] = [];
afterEach(() => {
  for (const reader of readers.splice(0)) reader.abort('left');
});

/** Follows a conversation until it is stopped. `states` contains the yielded states. */
function following(client: WorkspaceClient, project: string) {
  const leaving = new AbortController();
  readers.push(leaving);
  const states: ConversationState[] = [];
  const interruptions: unknown[] = [];
  const connection = { isLost: false, resumptions: 0 };
  const over = (async () => {
    const options = {
      signal: leaving.signal,
      onInterruption: (error: unknown) => {
        interruptions.push(error);
        connection.isLost = true;
      },
      onResumption: () => {
        connection.isLost = false;
        connection.resumptions += 1;
      },
    };
    for await (const state of client.conversation(project).follow(options)) states.push(state);
  })().catch((error: unknown) => error);
  const leave = async (): Promise<unknown> => {
    leaving.abort('left');
    return await over;
  };
  return { states, interruptions, connection, leave, over };
}

const sync = async (project: string): Promise<ConversationState> => {
  const params = { path: { project_id: project } };
  return (await direct.GET('/api/v1/projects/{project_id}/chat/sync', { params })).data;
};
const settled = (project: string, answers: number): Promise<ConversationState> =>
  eventually(
    () => sync(project),
    ({ turn, messages }) =>
      turn.state === 'idle' && messages.filter(({ role }) => role === 'assistant').length >= answers,
    { until: `${answers} answers are there`, deadlineMs: 30_000 },
  );
const shown = async (states: ConversationState[], state: ConversationState): Promise<void> => {
  const seen = await eventually(
    () => Promise.resolve(states.at(-1)),
    (last) => JSON.stringify(last?.messages) === JSON.stringify(state.messages) && last?.turn.state === 'idle',
    { until: 'the reader has the end' },
  );
  expect(seen).toEqual(state);
};

describe('following a conversation', () => {
  it('reaches the same state as sync even if the connection breaks often and every process is killed', async () => {
    const { id: project } = await makeProject(session.client);
    const { client, opened } = behindProxy();
    const { states, interruptions, connection, leave } = following(client, project);
    let posts = 0;
    const post = async (): Promise<void> => {
      posts += 1;
      await client.conversation(project).post({ content: `Message ${posts}` });
    };
    const posting: Promise<void>[] = [];
    for (let cut = 0; cut < DISCONNECTS; cut += 1) {
      const before = cut === 0 ? 0 : opened();
      if (cut % 3 === 0) posting.push(post());
      await eventually(
        () => Promise.resolve(opened()),
        (now) => now > before,
        { until: `stream ${cut} is open` },
      );
      await pause(Math.random() * 200);
      proxy.become('cut');
      if (cut === 4) {
        await api.kill();
        api = await start('api', new URL(api.url).port);
      }
      if (cut === 7) {
        await worker.kill();
        worker = await start('worker');
        // Expires the lease on the process's turn, so that the test need not wait.
        await database.query(`UPDATE turns SET due_at = now() WHERE state <> 'ended'`);
      }
      proxy.become('whole');
    }
    await Promise.all(posting);
    expect(interruptions.length).toBeGreaterThanOrEqual(DISCONNECTS);

    const end = await settled(project, 1);
    await shown(states, end);
    await eventually(
      () => Promise.resolve(connection.isLost),
      (isLost) => !isLost,
      { until: 'the reader hears that it goes on' },
    );
    expect(connection.resumptions).toBeGreaterThan(0);
    expect(connection.resumptions).toBeLessThanOrEqual(interruptions.length);
    expect(await leave()).toBe('left');
    expect(
      end.messages
        .filter(({ role }) => role === 'user')
        .map(({ content }) => content)
        .sort(),
    ).toEqual(Array.from({ length: posts }, (_, index) => `Message ${index + 1}`));
    // No state has a gap, and text never disappears from one state to the next.
    expect(states.length).toBeGreaterThan(DISCONNECTS);
    for (const { messages } of states)
      expect(messages.map(({ sequence }) => sequence)).toEqual(messages.map((_, index) => index + 1));
    for (const { id, content } of end.messages) {
      const texts = states.flatMap(({ messages }) => messages.filter((message) => message.id === id));
      const lengths = texts.map((message) => message.content.length);
      expect(lengths).toEqual([...lengths].sort((a, b) => a - b));
      for (const text of texts) expect(content.startsWith(text.content)).toBe(true);
    }
  }, 60_000);

  it('reads the state from sync again if events are no longer available', async () => {
    const { id: project } = await makeProject(session.client);
    const { client, opened } = behindProxy();
    const { states, leave } = following(client, project);
    await eventually(
      () => Promise.resolve(opened()),
      (now) => now > 0,
      { until: 'the stream is open' },
    );
    await direct.conversation(project).post({ content: 'Go' });
    const isPartial = (): boolean => states.some(({ turn }) => turn.state === 'streaming');
    await eventually(() => Promise.resolve(isPartial()), Boolean, { until: 'the agent is seen to speak' });
    proxy.become('cut');
    const end = await settled(project, 1);
    await database.query('DELETE FROM turn_events');
    const before = states.length;
    proxy.become('whole');
    await shown(states, end);
    // Only the state from sync has arrived, because no event could be applied.
    expect(states).toHaveLength(before + 1);
    await leave();
  });

  it('continues with a new token when the old token expires', async () => {
    const { id: project } = await makeProject(session.client);
    const { company, user } = session;
    let given = 0;
    const { client } = behindProxy({
      token: async () => {
        given += 1;
        return (await api.session({ company, user, expiresIn: 2 })).token;
      },
    });
    const { states, leave } = following(client, project);
    await eventually(
      () => Promise.resolve(given),
      (tokens) => tokens > 1,
      { until: 'there is another token' },
    );
    await direct.conversation(project).post({ content: 'Still there?' });
    await shown(states, await settled(project, 1));
    await leave();
  });

  it('closes its stream when the caller stops reading, and reports a missing conversation', async () => {
    const { id: project } = await makeProject(session.client);
    // A caller may have at most 20 streams.
    for (let visit = 0; visit < 25; visit += 1) {
      const interruptions: unknown[] = [];
      const states = direct.conversation(project).follow({ onInterruption: (error) => interruptions.push(error) });
      const { value } = await states.next();
      expect([value?.messages, interruptions]).toEqual([[], []]);
      await states.return();
    }
    const { over } = following(direct, project);
    const { over: never } = following(direct, '01900000-0000-7000-8000-000000000000');
    expect(await never).toBeInstanceOf(NotFoundError);
    await direct.DELETE('/api/v1/projects/{project_id}', { params: { path: { project_id: project } } });
    expect(await over).toBeInstanceOf(NotFoundError);
    const aborted = direct.conversation(project).follow({ signal: AbortSignal.abort('early') });
    await expect(aborted.next()).rejects.toBe('early');
  });

  it('gives up if it cannot reach the service at the start, unless `isPatient` is set', async () => {
    const { id: project } = await makeProject(session.client);
    const client = typedClient(`http://127.0.0.1:${proxy.port}`, session, { retry: { ...HASTY, maxRetries: 1 } });
    proxy.become('cut');
    await expect(client.conversation(project).follow().next()).rejects.toBeInstanceOf(ConnectionError);
    let interruptions = 0;
    const options = { isPatient: true, onInterruption: () => (interruptions += 1) };
    const [states, events] = [client.conversation(project).follow(options), client.projectEvents(project, options)];
    const first = Promise.all([states.next(), events.next()]);
    await eventually(
      () => Promise.resolve(interruptions),
      (times) => times > 10,
      { until: 'both have been interrupted' },
    );
    proxy.become('whole');
    const [{ value: state }, { value: event }] = await first;
    expect([state?.messages, event]).toEqual([[], { type: 'resync', reason: 'opened' }]);
    await Promise.all([states.return(), events.return()]);
  });

  it('reports a stopped turn as idle', async () => {
    const { id: project } = await makeProject(session.client);
    const conversation = direct.conversation(project);
    await conversation.post({ content: 'Go' });
    for await (const { turn } of conversation.follow()) if (turn.state === 'streaming') break;
    const stopped = await conversation.stop();
    expect(stopped.stopped).toBe(true);
    for await (const { turn } of conversation.follow()) if (turn.state === 'idle') break;
  });
});

describe('the events of a project', () => {
  it('are delivered exactly once despite many disconnects and a killed process, until the project is deleted', async () => {
    const { id: project } = await makeProject(session.client);
    const { client, opened } = behindProxy();
    const got: (ProjectEvent | Resync)[] = [];
    const reader = new AbortController();
    readers.push(reader);
    const reading = (async () => {
      const { signal } = reader;
      for await (const event of client.projectEvents(project, { signal })) got.push(event);
    })();
    const path = { project_id: project };
    for (let cut = 0; cut < DISCONNECTS; cut += 1) {
      const before = opened();
      await direct.POST('/api/v1/projects/{project_id}/cards', {
        params: { path },
        body: { card_type: 'kpi', label: `Card ${cut}` },
      });
      if (cut === 0)
        await eventually(
          () => Promise.resolve(got.length),
          (seen) => seen > 1,
          { until: 'one has come' },
        );
      await pause(Math.random() * 50);
      proxy.become('cut');
      if (cut === 5) {
        await api.kill();
        api = await start('api', new URL(api.url).port);
      }
      proxy.become('whole');
      await eventually(
        () => Promise.resolve(opened()),
        (now) => now > before,
        { until: 'the stream is open' },
      );
    }
    // A reader that is disconnected when the project is deleted cannot reconnect.
    const isWhole = (): boolean => got.filter(({ type }) => type === 'cards.changed').length === DISCONNECTS;
    await eventually(() => Promise.resolve(isWhole()), Boolean, { until: 'all cards were told' });
    await direct.DELETE('/api/v1/projects/{project_id}', { params: { path } });
    await reading;
    const [first, ...events] = got;
    expect(first).toEqual({ type: 'resync', reason: 'opened' });
    const ids = events.map((event) => (event.type === 'resync' ? event.reason : event.id));
    expect(ids).toEqual(ids.map((_, index) => Number(ids[0]) + index));
    const cards = events.filter(({ type }) => type === 'cards.changed');
    expect(cards).toHaveLength(DISCONNECTS);
    expect(events.at(-1)?.type).toBe('project.deleted');
  }, 60_000);

  it('resume after a known event, and begin with a resync after an unknown event', async () => {
    const { id: project } = await makeProject(session.client);
    const path = { project_id: project };
    for (const name of ['A', 'B'])
      await direct.PATCH('/api/v1/projects/{project_id}', { params: { path }, body: { name } });
    const next = async (after: number): Promise<ProjectEvent | Resync | void> => {
      const events = direct.projectEvents(project, { after });
      const { value } = await events.next();
      await events.return();
      return value;
    };
    expect(await next(1)).toMatchObject({ id: 2, type: 'project.updated', data: { fields: ['name'] } });
    expect(await next(999)).toEqual({ type: 'resync', reason: 'unknown_position' });
  });
});
