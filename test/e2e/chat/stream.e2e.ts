import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { AgentEvent } from '../../../src/agent/agent.js';
import type { ChatResponse, ConversationSyncResponse } from '../../../src/chat/chat.dto.js';
import { StreamReadsRepository } from '../../../src/chat/stream/stream-reads.repository.js';
import { TurnReaperService } from '../../../src/chat/turns/turn-reaper.service.js';
import { OpenStreamsService } from '../../../src/projects/streams/open-streams.service.js';
import { DatabaseService } from '../../../src/database/database.service.js';
import { makeProject } from '../../factories/make.js';
import { idle } from '../../factories/turns.js';
import type { Client, Wire } from '../../support/client.js';
import { untilBlocked } from '../../support/blocked.js';
import { eventually } from '../../support/eventually.js';
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
import { EventStream, foldMessage, type Message, type StreamOptions } from '../../support/stream.js';

type Sync = Wire<ConversationSyncResponse>;

let script: Script;
const service = useScriptedService((context) => script(context));
let session: Session;
let client: Client;
const streams: EventStream[] = [];

const answer: Script = async function* () {
  yield await Promise.resolve(say('One'));
  yield { type: 'tool_started', id: 'call-1', tool: 'read_file', input: { path: 'a.csv' } };
  yield { type: 'tool_completed', id: 'call-1', result: { rows: 3 } };
  yield say(' two.\n\u2028é🙂');
};
const gate = useGates();
const post = (project: string, content: string) => client.post<ChatResponse>(`/projects/${project}/chat`, { content });
const sync = (project: string): Promise<Sync> => client.get<ConversationSyncResponse>(`/projects/${project}/chat/sync`);
const newProject = async (): Promise<string> => (await makeProject(client)).id;
const open = async (project: string, options?: StreamOptions, by = session, from = service): Promise<EventStream> => {
  const stream = await EventStream.open(from.url, by.token, project, options);
  streams.push(stream);
  return stream;
};
const said = (project: string, text: string): Promise<Sync> =>
  eventually(
    () => sync(project),
    ({ messages }) => messages.some(({ content }) => content === text),
    { until: `the agent has said ${text}` },
  );
const member = (options: SessionOptions = {}): Promise<Session> =>
  service.session({ company: session.company, role: 'member', ...options });
/** Returns the ids of the events in a single turn, from `first` to `last`. */
const ids = (turn: unknown, last: number, first = 0): string[] =>
  Array.from({ length: last - first + 1 }, (_, index) => `${String(turn)}:${first + index}`);

beforeAll(async () => {
  session = await service.session();
  client = session.client;
});

afterEach(() => {
  for (const stream of streams.splice(0)) stream.close();
});

