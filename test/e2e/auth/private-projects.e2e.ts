import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { AgentContext, AgentOutput } from '../../../src/agent/agent.js';
import { type Call, type Reply, ToolboxesService } from '../../../src/agent/tools/toolboxes.service.js';
import type { ConversationSyncResponse } from '../../../src/chat/chat.dto.js';
import type { UploadStartResponse } from '../../../src/files/uploads/uploads.dto.js';
import type { ApiKeyCreateResponse } from '../../../src/auth/api-keys/api-keys.dto.js';
import type { CardListResponse } from '../../../src/projects/canvas/canvas.dto.js';
import type { SnapshotResponse } from '../../../src/projects/snapshots.dto.js';
import { makeFile, makeProject } from '../../factories/make.js';
import { idle } from '../../factories/turns.js';
import { Client } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { type Script, say, useGates, useScriptedService } from '../../support/scripted-agent.js';
import type { Session } from '../../support/session.js';
import { EventStream } from '../../support/stream.js';

let script: Script;
const service = useScriptedService((context) => script(context));
const makeGate = useGates();
let boss: Session;
let ada: Session;
let ben: Session;
/** Private project owned by Ada. */
let project: string;

beforeAll(async () => {
  boss = await service.session();
  ada = await service.session({ company: boss.company, role: 'member' });
  ben = await service.session({ company: boss.company, role: 'member' });
  await ben.client.get('/me');
}, 30_000);
beforeEach(async () => {
  project = (await makeProject(ada.client, { visibility: 'private' })).id;
});

const give = (role: string, user = ben.user) => ada.client.put(`/projects/${project}/members/${user}`, { role });
const take = async (user = ben.user): Promise<void> =>
  void (await ada.client.delete(`/projects/${project}/members/${user}`));
const keyOf = async ({ client }: Session, limits: object = {}): Promise<string> =>
  (await client.post<ApiKeyCreateResponse>('/api-keys', { name: 'Program', ...limits })).key;
const hello: Script = async function* () {
  yield await Promise.resolve(say('Hello.'));
};

describe('a stream of a project', () => {
  const closes = async (stream: EventStream, end: () => Promise<unknown>): Promise<void> => {
    expect(stream.status).toBe(200);
    await end();
    const began = performance.now();
    await eventually(() => Promise.resolve(stream.isOver), Boolean, { until: 'the stream is over', deadlineMs: 5_000 });
    expect(performance.now() - began).toBeLessThan(5_000);
  };

  it('ends within 5 s of the end of a membership, even for the member’s API key, but stays open for others', async () => {
    await give('viewer');
    const key = await keyOf(ben);
    const kept = await EventStream.open(service.url, ada.token, project);
    const streams = [
      await EventStream.open(service.url, ben.token, project),
      await EventStream.open(service.url, key, project),
    ];
    await closes(streams[0]!, take);
    await closes(streams[1]!, () => Promise.resolve());
    expect((await EventStream.open(service.url, ben.token, project)).status).toBe(404);
    expect(kept.isOver).toBe(false);
    kept.close();
  }, 20_000);

  it('stays open for a member when the project becomes private, and ends with the membership', async () => {
    await ada.client.patch(`/projects/${project}`, { visibility: 'company' });
    const stream = await EventStream.open(service.url, ben.token, project);
    await give('viewer');
    await ada.client.patch(`/projects/${project}`, { visibility: 'private' });
    script = hello;
    await ada.client.post(`/projects/${project}/chat`, { content: 'Hello' });
    await stream.ended();
    await pause(3_000);
    expect(stream.isOver).toBe(false);
    await closes(stream, take);
  }, 20_000);

  it('ends when the creator of its key loses the company-level role', async () => {
    const former = await service.session({ company: boss.company, role: 'company', issuedAt: 1_000_000_000 });
    const stream = await EventStream.open(service.url, await keyOf(former, { role: 'company' }), project);
    const { client } = await service.session({ ...former, role: 'member', issuedAt: 1_000_000_001 });
    await closes(stream, () => client.get('/me'));
  }, 20_000);
});

