import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makeFile, makeProject } from '../../factories/make.js';
import type { FileDownloadResponse } from '../../../src/files/files.dto.js';
import type { UploadStartResponse } from '../../../src/files/uploads/uploads.dto.js';
import { Client } from '../../support/client.js';
import { raw, type RawAnswer } from '../../support/raw.js';
import { Service, useService } from '../../support/service.js';
import type { Session } from '../../support/session.js';

const ORIGIN = 'https://planner.example.com';
const LIMIT = 40;
const REFUSALS = 25;

const service = useService({
  settings: {
    CORS_ORIGINS: `${ORIGIN}, http://localhost:5173`,
    RATE_LIMIT_PER_MINUTE: String(LIMIT),
    RATE_LIMIT_UNAUTHENTICATED_PER_MINUTE: String(REFUSALS),
    TRUSTED_PROXIES: '1',
    METRICS: 'true',
    METRICS_TOKEN: 'a-token-for-metrics',
  },
});

/** Address reported by a trusted proxy. Each test uses a different address, so that tests do not share limits. */
const from = (address: string): Record<string, string> => ({ 'x-forwarded-for': address });
const statuses = (answers: { status: number }[]): Record<number, number> =>
  answers.reduce<Record<number, number>>((sum, { status }) => ({ ...sum, [status]: (sum[status] ?? 0) + 1 }), {});

describe('the content security policy', () => {
  it.each(['/api/v1/me', '/api/v1/nothing', '/openapi.json', '/assets', '/sign-in'])(
    'prevents the response of %s from running scripts, loading resources or being framed',
    async (path) => {
      const { headers } = await raw(service.url + path, { headers: from('10.0.0.1') });
      expect(headers).toMatchObject({
        'content-security-policy': "default-src 'none';frame-ancestors 'none'",
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        // Clients can revalidate the document by its entity tag.
        'cache-control': path === '/openapi.json' ? 'no-cache' : 'no-store',
      });
      expect(headers).not.toHaveProperty('x-powered-by');
      expect(headers).not.toHaveProperty('strict-transport-security');
    },
  );

  it.each(['/', '/?a=b', '/assets/nothing.js'])('restricts the page at %s to its own scripts', async (path) => {
    const { headers } = await raw(service.url + path);
    const policy = headers['content-security-policy'] as string;
    expect(policy).toContain("default-src 'none';script-src 'self';");
    expect(policy).toMatch(/connect-src 'self'(;|$)/);
    expect(policy).not.toMatch(/unsafe-eval|script-src[^;]*unsafe|https?:|\*/);
  });

  it('restricts the documentation to its own scripts', async () => {
    const { headers } = await raw(`${service.url}/docs`);
    expect(headers['content-security-policy']).toContain("default-src 'none';script-src 'self';");
  });
});

describe('a web client from another origin', () => {
  const preflight = (path: string, origin: string, method: string, headers: string): Promise<RawAnswer> =>
    raw(service.url + path, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': headers },
    });
  const allowed = ({ headers }: RawAnswer): unknown => headers['access-control-allow-origin'];

  it.each([
    ['/api/v1/projects', 'POST', 'authorization,content-type'],
    ['/api/v1/projects/1/chat/stream', 'GET', 'authorization,last-event-id'],
    ['/api/v1/projects/1', 'PATCH', 'authorization,content-type'],
    ['/api/v1/projects', 'GET', 'authorization,traceparent,tracestate'],
    ['/api/v1/projects', 'POST', 'baggage,traceparent'],
    ['/api/v1/projects/1/chat', 'POST', 'baggage,idempotency-key'],
    ['/store/blobs/1?signature=none', 'PUT', 'content-type'],
    ['/store/blobs/1?signature=none', 'GET', 'range'],
  ])('does not need a token for the preflight request to %s with the method %s', async (path, method, headers) => {
    const answer = await preflight(path, ORIGIN, method, headers);
    expect([answer.status, allowed(answer)]).toEqual([204, ORIGIN]);
    expect(answer.headers['access-control-allow-methods']?.split(',')).toContain(method);
    const names = answer.headers['access-control-allow-headers']?.toLowerCase().split(',');
    expect(names).toEqual(expect.arrayContaining(headers.split(',')));
    expect(answer.headers).not.toHaveProperty('access-control-allow-credentials');
    expect(answer.headers.vary).toMatch(/origin/i);
  });

  it.each([
    'https://elsewhere.example.com',
    'https://planner.example.com.evil.example',
    'null',
    'http://localhost:5174',
  ])('does not receive CORS headers for the origin %s', async (origin) => {
    expect(allowed(await preflight('/api/v1/me', origin, 'GET', 'authorization'))).toBeUndefined();
    expect(
      allowed(await raw(`${service.url}/api/v1/me`, { headers: { origin, ...from('10.0.0.2') } })),
    ).toBeUndefined();
  });

  it('can read error responses and the headers needed for retries', async () => {
    const answer = await raw(`${service.url}/api/v1/me`, { headers: { origin: ORIGIN, ...from('10.0.0.3') } });
    expect([answer.status, allowed(answer)]).toEqual([401, ORIGIN]);
    expect(answer.headers['access-control-expose-headers']?.split(',')).toEqual(
      expect.arrayContaining(['X-Request-Id', 'Retry-After', 'WWW-Authenticate', 'ETag', 'Content-Range']),
    );
  });

  it('can send file parts and read files, including ranges', async () => {
    const { client } = await service.session();
    const place = { source: 'workspace', project_id: (await makeProject(client)).id } as const;
    await makeFile(client, place, 'page.html', '<script>alert(1)</script>');
    const start = await client.post<UploadStartResponse>('/files/upload/start', { ...place, path: 'a.txt', size: 3 });
    const sent = await raw(start.parts[0]?.url ?? '', { method: 'PUT', headers: { origin: ORIGIN }, body: 'abc' });
    expect([sent.status, allowed(sent), typeof sent.headers.etag]).toEqual([200, ORIGIN, 'string']);

    const { url } = await client.post<FileDownloadResponse>('/files/download', { ...place, path: 'page.html' });
    const got = await raw(url, { headers: { origin: ORIGIN, range: 'bytes=0-7' } });
    expect([got.status, got.text, allowed(got)]).toEqual([206, '<script>', ORIGIN]);
    expect(got.headers).toMatchObject({
      'content-security-policy': 'sandbox',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'cross-origin',
    });
    expect(got.headers['content-disposition']).toMatch(/^attachment/);
    const refused = await raw(`${url}0`, { headers: { origin: ORIGIN } });
    expect([refused.status, allowed(refused)]).toEqual([403, ORIGIN]);
  });

  it('does not receive a preflight response to a plain OPTIONS request', async () => {
    const { status, headers } = await raw(`${service.url}/api/v1/projects`, {
      method: 'OPTIONS',
      headers: { origin: ORIGIN },
    });
    expect([status, headers.allow]).toEqual([405, 'GET, POST']);
  });
});