describe('a stream', () => {
  it('contains all messages and all turn events in order, and the events of a turn add up to its message', async () => {
    script = answer;
    const project = await newProject();
    const stream = await open(project);
    const posted = await post(project, 'Hello');
    await stream.ended();
    await post(project, 'Again');
    await stream.ended(2);
    const names = [
      'message.created',
      'turn.dispatched',
      'turn.started',
      'text.delta',
      'tool.started',
      'tool.finished',
      'text.delta',
      'turn.ended',
    ];
    expect(stream.events.map(({ event }) => event)).toEqual([...names, ...names]);
    const { messages } = await idle(client, project);
    expect(stream.events[0]?.data['message']).toEqual(posted.message);
    const turns = stream.named('turn.dispatched').map(({ data }) => data['turn_id']);
    expect(stream.events.flatMap(({ id }) => id ?? [])).toEqual(turns.flatMap((turn) => ids(turn, 5)));
    const folded = stream.events.slice(2, 8).reduce<Message | null>(foldMessage, null);
    expect(folded).toEqual(messages[1]);
    expect(stream.events[7]?.data).toEqual({ outcome: 'completed', message: messages[1] });
    expect(stream.events[2]?.data).toMatchObject({
      message_id: messages[1]?.id,
      message: { content: '', is_partial: true },
    });
  });

  it('shows all readers the answer to a question in an already finished message', async () => {
    script = async function* ({ messages }) {
      if (messages.some(({ answer: given }) => given !== null)) {
        yield await Promise.resolve(say('Thanks.'));
        return;
      }
      const questions = [{ question: 'Which?', header: 'Choice', options: [{ label: 'This' }, { label: 'That' }] }];
      yield { type: 'tool_started', id: 'ask', tool: 'ask_user_question', input: { questions } };
      yield { type: 'tool_completed', id: 'ask', result: null };
    };
    const project = await newProject();
    await post(project, 'Ask me');
    await idle(client, project);
    const stream = await open(project);
    const body = { content: '', answer: { selections: { '0': 'That' } } };
    await client.post<ChatResponse>(`/projects/${project}/chat`, body);
    await stream.ended();
    const { messages } = await idle(client, project);
    const [updated, ...others] = stream.named('message.updated');
    expect(others).toEqual([]);
    expect(updated?.id).toBeUndefined();
    expect(updated?.data).toEqual({ message: messages[1] });
    expect(messages[1]?.tool_calls).toMatchObject([{ id: 'ask', result: { selections: { '0': 'That' } } }]);
  });

  it('does not send a response until it has read its position', async () => {
    const project = await newProject();
    const database = service.app.get(DatabaseService);
    let isOpen = false;
    let opening: Promise<EventStream> | undefined;
    await database.transaction(async (tx) => {
      await tx.query('LOCK TABLE turns IN ACCESS EXCLUSIVE MODE');
      opening = open(project).then((stream) => {
        isOpen = true;
        return stream;
      });
      await untilBlocked((text, values) => database.manager.query(text, values), {
        about: 'last_sequence AS sequence',
      });
      expect(isOpen).toBe(false);
    });
    expect((await opening)?.status).toBe(200);
  });

  it('prevents buffering by proxies and sends the same bytes as the history endpoint', async () => {
    script = answer;
    const project = await newProject();
    const stream = await open(project);
    expect(stream.response.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    });
    await post(project, 'Zeile\n"quoted" \\ \u2028 é 🙂');
    await stream.ended();
    const headers = { authorization: `Bearer ${session.token}` };
    const history = await (await fetch(`${service.url}/api/v1/projects/${project}/chat`, { headers })).text();
    const [, created] = /^\{"message":(.*)\}$/s.exec(stream.events[0]?.text ?? '') ?? [];
    const [, ended] = /^\{"outcome":"completed","message":(.*)\}$/s.exec(stream.events.at(-1)?.text ?? '') ?? [];
    expect(history).toContain(`{"messages":[${created},${ended}],`);
  });

  it('begins at the start of the active turn, or at the position from sync', async () => {
    const middle = gate();
    script = twoParts(middle);
    const project = await newProject();
    await post(project, 'Hello');
    const { turn } = await said(project, 'One');
    const [whole, rest] = [
      await open(project),
      await open(project, { query: { turn_id: turn.turn_id ?? '', from_seq: turn.next_seq } }),
    ];
    middle.open();
    await Promise.all([whole.ended(), rest.ended()]);
    expect(whole.events.map(({ id, event }) => id ?? event)).toEqual(['turn.dispatched', ...ids(turn.turn_id, 3)]);
    expect(rest.events.map(({ id }) => id)).toEqual(ids(turn.turn_id, 3, turn.next_seq));
  });

  it('continues after Last-Event-ID through later turns and the messages between them', async () => {
    script = answer;
    const project = await newProject();
    const stream = await open(project);
    await post(project, 'Hello');
    await stream.ended();
    stream.close();
    const seen = stream.events.at(-2)?.id ?? '';
    await post(project, 'Again');
    await idle(client, project);
    const resumed = await open(project, { headers: { 'last-event-id': seen }, query: { turn_id: 'ignored' } });
    await resumed.ended(2);
    const turn = resumed.named('turn.dispatched')[0]?.data['turn_id'];
    expect(resumed.events.map(({ id, event }) => id ?? event)).toEqual([
      'message.created',
      stream.events.at(-1)?.id,
      'turn.dispatched',
      ...ids(turn, 5),
    ]);
  });

  it('sends long missed messages one after another rather than all at once', async () => {
    script = answer;
    const project = await newProject();
    const first = await open(project);
    await post(project, 'Hello');
    await first.ended();
    const last = first.events.at(-1)?.id ?? '';
    first.close();
    const texts = Array.from({ length: 6 }, (_, number) => `${number} ${'x'.repeat(99_000)}`);
    for (const text of texts) await post(project, text);
    const { conversation_id } = await idle(client, project);
    const cursor = { turn_id: last.slice(0, 36), next_seq: 5, sequence: 1, announced: true };
    const following = await service.app.get(StreamReadsRepository).following(conversation_id, cursor);
    expect(JSON.stringify(following?.messages).length).toBeLessThan(450_000);
    const stream = await open(project, { headers: { 'last-event-id': last } });
    await stream.ended();
    const created = stream.named('message.created').map(({ data }) => (data['message'] as Message).content);
    expect(created).toEqual(texts);
  });

  it('reports a failed turn and the system message about it', async () => {
    script = async function* () {
      yield await Promise.resolve(say('One'));
      throw new Error('secret');
    };
    const project = await newProject();
    const stream = await open(project);
    await post(project, 'Hello');
    await stream.ended();
    expect(stream.named('turn.ended')[0]?.data).toMatchObject({ outcome: 'failed', message: { content: 'One' } });
    expect(stream.named('message.created').map(({ data }) => (data['message'] as Message).role)).toEqual([
      'user',
      'system',
    ]);
  });

  it('contains only events from its own conversation', async () => {
    script = answer;
    const project = await newProject();
    const { id } = await client.post<{ id: string }>(`/projects/${project}/conversations`, {});
    const [stream, other] = [await open(project, { query: { conversation_id: id } }), await open(project)];
    await client.post(`/projects/${project}/chat`, { content: 'x', conversation_id: id });
    await stream.ended();
    expect(other.events).toEqual([]);
  });

  it.each(['', 'nothing', '01a1fdd8-aae9-7686-bf03-000000000000'])(
    'returns 404 for an unknown conversation: %j',
    async (conversation_id) => {
      const project = await newProject();
      expect((await open(project, { query: { conversation_id } })).status).toBe(404);
      const stranger = await service.session();
      expect((await open(project, {}, stranger)).status).toBe(404);
    },
  );
});

