import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { ConversationState } from '@project-workspace/client';
import type { ConversationSyncResponse } from '../../../src/chat/chat.dto.js';
import type { FileDownloadResponse } from '../../../src/files/files.dto.js';
import type { ProjectResponse } from '../../../src/projects/projects.dto.js';
import { eventually } from '../../support/eventually.js';
import { inBrowser, usePage } from '../../support/page.js';
import { RANDOM_AGENT } from '../../support/random-agent.js';
import { hashOf, makeRandomFile } from '../../support/random-file.js';
import { makeEnvironment, removeEnvironment, Service, type ServiceEnvironment } from '../../support/service.js';
import type { Session } from '../../support/session.js';
import { TcpProxy } from '../../support/tcp-proxy.js';

const DISCONNECTS = 20;
const MiB = 1024 ** 2;
/** Size of the uploaded file. `npm run test:client` sets it to a gigabyte. */
const SIZE = Number(process.env['UPLOAD_MIB'] ?? 64) * MiB;

let environment: ServiceEnvironment;
let service: Service;
let proxy: TcpProxy;
let session: Session;
let project: string;
const start = (PORT = '0'): Promise<Service> =>
  Service.start({ environment, settings: { ...RANDOM_AGENT.settings, PORT }, preload: RANDOM_AGENT.preload });

beforeAll(async () => {
  environment = await makeEnvironment();
  service = await start();
  proxy = await TcpProxy.start(Number(new URL(service.url).port));
  session = await service.session();
}, 60_000);
afterAll(async () => {
  await proxy.stop();
  await service.stop();
  await removeEnvironment(environment);
}, 60_000);

