import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { createDatabase, dropDatabase } from '../support/databases.js';

interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** What `dist/migrate.js` says and how it ends. */
async function migrate(env: Record<string, string>): Promise<Outcome> {
  try {
    const settings = { AUTH_JWT_SECRET: 'x'.repeat(32), ...env };
    return { code: 0, ...(await promisify(execFile)(process.execPath, ['dist/migrate.js'], { env: settings })) };
  } catch (error) {
    const { code, stdout, stderr } = error as Outcome;
    return { code, stdout, stderr };
  }
}

const DONE = { code: 0, stdout: 'The database is up to date.\n', stderr: '' };

describe('dist/migrate.js', () => {
  it('brings an empty database up to date, also beside others that do so, and one that is up to date', async () => {
    const url = await createDatabase('template0');
    const client = new pg.Client(url);
    try {
      expect(await Promise.all([1, 2].map(async () => await migrate({ DATABASE_URL: url })))).toEqual([DONE, DONE]);
      expect(await migrate({ DATABASE_URL: url })).toEqual(DONE);
      await client.connect();
      const { rows } = await client.query('SELECT count(*)::integer AS projects FROM projects');
      expect(rows).toEqual([{ projects: 0 }]);
    } finally {
      await client.end();
      await dropDatabase(url);
    }
  });

  it('says in a sentence why it could not', async () => {
    const nowhere = { DATABASE_URL: 'postgres://u:p@127.0.0.1:1/d' };
    expect(await migrate(nowhere)).toEqual({
      code: 1,
      stdout: '',
      stderr: 'The database at DATABASE_URL cannot be reached: ECONNREFUSED.\n',
    });
    expect(await migrate({})).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^DATABASE_URL is needed: .*\n$/),
    });
    expect(await migrate({ ...nowhere, PORT: 'x' })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('PORT'),
    });
  });
});
