import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from '../../support/client.js';
import { type Outcome, runBuilt } from '../../support/built-program.js';
import { eventually } from '../../support/eventually.js';
import { testRun } from '../../support/run.js';

const GIB = 1024 ** 3;

interface Started {
  url: string;
  client: Client;
  /** Stops the service. Resolves to its complete terminal output. */
  stop(): Promise<{ stdout: string; stderr: string; code: number }>;
}

/** Starts the service in the same way as `npm start`, with the embedded database. */
async function start(dataDir: string, settings: Record<string, string> = {}): Promise<Started> {
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], DATA_DIR: dataDir, PORT: '0', ...settings };
  const child = spawn(process.execPath, ['--import', './test/support/die-with-parent.js', 'scripts/start.mjs'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let shown = '';
  child.stdout?.on('data', (said: Buffer) => (shown += said.toString()));
  const [stdout, stderr] = [text(child.stdout as NodeJS.ReadableStream), text(child.stderr as NodeJS.ReadableStream)];
  const ended = once(child, 'exit') as Promise<[number]>;
  await eventually(
    () => Promise.resolve(shown.includes('Tokens for the API') || child.exitCode !== null),
    (isOver) => isOver,
    { until: 'the service is ready', deadlineMs: 90_000 },
  );
  const url = /^Open (\S+) in a browser/m.exec(shown)?.[1] ?? '';
  const tokens = JSON.parse(await readFile(join(dataDir, 'dev-tokens.json'), 'utf8')) as { company: string };
  return {
    url,
    client: new Client(url, tokens.company),
    stop: async () => {
      child.kill('SIGTERM');
      const [code] = await ended;
      return { stdout: await stdout, stderr: await stderr, code };
    },
  };
}

/** Returns the lines of terminal output without the notes that appear only for root. */
const linesOf = (stdout: string): string[] => stdout.split('\n').filter((line) => !line.startsWith('Note: PostgreSQL'));

describe('npm start with the embedded database', () => {
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(testRun().directory, 'data-'));
  });
  afterAll(async () => await rm(dataDir, { recursive: true, force: true }));

  it('prints only the phases with their durations, the address of the page, and the path of the token file', async () => {
    const service = await start(dataDir);
    expect((await fetch(service.url)).ok).toBe(true);
    const { stdout, stderr, code } = await service.stop();
    expect(linesOf(stdout).map((line) => line.replace(/User "\w+" cannot.*/, ''))).toEqual([
      expect.stringMatching(/^Database +\d+\.\d s$/),
      expect.stringMatching(/^Ready +\d+\.\d s$/),
      '',
      `Open ${service.url} in a browser. Swagger UI is at ${service.url}/docs.`,
      `Tokens for the API are in ${dataDir}/dev-tokens.json.`,
      '',
    ]);
    expect([stderr, code]).toEqual(['', 0]);
  }, 120_000);

  it('serves the same projects and files after a backup is restored to another folder', async () => {
    const service = await start(dataDir);
    const project = await service.client.post<{ id: string }>('/projects', { name: 'Before the backup' });
    const [folder, other] = [join(dataDir, 'backup'), join(dataDir, 'restored')];
    const run = (what: 'backup' | 'restore', path: string): Promise<Outcome> =>
      runBuilt('dist/src/backup.js', { DATA_DIR: what === 'backup' ? dataDir : path }, what, folder);

    expect(await run('backup', folder)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is in use by process'),
    });
    await service.stop();
    expect(await run('backup', folder)).toMatchObject({ code: 0, stderr: '' });
    expect(await run('backup', folder)).toMatchObject({ code: 1, stderr: expect.stringContaining('is not empty') });
    expect(await run('restore', dataDir)).toMatchObject({ code: 1, stderr: expect.stringContaining('has a database') });
    expect(await run('restore', other)).toMatchObject({ code: 0, stderr: '' });

    const restored = await start(other);
    expect(await restored.client.get(`/projects/${project.id}`)).toMatchObject({ name: 'Before the backup' });
    const files = await restored.client.get<{ projects: { id: string; name: string }[] }>('/projects');
    const demo = files.projects.find(({ name }) => name === 'Weekly production plan');
    const body = { source: 'workspace', project_id: demo?.id, path: 'demand.csv' };
    expect(await restored.client.post('/files/content', body)).toMatchObject({
      text: expect.stringContaining('chairs,1,40'),
    });
    expect((await restored.stop()).code).toBe(0);
  }, 240_000);
});

describe('npm start on a disk with less space than the reserve', () => {
  it('starts without the demo, reports the reason, and creates the demo when there is enough space', async () => {
    const dataDir = await mkdtemp(join(testRun().directory, 'data-'));
    const service = await start(dataDir, { FILES_RESERVE_BYTES: String(1024 ** 2 * GIB) });
    expect(await service.client.get('/projects')).toMatchObject({ total: 0 });
    const { stdout, stderr, code } = await service.stop();
    expect(stdout).toMatch(
      /^Note: The demo project was not created\. The disk of \S+ has \d+ MiB free, but 1073741824 MiB must stay free \(FILES_RESERVE_BYTES\)\.$/m,
    );
    expect([stderr, code]).toEqual(['', 0]);
    const again = await start(dataDir, { FILES_RESERVE_BYTES: '0' });
    expect(await again.client.get('/projects')).toMatchObject({ total: 2 });
    await again.stop();
    await rm(dataDir, { recursive: true, force: true });
  }, 240_000);
});
