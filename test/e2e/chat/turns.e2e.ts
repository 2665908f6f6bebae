import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type AgentContext, type AgentEvent, AgentFailure } from '../../../src/agent/agent.js';
import { ASK_USER_QUESTION } from '../../../packages/conversation/index.js';
import type { ChatResponse, ConversationSyncResponse } from '../../../src/chat/chat.dto.js';
import { TurnReaperService } from '../../../src/chat/turns/turn-reaper.service.js';
import { Config } from '../../../src/config/config.js';
import type { ProjectResponse, ProjectSummaryListResponse } from '../../../src/projects/projects.dto.js';
import type { UserUsageListResponse } from '../../../src/usage/usage.dto.js';
import { makeProject } from '../../factories/make.js';
import { idle } from '../../factories/turns.js';
import type { Client, Wire } from '../../support/client.js';
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
import type { Session } from '../../support/session.js';

type Sync = Wire<ConversationSyncResponse>;

/** The agent's next actions, set by each test. */
let script: Script;
const contexts: AgentContext[] = [];
let session: Session;
let client: Client;

const play: Script = (context) => {
  contexts.push(context);
  return script(context);
};
const service = useScriptedService(play);
const gate = useGates();
const start = (id: string): AgentEvent => ({ type: 'tool_started', id, tool: 'read_file', input: { path: 'a.csv' } });
const never = (): Promise<never> => new Promise<never>(() => {});

const answerAll: Script = async function* ({ messages }) {
  await Promise.resolve();
  const answered = messages.filter(({ to_answer }) => to_answer);
  yield say(`Answer to ${answered.map(({ content }) => content).join(', ')}.`);
  yield { type: 'usage', credits: 0.5 };
};

const newProject = async (): Promise<string> => (await makeProject(client)).id;
const post = (project: string, body: object, by = client) => by.post<ChatResponse>(`/projects/${project}/chat`, body);
const sync = (project: string, by = client) => by.get<ConversationSyncResponse>(`/projects/${project}/chat/sync`);
const when = (project: string, until: string, done: (sync: Sync) => boolean): Promise<Sync> =>
  eventually(() => sync(project), done, { until });
const said = (project: string, text: string): Promise<Sync> =>
  when(project, `the agent has said ${text}`, ({ messages }) => messages.some(({ content }) => content === text));
const contents = ({ messages }: Sync): string[] => messages.map(({ role, content }) => `${role}: ${content}`);
const statusOf = async (project: string): Promise<string | undefined> => {
  const { projects } = await client.get<ProjectSummaryListResponse>('/projects');
  return projects.find(({ id }) => id === project)?.status;
};
/** Simulates an expired lease on a turn whose process has ended. */
const expire = (turn_id: string | null) =>
  service.database.query(`UPDATE turns SET due_at = now() - interval '1 s' WHERE id = $1`, [turn_id]);
const recover = (): Promise<void> => service.app.get(TurnReaperService).recover();

beforeAll(async () => {
  session = await service.session();
  client = session.client;
});

afterEach(() => {
  contexts.length = 0;
});

describe('turns of a company', () => {
  it('leave half of the slots to other companies while the company’s agents are silent', async () => {
    const config = service.app.get(Config);
    const places = config.TURNS_CONCURRENCY;
    config.TURNS_CONCURRENCY = 4;
    const silence = gate();
    script = async function* (context) {
      if (context.messages.some(({ content }) => content === 'Wait')) await silence.passed;
      yield* answerAll(context);
    };
    const waiting = await Promise.all(Array.from({ length: 5 }, newProject));
    for (const project of waiting) await post(project, { content: 'Wait' });
    const { client: other } = await service.session();
    const { id } = await makeProject(other);
    await post(id, { content: 'Hello' }, other);
    await idle(other, id);
    const states = await Promise.all(waiting.map(async (project) => (await sync(project)).turn.state));
    expect(states.sort()).toEqual(['dispatched', 'dispatched', 'dispatched', 'streaming', 'streaming']);
    silence.open();
    for (const project of waiting) await idle(client, project);
    config.TURNS_CONCURRENCY = places;
  });
});

