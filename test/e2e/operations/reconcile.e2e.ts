import { randomUUID } from 'node:crypto';
import { cp, mkdir, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makeFile, makeProject } from '../../factories/make.js';
import { type Outcome, runBuilt } from '../../support/built-program.js';
import { rowsOf } from '../../support/rows.js';
import { S3Server } from '../../support/s3-server.js';
import { makeEnvironment, removeEnvironment, Service, type ServiceEnvironment } from '../../support/service.js';

const MiB = 1024 ** 2;

/** Files in a workspace by path, sent in several parts, in one part, or in no parts. */
const FILES = {
  'whole.txt': 'one',
  'missing.txt': 'one',
  'without-parts.txt': 'one',
  'sub/without-second.bin': Buffer.alloc(6 * MiB, 7),
  'sub/cut.bin': Buffer.alloc(6 * MiB, 7),
  'surplus.txt': '',
};

let environment: ServiceEnvironment;
/** Blob ids by path. */
let blobs: Record<string, string>;
let settings: Record<string, string>;

async function makeFiles(extra: Record<string, string> = {}): Promise<void> {
  environment = await makeEnvironment();
  settings = {
    DATABASE_URL: environment.databaseUrl,
    DATA_DIR: environment.dataDir,
    AUTH_JWT_SECRET: environment.secret,
    LOG_LEVEL: 'warn',
    ...extra,
  };
  const service = await Service.start({ environment, settings: extra });
  const { client } = await service.session();
  const { id: project_id } = await makeProject(client);
  for (const [path, content] of Object.entries(FILES))
    await makeFile(client, { source: 'workspace', project_id }, path, content);
  await service.stop();
  const rows = await rowsOf(environment, 'SELECT name, blob_id FROM nodes WHERE blob_id IS NOT NULL');
  blobs = Object.fromEntries(rows.map(({ name, blob_id }) => [String(name), String(blob_id)]));
}

const reconcile = (...args: string[]): Promise<Outcome> => runBuilt('dist/src/reconcile.js', settings, ...args);
const objectFolder = (blob: string): string => join(environment.dataDir, 'objects/blobs', blob.slice(-2), blob);
const folderOf = (name: string): string => objectFolder(blobs[name] as string);
const partOf = async (name: string, index: number): Promise<string> =>
  join(folderOf(name), (await readdir(folderOf(name))).sort()[index] as string);
const SUMMARY = /(\d+) objects without row, (\d+) rows without object, (\d+) files without their content\n$/;
const counts = ({ stdout }: Outcome): number[] => (SUMMARY.exec(stdout) ?? []).slice(1).map(Number);

describe('dist/src/reconcile.js on the disk store', () => {
  beforeAll(async () => await makeFiles(), 60_000);
  afterAll(async () => await removeEnvironment(environment));

  it('succeeds if it finds only unneeded objects and rows, and deletes them with --fix', async () => {
    const orphan = randomUUID();
    await cp(folderOf('whole.txt'), objectFolder(orphan), { recursive: true });
    await writeFile(join(dirname(objectFolder(orphan)), '.DS_Store'), '');
    const [hollow] = await rowsOf(
      environment,
      `INSERT INTO blobs (company_id, state, size) SELECT company_id, 'stored', 1 FROM blobs LIMIT 1 RETURNING id`,
    );
    const outcome = await reconcile();
    expect([outcome.code, counts(outcome)]).toEqual([0, [1, 1, 0]]);
    expect(outcome.stdout).toContain(`object without row: blobs/${orphan}\n`);
    expect((await reconcile('--fix')).stdout).toContain(`row without object: ${String(hollow?.['id'])}, deleted\n`);
    expect(await reconcile()).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^0 objects/) });
  }, 60_000);

  it('fails if the object of a file is missing or has a different size, and leaves the files unchanged', async () => {
    await rm(folderOf('missing.txt'), { recursive: true });
    await rm(folderOf('without-parts.txt'), { recursive: true });
    await mkdir(folderOf('without-parts.txt'));
    await rm(await partOf('without-second.bin', 1));
    await truncate(await partOf('cut.bin', 0), 3);
    await writeFile(join(folderOf('surplus.txt'), '00001.0000000000000001.abc'), 'more');
    const outcome = await reconcile('--fix');
    expect([outcome.code, counts(outcome)]).toEqual([1, [0, 0, 5]]);
    const report = outcome.stdout.replaceAll(/ in container [\w-]+/g, '').split('\n');
    for (const line of [
      `lost content: ${blobs['missing.txt']} of missing.txt`,
      `damaged content: ${blobs['without-parts.txt']} of without-parts.txt has 0 of 3 bytes`,
      `damaged content: ${blobs['without-second.bin']} of sub/without-second.bin has ${5 * MiB} of ${6 * MiB} bytes`,
      `damaged content: ${blobs['cut.bin']} of sub/cut.bin has ${MiB + 3} of ${6 * MiB} bytes`,
      `damaged content: ${blobs['surplus.txt']} of surplus.txt has 4 of 0 bytes`,
    ])
      expect(report).toContain(line);
    expect(counts(await reconcile())).toEqual([0, 0, 5]);
  }, 60_000);

  it('explains in a single sentence why it cannot compare the store with the database', async () => {
    const outcome = await runBuilt('dist/src/reconcile.js', {
      ...settings,
      DATABASE_URL: 'postgres://u:p@127.0.0.1:1/d',
    });
    expect(outcome.code).toBe(2);
    expect(outcome.stderr).toMatch(/^The database at DATABASE_URL cannot be reached: ECONNREFUSED.*\n$/);
  });
});

describe('dist/src/reconcile.js on an S3 server', () => {
  it('compares the objects and their sizes with the database', async () => {
    const s3 = await S3Server.start();
    const { endpoint, accessKey, secretKey, bucket } = s3.settings('reconciled');
    await makeFiles({ S3_ENDPOINT: endpoint, S3_ACCESS_KEY: accessKey, S3_SECRET_KEY: secretKey, S3_BUCKET: bucket });
    expect(await reconcile()).toMatchObject({ code: 0, stderr: '' });
    await s3.replace('reconciled', `blobs/${blobs['whole.txt']}`, 'o');
    const outcome = await reconcile();
    expect([outcome.code, counts(outcome)]).toEqual([1, [0, 0, 1]]);
    expect(outcome.stdout).toMatch(/^damaged content: .* has 1 of 3 bytes$/m);
    await s3.stop();
    await removeEnvironment(environment);
  }, 60_000);
});