describe('an agent in a private project', () => {
  /** Results of the tool calls in the last turn. */
  let replies: Reply[] = [];
  const making = (...calls: (Call | (() => Promise<void>))[]): Script =>
    async function* (context: AgentContext): AsyncGenerator<AgentOutput> {
      replies = [];
      const toolbox = service.app.get(ToolboxesService).open(context);
      yield say('I look.');
      for (const call of calls) {
        if (typeof call === 'function') await call();
        else replies.push(yield* toolbox.call(call));
      }
    };
  const read: Call = { tool: 'read_file', input: { path: 'secret.txt' } };
  const write: Call = { tool: 'write_file', input: { path: 'plan.txt', content: 'Plan' } };
  const card: Call = { tool: 'upsert_card', input: { card_type: 'kpi', label: 'Cost' } };
  const outcomes = () => replies.map((reply) => (reply.ok ? 'done' : `${reply.error_code}: ${reply.error}`));
  const cards = async () => (await ada.client.get<CardListResponse>(`/projects/${project}/cards`)).cards;
  const play = async (asker: Client, calls: Parameters<typeof making>) => {
    script = making(...calls);
    await asker.post(`/projects/${project}/chat`, { content: 'Go on' });
    return await idle(ada.client, project);
  };

  beforeEach(async () => {
    await makeFile(ada.client, { source: 'workspace', project_id: project }, 'secret.txt', 'Secret');
    await give('editor');
  });

  it.each<[string, () => Promise<Client>]>([
    ['a person', () => Promise.resolve(ben.client)],
    ['the holder of a key', async () => new Client(service.url, await keyOf(ben))],
  ])(
    'checks the current rights of %s who posted the message before each tool call',
    async (_, ask) => {
      const asker = await ask();
      await play(asker, [read, card, async () => void (await give('viewer')), read, write, card]);
      const refused = 'forbidden: A viewer cannot change the project';
      expect(outcomes()).toEqual(['done', 'done', 'done', refused, refused]);
      expect((await cards()).map(({ version }) => version)).toEqual([1]);
      await give('editor');
      await play(asker, [write, () => take(), read, write, { tool: 'list_files', input: {} }, card]);
      const gone = 'not_found: Project not found';
      expect(outcomes()).toEqual(['done', gone, gone, gone, gone]);
    },
    30_000,
  );

  it('ends a turn with a message if the person who started it has lost access to the project', async () => {
    const gate = makeGate();
    script = async function* () {
      yield say('Wait.');
      await gate.passed;
    };
    await ada.client.post(`/projects/${project}/chat`, { content: 'First' });
    await eventually(
      () => ada.client.get<ConversationSyncResponse>(`/projects/${project}/chat/sync`),
      ({ turn }) => turn.next_seq > 0,
      { until: 'the first turn has said something' },
    );
    await give('editor');
    await ben.client.post(`/projects/${project}/chat`, { content: 'Second' });
    await ada.client.post(`/projects/${project}/chat`, { content: 'Third' });
    await take();
    const answered: string[][] = [];
    script = async function* (context) {
      answered.push(context.messages.filter(({ to_answer }) => to_answer).map(({ content }) => content));
      yield* hello(context);
    };
    gate.open();
    const { messages } = await idle(ada.client, project);
    expect(messages.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'First'],
      ['assistant', 'Wait.'],
      ['user', 'Second'],
      ['user', 'Third'],
      ['system', 'The person who asked no longer has access to this project.'],
      ['assistant', 'Hello.'],
    ]);
    // Ada's message is answered in a separate turn, which has only her rights.
    expect(answered).toEqual([['Third']]);
  });

  it('can act for a person with company-level access who is not a member of the project', async () => {
    await play(boss.client, [read, card]);
    expect(outcomes()).toEqual(['done', 'done']);
  });
});

