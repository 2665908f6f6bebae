import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { ConnectionError, NotFoundError, WorkspaceClient } from '../../client/src/index.js';

const json = (body: unknown, status = 200): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
const BASE = 'http://service.test';
const retry = { minDelayMs: 1, maxDelayMs: 1 };
const never = (request: Request): Promise<Response> =>
  new Promise((_, reject) => {
    request.signal.addEventListener('abort', () => reject(request.signal.reason as Error));
  });

describe('the base URL', () => {
  it.each([BASE, `${BASE}/`, `${BASE}/api/v1`, `${BASE}/api/v1/`])('can be %s', async (baseUrl) => {
    const urls: string[] = [];
    const fetch = async ({ url }: Request) => {
      urls.push(url);
      return await Promise.resolve(json({ projects: [] }));
    };
    await new WorkspaceClient({ baseUrl, fetch }).GET('/api/v1/projects');
    expect(urls).toEqual([`${BASE}/api/v1/projects`]);
  });

  it('can contain a path before /api/v1', async () => {
    const fetch = async ({ url }: Request) => await Promise.resolve(json({ url }));
    const client = new WorkspaceClient({ baseUrl: `${BASE}/planning/api/v1`, fetch });
    expect((await client.GET('/api/v1/me')).data).toEqual({ url: `${BASE}/planning/api/v1/me` });
  });
});

describe('the list iterator', () => {
  const pages: Record<string, unknown> = {
    '': { projects: [{ id: 'a' }, { id: 'b' }], next_cursor: 'two' },
    two: { projects: [], next_cursor: 'three' },
    three: { projects: [{ id: 'c' }], next_cursor: null },
  };
  const asked: string[] = [];
  const client = new WorkspaceClient({
    baseUrl: BASE,
    fetch: async ({ url }) => {
      asked.push(new URL(url).search);
      return await Promise.resolve(json(pages[new URL(url).searchParams.get('cursor') ?? '']));
    },
  });

  it('iterates over the items of all pages, even if a page is empty', async () => {
    const ids: string[] = [];
    const options = { params: { query: { limit: 2 } } };
    for await (const { id } of client.list('/api/v1/projects', options)) ids.push(id);
    expect(ids).toEqual(['a', 'b', 'c']);
    expect(asked).toEqual(['?limit=2&cursor=', '?limit=2&cursor=two', '?limit=2&cursor=three']);
  });

  it('stops loading pages when the caller stops iterating', async () => {
    asked.length = 0;
    for await (const { id } of client.list('/api/v1/projects')) if (id === 'a') break;
    expect(asked).toEqual(['?cursor=']);
  });

  it('yields the items of the first page before throwing the error from the second', async () => {
    const fetch = async ({ url }: Request) =>
      await Promise.resolve(url.endsWith('cursor=') ? json(pages['']) : json({ detail: 'Not Found' }, 404));
    const ids: string[] = [];
    const read = async () => {
      for await (const { id } of new WorkspaceClient({ baseUrl: BASE, fetch }).list('/api/v1/projects')) ids.push(id);
    };
    await expect(read()).rejects.toBeInstanceOf(NotFoundError);
    expect(ids).toEqual(['a', 'b']);
  });
});

describe('the client', () => {
  it('rejects a call after the timeout in its options', async () => {
    const client = new WorkspaceClient({ baseUrl: BASE, fetch: never, retry: { maxRetries: 0 } });
    await expect(client.GET('/api/v1/me', { timeoutMs: 20 })).rejects.toBeInstanceOf(ConnectionError);
  });

  it.each([
    [
      'rejected',
      async () => await Promise.resolve(json({ detail: 'Project not found', code: 'project_not_found' }, 404)),
    ],
    ['answered by a proxy', async () => await Promise.resolve(new Response('gone', { status: 404 }))],
    ['not answered', async () => await Promise.reject(new TypeError('fetch failed'))],
  ])('throws an error with the method and URL if the request is %s', async (_, fetch) => {
    const client = new WorkspaceClient({ baseUrl: BASE, fetch, retry: { maxRetries: 0 } });
    const path = '/api/v1/projects/{project_id}';
    await expect(client.DELETE(path, { params: { path: { project_id: 'p' } } })).rejects.toMatchObject({
      request: { method: 'DELETE', url: `${BASE}/api/v1/projects/p` },
    });
  });

  it('calls onRequest before each request and onRetry before each retry', async () => {
    const answers = [json({ detail: 'Wait' }, 429), json({ detail: 'Wait' }, 503), json({ id: 'me' })];
    const requests: string[] = [];
    const attempts: number[] = [];
    const client = new WorkspaceClient({
      baseUrl: BASE,
      retry,
      fetch: async (request) => {
        requests.push(request.headers.get('traceparent') ?? '');
        return await Promise.resolve(answers.shift() ?? json({}));
      },
      onRequest: (request) => request.headers.set('traceparent', `trace-${requests.length}`),
      onRetry: ({ attempt }) => attempts.push(attempt),
    });
    await client.GET('/api/v1/me');
    expect(requests).toEqual(['trace-0', 'trace-1', 'trace-2']);
    expect(attempts).toEqual([1, 2]);
  });

  it('aborts many calls that share a signal without a warning about too many listeners', async () => {
    const warnings: Error[] = [];
    const warn = (warning: Error): number => warnings.push(warning);
    process.on('warning', warn);
    const stop = new AbortController();
    const client = new WorkspaceClient({ baseUrl: BASE, fetch: never });
    const calls = Array.from({ length: 40 }, () => client.GET('/api/v1/me', { signal: stop.signal }));
    await pause(20);
    stop.abort(new Error('enough'));
    for (const { status, reason } of (await Promise.allSettled(calls)) as PromiseRejectedResult[])
      expect([status, (reason as Error).message]).toEqual(['rejected', 'enough']);
    process.off('warning', warn);
    expect(warnings).toEqual([]);
  });
});