describe('URLs', () => {
  it('are rejected with 414 if they are too long, before all other checks', async () => {
    const { status, text, headers } = await raw(`${service.url}/api/v1/projects?q=${'x'.repeat(9_000)}`);
    expect([status, JSON.parse(text)]).toEqual([
      414,
      { detail: 'The URL must not exceed 8192 characters', code: 'url_too_long' },
    ]);
    expect(headers['x-request-id']).toBeDefined();
  });
});

describe('a rate limit', () => {
  let other: Service;
  beforeAll(async () => {
    const settings = { RATE_LIMIT_PER_MINUTE: String(LIMIT), RATE_LIMIT_UNAUTHENTICATED_PER_MINUTE: String(REFUSALS) };
    other = await Service.start({ environment: service.environment, settings });
  });
  afterAll(async () => {
    expect(await other.stop()).toBe(0);
  });

  const ask = (session: Session, times: number, url = service.url) =>
    Promise.all(Array.from({ length: times }, () => new Client(url, session.token).send('GET', '/me')));

  it('applies to each caller per minute without affecting other callers', async () => {
    const [busy, colleague] = [await service.session(), await service.session()];
    expect(statuses(await ask(busy, LIMIT))).toEqual({ 200: LIMIT });
    const { status, body, headers } = await busy.client.send('GET', '/projects');
    expect([status, body]).toEqual([
      429,
      { detail: `The limit of ${LIMIT} requests per minute is exceeded; try again later`, code: 'rate_limited' },
    ]);
    expect([headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]).toEqual([String(LIMIT), '0']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
    expect(headers.get('x-ratelimit-reset')).toBe(headers.get('retry-after'));
    expect(statuses(await ask(colleague, 2))).toEqual({ 200: 2 });
    // A different token for the same person shares the limit. The same user id in another company does not.
    const again = await service.session({ company: busy.company, user: busy.user, expiresIn: 1800 });
    expect(statuses(await ask(again, 1))).toEqual({ 429: 1 });
    expect(statuses(await ask(await service.session({ user: busy.user }), 1))).toEqual({ 200: 1 });
  });

  it('applies to each process separately', async () => {
    const session = await service.session();
    expect(statuses(await ask(session, LIMIT + 1))).toEqual({ 200: LIMIT, 429: 1 });
    expect(statuses(await ask(session, LIMIT + 1, other.url))).toEqual({ 200: LIMIT, 429: 1 });
  });

  it('applies per address to invalid credentials, without locking out valid callers', async () => {
    const guess = (address: string) =>
      service.anonymous.send('GET', '/me', { headers: { authorization: 'Bearer guessed', ...from(address) } });
    const guesses = await Promise.all(Array.from({ length: REFUSALS + 5 }, () => guess('192.0.2.1')));
    expect(statuses(guesses)).toEqual({ 401: REFUSALS, 429: 5 });
    expect((await guess('192.0.2.1')).headers.get('retry-after')).toMatch(/^\d+$/);
    expect((await guess('192.0.2.2')).status).toBe(401);
    // A user with a new, valid token is served, even from the same address.
    const { client } = await service.session();
    expect((await client.send('GET', '/me', { headers: from('192.0.2.1') })).status).toBe(200);
  });

  it('applies per address to guesses of the metrics token', async () => {
    const guess = () =>
      raw(`${service.url}/metrics`, { headers: { authorization: 'Bearer guessed', ...from('192.0.2.3') } });
    const guesses = await Promise.all(Array.from({ length: REFUSALS + 5 }, guess));
    expect(statuses(guesses)).toEqual({ 401: REFUSALS, 429: 5 });
  });

  it('is documented in openapi.json for every operation that requires credentials', async () => {
    const { text } = await raw(`${service.url}/openapi.json`);
    const { paths } = JSON.parse(text) as {
      paths: Record<string, Record<string, { security: object[]; responses: object }>>;
    };
    const open = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, { security, responses }]) =>
        security.length === 0 || '429' in responses ? [] : [`${method} ${path}`],
      ),
    );
    expect(open).toEqual([]);
  });
});
