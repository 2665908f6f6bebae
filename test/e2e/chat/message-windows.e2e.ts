import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import type { ChatMessageListResponse, ConversationSyncResponse } from '../../../src/chat/chat.dto.js';
import { ConversationsRepository } from '../../../src/chat/conversations/conversations.repository.js';
import { cachedMessageWindow } from '../../../src/chat/messages/message-json.sql.js';
import type { MessageWindow } from '../../../src/chat/messages/message-window.js';
import { Principal } from '../../../src/auth/principal.js';
import { createDataSource } from '../../../src/database/data-source.js';
import { ProjectReader } from '../../../src/projects/project-access.js';
import { makeProject } from '../../factories/make.js';
import { type MessageColumns, storeConversation, storeMessages } from '../../factories/messages.js';
import { idle } from '../../factories/turns.js';
import type { Wire } from '../../support/client.js';
import { raw } from '../../support/raw.js';
import { useService } from '../../support/service.js';
import type { Session } from '../../support/session.js';

const MiB = 1024 ** 2;
const MAX_BYTES = 4 * MiB;
/** Maximum size of a response without its messages, in bytes. */
const ENVELOPE = 1_000;

let database: pg.Client;
// The connection must be closed before the service drops the database.
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

/** Returns a window and its size in bytes. Bypasses the client, which would validate every message. */
async function read<Answer>(path: string, query: Query): Promise<{ bytes: number; answer: Wire<Answer> }> {
  const { status, bytes, text } = await raw(chat(path, query), { headers: bearer() });
  expect(status).toBe(200);
  return { bytes: bytes.byteLength, answer: JSON.parse(text) as Wire<Answer> };
}

const history = (query: Query) => read<ChatMessageListResponse>('', query);
const sync = (query: Query) => read<ConversationSyncResponse>('/sync', query);

/**
 * Returns the nth variant of an id in mixed upper and lower case. Each spelling in a request has its own cache entry.
 */
const spelled = (id: string, n: number): string => {
  let letters = 0;
  return id.replace(/[a-f]/g, (letter) => ((n >> (letters++ % 31)) & 1 ? letter.toUpperCase() : letter));
};

/** Columns that make the author of a message the agent, because only an agent message can be partial. */
const AGENT = { content: `''`, tool_calls: `'[]'::json` };

/**
 * Change in a conversation: new messages arrive, an old message is edited, or the newest message becomes partial or
 * complete.
 */
type StepChange = { count: number; size: number } | { edited: number; size: number } | { isPartial: boolean };

/** Returns the sequence numbers from `first` to `last`. */
const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

const CONTROL = `repeat(E'\\u0001', 100000)`;
const ASTRAL = `repeat(U&'\\+01F600', 100000)`;
const LONG_NAME = `ARRAY[repeat('x', 9000000)]`;
const CALL = `json_build_array(json_build_object('id', 'a', 'tool', 'read_file', 'status', 'completed', 'result', repeat('x', 2000000)))`;

