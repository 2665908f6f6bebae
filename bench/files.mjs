/*
 * Measures the file store: trees with 100,000 entries, and 5 GiB through the disk store. `npm run bench:files` builds the
 * service and runs this benchmark on the build. The optional argument is the number of GiB.
 *
 * The service is a separate process that is called over HTTP. Its embedded PostgreSQL flushes every commit to disk.
 */
import 'reflect-metadata';
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { clearInterval, setInterval } from 'node:timers';
import { SignJWT } from 'jose';
import pg from 'pg';
import { startEmbeddedPostgres } from '../dist/packages/embedded-postgres/embedded-postgres.js';
import { migrate } from '../dist/src/database/migrate.js';
import { makeFolder } from './processes.mjs';

const MiB = 1024 ** 2;
const DIRECTORIES = 100;
const FILES_EACH = 1_000;
const AT_ONCE = 4;
const ROUNDS = 30;
const SNAPSHOTS = 5;
const size = Math.round(Number(process.argv[2] ?? 5) * 1024) * MiB;

const folder = await makeFolder();
const database = await startEmbeddedPostgres({ dataDir: join(folder, 'data') });
try {
  await migrate(database.url());
  const secret = randomBytes(32).toString('hex');
  const service = spawn(process.execPath, [join(import.meta.dirname, '../dist/src/main.js')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: '0',
      HOST: '127.0.0.1',
      DATABASE_URL: database.url(),
      DATA_DIR: join(folder, 'data'),
      AUTH_JWT_SECRET: secret,
      FILES_MAX_BYTES: String(Math.max(size, MiB)),
      LOG_LEVEL: 'info',
    },
  });
  try {
    const api = await connect(service, secret);
    await measureTrees(api);
    await measureBytes(api, service.pid);
  } finally {
    service.kill();
    await once(service, 'exit');
  }
} finally {
  await database.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Waits until the service is ready, and returns a function that sends POST requests to it. */
async function connect(service, secret) {
  const url = await new Promise((resolve, reject) => {
    service.once('exit', (code) => reject(new Error(`The service ended with code ${code}`)));
    createInterface({ input: service.stdout }).on('line', (line) => {
      const { msg, url } = JSON.parse(line);
      if (msg === 'ready') resolve(url);
    });
  });
  const token = await new SignJWT({ company_id: 'bench', role: 'company', name: 'Bench', email: 'bench@example.com' })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject('bench')
    .setExpirationTime('2h')
    .sign(Buffer.from(secret));
  return async (path, body) => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body ?? {}),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} answered ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
}

async function measureTrees(api) {
  const { id } = await api('/projects', { name: 'Trees' });
  const place = { source: 'workspace', project_id: id };
  await fill(id);
  console.log(`\na tree of ${(DIRECTORIES * FILES_EACH + DIRECTORIES + 1).toLocaleString('en')} entries; ms over HTTP`);
  const names = ['big', 'moved'];
  await report('move of the whole subtree', ROUNDS, async (round) => {
    const [source_path, dest_path] = round % 2 === 0 ? names : names.toReversed();
    const { moved } = await api('/files/batch-move', { ...place, moves: [{ source_path, dest_path }] });
    if (moved !== 1) throw new Error('Nothing was moved');
  });
  const page = async (path, offset, recursive = false) => {
    const { total, entries } = await api('/files/list', { ...place, path, offset, limit: 50, recursive });
    if (entries.length === 0) throw new Error(`Nothing of ${total} was listed`);
  };
  await report('first page of a directory', ROUNDS, async () => await page('big/d7', 0));
  await report('last page of a directory', ROUNDS, async () => await page('big/d7', FILES_EACH - 50));
  await report('page over the whole subtree', 5, async () => await page('', 50_000, true));
  await report('snapshot', SNAPSHOTS, async () => await api(`/projects/${id}/snapshots`));
  await report('delete of the whole subtree', 1, async () => {
    await api('/files/delete', { ...place, path: 'big', recursive: true });
  });
}