describe('a running turn', () => {
  it('shows its text so far in a partial message and sets the status of its project to working', async () => {
    const middle = gate();
    script = twoParts(middle);
    const project = await newProject();
    await post(project, { content: 'Hello' });
    const { turn, messages } = await said(project, 'One');
    expect(turn).toEqual({ state: 'streaming', message_id: messages[1]?.id, turn_id: expect.any(String), next_seq: 2 });
    expect(messages[1]).toMatchObject({ role: 'assistant', sequence: 2, is_partial: true });
    expect(await statusOf(project)).toBe('working');
    middle.open();
    const done = await idle(client, project);
    expect(done.messages[1]).toMatchObject({ id: turn.message_id, content: 'One two.', is_partial: false });
    expect(done.messages[1]?.content_segments).toEqual([{ type: 'text', content: 'One two.' }]);
    expect(await statusOf(project)).toBe('idle');
  });

  it('stores the start of a tool call before the tool runs', async () => {
    const project = await newProject();
    let seen: unknown;
    script = async function* () {
      yield start('call-1');
      [{ calls: seen }] = (
        await service.database.query('SELECT tool_calls AS calls FROM messages WHERE project_id = $1 AND is_partial', [
          project,
        ])
      ).rows as [{ calls: unknown }];
      yield { type: 'tool_completed', id: 'call-1', result: { rows: 3 } };
      yield say('Done.');
    };
    await post(project, { content: 'Hello' });
    const { messages } = await idle(client, project);
    expect(seen).toMatchObject([{ id: 'call-1', status: 'running' }]);
    expect(messages[1]).toMatchObject({
      content: 'Done.',
      tool_calls: [{ id: 'call-1', status: 'completed', result: { rows: 3 }, duration_ms: expect.any(Number) }],
    });
  });

  it('receives the conversation, the cards and the mounted configuration, but no company-level rights', async () => {
    script = answerAll;
    const project = await newProject();
    await post(project, { content: 'First' });
    await idle(client, project);
    await post(project, { content: 'Second', context: [{ id: '1', type: 'card' }] });
    await idle(client, project);
    expect(contexts[1]).toMatchObject({
      messages: [
        { role: 'user', content: 'First', to_answer: false },
        { role: 'assistant', content: 'Answer to First.', to_answer: false },
        {
          role: 'user',
          content: 'Second',
          user_name: session.name,
          context: [{ id: '1', type: 'card' }],
          to_answer: true,
        },
      ],
      cards: [],
      checklist: { overall: 'incomplete' },
      configuration: { instructions: null, skills: [] },
      workspace: { directories: [], files: [], total: 0 },
      principal: { kind: 'agent', company_id: session.company, isCompanyLevel: false },
    });
  });

  it('receives as much of the conversation as memory allows, including all messages that it answers', async () => {
    const project = await newProject();
    const result = 'x'.repeat(5_000_000);
    script = async function* () {
      yield start('call-1');
      yield await Promise.resolve<AgentEvent>({ type: 'tool_completed', id: 'call-1', result });
    };
    await post(project, { content: 'Large' });
    await idle(client, project);
    script = answerAll;
    for (const content of ['Small', 'Last']) {
      await post(project, { content });
      await idle(client, project);
    }
    expect(contexts.at(-1)?.messages.map(({ content }) => content)).toEqual(['Small', 'Answer to Small.', 'Last']);
  });
});

