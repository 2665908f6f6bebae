import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ChatResponse, ChatStopResponse, ConversationSyncResponse } from '../../../src/chat/chat.dto.js';
import type { ConversationResponse } from '../../../src/chat/conversations.dto.js';
import { TurnEndingsService } from '../../../src/chat/turns/turn-endings.service.js';
import type { LeasedTurn } from '../../../src/chat/turns/turns.repository.js';
import { DatabaseService } from '../../../src/database/database.service.js';
import { LeaseLost } from '../../../src/common/leases/lease.js';
import type { ProjectResponse } from '../../../src/projects/projects.dto.js';
import { makeProject } from '../../factories/make.js';
import { idle } from '../../factories/turns.js';
import type { Client, Wire } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { type Gate, say, type Script, ScriptedService, useGates } from '../../support/scripted-agent.js';
import { makeEnvironment, removeEnvironment, type ServiceEnvironment } from '../../support/service.js';
import type { Session } from '../../support/session.js';
import { EventStream } from '../../support/stream.js';

type Sync = Wire<ConversationSyncResponse>;

let script: Script;
let environment: ServiceEnvironment;
let api: ScriptedService;
let worker: ScriptedService;
let session: Session;
let client: Client;

const gate = useGates();
const post = (project: string, content: string) => client.post<ChatResponse>(`/projects/${project}/chat`, { content });
const stop = (project: string, body: object = {}) =>
  client.post<ChatStopResponse>(`/projects/${project}/chat/stop`, body);
const sync = (project: string): Promise<Sync> => client.get<ConversationSyncResponse>(`/projects/${project}/chat/sync`);
const newProject = async (): Promise<string> => (await makeProject(client)).id;
const running = (project: string, next_seq: number): Promise<Sync> =>
  eventually(
    () => sync(project),
    ({ turn }) => turn.state === 'streaming' && turn.next_seq >= next_seq,
    { until: `${next_seq} events are stored` },
  );
const contents = ({ messages }: Sync): string[] => messages.map(({ role, content }) => `${role}: ${content}`);
/** Script that speaks, starts a call, and then waits for an event that never comes. */
const speakAndWait = (over: Gate, aborted: () => void): Script =>
  async function* ({ signal }) {
    signal.addEventListener('abort', aborted);
    yield say('One');
    yield { type: 'usage', credits: 0.25 };
    yield { type: 'tool_started', id: 'call-1', tool: 'read_file', input: {} };
    await over.passed;
    yield say(' too late');
  };
const answerAll: Script = async function* ({ messages }) {
  const answered = messages.filter(({ to_answer }) => to_answer).map(({ content }) => content);
  yield await Promise.resolve(say(`Answer to ${answered.join(', ')}.`));
};

beforeAll(async () => {
  environment = await makeEnvironment();
  api = await ScriptedService.start(environment, (context) => script(context), 'api');
  worker = await ScriptedService.start(environment, (context) => script(context), 'worker');
  session = await api.session();
  client = session.client;
});

afterAll(async () => {
  await api.stop();
  await worker.stop();
  await removeEnvironment(environment);
});

