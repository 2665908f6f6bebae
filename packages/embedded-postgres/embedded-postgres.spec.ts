import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { transformFile } from '@swc/core';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.js';
import { EmbeddedPostgresError, OwnedElsewhereError } from './errors.js';
import { findServerProcesses } from './processes.js';

const asRoot = process.getuid?.() === 0 ? it : it.skip;

/** Program that starts the server, reports its address and runs until a test kills it. */
const OWNER = `
  import { startEmbeddedPostgres } from './embedded-postgres.js';
  process.on('SIGINT', () => console.log('"interrupted"'));
  setInterval(() => undefined, 1000);
  const server = await startEmbeddedPostgres(JSON.parse(process.argv[2]));
  console.log(JSON.stringify({ url: server.url(), pid: server.pid, adopted: server.adopted }));
`;

interface Owner {
  process: ChildProcess & { pid: number };
  /** Resolves with the next line of output. */
  next(): Promise<unknown>;
  started(): Promise<{ url: string; pid: number; adopted: boolean }>;
  kill(): Promise<void>;
}

describe('startEmbeddedPostgres', () => {
  let root: string;
  let dataDir: string;
  const owners: Owner[] = [];

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'embedded-postgres-'));
    // If the tests run as root, PostgreSQL runs under another account, which needs access to the folder.
    await chmod(root, 0o711);
    dataDir = join(root, 'data');
    await compile(join(root, 'program'));
  });

  afterAll(async () => {
    await Promise.all(owners.map((owner) => owner.kill()));
    await startEmbeddedPostgres({ dataDir }).then((server) => server.stop());
    await rm(root, { recursive: true });
  });

  function own(options: { dataDir: string; ephemeral?: boolean }): Owner {
    const child = spawn(process.execPath, [join(root, 'program', 'owner.js'), JSON.stringify(options)], {
      // The environment is empty, so the locale is not set either.
      env: {},
      // Gives the program its own process group, as a terminal does.
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    }) as ChildProcess & { pid: number };
    const exited = once(child, 'exit');
    const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
    const next = async () => JSON.parse(String((await lines.next()).value)) as unknown;
    const owner: Owner = {
      process: child,
      next,
      started: async () => (await next()) as Awaited<ReturnType<Owner['started']>>,
      kill: async () => {
        child.kill('SIGKILL');
        await exited;
      },
    };
    owners.push(owner);
    return owner;
  }

  it('creates a UTF-8 cluster in an empty environment and serves it on the loopback interface', async () => {
    const owner = own({ dataDir });
    const { url, pid, adopted } = await owner.started();
    expect(adopted).toBe(false);
    expect(
      await query(
        url,
        `SELECT pg_encoding_to_char(encoding) AS encoding, datlocprovider AS provider, datlocale AS locale,
                current_setting('timezone') AS timezone, current_setting('fsync') AS fsync,
                current_setting('listen_addresses') AS addresses, lower('ÄÖ') AS lower, current_database() AS database
         FROM pg_database WHERE datname = current_database()`,
      ),
    ).toEqual([
      {
        encoding: 'UTF8',
        provider: 'b',
        locale: 'C.UTF-8',
        timezone: 'UTC',
        fsync: 'on',
        addresses: '127.0.0.1',
        lower: 'äö',
        database: 'workspace',
      },
    ]);
    expect(JSON.parse(await readFile(join(dataDir, 'postgres.json'), 'utf8'))).toMatchObject({
      pid,
      port: Number(new URL(url).port),
      host: '127.0.0.1',
    });
    expect((await stat(join(dataDir, 'postgres', 'password'))).mode & 0o777).toBe(0o600);

    const guess = new URL(url);
    guess.password = 'guess';
    await expect(query(guess.href, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
    await query(url, 'CREATE TABLE kept (value text)');
    await owner.kill();
  });

  it('rejects a second owner, adopts the server of a killed owner, and stops the server', async () => {
    const owner = own({ dataDir });
    const first = await owner.started();
    await query(first.url, `INSERT INTO kept VALUES ('adopted')`);
    const refusal = startEmbeddedPostgres({ dataDir });
    await expect(refusal).rejects.toBeInstanceOf(OwnedElsewhereError);
    await expect(refusal).rejects.toThrow(`${dataDir} is in use by process ${owner.process.pid}`);

    await owner.kill();
    const server = await startEmbeddedPostgres({ dataDir });
    expect(server).toMatchObject({ adopted: true, pid: first.pid });
    expect(await kept(server)).toContain('adopted');
    await Promise.all([server.stop(), server.stop()]);
    expect(findServerProcesses(join(dataDir, 'postgres'))).toEqual([]);
    expect(await readdir(dataDir)).not.toContain('postgres.json');
  });

  it('keeps the server running when its owner receives Ctrl+C', async () => {
    const owner = own({ dataDir });
    const { url } = await owner.started();
    process.kill(-owner.process.pid, 'SIGINT');
    expect(await owner.next()).toBe('interrupted');
    await sleep(100);
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await owner.kill();
  });

  it('recovers the data after both the owner and the server were killed', async () => {
    const owner = own({ dataDir });
    const { url, pid } = await owner.started();
    await query(url, `INSERT INTO kept VALUES ('recovered')`);
    process.kill(pid, 'SIGKILL');
    await owner.kill();
    const server = await startEmbeddedPostgres({ dataDir });
    expect(server.adopted).toBe(false);
    expect(await kept(server)).toContain('recovered');

    // A server that has already exited counts as stopped.
    process.kill(server.pid, 'SIGKILL');
    await server.stop();
  });

  it('replaces a server that hangs', async () => {
    const owner = own({ dataDir });
    const { pid } = await owner.started();
    await owner.kill();
    process.kill(pid, 'SIGSTOP');
    const server = await startEmbeddedPostgres({ dataDir });
    expect(server.adopted).toBe(false);
    expect(await kept(server)).toContain('recovered');
    await server.stop();
  }, 20_000);

  it('starts even if another program now has the process id of the previous server', async () => {
    const cluster = join(dataDir, 'postgres');
    const lines = [process.pid, cluster, Math.floor(Date.now() / 1000), 1, '', '127.0.0.1', '', 'ready   '];
    await writeFile(join(cluster, 'postmaster.pid'), `${lines.join('\n')}\n`);
    const server = await startEmbeddedPostgres({ dataDir });
    expect(server.adopted).toBe(false);
    expect(await kept(server)).toContain('adopted');
    await server.stop();
  });

  it('rejects a cluster from another major version', async () => {
    const file = join(dataDir, 'postgres', 'PG_VERSION');
    const made = await readFile(file, 'utf8');
    await writeFile(file, '17\n');
    await expect(startEmbeddedPostgres({ dataDir })).rejects.toThrow('was created by PostgreSQL 17');
    await writeFile(file, made);
  });

  it('explains in one sentence why a path cannot be used as DATA_DIR', async () => {
    const file = join(root, 'file');
    await writeFile(file, '');
    const refusal = startEmbeddedPostgres({ dataDir: file });
    await expect(refusal).rejects.toBeInstanceOf(EmbeddedPostgresError);
    await expect(refusal).rejects.toThrow(`${file} cannot be used as DATA_DIR: EEXIST`);
  });

  it('recreates a cluster whose creation was interrupted, and ends an ephemeral server when its owner is killed', async () => {
    const fresh = join(root, 'fresh');
    const interrupted = own({ dataDir: fresh, ephemeral: true });
    const draft = await until(async () => {
      const name = (await readdir(fresh).catch(() => [])).find((entry) => entry.startsWith('postgres.new-'));
      return name !== undefined && (await stat(join(fresh, name, 'data', 'base')).catch(() => undefined)) && name;
    });
    await interrupted.kill();
    expect(await readdir(fresh)).toContain(draft);

    const owner = own({ dataDir: fresh, ephemeral: true });
    const { url } = await owner.started();
    expect(await query(url, `SELECT current_setting('fsync') AS fsync`)).toEqual([{ fsync: 'off' }]);
    expect((await readdir(fresh)).filter((entry) => entry.startsWith('postgres.new-'))).toEqual([]);
    await owner.kill();
    await until(() => Promise.resolve(findServerProcesses(join(fresh, 'postgres')).length === 0));
  });

  asRoot('keeps its data where the unprivileged user has access, and finds it again', async () => {
    const closed = join(root, 'closed');
    await mkdir(closed, { mode: 0o700 });
    const below = join(closed, 'data');
    const first = await startEmbeddedPostgres({ dataDir: below });
    expect(first.notes.join()).toContain(`who cannot access ${below}`);
    await query(first.url(), `CREATE TABLE kept AS SELECT 'far' AS value`);
    const place = dirname(await readlink(join(below, 'postgres')));
    await first.stop();

    const second = await startEmbeddedPostgres({ dataDir: below });
    expect(await kept(second)).toEqual(['far']);
    await second.stop();

    await rm(place, { recursive: true });
    await expect(startEmbeddedPostgres({ dataDir: below })).rejects.toThrow('is missing');
  });

  asRoot('removes the data of an ephemeral server from a fallback folder', async () => {
    const closed = await mkdtemp(join(root, 'closed-'));
    const server = await startEmbeddedPostgres({ dataDir: closed, ephemeral: true });
    const place = dirname(await readlink(join(closed, 'postgres')));
    await server.stop();
    await expect(stat(place)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await readdir(closed)).not.toContain('postgres');
  });
});

/** Compiles the sources in this folder, so that programs can import them outside the test runner. */
async function compile(folder: string): Promise<void> {
  await mkdir(folder);
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'owner.js'), OWNER);
  const sources = (await readdir(import.meta.dirname)).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'),
  );
  for (const name of sources) {
    const { code } = await transformFile(join(import.meta.dirname, name), {
      swcrc: false,
      jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
      module: { type: 'es6' },
    });
    await writeFile(join(folder, `${basename(name, '.ts')}.js`), code);
  }
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  // The tests kill the server, which breaks idle connections. Only the result of the query matters.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

async function kept(server: EmbeddedPostgres): Promise<string[]> {
  const rows = (await query(server.url(), 'SELECT value FROM kept')) as { value: string }[];
  return rows.map(({ value }) => value);
}

async function until<Value>(look: () => Promise<Value>): Promise<Value> {
  for (let attempt = 0; attempt < 500; attempt += 1) {
    const value = await look();
    if (value) return value;
    await sleep(10);
  }
  throw new Error('It did not happen');
}
