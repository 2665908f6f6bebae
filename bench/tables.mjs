/*
 * Measures tables: `npm run bench:tables` builds the service and runs this benchmark on the build. A 100 MB CSV file is opened
 * for the first time and again, filtered, grouped and queried with SQL. At the same time, a user from another company sends
 * small requests.
 *
 * The service is a separate process that is called over HTTP, on an embedded PostgreSQL.
 */
import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { clearInterval, setInterval } from 'node:timers';
import { setTimeout as pause } from 'node:timers/promises';
import { startEmbeddedPostgres } from '../dist/packages/embedded-postgres/embedded-postgres.js';
import { migrate } from '../dist/src/database/migrate.js';
import { quantile, timed } from './load.mjs';
import { environment, makeFolder, signToken, startService } from './processes.mjs';

const MB = 1_000_000;
const ROWS = 1_650_000;
const FIRST = 3;
const ROUNDS = 30;
const SUM = { function: 'sum', column: 'quantity' };
const OTHERS_EVERY_MS = 20;
/** The service closes idle connections after some seconds, and `fetch` may notice this too late. */
const ONE_REQUEST = { connection: 'close' };

/**
 * Generates rows of about 60 bytes: numbers with a decimal comma, dates, and strings with few and with many distinct values.
 */
function* csv() {
  yield 'id;product;region;quantity;price;day;note\n';
  for (let from = 0; from < ROWS; from += 10_000) {
    let text = '';
    for (let n = from; n < from + 10_000; n += 1) {
      const day = `${String(1 + (n % 28)).padStart(2, '0')}.${String(1 + (n % 12)).padStart(2, '0')}.2025`;
      const price = `${n % 1000},${String(n % 100).padStart(2, '0')}`;
      text += `${n};product ${n % 5000};region ${n % 7};${(n * 7) % 1000};${price};${day};order ${(n * 7919) % 1_000_003}\n`;
    }
    yield text;
  }
}

const folder = await makeFolder();
const database = await startEmbeddedPostgres({ dataDir: join(folder, 'data') });
Object.assign(environment, {
  databaseUrl: database.url(),
  dataDir: join(folder, 'data'),
  secret: randomBytes(32).toString('hex'),
});
try {
  await migrate(database.url());
  const served = await startService();
  try {
    await measure(served);
  } finally {
    await served.stop();
  }
} finally {
  await database.stop();
  await rm(folder, { recursive: true, force: true });
}

async function measure(served) {
  const content = Buffer.from([...csv()].join(''));
  const [mine, others] = await Promise.all([api(served, 'planner'), api(served, 'other')]);
  const { id } = await mine('/projects', { name: 'Tables' });
  const place = { source: 'workspace', project_id: id };
  const names = Array.from({ length: FIRST }, (_, index) => `demand-${index}.csv`);
  for (const path of names) await upload(mine, place, path, content);
  const table = (query) => async () => await mine('/files/table', { ...place, path: names[0], ...query });
  const select = (sql) => async () => await mine('/files/query', { ...place, tables: { demand: names[0] }, sql });

  console.log(`${(content.length / MB).toFixed(0)} MB of CSV, ${ROWS.toLocaleString('en')} rows; ms over HTTP`);
  await report('first small table, the process starts', 1, async () => {
    await upload(mine, place, 'small.csv', Buffer.from('a,b\n1,2\n'));
    await mine('/files/table', { ...place, path: 'small.csv' });
  });
  const stopWatching = watch(others, served.process.pid);
  let next = 0;
  await report('first preview of a file', FIRST, async () => {
    await mine('/files/table', { ...place, path: names[next] });
    next += 1;
  });
  await report('preview', ROUNDS, table({}));
  await report('page at row 1,000,000', ROUNDS, table({ offset: 1_000_000 }));
  await report('filter', ROUNDS, table({ where: [{ column: 'product', op: '=', value: 'product 17' }] }));
  await report('sum by 7 regions', ROUNDS, table({ group_by: ['region'], aggregates: [SUM] }));
  await report('sum by 5,000 products', ROUNDS, table({ group_by: ['product'], aggregates: [SUM] }));
  await report('SQL: sum by regions', ROUNDS, select('SELECT region, sum(quantity) FROM demand GROUP BY 1'));
  const { latencies, peak } = await stopWatching();
  const shown = [0.5, 0.95, 0.99, 1].map((share) => quantile(latencies, share).toFixed(1));
  console.log(
    `\n${latencies.length} small requests of another company meanwhile, ms: median ${shown[0]}, 95th ${shown[1]},`,
  );
  console.log(
    `99th ${shown[2]}, longest ${shown[3]}; most memory of a table process ${Math.round(peak / 1024 ** 2)} MiB;`,
  );
  console.log(`load average at the end ${loadavg()[0].toFixed(1)}`);
}

async function report(name, rounds, work) {
  const times = [];
  for (let round = 0; round < rounds; round += 1) times.push(await timed(work));
  const shown = [0, 0.5, 1].map((share) => quantile(times, share).toFixed(0).padStart(7));
  console.log(`${name.padEnd(40)} least ${shown[0]}  median ${shown[1]}  most ${shown[2]}`);
}

/** Returns a function that sends requests as a user of a company: POST if there is a body, otherwise GET. */
async function api({ url }, company) {
  const token = await signToken(company, company);
  return async (path, body) => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...ONE_REQUEST },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} answered ${response.status} ${text}`);
    return JSON.parse(text);
  };
}

async function upload(post, place, path, content) {
  const started = await post('/files/upload/start', { ...place, path, size: content.length });
  const parts = [];
  for (const { part_number, url } of started.parts) {
    const from = (part_number - 1) * started.part_size;
    const answer = await fetch(url, {
      method: 'PUT',
      headers: ONE_REQUEST,
      body: content.subarray(from, from + started.part_size),
    });
    if (!answer.ok) throw new Error(`A part answered ${answer.status}`);
    parts.push({ part_number, etag: answer.headers.get('etag') });
  }
  await post('/files/upload/complete', { ...place, upload_token: started.upload_token, parts });
}

/** Until it is stopped, sends small requests and samples the table processes' memory. */
function watch(get, servicePid) {
  const latencies = [];
  let peak = 0;
  const asked = new Set();
  const asking = setInterval(() => {
    const began = performance.now();
    const one = get('/me').then(() => latencies.push(performance.now() - began));
    asked.add(one);
    void one.finally(() => asked.delete(one));
  }, OTHERS_EVERY_MS);
  const looking = { over: false };
  void (async () => {
    while (!looking.over) {
      for (const bytes of await engineMemory(servicePid)) peak = Math.max(peak, bytes);
      await pause(50);
    }
  })();
  return async () => {
    clearInterval(asking);
    looking.over = true;
    await Promise.all(asked);
    return { latencies, peak };
  };
}

/** Returns the resident memory, in bytes, of a service's table processes. Requires Linux. */
async function engineMemory(servicePid) {
  const children = await readFile(`/proc/${servicePid}/task/${servicePid}/children`, 'utf8').catch(() => '');
  const sizes = [];
  for (const pid of children.trim().split(/\s+/).filter(Boolean)) {
    if (!(await readdir(`/proc/${pid}`).catch(() => [])).includes('status')) continue;
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    sizes.push(1024 * Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0));
  }
  return sizes;
}
