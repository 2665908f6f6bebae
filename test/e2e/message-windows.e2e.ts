import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { ChatMessageListResponse, ConversationSyncResponse } from '../../src/chat/chat.dto.js';
import { makeProject } from '../factories/make.js';
import { type MessageColumns, storeConversation, storeMessages } from '../factories/messages.js';
import { idle } from '../factories/turns.js';
import type { Wire } from '../support/client.js';
import { ConversationsRepository } from '../../src/chat/conversations/conversations.repository.js';
import { Principal } from '../../src/platform/auth/principal.js';
import { createDataSource } from '../../src/platform/database/data-source.js';
import { ProjectReader } from '../../src/projects/project-access.js';
import { raw } from '../support/raw.js';
import { useService } from '../support/service.js';
import type { Session } from '../support/session.js';

const MiB = 1024 ** 2;
const MAX_BYTES = 16 * MiB;
/** What an answer has beside its messages. */
const ENVELOPE = 1_000;

let database: pg.Client;
// Before the database goes, with the service.
afterAll(async () => await database.end());

const service = useService();
let session: Session;
let project: string;

beforeAll(async () => {
  session = await service.session();
  ({ id: project } = await makeProject(session.client));
  database = new pg.Client(service.environment.databaseUrl);
  await database.connect();
});

const bearer = () => ({ authorization: `Bearer ${session.token}` });

const makeConversation = (count: number, columns: MessageColumns): Promise<string> =>
  storeConversation(database, session, project, count, columns);

type Query = Record<string, string | number>;
const chat = (path: string, query: Query): string => {
  const parameters = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  return `${service.url}/api/v1/projects/${project}/chat${path}?${new URLSearchParams(parameters).toString()}`;
};

/** A window with the bytes it came in. Not by the client: it would look at each message. */
async function read<Answer>(path: string, query: Query): Promise<{ bytes: number; answer: Wire<Answer> }> {
  const { status, bytes, text } = await raw(chat(path, query), { headers: bearer() });
  expect(status).toBe(200);
  return { bytes: bytes.byteLength, answer: JSON.parse(text) as Wire<Answer> };
}

const history = (query: Query) => read<ChatMessageListResponse>('', query);
const sync = (query: Query) => read<ConversationSyncResponse>('/sync', query);

const inOtherLetters = (id: string): string => id.toUpperCase();

/** Sequences from `first` to `last`. */
const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

const CONTROL = `repeat(E'\\u0001', 100000)`;
const ASTRAL = `repeat(U&'\\+01F600', 100000)`;
const CALL = `json_build_array(json_build_object('id', 'a', 'tool', 'read_file', 'status', 'completed', 'result', repeat('x', 2000000)))`;

describe('a window of large messages', () => {
  it.each<[string, number, MessageColumns]>([
    ['control characters', 24, { content: CONTROL, file_ids: `ARRAY[repeat(E'\\u0001', 73000)]` }],
    ['astral characters', 60, { content: ASTRAL }],
    ['many quotes', 120, { content: `repeat('"', 100000)` }],
    ['long names of files', 60, { content: `''`, file_ids: `array_fill(repeat(E'\\u0001', 1000), ARRAY[60])` }],
    ['results of tools that are well compressed', 12, { content: `''`, tool_calls: CALL }],
    ['a few large among many small', 1_000, { content: `CASE WHEN i % 20 = 0 THEN ${ASTRAL} ELSE 'small' END` }],
  ])('has its newest messages and at most 16 MiB: %s', async (_, count, columns) => {
    const conversation_id = await makeConversation(count, columns);
    const whole = await history({ conversation_id, limit: 1_000 });
    const { messages } = whole.answer;
    expect(whole.bytes).toBeLessThan(MAX_BYTES + ENVELOPE);
    // The one before them would not have fitted: none has more than 4 MiB here.
    expect(whole.bytes).toBeGreaterThan(MAX_BYTES - 4.1 * MiB);
    expect(messages.map(({ sequence }) => sequence)).toEqual(range(count - messages.length + 1, count));
    expect({ ...whole.answer, messages: [] }).toEqual({ messages: [], limit: 1_000, offset: 0, total: count });
    const live = await sync({ conversation_id });
    // Beside each other: what is cut depends on bytes alone.
    expect(live.answer.messages).toEqual(messages.slice(-200));
    expect(live.answer).toMatchObject({ conversation_id, turn: { state: 'idle' } });
  });

  it('is paged on by the number of messages received, and each comes once', async () => {
    const count = 84;
    const conversation_id = await makeConversation(count, { content: ASTRAL });
    const pages: number[][] = [];
    for (let offset = 0; offset < count; offset += pages[0]?.length ?? count) {
      const { answer } = await history({ conversation_id, offset });
      expect([answer.offset, answer.total]).toEqual([offset, count]);
      pages.unshift(answer.messages.map(({ sequence }) => sequence));
    }
    expect(pages.flat()).toEqual(range(1, count));
    expect(pages.length).toBe(3);
  });

  it('has the newest message alone where that one is too large, and nothing past the end', async () => {
    const file_ids = `ARRAY[CASE i WHEN 3 THEN repeat(E'\\u0001', 3000000) ELSE 'small' END]`;
    const conversation_id = await makeConversation(4, { content: `''`, file_ids });
    const sequences = async (query: Query) =>
      (await history({ conversation_id, ...query })).answer.messages.map((m) => m.sequence);
    expect(await sequences({})).toEqual([4]);
    expect(await sequences({ offset: 1 })).toEqual([3]);
    expect(await sequences({ offset: 1, limit: 1 })).toEqual([3]);
    expect(await sequences({ offset: 2 })).toEqual([1, 2]);
    expect(await sequences({ offset: 4 })).toEqual([]);
    expect(await sequences({ offset: 2 ** 53 })).toEqual([]);
  });

  it('is whole where its messages are many and not too large together', async () => {
    for (const length of [100, 16_000]) {
      const conversation_id = await makeConversation(1_000, { content: `repeat('x', ${length})` });
      const { answer } = await history({ conversation_id, limit: 1_000 });
      expect(answer.messages.map(({ sequence }) => sequence)).toEqual(range(1, 1_000));
    }
  });
});

