import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  NotFoundError,
  PreconditionFailedError,
  type Schemas,
  type UploadState,
  ValidationError,
  verifyWebhook,
  WorkspaceClient,
} from '@project-workspace/client';
import { newSecret, signedHeaders } from '../../../src/webhooks/webhook-signature.js';
import { makeProject } from '../../factories/make.js';
import { eventually } from '../../support/eventually.js';
import { useSharedService } from '../../support/service.js';
import type { Session } from '../../support/session.js';

/* Runs the examples in docs/web-clients.md and client/README.md. This file contains each example word for word. */

const service = useSharedService();
let session: Session;
let client: WorkspaceClient;
let projectId: string;
/** Values that a page would show. */
let shown: unknown[];
const show = (what: unknown): void => void shown.push(what);

beforeAll(async () => {
  session = await service.session();
  ({ id: projectId } = await makeProject(session.client));
  client = clientOf(service.url, () => Promise.resolve(session.token));
});

function clientOf(baseUrl: string, signIn: () => Promise<string>): WorkspaceClient {
  const client = new WorkspaceClient({ baseUrl, token: async () => await signIn() });
  return client;
}

const text = (source: string): string => source.replace(/\s+/g, ' ').trim();

describe('the example code in the client guide', () => {
  it('is identical to code in this file', () => {
    const own = text(readFileSync('test/e2e/client/guide.e2e.ts', 'utf8'));
    const guides = ['docs/web-clients.md', 'client/README.md'].map((path) => readFileSync(path, 'utf8')).join('\n');
    const examples = Array.from(guides.matchAll(/```ts\n(.*?)```/gs), ([, example = '']) => text(example));
    expect(examples.length).toBeGreaterThan(8);
    expect(examples.filter((example) => !own.includes(example))).toEqual([]);
  });

  it('creates, changes and shows a project', async () => {
    shown = [];
    const { data: project } = await client.POST('/api/v1/projects', { body: { name: 'Week 12' } });
    const params = { path: { project_id: project.id } };
    await client.PATCH('/api/v1/projects/{project_id}', { params, body: { description: 'What we make' } });
    show(project.name);
    expect(shown).toEqual(['Week 12']);
  });

  it('shares streams, and opens separate streams outside a browser', async () => {
    const { url: baseUrl } = service;
    const { token, user: userId } = session;
    const shared = new WorkspaceClient({ baseUrl, token, shareStreams: userId });
    const states = shared.conversation(projectId).follow();
    expect((await states.next()).value?.messages).toEqual([]);
    await states.return();
  });

  it('lists projects and follows a conversation in the quick start', async () => {
    shown = [];
    const console = { log: (...what: unknown[]): void => show(what.at(-1)) };
    for await (const { id, name } of client.list('/api/v1/projects')) console.log(id, name);
    const { data: project } = await client.POST('/api/v1/projects', { body: { name: 'Week 12' } });
    const conversation = client.conversation(project.id);
    await conversation.post({ content: 'maximize profit: 3x + 2y; labour: x + y <= 4; solve' });
    for await (const { messages, turn } of conversation.follow()) {
      console.log(messages.at(-1)?.content);
      if (turn.state === 'idle') break;
    }
    expect(shown.length).toBeGreaterThan(2);
    expect(shown.at(-1)).toMatch(/profit/i);
  });

  it('reads every page of a list', async () => {
    shown = [];
    for await (const { name } of client.list('/api/v1/projects', { params: { query: { limit: 100 } } })) show(name);
    expect(shown.length).toBeGreaterThan(0);
  });

  it('traces requests', async () => {
    const [baseUrl, token] = [service.url, session.token];
    const traceparent = (): string => '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const traced = new WorkspaceClient({
      baseUrl,
      token,
      onRequest: (request) => request.headers.set('traceparent', traceparent()),
      onRetry: ({ error, attempt }) => console.warn(`attempt ${attempt + 1}`, error),
    });
    expect((await traced.GET('/api/v1/me')).response.status).toBe(200);
  });

  it('verifies webhooks', async () => {
    const [secret, body] = [newSecret(), '{"type":"webhook.test"}'];
    const headers = signedHeaders(secret, 'msg_1', new Date(), body);
    const event = await verifyWebhook(body, headers, secret);
    expect(event).toEqual({ type: 'webhook.test' });
  });

  it('distinguishes errors by class and code', async () => {
    shown = [];
    const rename = async (name: string, etag: string): Promise<void> => {
      const params = { path: { project_id: projectId }, header: { 'If-Match': etag } };
      try {
        await client.PATCH('/api/v1/projects/{project_id}', { params, body: { name } });
      } catch (error) {
        if (error instanceof PreconditionFailedError) show('Someone else changed it. Reload it and try again.');
        else if (error instanceof ValidationError) show(error.entries.map(({ loc, msg }) => [loc.join('.'), msg]));
        else if (error instanceof NotFoundError && error.code === 'project_not_found') show('It is gone.');
        else throw error;
      }
    };
    await rename('', '*');
    await rename('New', '"old"');
    await rename('New', '*');
    expect(shown).toEqual([[['body.name', expect.any(String)]], 'Someone else changed it. Reload it and try again.']);
  });

  it('avoids downloading an unchanged resource', async () => {
    shown = [];
    const params = { path: { project_id: projectId } };
    const first = await client.GET('/api/v1/projects/{project_id}/cards', { params });
    const etag = first.response.headers.get('etag') ?? '';
    const { data } = await client.GET('/api/v1/projects/{project_id}/cards', { params, ifNoneMatch: etag });
    if (data !== undefined) show(data.cards);
    expect(shown).toEqual([]);
  });

  it('iterates over a list', async () => {
    shown = [];
    let cursor: string | null | undefined = '';
    while (cursor != null) {
      const query: { cursor: string; limit: number } = { cursor, limit: 100 };
      const { data } = await client.GET('/api/v1/projects', { params: { query } });
      for (const { name } of data.projects) show(name);
      cursor = data.next_cursor;
    }
    expect(shown.length).toBeGreaterThan(0);
  });

  it('holds a conversation with the agent', async () => {
    shown = [];
    const conversation = client.conversation(projectId);
    await conversation.post({ content: 'What do you need to know?' });
    const leaving = new AbortController();
    for await (const { messages, turn } of conversation.follow({ signal: leaving.signal })) {
      for (const { role, content } of messages) show([role, content]);
      if (turn.state === 'idle') break;
    }
    expect(shown).toContainEqual(['user', 'What do you need to know?']);
    expect(shown).toContainEqual(['assistant', expect.stringMatching(/./)]);
  });

  it('uploads a file and resumes after a reload', async () => {
    shown = [];
    const storage = new Map<string, string>();
    const file = new Blob([readFileSync('test/models/dorian.lp')]);
    const upload = async (): Promise<Schemas['FileEntry']> => {
      const kept = storage.get('upload');
      const entry = await client.upload(
        file,
        { source: 'workspace', project_id: projectId, path: 'plan.lp' },
        {
          resume: kept === undefined ? undefined : (JSON.parse(kept) as UploadState),
          onStart: (state) => storage.set('upload', JSON.stringify(state)),
          onProgress: ({ loaded, total }) => show(`${loaded} of ${total} bytes`),
        },
      );
      storage.delete('upload');
      return entry;
    };
    const { path, size } = await upload();
    expect([path, shown.at(-1)]).toEqual(['plan.lp', `${size} of ${size} bytes`]);
  });

  it('runs a solve', async () => {
    shown = [];
    const execution = await client.solve(
      projectId,
      { input_file_ids: ['plan.lp'], is_test: true },
      { onChange: ({ status, progress }) => show([status, progress?.gap]) },
    );
    if (execution.status === 'succeeded') show(execution.result?.objective_value);
    expect(execution.status).toBe('succeeded');
    expect(shown.at(-2)).toEqual(['succeeded', undefined]);
    expect(shown.at(-1)).toEqual(expect.any(Number));
    const again = await client.waitForExecution(projectId, execution.id);
    expect(again).toEqual(execution);
  });

  it('receives the events of a project', async () => {
    shown = [];
    const leaving = new AbortController();
    const load = async (): Promise<void> => {
      show('everything');
      const params = { path: { project_id: projectId } };
      await client.POST('/api/v1/projects/{project_id}/cards', { params, body: { card_type: 'kpi', label: 'Profit' } });
    };
    const hear = async (): Promise<void> => {
      for await (const event of client.projectEvents(projectId, { signal: leaving.signal })) {
        if (event.type === 'resync') await load();
        else if (event.type === 'cards.changed') show(event.data.card_ids);
      }
    };
    const hearing = hear();
    await eventually(
      () => Promise.resolve(shown.length),
      (heard) => heard > 1,
      { until: 'the card is heard of' },
    );
    leaving.abort('left');
    await expect(hearing).rejects.toBe('left');
    expect(shown).toEqual(['everything', [expect.any(String)]]);
  });
});