describe('messages posted during a turn', () => {
  it('are limited to 20 and are all answered by a single new turn when the current turn ends', async () => {
    const middle = gate();
    script = twoParts(middle);
    const project = await newProject();
    const second = await service.session({ company: session.company, role: 'member' });
    await post(project, { content: 'Hello' });
    const first = await said(project, 'One');
    script = answerAll;
    await post(project, { content: '1' }, second.client);
    for (let number = 2; number <= 20; number += 1) await post(project, { content: `${number}` });
    const refused = await client.send('POST', `/projects/${project}/chat`, { body: { content: '21' } });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await sync(project)).turn).toEqual(first.turn);

    const states: string[] = [];
    middle.open();
    const { messages } = await eventually(
      () => sync(project),
      ({ turn, messages: shown }) => {
        if (!shown.some(({ content }) => content.startsWith('Answer'))) states.push(turn.state);
        return turn.state === 'idle';
      },
      { until: 'everything is answered' },
    );
    expect(states).not.toContain('idle');
    const numbers = Array.from({ length: 20 }, (_, index) => `${index + 1}`);
    expect(messages.at(-1)?.content).toBe(`Answer to ${numbers.join(', ')}.`);
    expect(messages.map(({ sequence }) => sequence)).toEqual(messages.map((_, index) => index + 1));
    expect(contexts).toHaveLength(2);
    const { users } = await client.get<UserUsageListResponse>('/usage/users');
    expect(users.find(({ user_id }) => user_id === second.user)?.totals.credits).toBe(0.5);
  });

  it('join the next turn before it starts, up to 100 messages', async () => {
    const apart = await makeEnvironment();
    const api = await ScriptedService.start(apart, answerAll, 'api');
    const { client: caller } = await api.session();
    const { id } = await makeProject(caller);
    const texts = Array.from({ length: 100 }, (_, index) => `${index + 1}`);
    for (const content of texts) await post(id, { content }, caller);
    const refused = await caller.send('POST', `/projects/${id}/chat`, { body: { content: 'One more' } });
    expect(refused.status).toBe(429);
    const { turn } = await sync(id, caller);
    expect(turn).toEqual({ state: 'dispatched', message_id: null, turn_id: expect.any(String), next_seq: 0 });
    const workers = await Promise.all([1, 2].map(() => ScriptedService.start(apart, answerAll, 'worker')));
    const { messages } = await idle(caller, id);
    expect(messages.map(({ content }) => content)).toEqual([...texts, `Answer to ${texts.join(', ')}.`]);
    await Promise.all([api, ...workers].map((running) => running.stop()));
    await removeEnvironment(apart);
  });

  it('can answer a question in a message that is still being written', async () => {
    const middle = gate();
    const project = await newProject();
    script = async function* () {
      const options = [{ label: 'Yes' }, { label: 'No' }];
      yield {
        type: 'tool_started',
        id: 'ask',
        tool: ASK_USER_QUESTION,
        input: { questions: [{ question: 'Sure?', options }] },
      };
      yield { type: 'tool_completed', id: 'ask', result: null };
      yield say('Take your time.');
      await middle.passed;
    };
    await post(project, { content: 'Hello' });
    await said(project, 'Take your time.');
    script = answerAll;
    const yes = { selections: { '0': 'Yes' } };
    expect((await post(project, { content: 'a', answer: yes })).message.tool_calls).toBeNull();
    expect((await post(project, { content: 'b', answer: yes })).message.tool_calls).toBeNull();
    const no = { selections: { '0': 'No' } };
    expect((await post(project, { content: 'c', answer: no })).message.tool_calls).toMatchObject([{ result: no }]);
    middle.open();
    const { messages } = await idle(client, project);
    expect(messages.find(({ role }) => role === 'assistant')?.tool_calls).toMatchObject([{ id: 'ask', result: yes }]);
    expect(contexts[1]?.messages.filter(({ to_answer }) => to_answer).map(({ answer }) => answer)).toEqual([
      yes,
      yes,
      no,
    ]);
  });
});

describe('an agent that fails', () => {
  const failing = (error: Error): Script =>
    async function* () {
      yield say('Let me see.');
      yield start('call-1');
      await Promise.resolve();
      yield { type: 'usage', credits: 0.25 };
      throw error;
    };

  it.each([
    ['with its own message', new AgentFailure('The model is overloaded.'), 'The model is overloaded.'],
    ['with an unexpected error', new Error('secret'), 'The agent failed before it finished.'],
  ])('leaves a finished message and a system message if it fails %s', async (_, error, notice) => {
    script = failing(error);
    const project = await newProject();
    await post(project, { content: 'Hello' });
    const { messages } = await idle(client, project);
    expect(messages.map(({ role, content, is_partial }) => [role, content, is_partial])).toEqual([
      ['user', 'Hello', false],
      ['assistant', 'Let me see.', false],
      ['system', notice, false],
    ]);
    expect(messages[1]?.tool_calls).toMatchObject([{ id: 'call-1', status: 'failed', error_code: 'agent_failed' }]);
    expect((await client.get<ProjectResponse>(`/projects/${project}`)).total_credits).toBe(0.25);
    script = answerAll;
    await post(project, { content: 'Again' });
    expect((await idle(client, project)).messages.at(-1)?.content).toBe('Answer to Again.');
  });

  it('leaves only a system message if it produces no text', async () => {
    script = async function* () {
      yield await Promise.resolve(say(''));
    };
    const project = await newProject();
    await post(project, { content: 'Hello' });
    expect(contents(await idle(client, project))).toEqual(['user: Hello', 'system: The agent gave no answer.']);
  });
});

