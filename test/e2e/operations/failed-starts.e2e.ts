import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Outcome, runBuilt } from '../../support/built-program.js';
import { createDatabase, dropDatabase } from '../../support/databases.js';
import { eventually } from '../../support/eventually.js';
import { rowsOf } from '../../support/rows.js';
import { makeEnvironment, removeEnvironment, Service } from '../../support/service.js';

let url: string;
beforeAll(async () => {
  url = await createDatabase();
});
afterAll(async () => await dropDatabase(url));

const changed = (change: (url: URL) => void): string => {
  const other = new URL(url);
  change(other);
  return other.href;
};
const start = (settings: Record<string, string>): Promise<Outcome> =>
  runBuilt('dist/bundle/main.js', {
    DATABASE_URL: url,
    AUTH_JWT_SECRET: 'x'.repeat(32),
    PORT: '0',
    NODE_NO_WARNINGS: '1',
    ...settings,
  });

describe('a failing start', () => {
  it.each<[string, () => string, RegExp]>([
    ['a wrong password', () => changed((to) => (to.password = 'wrong')), /rejects the user or the password/],
    ['a missing password', () => changed((to) => (to.password = '')), /asks for a password: add it to the URL/],
    ['an unknown user', () => changed((to) => (to.username = 'nobody')), /rejects the user or the password/],
    ['an unknown database', () => changed((to) => (to.pathname = '/nowhere')), /does not exist: create the database/],
    [
      'TLS that the server does not support',
      () => changed((to) => (to.search = '?sslmode=require')),
      /does not support TLS/,
    ],
    ['a port that nothing listens on', () => changed((to) => (to.port = '1')), /cannot be reached: ECONNREFUSED/],
    [
      'an unknown host',
      () => changed((to) => (to.hostname = 'nowhere.invalid')),
      /its host name is unknown|cannot be resolved/,
    ],
  ])(
    'reports %s in DATABASE_URL in a single sentence',
    async (_what, made, sentence) => {
      const began = performance.now();
      const { code, stdout, stderr } = await start({ DATABASE_URL: made() });
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/^The database at DATABASE_URL [^\n]+\.\n$/);
      expect(stderr).toMatch(sentence);
      expect(performance.now() - began).toBeLessThan(30_000);
    },
    60_000,
  );

  it('reports in a single sentence that the database user may not create tables', async () => {
    const empty = await createDatabase('template0');
    await rowsOf({ databaseUrl: empty }, `CREATE ROLE powerless LOGIN PASSWORD 'p'`);
    try {
      const other = new URL(empty);
      [other.username, other.password] = ['powerless', 'p'];
      const { code, stderr } = await start({ DATABASE_URL: other.href });
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(/^The database at DATABASE_URL does not allow the user to create tables: [^\n]+\.\n$/),
      ]);
    } finally {
      await rowsOf({ databaseUrl: empty }, 'DROP ROLE powerless');
      await dropDatabase(empty);
    }
  }, 60_000);

  it.each<[string, (server: Server) => Record<string, string>, RegExp]>([
    [
      'a port that is in use',
      (server) => ({ HOST: '127.0.0.1', PORT: String((server.address() as AddressInfo).port) }),
      /^Port \d+ is in use: stop the process that uses it, or choose another port with PORT\.\n$/,
    ],
    [
      'an address of another computer',
      () => ({ HOST: '192.0.2.1' }),
      /^HOST=192\.0\.2\.1 is not an address of this computer [^\n]+\n$/,
    ],
    [
      'an unknown host name',
      () => ({ HOST: 'nowhere.invalid' }),
      /^HOST=nowhere\.invalid is not an address of this computer [^\n]+\n$/,
    ],
  ])(
    'reports %s once and in a single sentence',
    async (_what, settings, sentence) => {
      const taken = createServer().listen(0, '127.0.0.1');
      await once(taken, 'listening');
      const { code, stdout, stderr } = await start(settings(taken));
      taken.close();
      expect(code).toBe(1);
      expect(stderr).toMatch(sentence);
      expect(stdout).not.toMatch(/EADDR|in use|ENOTFOUND/);
    },
    60_000,
  );
});

describe('a start with a misspelled setting', () => {
  it('prints a warning that suggests the intended setting', async () => {
    const environment = await makeEnvironment();
    const service = await Service.start({ environment, settings: { DATABSE_URL: 'postgres://u:p@host/d' } });
    await eventually(
      () => Promise.resolve(service.log.map(({ msg }) => msg)),
      (lines) =>
        lines.includes('DATABSE_URL is not a setting of this service and is ignored. Did you mean DATABASE_URL?'),
      { until: 'the setting is warned of' },
    );
    await service.stop();
    await removeEnvironment(environment);
  }, 60_000);
});