describe('resync', () => {
  const UNKNOWN = '01a1fdd8-aae9-7686-bf03-000000000000';

  it.each<[string, StreamOptions]>([
    ['an unknown turn', { query: { turn_id: UNKNOWN } }],
    ['an invalid turn id', { query: { turn_id: 'nothing' } }],
    ['an invalid event id', { headers: { 'last-event-id': '17' } }],
    ['an event number that is too large', { headers: { 'last-event-id': `${UNKNOWN}:999999999999` } }],
  ])('is sent for %s, after which the stream continues', async (_, options) => {
    script = answer;
    const project = await newProject();
    const stream = await open(project, options);
    await stream.until(({ length }) => length === 1, 'something has come');
    expect(stream.events).toMatchObject([{ event: 'resync', data: { reason: 'unknown_position' } }]);
    await post(project, 'Hello');
    await stream.ended();
  });

  it('is sent for a position past the end of the turn or in another conversation', async () => {
    script = answer;
    const [project, other] = [await newProject(), await newProject()];
    const follower = await open(project);
    await post(project, 'Hello');
    await follower.ended();
    const turn_id = String(follower.named('turn.dispatched')[0]?.data['turn_id']);
    const beyond = await open(project, { query: { turn_id, from_seq: 7 } });
    const foreign = await open(other, { query: { turn_id } });
    for (const stream of [beyond, foreign]) {
      await stream.until(({ length }) => length === 1, 'something has come');
      expect(stream.events).toMatchObject([{ event: 'resync', data: { reason: 'unknown_position' } }]);
    }
  });

  it('is sent for a position whose events were removed, ten minutes after the end of the turn and no earlier', async () => {
    script = answer;
    const project = await newProject();
    const stream = await open(project);
    await post(project, 'Hello');
    await stream.ended();
    const turn_id = String(stream.named('turn.dispatched')[0]?.data['turn_id']);
    const age = (interval: string) =>
      service.database.query(`UPDATE turns SET ended_at = clock_timestamp() - $2::interval WHERE id = $1`, [
        turn_id,
        interval,
      ]);
    const kept = async (): Promise<number> =>
      (await service.database.query('SELECT FROM turn_events WHERE turn_id = $1', [turn_id])).rowCount ?? 0;
    await age('9 min 50 s');
    await service.app.get(TurnReaperService).recover();
    expect(await kept()).toBe(6);
    await age('10 min 10 s');
    await service.app.get(TurnReaperService).recover();
    expect(await kept()).toBe(0);
    const late = await open(project, { query: { turn_id, from_seq: 2 } });
    await late.until(({ length }) => length === 1, 'it was told');
    expect(late.events).toMatchObject([{ event: 'resync', data: { reason: 'evicted' } }]);
    // A reader that already has all of the turn's events gets no resync.
    const complete = await open(project, { headers: { 'last-event-id': `${turn_id}:5` } });
    await post(project, 'Again');
    await complete.ended();
    expect(complete.named('resync')).toEqual([]);
  });
});