describe('turn recovery', () => {
  it('attempts a turn without visible output up to three times, each time with the messages that are waiting', async () => {
    const project = await newProject();
    script = () => ({ [Symbol.asyncIterator]: () => ({ next: never }) });
    await post(project, { content: 'Hello' });
    for (const attempt of [1, 2, 3]) {
      const runs = ({ turn: { state } }: Sync): boolean => contexts.length === attempt && state === 'streaming';
      const { turn } = await when(project, `attempt ${attempt} runs`, runs);
      await post(project, { content: `Waiting ${attempt}` });
      await expire(turn.turn_id);
      if (attempt === 3) script = answerAll;
      await recover();
    }
    expect(contents(await idle(client, project))).toEqual([
      'user: Hello',
      'user: Waiting 1',
      'user: Waiting 2',
      'user: Waiting 3',
      'system: The agent was interrupted before it finished.',
      'assistant: Answer to Waiting 3.',
    ]);
    expect(contexts.map(({ messages }) => messages.length)).toEqual([1, 2, 3, 5]);
  });

  it('ends a turn but keeps its visible output, and the former process cannot change anything if it resumes', async () => {
    const [middle, end] = [gate(), gate()];
    script = async function* () {
      yield say('One');
      yield start('call-1');
      yield { type: 'usage', credits: 1 };
      yield start('call-2');
      try {
        await middle.passed;
        yield say(' two.');
      } finally {
        end.open();
      }
    };
    const project = await newProject();
    await post(project, { content: 'Hello' });
    const { turn } = await when(project, 'the second call runs', ({ turn: { next_seq } }) => next_seq === 4);
    script = answerAll;
    await post(project, { content: 'Still there?' });
    await expire(turn.turn_id);
    await recover();
    const before = await idle(client, project);
    expect(contents(before)).toEqual([
      'user: Hello',
      'assistant: One',
      'user: Still there?',
      'system: The agent was interrupted before it finished.',
      'assistant: Answer to Still there?.',
    ]);
    expect(before.messages[1]?.tool_calls).toMatchObject([
      { id: 'call-1', status: 'failed', error_code: 'interrupted' },
      { id: 'call-2', status: 'failed', error_code: 'interrupted' },
    ]);
    expect((await client.get<ProjectResponse>(`/projects/${project}`)).total_credits).toBe(1.5);
    middle.open();
    await end.passed;
    expect(await sync(project)).toEqual(before);
    expect((await client.get<ProjectResponse>(`/projects/${project}`)).total_credits).toBe(1.5);
  });

  it('does not touch a turn until its lease expires', async () => {
    const middle = gate();
    script = twoParts(middle);
    const project = await newProject();
    await post(project, { content: 'Hello' });
    const { turn } = await said(project, 'One');
    await recover();
    expect((await sync(project)).turn).toEqual(turn);
    middle.open();
    expect((await idle(client, project)).messages[1]?.content).toBe('One two.');
  });

  it('finds a turn by polling if there is no notification', async () => {
    script = answerAll;
    const project = await newProject();
    // A process that dies between its commit and its notification leaves this state.
    await service.database.query(
      `WITH c AS (
         UPDATE conversations SET last_sequence = 1 WHERE project_id = $1 RETURNING id, project_id
       ), t AS (
         INSERT INTO turns (project_id, conversation_id, company_id, user_id) SELECT project_id, id, $2, $3 FROM c RETURNING id
       ), p AS (
         UPDATE projects SET active_turns = 1 WHERE id = $1
       )
       INSERT INTO messages (project_id, conversation_id, sequence, role, content, turn_id, user_id)
       SELECT c.project_id, c.id, 1, 'user', 'Hello', t.id, $3 FROM c, t`,
      [project, session.company, session.user],
    );
    expect(contents(await idle(client, project))).toEqual(['user: Hello', 'assistant: Answer to Hello.']);
  });

  it('ends a turn only once even if several processes check it', async () => {
    script = async function* () {
      yield say('One');
      await never();
    };
    const project = await newProject();
    await post(project, { content: 'Hello' });
    const { turn } = await said(project, 'One');
    await expire(turn.turn_id);
    await Promise.all([recover(), recover(), recover(), recover()]);
    const { messages } = await idle(client, project);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'system']);
    expect(await statusOf(project)).toBe('idle');
  });
});

describe('a process that is asked to stop', () => {
  it('gives up its turns after 20 seconds: turns without output are retried elsewhere, and all others end', async () => {
    const apart = await makeEnvironment();
    const leaving = await ScriptedService.start(apart, ({ messages }) =>
      (async function* () {
        if (messages[0]?.content === 'speak') yield say('One');
        await never();
      })(),
    );
    const { client: caller } = await leaving.session({ company: 'c', user: 'u' });
    const [silent, speaking] = [(await makeProject(caller)).id, (await makeProject(caller)).id];
    await post(silent, { content: 'wait' }, caller);
    await post(speaking, { content: 'speak' }, caller);
    await eventually(
      () => sync(silent, caller),
      ({ turn }) => turn.state === 'streaming',
      { until: 'one runs' },
    );
    await eventually(
      () => sync(speaking, caller),
      ({ turn }) => turn.next_seq === 2,
      { until: 'the other speaks' },
    );
    const began = performance.now();
    await leaving.stop();
    expect(performance.now() - began).toBeLessThan(23_000);
    const staying = await ScriptedService.start(apart, answerAll);
    const { client: again } = await staying.session({ company: 'c', user: 'u' });
    expect(contents(await idle(again, silent))).toEqual(['user: wait', 'assistant: Answer to wait.']);
    expect(contents(await idle(again, speaking))).toEqual([
      'user: speak',
      'assistant: One',
      'system: The agent was interrupted before it finished.',
    ]);
    await staying.stop();
    await removeEnvironment(apart);
  }, 60_000);
});
