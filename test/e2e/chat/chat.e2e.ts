import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ChatMessageListResponse, ChatResponse, ConversationSyncResponse } from '../../../src/chat/chat.dto.js';
import type { ChatMessageResponse, ToolCallData } from '../../../src/chat/messages/message.dto.js';
import type { ProjectResponse, ProjectSummaryListResponse } from '../../../src/projects/projects.dto.js';
import type { UserUsageListResponse } from '../../../src/usage/usage.dto.js';
import { makeDeployment, makeFile, makeProject, sendParts } from '../../factories/make.js';
import { idle } from '../../factories/turns.js';
import type { Answer, Client, Wire } from '../../support/client.js';
import { useSharedService } from '../../support/service.js';
import type { Session } from '../../support/session.js';

type Message = Wire<ChatMessageResponse>;

const service = useSharedService();
let session: Session;
let client: Client;

beforeAll(async () => {
  session = await service.session({ picture: 'https://example.com/a.png' });
  client = session.client;
});

const send = (project: string, body: object, by = client): Promise<Answer<Wire<ChatResponse>>> =>
  by.send<ChatResponse>('POST', `/projects/${project}/chat`, { body });
const post = (project: string, body: object, by = client) => by.post<ChatResponse>(`/projects/${project}/chat`, body);
const history = (project: string, query = {}, by = client) =>
  by.get<ChatMessageListResponse>(`/projects/${project}/chat`, query);
const sync = (project: string, query = {}) =>
  client.get<ConversationSyncResponse>(`/projects/${project}/chat/sync`, query);
const newProject = async (): Promise<string> => (await makeProject(client)).id;
const sequences = (messages: Message[]): number[] => messages.map(({ sequence }) => sequence);
const upTo = (last: number, first = 1): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);
const byRole = (messages: Message[], role: string): Message[] => messages.filter((message) => message.role === role);

/** Returns the open question in the agent's newest message. */
function question({ messages }: { messages: Message[] }): { call: Wire<ToolCallData>; labels: string[] } {
  const call = messages.findLast(({ role }) => role === 'assistant')?.tool_calls?.at(-1);
  if (call === undefined) throw new Error('The agent has asked nothing');
  const [asked] = (call.input as { questions: { options: { label: string }[] }[] }).questions;
  return { call, labels: asked?.options.map(({ label }) => label) ?? [] };
}