/** Inserts the rows that uploads would have created, all with the same content. */
async function fill(project_id) {
  const client = new pg.Client({ connectionString: database.url() });
  await client.connect();
  const { rows } = await client.query(
    `WITH blob AS (INSERT INTO blobs (company_id, state, size) VALUES ('bench', 'stored', 1) RETURNING id),
          project AS (UPDATE containers SET next_node = 1000000 FROM projects p WHERE p.id = $1 AND containers.id = p.workspace_id
                      RETURNING containers.id)
     SELECT blob.id AS blob, project.id AS container FROM blob, project`,
    [project_id],
  );
  const { blob, container } = rows[0];
  await client.query(
    `INSERT INTO nodes (container_id, node_id, parent_id, name, kind) VALUES ($1, 1, 0, 'big', 'directory')`,
    [container],
  );
  await client.query(
    `INSERT INTO nodes (container_id, node_id, parent_id, name, kind)
     SELECT $1, 1 + i, 1, 'd' || i, 'directory' FROM generate_series(1, ${DIRECTORIES}) i`,
    [container],
  );
  await client.query(
    `INSERT INTO nodes (container_id, node_id, parent_id, name, kind, blob_id, size, file_id, source)
     SELECT $1, 1000 + i, 2 + i % ${DIRECTORIES}, 'file ' || i, 'file', $2, 1, uuidv7(), 'upload'
       FROM generate_series(1, ${DIRECTORIES * FILES_EACH}) i`,
    [container, blob],
  );
  await client.query('VACUUM ANALYZE nodes');
  await client.end();
}

async function report(what, rounds, work) {
  const times = [];
  for (let round = 0; round < rounds; round += 1) {
    const started = performance.now();
    await work(round);
    times.push(performance.now() - started);
  }
  const at = (quantile) => times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) * quantile)].toFixed(1);
  console.log(`${what.padEnd(30)} p50 ${at(0.5).padStart(8)}   worst ${at(1).padStart(8)}   of ${rounds}`);
}

async function measureBytes(api, pid) {
  const { id } = await api('/projects', { name: 'Bytes' });
  const place = { source: 'workspace', project_id: id };
  const watch = watchMemory(pid);
  const { upload_token, part_size, parts } = await api('/files/upload/start', { ...place, path: 'big.bin', size });
  console.log(
    `\n${size / 1024 ** 3} GiB through the disk store, ${parts.length} parts of ${part_size / MiB} MiB, ${AT_ONCE} at once`,
  );
  // Every part is different but can be generated again, so that the downloaded file can be checked.
  const pattern = randomBytes(part_size);
  const partOf = (number) => {
    const bytes = Buffer.from(pattern.subarray(0, Math.min(part_size, size - (number - 1) * part_size)));
    bytes.writeUInt32LE(number, 0);
    return bytes;
  };
  const waiting = parts.values();
  await timed('upload', watch, async () => {
    const send = async () => {
      for (const { part_number, url } of waiting) {
        const { status } = await fetch(url, { method: 'PUT', body: partOf(part_number) });
        if (status !== 200) throw new Error(`Part ${part_number} answered ${status}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, send));
  });
  await timed('complete', watch, async () => await api('/files/upload/complete', { ...place, upload_token }));
  const sent = createHash('sha256');
  for (const { part_number } of parts) sent.update(partOf(part_number));
  const { url } = await api('/files/download', { ...place, path: 'big.bin' });
  const received = createHash('sha256');
  await timed('download', watch, async () => {
    for await (const chunk of (await fetch(url)).body) received.update(chunk);
  });
  if (sent.digest('hex') !== received.digest('hex')) throw new Error('What came back is not what was sent');
  watch.stop();
}

async function timed(what, watch, work) {
  watch.reset();
  const started = performance.now();
  await work();
  const seconds = (performance.now() - started) / 1000;
  const rate = what === 'complete' ? '' : `   ${Math.round(size / MiB / seconds)} MiB/s`;
  console.log(`${what.padEnd(10)} ${seconds.toFixed(1).padStart(7)} s   at most ${watch.peak()} MiB resident${rate}`);
}

/** Samples the resident memory of a process 20 times a second and records the maximum. */
function watchMemory(pid) {
  let peak = 0;
  const look = async () => {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    peak = Math.max(peak, Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0));
  };
  const timer = setInterval(() => void look(), 50);
  return {
    peak: () => Math.round(peak / 1024),
    reset: () => {
      peak = 0;
    },
    stop: () => clearInterval(timer),
  };
}
