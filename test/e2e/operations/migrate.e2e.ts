import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type Outcome, runBuilt } from '../../support/built-program.js';
import { createDatabase, dropDatabase } from '../../support/databases.js';

const migrate = (settings: Record<string, string>): Promise<Outcome> =>
  runBuilt('dist/src/migrate.js', { AUTH_JWT_SECRET: 'x'.repeat(32), ...settings });

const DONE = { code: 0, stdout: 'The database is up to date.\n', stderr: '' };
/** Output with one line per migration. */
const MIGRATED = {
  ...DONE,
  stdout: expect.stringMatching(/^(Migration \w+\d{13} took \d+\.\d\d s\n){46,}The database is up to date\.\n$/),
};

describe('dist/src/migrate.js', () => {
  it('migrates an empty database, even if it is run concurrently, and accepts a migrated database', async () => {
    const url = await createDatabase('template0');
    const client = new pg.Client(url);
    try {
      const outcomes = await Promise.all([1, 2].map(async () => await migrate({ DATABASE_URL: url })));
      expect(outcomes).toEqual(expect.arrayContaining([MIGRATED, DONE]));
      expect(await migrate({ DATABASE_URL: url })).toEqual(DONE);
      await client.connect();
      const { rows } = await client.query('SELECT count(*)::integer AS projects FROM projects');
      expect(rows).toEqual([{ projects: 0 }]);
    } finally {
      await client.end();
      await dropDatabase(url);
    }
  });

  it('explains a failure in a single sentence', async () => {
    const nowhere = { DATABASE_URL: 'postgres://u:p@127.0.0.1:1/d' };
    expect(await migrate(nowhere)).toEqual({
      code: 1,
      stdout: '',
      stderr: 'The database at DATABASE_URL cannot be reached: ECONNREFUSED, nothing listens on its host and port.\n',
    });
    expect(await migrate({})).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^DATABASE_URL is required\. .*\n$/),
    });
    expect(await migrate({ ...nowhere, PORT: 'x' })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('PORT'),
    });
  });
});