describe('a reader that stops reading', () => {
  /** Returns an event of half a megabyte that does not make the message longer. */
  const large = (project_id: string): AgentEvent => {
    const at = new Date();
    const rest = { project_id, card_type: 'data', label: 'x', status: 'draft' as const, version: 1, gaps: [] };
    const card = {
      ...rest,
      id: 'a',
      data: { x: 'x'.repeat(500_000) },
      created_at: at,
      updated_at: at,
      instance_data: {},
    };
    return { type: 'cards_changed', cards: [card] };
  };

  afterEach(() => void Object.assign(service.app.get(OpenStreamsService).times, { stallMs: 10_000, lingerMs: 5_000 }));

  it('is disconnected after a resync event, while other readers and the turn continue', async () => {
    // The slow reader reads its data only after the turn, so the linger time must not expire before then.
    Object.assign(service.app.get(OpenStreamsService).times, { stallMs: 300, lingerMs: 60_000 });
    const project = await newProject();
    script = async function* () {
      for (let number = 0; number < 40; number += 1) yield await Promise.resolve(large(project));
    };
    const [slow, quick] = [await open(project), await open(project)];
    slow.pause();
    const before = process.memoryUsage();
    await post(project, 'Hello');
    await quick.until((events) => events.some(({ event }) => event === 'turn.ended'), 'the turn has ended', 25_000);
    await eventually(
      () => Promise.resolve(service.app.get(OpenStreamsService).size),
      (size) => size === 1,
      { until: 'the slow one was cut off' },
    );
    slow.resume();
    await slow.over();
    const grown =
      process.memoryUsage().arrayBuffers + process.memoryUsage().external - before.arrayBuffers - before.external;
    expect(grown).toBeLessThan(100 * 1024 ** 2);
    expect(slow.named('turn.ended')).toEqual([]);
    expect(slow.events.at(-1)).toMatchObject({ event: 'resync', data: { reason: 'too_slow' } });
    // The received events have no gap, and the remaining events can be fetched.
    const seen = slow.events.flatMap(({ id }) => id ?? []);
    const all = quick.events.flatMap(({ id }) => id ?? []);
    expect(seen).toEqual(all.slice(0, seen.length));
    const resumed = await open(project, { headers: { 'last-event-id': seen.at(-1) ?? '' } });
    await resumed.ended();
    expect([...seen, ...resumed.events.flatMap(({ id }) => id ?? [])]).toEqual(all);
  });
});

describe('streams of a person', () => {
  it('are limited to 20 at a time', async () => {
    const project = await newProject();
    const [somebody, other] = [await member(), await member()];
    const first = await Promise.all(Array.from({ length: 20 }, () => open(project, {}, somebody)));
    expect(new Set(first.map(({ status }) => status))).toEqual(new Set([200]));
    const refused = await open(project, {}, somebody);
    expect(refused.status).toBe(429);
    expect(Number(refused.response.headers['retry-after'])).toBeGreaterThan(0);
    expect((await open(project, {}, other)).status).toBe(200);
    first[0]?.close();
    await eventually(
      async () => (await open(project, {}, somebody)).status,
      (status) => status === 200,
      { until: 'there is room' },
    );
  });

  it('are closed when the token expires', async () => {
    const project = await newProject();
    const stream = await open(project, {}, await member({ expiresIn: 2 }));
    expect(stream.status).toBe(200);
    const began = performance.now();
    await stream.over();
    expect(performance.now() - began).toBeLessThan(2_500);
  });

  it('receive pings', async () => {
    const { times } = service.app.get(OpenStreamsService);
    expect(times.pingMs).toBe(15_000);
    times.pingMs = 50;
    const stream = await open(await newProject());
    times.pingMs = 15_000;
    await eventually(
      () => Promise.resolve(stream.received),
      (text) => text.includes(': ping\n\n: ping\n\n'),
      {
        until: 'two pings have come',
      },
    );
    expect(stream.events).toEqual([]);
  });

  it('can be closed without affecting the turn', async () => {
    const middle = gate();
    script = twoParts(middle);
    const project = await newProject();
    const stream = await open(project);
    await post(project, 'Hello');
    await stream.until((events) => events.some(({ event }) => event === 'text.delta'), 'the agent speaks');
    stream.close();
    middle.open();
    expect((await idle(client, project)).messages[1]?.content).toBe('One two.');
  });
});

describe('streams across processes', () => {
  it('show a turn that runs in another process, even without notifications', async () => {
    script = answer;
    const apart = await makeEnvironment();
    const [api, worker] = await Promise.all([
      ScriptedService.start(apart, answer, 'api'),
      ScriptedService.start(apart, answer, 'worker'),
    ]);
    const { client: caller, token } = await api.session();
    const { id } = await makeProject(caller);
    const stream = await EventStream.open(api.url, token, id);
    await caller.post(`/projects/${id}/chat`, { content: 'Hello' });
    await stream.ended();

    // A reader needs only the table, not the notifications.
    await caller.post(`/projects/${id}/chat`, { content: 'Lost' });
    const watcher = new pg.Client(apart.databaseUrl);
    await watcher.connect();
    await watcher.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name LIKE '%notifications' AND datname = current_database()`,
    );
    await stream.ended(2);
    await caller.post(`/projects/${id}/chat`, { content: 'And again' });
    await stream.ended(3);
    expect(stream.events.flatMap(({ id: event }) => event ?? [])).toEqual(
      stream.named('turn.dispatched').flatMap(({ data }) => ids(data['turn_id'], 5)),
    );
    await watcher.end();

    // Streams end immediately when their process stops.
    const began = performance.now();
    await api.stop();
    expect(performance.now() - began).toBeLessThan(1_500);
    await stream.over();
    await worker.stop();
    await removeEnvironment(apart);
  });
});