describe('stopping a turn', () => {
  it('ends the turn immediately, even in another process, keeps its text, and leaves nothing running', async () => {
    const over = gate();
    let abortedAt = Infinity;
    script = speakAndWait(over, () => void (abortedAt = performance.now()));
    const project = await newProject();
    const stream = await EventStream.open(api.url, session.token, project);
    await post(project, 'Hello');
    const { turn, conversation_id } = await running(project, 3);
    const began = performance.now();
    expect(await stop(project, { turn_id: turn.turn_id })).toEqual({
      conversation_id,
      turn_id: turn.turn_id,
      stopped: true,
    });
    const after = await sync(project);
    expect(after.turn).toEqual({ state: 'idle', message_id: null, turn_id: null, next_seq: 0 });
    expect(contents(after)).toEqual(['user: Hello', 'assistant: One']);
    expect(after.messages[1]).toMatchObject({
      is_partial: false,
      tool_calls: [{ id: 'call-1', status: 'failed', error_code: 'stopped' }],
    });
    await stream.ended();
    expect(stream.named('turn.ended')[0]?.data).toEqual({ outcome: 'stopped', message: after.messages[1] });
    await eventually(() => Promise.resolve(abortedAt), Number.isFinite, { until: 'the agent was told' });
    expect(abortedAt - began).toBeLessThan(1_500);
    over.open();
    expect((await client.get<ProjectResponse>(`/projects/${project}`)).total_credits).toBe(0.25);
    expect(await sync(project)).toEqual(after);
    stream.close();
  });

  it('prevents the worker from ending the turn as well, so that the turn is counted once', async () => {
    script = speakAndWait(gate(), () => undefined);
    const project = await newProject();
    await post(project, 'Hello');
    const { turn } = await running(project, 3);
    const [held]: LeasedTurn[] = await api.app
      .get(DatabaseService)
      .manager.query('SELECT * FROM turns WHERE id = $1', [turn.turn_id]);
    if (held === undefined) throw new Error('The turn has no row');
    await stop(project);
    const before = await client.get<ProjectResponse>(`/projects/${project}`);
    const ending = worker.app.get(TurnEndingsService).end(held, 'owner', { outcome: 'completed' });
    await expect(ending).rejects.toThrow(LeaseLost);
    expect(await client.get<ProjectResponse>(`/projects/${project}`)).toEqual(before);
  });

  it('by deleting its conversation prevents the worker from ending the turn', async () => {
    script = speakAndWait(gate(), () => undefined);
    const project = await newProject();
    const conversations = `/projects/${project}/conversations`;
    const { id: conversation_id } = await client.post<ConversationResponse>(conversations, {});
    await client.post(`/projects/${project}/chat`, { content: 'Hello', conversation_id });
    const { manager } = api.app.get(DatabaseService);
    const [held] = await eventually(
      () =>
        manager.query<LeasedTurn[]>('SELECT * FROM turns WHERE conversation_id = $1 AND next_seq >= 3', [
          conversation_id,
        ]),
      ({ length }) => length > 0,
      { until: '3 events are stored' },
    );
    if (held === undefined) throw new Error('The turn has no row');
    await client.delete(`${conversations}/${conversation_id}`);
    const before = await client.get<ProjectResponse>(`/projects/${project}`);
    const ending = worker.app.get(TurnEndingsService).end(held, 'owner', { outcome: 'completed' });
    await expect(ending).rejects.toThrow(LeaseLost);
    expect(await client.get<ProjectResponse>(`/projects/${project}`)).toEqual(before);
  });

  it('leaves waiting messages unanswered until the next message is posted', async () => {
    script = speakAndWait(gate(), () => undefined);
    const project = await newProject();
    await post(project, 'Hello');
    await running(project, 2);
    for (let number = 1; number <= 20; number += 1) await post(project, `${number}`);
    expect((await client.send('POST', `/projects/${project}/chat`, { body: { content: '21' } })).status).toBe(429);
    script = answerAll;
    await stop(project);
    expect((await sync(project)).turn.state).toBe('idle');
    await post(project, 'next');
    const { messages } = await idle(client, project);
    const numbers = Array.from({ length: 20 }, (_, index) => `${index + 1}`);
    expect(messages.at(-1)?.content).toBe(`Answer to ${numbers.join(', ')}, next.`);
    expect(messages.map(({ sequence }) => sequence)).toEqual(messages.map((_, index) => index + 1));
  });

  it('does not leave an agent message if the turn has not started or has no output', async () => {
    const over = gate();
    script = async function* () {
      await over.passed;
      yield say('too late');
    };
    const [waiting, silent] = [await newProject(), await newProject()];
    await post(silent, 'Hello');
    await running(silent, 0);
    expect((await stop(silent)).stopped).toBe(true);
    const stream = await EventStream.open(api.url, session.token, waiting);
    // The stop arrives before or just after a worker claims the turn.
    await post(waiting, 'Hello');
    expect((await stop(waiting)).stopped).toBe(true);
    await stream.ended();
    expect(stream.events.at(-1)).toMatchObject({ event: 'turn.ended', data: { outcome: 'stopped', message: null } });
    over.open();
    for (const project of [waiting, silent]) {
      script = answerAll;
      expect(contents(await sync(project))).toEqual(['user: Hello']);
      await post(project, 'Again');
      expect(contents(await idle(client, project))).toEqual([
        'user: Hello',
        'user: Again',
        'assistant: Answer to Again.',
      ]);
    }
    stream.close();
  });

  it('changes nothing if the turn has ended or no turn is running', async () => {
    script = answerAll;
    const project = await newProject();
    const { conversation_id } = await sync(project);
    expect(await stop(project)).toEqual({ conversation_id, turn_id: null, stopped: false });
    const stream = await EventStream.open(api.url, session.token, project);
    await post(project, 'Hello');
    await stream.ended();
    const turn_id = stream.named('turn.dispatched')[0]?.data['turn_id'];
    script = speakAndWait(gate(), () => undefined);
    await post(project, 'Again');
    const { turn } = await running(project, 2);
    expect((await stop(project, { turn_id })).stopped).toBe(false);
    expect((await sync(project)).turn.turn_id).toBe(turn.turn_id);
    await stop(project);
    stream.close();
  });

  it('ends the turn once even if many callers stop it', async () => {
    script = speakAndWait(gate(), () => undefined);
    const project = await newProject();
    await post(project, 'Hello');
    await running(project, 2);
    const answers = await Promise.all(Array.from({ length: 8 }, () => stop(project)));
    expect(answers.filter(({ stopped }) => stopped)).toHaveLength(1);
  });

  it.each([
    ['turn_id', '01a1fdd8-aae9-7686-bf03-000000000000', 'Turn not found'],
    ['turn_id', 'nothing', 'Turn not found'],
    ['conversation_id', 'nothing', 'Conversation not found'],
  ])('returns 404 for an unknown %s: %s', async (name, value, detail) => {
    const project = await newProject();
    const answer = await client.send('POST', `/projects/${project}/chat/stop`, { body: { [name]: value } });
    expect(answer).toMatchObject({ status: 404, body: { detail } });
    const stranger = await api.session();
    expect((await stranger.client.send('POST', `/projects/${project}/chat/stop`, { body: {} })).status).toBe(404);
  });
});