describe('a window of which something is known', () => {
  it.each<[string, number, number, MessageColumns]>([
    ['nothing, and little comes', 0, 3, { content: `'small ' || i` }],
    ['nothing, and more comes than a window has', 0, 30, { content: CONTROL }],
    ['some messages, and little comes', 20, 3, { content: `'small ' || i` }],
    ['some messages, and many come', 20, 300, { content: `'small ' || i` }],
    ['some messages, and a large one comes', 20, 1, { content: CONTROL, file_ids: `ARRAY[repeat('x', 9000000)]` }],
  ])('is the one that is read anew: %s', async (_, before, more, columns) => {
    const conversation_id = await makeConversation(before, { content: `'old ' || i` });
    await history({ conversation_id, limit: 1_000 });
    await storeMessages(database, session, project, conversation_id, more, columns);
    const pages: Query[] = [{ offset: 1 }, { limit: 2 }, { limit: 1_000 }, { limit: 1_000 }, { offset: 2, limit: 30 }];
    for (const page of pages) {
      const { answer } = await history({ conversation_id, ...page });
      // A process knows conversations by the name under which they are asked for.
      const anew = await history({ conversation_id: inOtherLetters(conversation_id), ...page });
      expect(answer).toEqual(anew.answer);
      expect(answer.messages.length).toBeGreaterThan(0);
    }
  });

  it.each<[string, number, boolean, MessageColumns]>([
    ['many small messages', 200, true, { content: `repeat('x', 400)` }],
    ['a message', 1, true, { content: `repeat('x', 100000)` }],
    [
      'a message that escapes make large',
      1,
      false,
      { content: CONTROL, file_ids: `ARRAY[repeat(E'\\u0001', 100000)]` },
    ],
    ['a large message', 1, false, { content: `''`, tool_calls: CALL }],
    ['many messages', 200, false, { content: `repeat('x', 10000)` }],
  ])('has at most 1 MiB made behind what is known, as others wait meanwhile: %s', async (_, count, isMade, columns) => {
    const source = await createDataSource(service.environment.databaseUrl, 1).initialize();
    const id = await makeConversation(5 + count, columns);
    const reader = ProjectReader.of(
      Principal.agent(session.company, { person_id: session.user, sees_all: true, access: 'write', project_ids: null }),
    );
    const conversations = new ConversationsRepository(source);
    const window = await conversations.window(reader, project, id, { limit: 200, offset: 0 }, { first: 1, last: 5 });
    await source.destroy();
    expect(window.made === null).toBe(!isMade);
    expect(Buffer.byteLength(window.made ?? '')).toBeLessThan(MiB);
    expect(window.parts === null).toBe(!isMade);
  });
});

it('no more than 8 MiB of messages wait; what is beyond is refused, and small ones are not', async () => {
  const { client } = session;
  const { id } = await makeProject(client);
  const { conversation_id } = await idle(client, id);
  await database.query(
    `WITH turn AS (
       INSERT INTO turns (project_id, conversation_id, company_id, user_id) VALUES ($1, $2, $3, $4) RETURNING id
     ), said AS (UPDATE conversations SET last_sequence = 20 WHERE id = $2),
        counted AS (UPDATE projects SET active_turns = 1 WHERE id = $1)
     INSERT INTO messages (project_id, conversation_id, sequence, turn_id, role, content, user_id)
     SELECT $1, $2, i, turn.id, 'user', ${ASTRAL}, $4 FROM turn, generate_series(1, 20) i`,
    [id, conversation_id, session.company, session.user],
  );
  const post = (content: string) => client.send('POST', `/projects/${id}/chat`, { body: { content } });
  const { status, headers } = await post('\u{1F600}'.repeat(100_000));
  expect([status, headers.get('retry-after')]).toEqual([429, '5']);
  expect((await post('short')).status).toBe(202);
  await client.delete(`/projects/${id}`);
});