inBrowser('the client package in a browser', () => {
  const tab = usePage(() => [{ url: `http://127.0.0.1:${proxy.port}` }]);

  /** Runs a program on the page. The program can use `client`, which reaches the service through the proxy. */
  const run = async <Result>(program: string): Promise<Result> =>
    await tab.page.evaluate<Result>(`(async () => { const { client, kept } = globalThis.tried; ${program} })()`);

  /** Loads the built package into the service's page, whose security policy then applies. */
  async function load(): Promise<void> {
    await tab.page.evaluate(`(async () => {
      const { WorkspaceClient } = await import('/client/index.js');
      const kept = { streams: 0, parts: [], fate: undefined };
      const client = new WorkspaceClient({
        baseUrl: '',
        token: ${JSON.stringify(session.token)},
        retry: { minDelayMs: 10, maxDelayMs: 100, maxRetries: 100 },
        fetch: async (request) => {
          if (request.method === 'PUT') {
            kept.parts.push(request.url);
            const fate = kept.fate?.(kept.parts.length);
            if (fate === 'lost') return new Response(null, { status: 200 });
            if (fate === 'broken off') throw new TypeError('The connection was lost');
          }
          const response = await fetch(request);
          if (response.headers.get('content-type') === 'text/event-stream') kept.streams += 1;
          return response;
        },
      });
      globalThis.tried = { client, kept };
    })()`);
  }

  beforeEach(async () => {
    ({ id: project } = await session.client.post<ProjectResponse>('/projects', { name: 'A plan' }));
    await tab.context.route('**/client/*.js', async (route) => {
      const name = new URL(route.request().url()).pathname.split('/').at(-1) ?? '';
      const path = name === 'openapi-fetch.js' ? 'node_modules/openapi-fetch/dist/index.mjs' : `client/dist/${name}`;
      const body = (await readFile(path, 'utf8')).replaceAll(`'openapi-fetch'`, `'./openapi-fetch.js'`);
      await route.fulfill({ contentType: 'text/javascript', body });
    });
    await tab.page.goto(`http://127.0.0.1:${proxy.port}/`);
    await tab.page.getByLabel('Token', { exact: true }).waitFor();
    await load();
  });

  it('follows a conversation through 20 disconnects and a killed process, and reaches the same state as sync', async () => {
    await run(`
      kept.states = [];
      kept.interruptions = 0;
      const following = client.conversation('${project}').follow({ onInterruption: () => (kept.interruptions += 1) });
      void (async () => { for await (const state of following) kept.states.push(state); })();
    `);
    let posts = 0;
    const posting: Promise<unknown>[] = [];
    const opened = (): Promise<number> => run<number>('return kept.streams;');
    let before = 0;
    for (let cut = 0; cut < DISCONNECTS; cut += 1) {
      if (cut % 5 === 0)
        posting.push(run(`await client.conversation('${project}').post({ content: 'Message ${(posts += 1)}' });`));
      const seen = before;
      await eventually(opened, (now) => now > seen, { until: `stream ${cut} is open` });
      await pause(Math.random() * 200);
      before = await opened();
      proxy.become('cut');
      if (cut === 8) {
        await service.kill();
        service = await start(new URL(service.url).port);
      }
      proxy.become('whole');
    }
    await Promise.all(posting);
    expect(await run<number>('return kept.interruptions;')).toBeGreaterThan(0);
    const end = await eventually(
      () => session.client.get<ConversationSyncResponse>(`/projects/${project}/chat/sync`),
      ({ turn, messages }) => turn.state === 'idle' && messages.at(-1)?.role === 'assistant',
      { until: 'all is said', deadlineMs: 60_000 },
    );
    const seen = await eventually(
      () => run<ConversationState>('return kept.states.at(-1);'),
      ({ turn, messages }) => turn.state === 'idle' && messages.length === end.messages.length,
      { until: 'the reader has the end' },
    );
    expect(seen).toEqual(end);
    const said = end.messages.filter(({ role }) => role === 'user').map(({ content }) => content);
    expect(said.sort()).toEqual(Array.from({ length: posts }, (_, index) => `Message ${index + 1}`));
  }, 120_000);

  it('uploads a large file despite a pause, lost parts and a reload', async () => {
    const { path, hash } = await makeRandomFile(SIZE);
    const choose = async (): Promise<void> => {
      await tab.page.evaluate(
        `document.body.append(Object.assign(document.createElement('input'), { type: 'file', id: 'chosen' }))`,
      );
      await tab.page.locator('#chosen').setInputFiles(path);
    };
    /** Resumes the upload until the given number of bytes has been sent. */
    const upload = (until: number): string => `
      const pausing = new AbortController();
      const state = sessionStorage.getItem('upload');
      kept.upload = client.upload(document.querySelector('#chosen').files[0], {
        source: 'workspace', project_id: '${project}', path: 'large.bin',
      }, {
        signal: pausing.signal,
        resume: state === null ? undefined : JSON.parse(state),
        onStart: (started) => sessionStorage.setItem('upload', JSON.stringify(started)),
        onProgress: ({ loaded }) => {
          kept.loaded = loaded;
          kept.from ??= loaded;
          if (loaded >= ${until}) pausing.abort('paused');
        },
      });
    `;
    await choose();
    // The connection breaks during the third part, which is then retried.
    await run(`kept.fate = (count) => (count === 3 ? 'broken off' : undefined); ${upload(SIZE / 4)}`);
    expect(await run(`return await kept.upload.catch((reason) => reason);`)).toBe('paused');
    await run(upload(Infinity));
    await eventually(
      () => run<number>('return kept.loaded;'),
      (loaded) => loaded >= SIZE / 2,
      { until: 'half of it is there', deadlineMs: 120_000 },
    );
    await tab.page.reload();
    await load();
    await choose();
    // The store has lost a part, which it reports only when it assembles the file.
    await run(`kept.fate = (count) => (count === 1 ? 'lost' : undefined); ${upload(Infinity)}`);
    const [entry, from] = await run<[object, number]>('return [await kept.upload, kept.from];');
    expect(entry).toMatchObject({ path: 'large.bin', size: SIZE });
    expect(from).toBeGreaterThanOrEqual(SIZE / 2);

    const wanted = { source: 'workspace', project_id: project, path: 'large.bin' };
    const { url } = await session.client.post<FileDownloadResponse>('/files/download', wanted);
    expect(await hashOf(url)).toBe(hash);
  }, 300_000);

  it('throws an instance of the right class for each kind of error', async () => {
    const at = `/api/v1/projects/{project_id}`;
    const path = JSON.stringify({ project_id: project });
    const kinds = await run<string[]>(`
      const kindOf = async (call) => await call.then(() => 'none', (error) => error.name);
      const { WorkspaceClient, NotFoundError } = await import('/client/index.js');
      const nobody = new WorkspaceClient({ baseUrl: '' });
      const missing = { path: { project_id: '01900000-0000-7000-8000-000000000000' } };
      const old = { path: ${path}, header: { 'If-Match': '"old"' } };
      return [
        await kindOf(nobody.GET('/api/v1/projects')),
        await kindOf(client.GET('${at}', { params: missing })),
        String(await client.GET('${at}', { params: missing }).catch((error) => error instanceof NotFoundError)),
        await kindOf(client.PATCH('${at}', { params: { path: ${path} }, body: { name: '' } })),
        await kindOf(client.PATCH('${at}', { params: old, body: { name: 'Another' } })),
      ];
    `);
    expect(kinds).toEqual([
      'AuthenticationError',
      'NotFoundError',
      'true',
      'ValidationError',
      'PreconditionFailedError',
    ]);
    proxy.become('cut');
    const lost = `await client.GET('/api/v1/projects', { signal: AbortSignal.timeout(500) }).catch((error) => error.name)`;
    expect(await run(`return ${lost};`)).toBe('TimeoutError');
    proxy.become('whole');
    expect(await run(`return (await client.GET('/api/v1/projects')).data.projects.length;`)).toBeGreaterThan(0);
  });
});