describe('data of a private project', () => {
  it('cannot be accessed by former members through ids, upload tokens or file references', async () => {
    const place = { source: 'workspace', project_id: project } as const;
    const { id: file_id } = await makeFile(ada.client, place, 'secret.txt', 'Secret');
    const { id: snapshot_id } = await ada.client.post<SnapshotResponse>(`/projects/${project}/snapshots`);
    await give('editor');
    const begun = async () =>
      (await ben.client.post<UploadStartResponse>('/files/upload/start', { ...place, path: 'new.txt', size: 1 }))
        .upload_token;
    const [left, aborted] = [await begun(), await begun()];
    await ben.client.post('/files/upload/abort', { upload_token: aborted });
    const start = { ...place, path: 'hers.txt', size: 1 };
    const { upload_token: hers } = await ada.client.post<UploadStartResponse>('/files/upload/start', start);
    const ended = await begun();
    await take();
    // Ben may abort his own upload, so that it does not count towards his limit any longer.
    expect((await ben.client.send('POST', '/files/upload/abort', { body: { upload_token: ended } })).status).toBe(204);
    const mine = (await makeProject(ben.client)).id;
    const own = { source: 'workspace', project_id: mine } as const;
    const requests: [path: string, body: object, status: number, detail: string][] = [
      ['/files/list', place, 404, 'Project not found'],
      ['/files/list', { source: 'snapshot', snapshot_id }, 404, 'Snapshot not found'],
      ['/files/content', { source: 'snapshot', snapshot_id, path: 'secret.txt' }, 404, 'Snapshot not found'],
      ['/files/download', { ...place, path: 'secret.txt' }, 404, 'Project not found'],
      ['/files/upload/start', { ...place, path: 'a' }, 404, 'Project not found'],
      ['/files/upload/parts', { upload_token: left, part_numbers: [1] }, 404, 'Upload not found'],
      ['/files/upload/status', { upload_token: left }, 404, 'Upload not found'],
      ['/files/upload/abort', { upload_token: hers }, 404, 'Upload not found'],
      ['/files/upload/complete', { ...place, upload_token: left }, 404, 'Upload not found'],
      ['/files/upload/complete', { ...own, upload_token: left }, 404, 'Upload not found'],
      ['/files/upload/complete', { ...place, upload_token: aborted }, 404, 'Upload not found'],
    ];
    for (const [path, body, status, detail] of requests) {
      expect({ path, ...(await ben.client.send('POST', path, { body })) }).toMatchObject({
        ...{ path, status, body: { detail } },
      });
    }
    const run = await ben.client.send('POST', `/projects/${mine}/solve/executions`, {
      body: { input_file_ids: [file_id] },
    });
    expect(run.status).toBe(422);
    // People with access to the project can still access everything.
    expect((await ada.client.send('POST', '/files/upload/status', { body: { upload_token: left } })).status).toBe(200);
    await give('viewer');
    expect((await ben.client.send('POST', '/files/upload/status', { body: { upload_token: left } })).status).toBe(403);
    expect(
      (await ben.client.send('POST', '/files/upload/complete', { body: { ...place, upload_token: left } })).status,
    ).toBe(403);
  });

  it('is not written if the writer loses edit access while the content is being computed', async () => {
    const place = { source: 'workspace', project_id: project } as const;
    await makeFile(ada.client, place, 'plan.csv', 'a\n1\n');
    const slow = 'SELECT max(md5(r.range::text || s.range::text)) FROM range(2000) r, range(2000) s';
    for (const end of [async () => await give('viewer'), async () => await take()]) {
      await give('editor');
      const writing = ben.client.send('POST', '/files/query', {
        body: { ...place, tables: { a: 'plan.csv' }, sql: slow, save_as: 'plan.csv' },
      });
      await end();
      expect([403, 404]).toContain((await writing).status);
    }
    expect((await ada.client.post<{ text: string }>('/files/content', { ...place, path: 'plan.csv' })).text).toBe(
      'a\n1\n',
    );
  });

  it('is not included in any response to people without access', async () => {
    const mark = `mark-${project}`;
    await ada.client.patch(`/projects/${project}`, { name: mark });
    script = async function* () {
      yield await Promise.resolve(say('Hello.'));
      yield { type: 'usage', credits: 1 };
    };
    // Ben has spent credits in the project and has since lost access to it.
    await give('editor');
    for (const { client } of [ada, ben]) {
      await client.post(`/projects/${project}/chat`, { content: mark });
      await idle(client, project);
    }
    await take();
    const listings = ['/projects', '/usage/projects', '/usage/days?group_by=project'];
    for (const path of listings) {
      for (const [{ client }, sees] of [
        [ada, true],
        [ben, false],
      ] as const) {
        const { status, body } = await client.send('GET', path);
        expect([path, status, JSON.stringify(body).includes(project)]).toEqual([path, 200, sees]);
      }
    }
    await ada.client.delete(`/projects/${project}`);
    for (const [session, total] of [
      [ada, 1],
      [boss, 1],
      [ben, 0],
    ] as const) {
      const query = { deleted: true, q: mark };
      expect(await session.client.get('/projects', query)).toMatchObject({ total });
    }
  });
});
