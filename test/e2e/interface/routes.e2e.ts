import { randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { pino } from 'pino';
import { Config } from '../../../src/config/config.js';
import { createApp } from '../../../src/configure-app.js';
import { useDatabase } from '../../support/database.js';
import { assertComplete } from '../../support/hand-written-list.js';
import { raw } from '../../support/raw.js';

/** Methods that the service may support. Routes for all methods are tested with these methods. */
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/**
 * Paths that respond without credentials. The page uses `/sign-in` if sign-in is configured. The documentation is
 * public. The signed URL of a file serves as credentials. Monitors poll the health paths. All other paths require
 * credentials.
 */
const PUBLIC = [
  '/',
  '/assets/:name',
  '/docs',
  '/docs/',
  '/docs/LICENSE',
  '/docs/docs/swagger-ui-init.js',
  '/docs/index.html',
  '/docs/swagger-ui-bundle.js',
  '/docs/swagger-ui-init.js',
  '/docs/swagger-ui-standalone-preset.js',
  '/docs/swagger-ui.css',
  '/health/live',
  '/health/ready',
  '/metrics',
  '/openapi.json',
  '/openapi.yaml',
  '/sign-in',
  '/store/:folder/:name',
];

/** Layer of Express's router. `route` is set if the layer is a route. */
interface Layer {
  route?: { path: string | string[]; methods: Record<string, boolean> };
}

const migrated = useDatabase();

describe('the routes of the service', () => {
  let app: NestExpressApplication;
  let url: string;
  beforeAll(async () => {
    const config = Object.assign(new Config(), { ROLE: 'api', AUTH_JWT_SECRET: randomBytes(32).toString('hex') });
    app = await createApp({ config, logger: pino({ level: 'silent' }), databaseUrl: migrated.url });
    await app.listen(0, '127.0.0.1');
    url = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
  });
  afterAll(() => app.close());

  it('reject requests without credentials unless they are listed as public', async () => {
    const open = new Set<string>();
    const routes = new Set([...registeredRoutes(app), ...(await documentedRoutes())]);
    for (const route of routes) {
      const [method = '', path = ''] = route.split(' ');
      const headers = { 'content-type': 'application/json' };
      const { status } = await raw(url + concrete(path), { method, headers, ...(method !== 'GET' && { body: '{}' }) });
      if (status !== 401) open.add(path);
    }
    expect(routes.size).toBeGreaterThan(20);
    assertComplete('PUBLIC of test/e2e/interface/routes.e2e.ts', PUBLIC, [...open]);
  });

  it.each([
    ['/health/live', ['a', 'b']],
    ['/api/v1/me', ['a', 'a']],
    ['/openapi.json', ['a', 'b', 'c']],
  ])('reject a request to %s with the Host header lines %j', async (path, hosts) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.end(`GET ${path} HTTP/1.1\r\n${hosts.map((host) => `Host: ${host}\r\n`).join('')}Connection: close\r\n\r\n`);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 [^]*host_invalid/);
  });

  it.each(['/assets/gone.js', '/assets/index-old.css', '/assets/..%20'])(
    'do not include %s, so the response is 404',
    async (path) => {
      expect((await raw(url + path)).status).toBe(404);
    },
  );

  it('are in openapi.json unless they are public paths other than health checks', async () => {
    const documented = new Set(await documentedRoutes());
    const hidden = registeredRoutes(app)
      .filter((route) => !documented.has(route.replace(/:(\w+)/g, '{$1}')))
      .map((route) => route.split(' ')[1]);
    expect([...new Set(hidden)].sort()).toEqual(PUBLIC.filter((path) => !path.startsWith('/health/')));
  });
});

/** Returns all paths that Express routes, regardless of how they were declared. */
function registeredRoutes(app: NestExpressApplication): string[] {
  const { router } = app.getHttpAdapter().getInstance() as { router: { stack: Layer[] } };
  return router.stack.flatMap(({ route }) => {
    if (route === undefined) return [];
    const methods = METHODS.filter((method) => route.methods[method] === true);
    return [route.path].flat().flatMap((path) => methods.map((method) => `${method.toUpperCase()} ${path}`));
  });
}

async function documentedRoutes(): Promise<string[]> {
  const { paths } = JSON.parse(await readFile('openapi.json', 'utf8')) as { paths: Record<string, object> };
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
}

/** Replaces the placeholders in a path with plausible values. */
const concrete = (path: string): string =>
  path.replace(/[:{]\w+\}?/g, () => randomUUID()).replace(/\{?\/?\*\w+\}?/g, '/some/file');