describe('a window of large messages', () => {
  it.each<[string, number, MessageColumns]>([
    ['control characters', 24, { content: CONTROL, file_ids: `ARRAY[repeat(E'\\u0001', 73000)]` }],
    ['astral characters', 60, { content: ASTRAL }],
    ['many quotes', 120, { content: `repeat('"', 100000)` }],
    ['long file names', 60, { content: `''`, file_ids: `array_fill(repeat(E'\\u0001', 1000), ARRAY[60])` }],
    ['tool results that compress well', 12, { content: `''`, tool_calls: CALL }],
    [
      'a few large messages among many small ones',
      1_000,
      { content: `CASE WHEN i % 20 = 0 THEN ${ASTRAL} ELSE 'small' END` },
    ],
  ])('contains the newest messages, up to 4 MiB: %s', async (_, count, columns) => {
    const conversation_id = await makeConversation(count, columns);
    const whole = await history({ conversation_id, limit: 1_000 });
    const { messages } = whole.answer;
    expect(whole.bytes).toBeLessThan(MAX_BYTES + ENVELOPE);
    // No message here exceeds 2 MiB, so the response is cut only because the next older message did not fit.
    expect(whole.bytes).toBeGreaterThan(MAX_BYTES - 2.1 * MiB);
    expect(messages.map(({ sequence }) => sequence)).toEqual(range(count - messages.length + 1, count));
    expect({ ...whole.answer, messages: [] }).toEqual({ messages: [], limit: 1_000, offset: 0, total: count });
    const live = await sync({ conversation_id });
    // Sync must return the same messages as history, because the limit in bytes is the same.
    expect(live.answer.messages).toEqual(messages.slice(-200));
    expect(live.answer).toMatchObject({ conversation_id, turn: { state: 'idle' } });
  });

  it('is paged by the number of received messages without repeating or losing a message', async () => {
    const count = 84;
    const conversation_id = await makeConversation(count, { content: ASTRAL });
    const pages: number[][] = [];
    for (let offset = 0; offset < count; offset += pages[0]?.length ?? count) {
      const { answer } = await history({ conversation_id, offset });
      expect([answer.offset, answer.total]).toEqual([offset, count]);
      pages.unshift(answer.messages.map(({ sequence }) => sequence));
    }
    expect(pages.flat()).toEqual(range(1, count));
    expect(pages.length).toBe(9);
  });

  it('contains only its newest message if that message alone is too large, and is empty past the end', async () => {
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

  it('is complete if its many messages are small enough in total', async () => {
    for (const length of [100, 3_000]) {
      const conversation_id = await makeConversation(1_000, { content: `repeat('x', ${length})` });
      const { answer } = await history({ conversation_id, limit: 1_000 });
      expect(answer.messages.map(({ sequence }) => sequence)).toEqual(range(1, 1_000));
    }
  });
});

describe('the queue for large windows', () => {
  it.each<[string, boolean, number, number, MessageColumns]>([
    ['many small messages', false, 1_000, 1_000, { content: `repeat('x', 400)` }],
    ['some messages', false, 50, 50, { content: `repeat('x', 10000)` }],
    ['many messages', true, 1_000, 1_000, { content: `repeat('x', 3000)` }],
    ['large messages', true, 200, 20, { content: CONTROL }],
    ['tool results that compress well', true, 1_000, 12, { content: `''`, tool_calls: CALL }],
  ])('is used for a window with %s: %s', async (_, isLarge, limit, count, columns) => {
    const source = await createDataSource(service.environment.databaseUrl, 1).initialize();
    try {
      const id = await makeConversation(count, columns);
      const rights = { person_id: session.user, sees_all: true, access: 'write', project_ids: null } as const;
      const reader = ProjectReader.of(Principal.agent(session.company, rights));
      let turns = 0;
      const inTurn = async <Value>(work: () => Promise<Value>): Promise<Value> => {
        turns += 1;
        return await work();
      };
      const conversations = new ConversationsRepository(source);
      const page = { limit, offset: 0 };
      const window = await conversations.window(reader, project, id, page, undefined, inTurn);
      expect(turns).toBe(isLarge ? 1 : 0);
      expect(window).toMatchObject({ last: count, made: expect.any(String) });
    } finally {
      await source.destroy();
    }
  });
});

describe('a partly cached window', () => {
  it.each<[string, number, number, MessageColumns]>([
    ['a few new messages after an empty cache', 0, 3, { content: `'small ' || i` }],
    ['more new messages than fit into a window after an empty cache', 0, 30, { content: CONTROL }],
    ['a few new messages', 20, 3, { content: `'small ' || i` }],
    ['many new messages', 20, 300, { content: `'small ' || i` }],
    ['some large new messages', 20, 4, { content: CONTROL }],
    ['a new message that is too large', 20, 1, { content: CONTROL, file_ids: LONG_NAME }],
  ])('equals an uncached read: %s', async (_, before, more, columns) => {
    const pages: Query[] = [{ limit: 1_000 }, { limit: 7, offset: 1 }];
    for (const page of pages) {
      const conversation_id = await makeConversation(before, { content: `'old ' || i` });
      await history({ conversation_id, limit: 1_000 });
      await storeMessages(database, session, project, conversation_id, more, columns);
      for (const turn of [1, 2]) {
        const { answer } = await history({ conversation_id, ...page });
        expect(answer).toEqual((await history({ conversation_id: spelled(conversation_id, turn), ...page })).answer);
        expect(answer.messages.length).toBeGreaterThan(0);
      }
    }
  });

  it('equals an uncached read after random changes', async () => {
    const size = fc.constantFrom(10, 10, 1_000, 1_000, 20_000, 100_000);
    const step = fc.record({
      at: fc.constantFrom(0, 1),
      change: fc.oneof(
        fc.record({ count: fc.integer({ min: 1, max: 6 }), size }),
        fc.record({ edited: fc.integer({ min: 0, max: 2 }), size }),
        fc.record({ isPartial: fc.boolean() }),
      ),
      limit: fc.constantFrom(1, 7, 50, 1_000),
      offset: fc.constantFrom(0, 0, 0, 1, 5),
    });
    let turn = 0;
    const happens = async (id: string, change: StepChange): Promise<void> => {
      const newest = 'conversation_id = $1 AND sequence = (SELECT last_sequence FROM conversations WHERE id = $1)';
      if ('count' in change)
        await storeMessages(database, session, project, id, change.count, {
          ...AGENT,
          content: `repeat(E'\\u0001', ${change.size})`,
        });
      else if ('edited' in change)
        await database.query(`UPDATE messages SET content = repeat('y', $2) WHERE ${newest} - $3`, [
          id,
          change.size,
          change.edited,
        ]);
      else await database.query(`UPDATE messages SET is_partial = $2 WHERE ${newest}`, [id, change.isPartial]);
    };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 15 }), async (steps) => {
        const ids = [
          await makeConversation(0, AGENT),
          await makeConversation(30, { ...AGENT, content: `'old ' || i` }),
        ];
        for (const { at, change, limit, offset } of steps) {
          const conversation_id = ids[at] ?? '';
          await happens(conversation_id, change);
          const { answer } = await history({ conversation_id, limit, offset });
          const anew = await history({ conversation_id: spelled(conversation_id, (turn += 1)), limit, offset });
          if (JSON.stringify(answer) !== JSON.stringify(anew.answer)) throw new Error('It is another one');
        }
      }),
      { numRuns: 6 },
    );
  }, 60_000);

  it.each<[string, number, boolean, MessageColumns]>([
    ['many small messages', 200, true, { content: `repeat('x', 400)` }],
    ['one message', 1, true, { content: `repeat('x', 100000)` }],
    [
      'one message that is large only after JSON escaping',
      1,
      false,
      { content: CONTROL, file_ids: `ARRAY[${CONTROL}]` },
    ],
    ['one large message', 1, false, { content: `''`, tool_calls: CALL }],
    ['many messages', 200, false, { content: `repeat('x', 10000)` }],
    ['many large messages that compress well', 30, false, { content: `''`, tool_calls: CALL }],
  ])(
    'is checked quickly for messages after the cached part that are too large: %s',
    async (_, count, isMade, columns) => {
      const id = await makeConversation(5 + count, columns);
      const window = { last: 'c.last_sequence', limit: '1000::bigint' };
      const known = { first: '1::bigint', last: '5::bigint' };
      const select = `SELECT w.* FROM conversations c, ${cachedMessageWindow(window, known, MiB)} WHERE c.id = $1`;
      const { rows } = await database.query<MessageWindow>(select, [id]);
      expect(rows).toMatchObject([{ is_cut: !isMade, made: isMade ? expect.any(String) : null }]);
      expect(Buffer.byteLength(rows[0]?.made ?? '')).toBeLessThan(MiB);
      const explained = await database.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
        `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${select}`,
        [id],
      );
      // PostgreSQL may read the out-of-line (TOAST) values of only a few rows.
      expect(explained.rows[0]?.['QUERY PLAN'][0].Plan['Shared Hit Blocks']).toBeLessThan(60);
    },
  );
});

it('rejects large messages while 8 MiB of messages are waiting, and still accepts small messages', async () => {
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
  // The lock keeps the service from claiming the turn.
  await database.query(`BEGIN; SELECT FROM turns WHERE conversation_id = '${conversation_id}' FOR SHARE`);
  const post = (content: string) => client.send('POST', `/projects/${id}/chat`, { body: { content } });
  const { status, headers } = await post('\u{1F600}'.repeat(100_000));
  expect([status, headers.get('retry-after')]).toEqual([429, '5']);
  expect((await post('short')).status).toBe(202);
  await database.query('ROLLBACK');
  await client.delete(`/projects/${id}`);
});