describe('a posted message', () => {
  it('is accepted with all its fields and answered in its own turn', async () => {
    const project = await newProject();
    const { status, body } = await send(project, {
      content: 'Hello',
      client_msg_id: 'first',
      file_ids: ['a.csv'],
      context: [{ id: '1', type: 'card' }],
    });
    expect(status).toBe(202);
    const { conversation_id } = await sync(project);
    expect(body).toEqual({
      message: {
        id: expect.any(String),
        project_id: project,
        conversation_id,
        role: 'user',
        content: 'Hello',
        sequence: 1,
        created_at: expect.any(String),
        affected_card_ids: [],
        is_partial: false,
        file_ids: ['a.csv'],
        client_msg_id: 'first',
        api_key_name: null,
        api_key_prefix: null,
        user_id: session.user,
        user_name: session.name,
        user_avatar_url: 'https://example.com/a.png',
        content_segments: null,
        tool_calls: null,
      },
      canvas_snapshot: [],
    });
    const { messages, turn } = await idle(client, project);
    expect(turn).toEqual({ state: 'idle', message_id: null, turn_id: null, next_seq: 0 });
    expect(messages).toMatchObject([
      body.message,
      { role: 'assistant', sequence: 2, is_partial: false, user_id: null, tool_calls: [{ tool: 'ask_user_question' }] },
    ]);
    expect(messages[1]?.content).toContain('not in the workspace: `a.csv`');
  });

  it('is answered by an agent that receives the skills and instructions mounted in the project', async () => {
    const { handle } = await makeDeployment(client, {
      instructions: '# Rules\n',
      skills: { shifts: { 'SKILL.md': 'How shifts work.\n' } },
    });
    const { id } = await makeProject(client, { from_deployment: handle });
    await post(id, { content: 'Hello' });
    const { messages } = await idle(client, id);
    expect(messages[1]?.content).toMatch(/rule-based.*AGENTS\.md, 8 characters.*`shifts` \(deployment\).*Checklist/s);
  });

  it('is charged once to its author and counted in the project’s total', async () => {
    const other = await service.session({ company: session.company, role: 'member' });
    const project = await newProject();
    await post(project, { content: 'Hello' }, other.client);
    await idle(client, project);
    await post(project, { content: 'Again' }, other.client);
    await idle(client, project);
    const { users } = await other.client.get<UserUsageListResponse>('/usage/users');
    expect(users).toMatchObject([{ user_id: other.user, totals: { credits: 0.02 } }]);
    expect((await client.get<ProjectResponse>(`/projects/${project}`)).total_credits).toBe(0.02);
    const { projects } = await client.get<ProjectSummaryListResponse>('/projects');
    expect(projects.find(({ id }) => id === project)).toMatchObject({ status: 'idle', total_credits: 0.02 });
  });

  it('is identical, byte for byte, in the responses of post, history and sync', async () => {
    const project = await newProject();
    const read = async (method: string, path: string, body?: object): Promise<string> => {
      const response = await fetch(`${service.url}/api/v1/projects/${project}/chat${path}`, {
        method,
        headers: { authorization: `Bearer ${session.token}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      expect(response.headers.get('content-type')).toBe('application/json');
      return await response.text();
    };
    const content = 'Zeile\n"quoted" \\ / \u0001 \u007f \u2028 é 🙂';
    const posted = await read('POST', '', { content, client_msg_id: content, file_ids: ['é'], context: [] });
    const [, message] = /^\{"message":(.*),"canvas_snapshot":\[\]\}$/s.exec(posted) ?? [];
    expect(JSON.parse(message ?? '')).toMatchObject({ content });
    await idle(client, project);
    const [whole, synced] = [await read('GET', ''), await read('GET', '/sync')];
    expect(whole).toContain(message);
    expect(synced).toContain(message);
    const answer = (text: string): string =>
      text.slice(text.indexOf('"role":"assistant"'), text.indexOf(']', text.lastIndexOf('tool_calls')));
    expect(answer(whole)).not.toBe('');
    expect(answer(whole)).toBe(answer(synced));
  });

  it.each([
    ['0', '', 202],
    ['100,000', '🙂'.repeat(100_000), 202],
    ['100,001', 'x'.repeat(100_001), 422],
  ])('can have up to 100,000 code points of content: %s', async (_, content, expected) => {
    const project = await newProject();
    const { status, body } = await send(project, { content });
    expect(status).toBe(expected);
    if (expected === 202) expect(body.message.content).toBe(content);
    else
      expect(body).toMatchObject({
        detail: [{ type: 'string_too_long', loc: ['body', 'content'], ctx: { max_length: 100_000 } }],
      });
  });

  it('is added to the default conversation if conversation_id is missing or null', async () => {
    const project = await newProject();
    const { conversation_id } = await sync(project);
    const bodies = [{}, { conversation_id: null }, { conversation_id }].map((body) => ({ content: 'x', ...body }));
    for (const body of bodies) expect((await post(project, body)).message.conversation_id).toBe(conversation_id);
    const { messages } = await idle(client, project, { conversation_id });
    expect(byRole(messages, 'user')).toHaveLength(3);
  });
});

describe('parallel posts', () => {
  it('are numbered consecutively and all answered, one turn at a time', async () => {
    const project = await newProject();
    const posted = await Promise.all(upTo(20).map((number) => post(project, { content: `Message ${number}` })));
    const { messages } = await idle(client, project);
    expect(sequences(messages)).toEqual(upTo(messages.length));
    const users = byRole(messages, 'user');
    expect(users.map(({ id }) => id).sort()).toEqual(posted.map(({ message }) => message.id).sort());
    expect(messages.at(-1)?.role).toBe('assistant');
    const answers = byRole(messages, 'assistant').length;
    expect(answers).toBeGreaterThanOrEqual(1);
    expect((await client.get<ProjectResponse>(`/projects/${project}`)).total_credits).toBeCloseTo(answers * 0.01, 6);
    const times = messages.map(({ created_at }) => created_at);
    expect(times).toEqual(times.toSorted());
  });

  it('are stored as a single message if they have the same client_msg_id', async () => {
    const project = await newProject();
    const body = { content: 'Once', client_msg_id: 'same', context: [{ id: '1', type: 'card' }] };
    const answers = await Promise.all(upTo(10).map(() => send(project, body)));
    expect(answers.map(({ status }) => status)).toEqual(upTo(10).map(() => 202));
    expect(new Set(answers.map(({ body: { message } }) => JSON.stringify(message))).size).toBe(1);
    const { messages } = await idle(client, project);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
  });
});

describe('client_msg_id', () => {
  it('makes a repeated post return the first message without starting another turn', async () => {
    const project = await newProject();
    const body = { content: 'Once', client_msg_id: 'a' };
    const { message } = await post(project, body);
    const { conversation_id } = await idle(client, project);
    const again = await send(project, { ...body, conversation_id });
    expect(again).toMatchObject({ status: 202, body: { message } });
    expect((await history(project)).total).toBe(2);
    expect((await sync(project)).turn.state).toBe('idle');
  });

  it('cannot be reused with a different payload, and a rejected post changes nothing', async () => {
    const project = await newProject();
    await post(project, { content: 'Once', client_msg_id: 'a', file_ids: ['x'] });
    const others = [{ content: 'Twice' }, { file_ids: [] }, { context: [] }, { answer: {} }];
    for (const other of others) {
      const { status } = await send(project, { content: 'Once', client_msg_id: 'a', file_ids: ['x'], ...other });
      expect(status).toBe(409);
    }
    expect((await idle(client, project)).messages).toHaveLength(2);
  });

  it('needs to be unique only per author and project', async () => {
    const [project, second] = [await newProject(), await newProject()];
    const other = await service.session({ company: session.company, role: 'member' });
    const body = { content: 'Mine', client_msg_id: 'a' };
    const ids = [await post(project, body), await post(project, body, other.client), await post(second, body)];
    expect(new Set(ids.map(({ message }) => message.id)).size).toBe(3);
    await idle(client, project);
    await idle(client, second);
  });

  it('has no maximum length', async () => {
    const project = await newProject();
    const body = { content: 'x', client_msg_id: 'é'.repeat(100_000) };
    const { message } = await post(project, body);
    expect(message.client_msg_id).toBe(body.client_msg_id);
    expect((await post(project, body)).message.id).toBe(message.id);
    await idle(client, project);
  });
});

describe('an answer to the agent’s question', () => {
  it('becomes the result of the question’s tool call and lets the agent continue', async () => {
    const project = await newProject();
    await post(project, { content: 'Hello' });
    const before = await idle(client, project);
    const { call, labels } = question(before);
    expect(call.result).toBeNull();
    const answer = { selections: { '0': [labels[0]] }, other_text: 'and soon' };
    const { message } = await post(project, { content: '', answer });
    expect(message).toMatchObject({ role: 'user', tool_calls: null });
    const { messages } = await idle(client, project);
    expect(messages[1]?.tool_calls?.at(-1)).toEqual({ ...call, result: answer });
    expect(messages[1]?.content_segments?.at(-1)).toEqual({ type: 'tool_call', ...call, result: answer });
    expect(labels[0]).toBe('Highest profit');
    expect(messages[3]?.content).toMatch(/Objective `profit`: `maximize`.*could not use this:\n- `and soon`/s);
    expect(question({ messages }).call.id).not.toBe(call.id);
  });

  it('is idempotent', async () => {
    const project = await newProject();
    await post(project, { content: 'Hello' });
    const { labels } = question(await idle(client, project));
    const body = { content: '', answer: { selections: { '0': labels[0] } } };
    await post(project, body);
    const before = await idle(client, project);
    const { message } = await post(project, body);
    expect(message.tool_calls).toBeNull();
    const { messages } = await idle(client, project);
    expect(messages.slice(0, 4)).toEqual(before.messages);
  });

  it('is rejected if it refers to an unknown question or label', async () => {
    const project = await newProject();
    await post(project, { content: 'Hello' });
    const { labels } = question(await idle(client, project));
    const refused = await send(project, {
      content: '',
      answer: { selections: { '0': ['Nobody', labels[0]], '7': 'x' } },
    });
    expect(refused).toMatchObject({
      status: 422,
      body: {
        detail: [
          { type: 'value_error', loc: ['body', 'answer', 'selections', '0', 0], input: 'Nobody' },
          { type: 'value_error', loc: ['body', 'answer', 'selections', '7'], input: 'x' },
        ],
      },
    });
    expect((await history(project)).total).toBe(2);
  });

  it('is rejected if it has several labels for a single-choice question, and the question stays open', async () => {
    const project = await newProject();
    await post(project, { content: 'Hello' });
    const { call, labels } = question(await idle(client, project));
    const chosen = labels.slice(0, 2);
    const rejected = await send(project, { content: '', answer: { selections: { '0': chosen } } });
    const loc = ['body', 'answer', 'selections', '0'];
    expect(rejected).toMatchObject({ status: 422, body: { detail: [{ type: 'value_error', loc, input: chosen }] } });
    await post(project, { content: '', answer: { selections: { '0': [labels[1]] } } });
    const { messages } = await idle(client, project);
    expect(messages[1]?.tool_calls?.find(({ id }) => id === call.id)?.result).toEqual({
      selections: { '0': [labels[1]] },
    });
  });

  it('is stored as a tool call in its own message if no question is open', async () => {
    const project = await newProject();
    const answer = { selections: { '3': 'Anything' } };
    const { message } = await post(project, { content: 'Early', answer });
    expect(message.tool_calls).toMatchObject([{ tool: 'ask_user_question', status: 'completed', result: answer }]);
    await idle(client, project);
  });

  it.each([
    [
      { selections: { '0': 5 } },
      [
        ['0', 'str'],
        ['0', 'list[str]'],
      ],
    ],
    [
      { selections: { '0': [5] } },
      [
        ['0', 'str'],
        ['0', 'list[str]', 0],
      ],
    ],
    [
      { selections: { '0': null } },
      [
        ['0', 'str'],
        ['0', 'list[str]'],
      ],
    ],
    [{ selections: [] }, [[]]],
  ])('is rejected if its selections are neither labels nor arrays of labels: %j', async (answer, places) => {
    const { status, body } = await send(await newProject(), { content: '', answer });
    expect(status).toBe(422);
    const locations = (body as unknown as { detail: { loc: unknown[] }[] }).detail.map(({ loc }) => loc);
    expect(locations).toEqual(places.map((place) => ['body', 'answer', 'selections', ...place]));
  });
});

describe('the history of a conversation', () => {
  let project: string;
  let all: Message[];

  beforeAll(async () => {
    project = await newProject();
    for (const number of upTo(6)) {
      await post(project, { content: `Message ${number}` });
      await idle(client, project);
    }
    all = (await sync(project)).messages;
  });

  it('contains the newest messages, oldest first, and uses the documented defaults', async () => {
    expect(sequences(all)).toEqual(upTo(12));
    expect(await history(project)).toEqual({ messages: all, limit: 200, offset: 0, total: 12 });
  });

  it.each<[object, number[]]>([
    [{ limit: 5 }, upTo(12, 8)],
    [{ limit: 5, offset: 5 }, upTo(7, 3)],
    [{ limit: 5, offset: 10 }, [1, 2]],
    [{ offset: 12 }, []],
    [{ offset: '99999999999999999999' }, []],
    [{ limit: 1000, offset: 11 }, [1]],
  ])('can be paged back to older messages: %j', async (query, expected) => {
    const { messages, total } = await history(project, query);
    expect(sequences(messages)).toEqual(expected);
    expect(total).toBe(12);
    expect(messages).toEqual(all.filter(({ sequence }) => expected.includes(sequence)));
  });

  it('is limited to the newest messages in a sync response', async () => {
    expect(sequences((await sync(project, { limit: 3 })).messages)).toEqual([10, 11, 12]);
  });

  it('is empty for a new project, and sync reports an idle turn', async () => {
    const fresh = await newProject();
    expect(await history(fresh)).toEqual({ messages: [], limit: 200, offset: 0, total: 0 });
    expect(await sync(fresh)).toEqual({
      conversation_id: expect.any(String),
      messages: [],
      turn: { state: 'idle', message_id: null, turn_id: null, next_seq: 0 },
    });
  });

  it.each([
    ['limit', '0'],
    ['limit', '1001'],
    ['offset', '-1'],
  ])('cannot be requested with %s=%s', async (name, value) => {
    const { status } = await client.send('GET', `/projects/${project}/chat`, { query: { [name]: value } });
    expect(status).toBe(422);
  });
});

describe('a chat request', () => {
  const UNKNOWN = '01a1fdd8-aae9-7686-bf03-000000000000';

  it.each([UNKNOWN, 'nothing', ''])('returns 404 for the unknown conversation id %j', async (conversation_id) => {
    const project = await newProject();
    const answers = [
      await send(project, { content: 'x', conversation_id }),
      await client.send('GET', `/projects/${project}/chat`, { query: { conversation_id } }),
      await client.send('GET', `/projects/${project}/chat/sync`, { query: { conversation_id } }),
    ];
    for (const answer of answers)
      expect(answer).toMatchObject({ status: 404, body: { detail: 'Conversation not found' } });
  });

  it('returns 404 for a conversation in another project', async () => {
    const [project, other] = [await newProject(), await newProject()];
    const { conversation_id } = await sync(other);
    expect((await send(project, { content: 'x', conversation_id })).status).toBe(404);
    expect((await history(other)).total).toBe(0);
  });

  it('returns 404 for an unknown project and for another company’s project', async () => {
    const project = await newProject();
    const stranger = await service.session();
    for (const id of [project, UNKNOWN, 'nothing']) {
      const answers = [
        await send(id, { content: 'x' }, stranger.client),
        await stranger.client.send('GET', `/projects/${id}/chat`),
        await stranger.client.send('GET', `/projects/${id}/chat/sync`),
      ];
      for (const answer of answers)
        expect(answer).toMatchObject({ status: 404, body: { detail: 'Project not found' } });
    }
    expect((await history(project)).total).toBe(0);
  });
});

describe('file changes with a conversation_id', () => {
  it('are reported to the agent once, in its next turn', async () => {
    const project = await newProject();
    const { conversation_id } = await sync(project);
    const place = { source: 'workspace', project_id: project } as const;
    await makeFile(client, place, 'old.csv', 'a');
    const sent = await sendParts(client, place, 'new.csv', Buffer.from('b'));
    await client.post('/files/upload/complete', { ...place, ...sent, conversation_id });
    await client.post('/files/delete', { ...place, path: 'old.csv', conversation_id });
    await post(project, { content: 'Look', file_ids: ['new.csv'] });
    const first = await idle(client, project);
    expect(first.messages[1]?.content).toContain('uploaded `new.csv`, deleted `old.csv`');
    expect(first.messages[1]?.content).not.toContain('not in the workspace');
    await post(project, { content: 'And now?' });
    expect((await idle(client, project)).messages[3]?.content).not.toContain('Files since');
  });

  it('are rejected if the conversation belongs to another project', async () => {
    const [project, other] = [await newProject(), await newProject()];
    const place = { source: 'workspace', project_id: project } as const;
    await makeFile(client, place, 'kept.csv', 'a');
    for (const conversation_id of [(await sync(other)).conversation_id, 'nothing']) {
      const refused = await client.send('POST', '/files/delete', {
        body: { ...place, path: 'kept.csv', conversation_id },
      });
      expect(refused).toMatchObject({ status: 404, body: { detail: 'Conversation not found' } });
    }
    expect(await client.post('/files/content', { ...place, path: 'kept.csv' })).toMatchObject({ text: 'a' });
  });
});
