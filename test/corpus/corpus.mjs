/*
 * `npm run test:corpus -- <folder> [--report file.json] [--limit 1000]`: reads every table in a folder over HTTP with
 * the built service. If `PYTHON` (default `python3`) has pandas, openpyxl and pyarrow, it compares the tables with
 * theirs. It lists differences and rejected files without judging them. It also lists data that the service omitted
 * from tables that otherwise match. Exits with 1 if the service fails on a file.
 */
import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { extname, join, relative, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { environment, makeFolder, signToken, startService } from '../../bench/processes.mjs';
import { startEmbeddedPostgres } from '../../dist/packages/embedded-postgres/embedded-postgres.js';
import { migrate } from '../../dist/src/database/migrate.js';
import { difference } from './compare.js';
import { hasPython, OtherReader } from './other-reader.mjs';

const FORMATS = {
  ...{ '.csv': 'csv', '.tsv': 'csv', '.tab': 'csv', '.xlsx': 'xlsx', '.xlsm': 'xlsx' },
  ...{ '.parquet': 'parquet', '.json': 'json', '.ndjson': 'json', '.jsonl': 'json' },
};
const MAX_BYTES = 50 * 1024 ** 2;
const MAX_SHEETS = 20;
/** Maximum number of rows to compare per table. */
const MAX_ROWS = 50_000;
const PAGE = 10_000;
const AT_ONCE = 3;
const RETRY_MS = 500;

const { positionals, values: options } = parseArgs({
  allowPositionals: true,
  options: { report: { type: 'string' }, limit: { type: 'string', default: '20000' } },
});
const [folder] = positionals;
if (folder === undefined || positionals.length > 1 || !(Number(options.limit) > 0)) {
  console.error('Usage: npm run test:corpus -- <folder> [--report file.json] [--limit 1000]');
  process.exit(2);
}

const paths = await tablesBelow(resolve(folder), Number(options.limit));
const other = hasPython() ? new OtherReader() : undefined;
if (other === undefined) console.log('NOT COMPARED: there is no Python with pandas, openpyxl and pyarrow. Set PYTHON.');
const results = await withService(async (service) => {
  const found = [];
  const rest = [...paths];
  const work = async () => {
    for (let path = rest.shift(); path !== undefined; path = rest.shift()) {
      for (const result of await resultsOf(service, path)) {
        found.push(result);
        console.log(
          [result.outcome.padEnd(10), result.name, ...(result.detail ? [result.detail] : [])]
            .join('  ')
            .replace(/\s*\n\s*/g, ' '),
        );
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return found;
}).finally(() => other?.stop());
const totals = {};
for (const { outcome } of results) totals[outcome] = (totals[outcome] ?? 0) + 1;
console.log(
  `\n${paths.length} files: ${Object.entries(totals)
    .map(([outcome, count]) => `${count} ${outcome}`)
    .join(', ')}`,
);
if (options.report !== undefined) await writeFile(options.report, JSON.stringify({ totals, results }, undefined, 1));
process.exitCode = results.some(({ outcome }) => outcome === 'failed') ? 1 : 0;

/** Returns the paths of the tables in a folder, in alphabetical order. */
async function tablesBelow(root, limit) {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && Object.hasOwn(FORMATS, extname(entry.name).toLowerCase()))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const small = [];
  for (const file of files) if ((await stat(file)).size <= MAX_BYTES) small.push(file);
  const left = files.length - Math.min(small.length, limit);
  if (left > 0)
    console.log(`${left} files are left out: larger than ${MAX_BYTES / 1024 ** 2} MiB, or beyond the first ${limit}`);
  return small.slice(0, limit);
}

/** Returns a result for each file, or for each sheet of a workbook. */
async function resultsOf(service, path) {
  const format = FORMATS[extname(path).toLowerCase()];
  const name = relative(resolve(folder), path);
  const content = await readFile(path);
  if (content.length === 0) return [{ name, outcome: 'refused', detail: 'the file is empty' }];
  const place = { ...service.place, path: `${randomBytes(8).toString('hex')}${extname(path)}` };
  try {
    await upload(service.post, place, content);
    const first = await compared(service, place, { path, format, name });
    const sheets = (first.sheets ?? []).slice(1, MAX_SHEETS);
    const found = [first];
    for (const sheet of sheets) found.push(await compared(service, { ...place, sheet }, { path, format, name, sheet }));
    if (format === 'xlsx') {
      const text = await service.post('/files/content?as=text', place);
      if (text.status >= 500) found.push({ name: `${name} as text`, ...failure(text) });
    }
    return found.map(({ name: of, outcome, detail }) => ({ name: of, outcome, detail }));
  } catch (error) {
    return [{ name, outcome: 'failed', detail: String(error) }];
  } finally {
    await service.post('/files/delete', place).catch(() => undefined);
  }
}

async function compared({ post }, place, { path, format, name: file, sheet }) {
  const name = sheet === undefined ? file : `${file} [${sheet}]`;
  const answer = await post('/files/table', { ...place, limit: PAGE });
  if (answer.status >= 500) return { name, ...failure(answer) };
  const { dialect, sheets, left_out: leftOut = [] } = answer.body;
  const task = {
    ...{ path, format, ...dialect, left_out: leftOut },
    ...(format === 'xlsx' && { sheet: sheet ?? sheets?.[0] }),
  };
  const theirs = await other?.read(task);
  if (answer.status !== 200) {
    const shape = theirs === undefined ? '' : (theirs.error ?? `${theirs.total} rows of ${theirs.width} columns`);
    return {
      name,
      outcome: 'refused',
      detail: [sentenceOf(answer), ...(shape ? [`(other reader: ${shape})`] : [])].join(' '),
    };
  }
  if (theirs === undefined) return { name, outcome: 'read', sheets };
  if (theirs.error !== undefined)
    return { name, outcome: 'unreadable', detail: `by the other reader: ${theirs.error}`, sheets };
  const { rows, total } = answer.body;
  while (rows.length < Math.min(total, MAX_ROWS)) {
    const page = await post('/files/table', { ...place, limit: PAGE, offset: rows.length });
    if (page.status !== 200) return { name, ...failure(page) };
    rows.push(...page.body.rows);
  }
  const ours = { columns: answer.body.columns.map((column) => column.name), rows, total, dialect };
  if (format === 'csv' || format === 'xlsx') {
    // The other reader omits empty rows.
    ours.rows = rows.filter((row) => row.some((value) => String(value ?? '').trim() !== ''));
    ours.total -= rows.length - ours.rows.length;
  }
  const detail = difference(ours, theirs);
  if (detail !== undefined) return { name, outcome: 'differs', detail, sheets };
  if (leftOut.length > 0) return { name, outcome: 'shorter', detail: leftOut.map(shown).join(', '), sheets };
  return { name, outcome: 'same', sheets };
}

function shown({ place, kind, first, last, text }) {
  return `${kind} ${place} (${first === last ? first : `${first} to ${last}`}: ${JSON.stringify(text)})`;
}

function failure(answer) {
  return { outcome: 'failed', detail: `${answer.status} ${sentenceOf(answer)}` };
}

function sentenceOf({ body: { detail } }) {
  const sentences = Array.isArray(detail)
    ? detail.map(({ msg }) => msg.replace(/^Value error, /, ''))
    : [String(detail)];
  return sentences.join(' ');
}

async function upload(post, place, content) {
  const { body: started, status } = await post('/files/upload/start', { ...place, size: content.length });
  if (status >= 400) throw new Error(`The upload answered ${status}: ${sentenceOf({ body: started })}`);
  const parts = [];
  for (const { part_number, url } of started.parts) {
    const from = (part_number - 1) * started.part_size;
    const answer = await fetch(url, { method: 'PUT', body: content.subarray(from, from + started.part_size) });
    parts.push({ part_number, etag: answer.headers.get('etag') });
  }
  const { status: end } = await post('/files/upload/complete', { ...place, upload_token: started.upload_token, parts });
  if (end >= 400) throw new Error(`The upload ended with ${end}`);
}

/** Calls `work` with the built service on a separate database, and with the workspace of a new project. */
async function withService(work) {
  const directory = await makeFolder();
  const database = await startEmbeddedPostgres({ dataDir: join(directory, 'data') });
  try {
    const secret = randomBytes(32).toString('hex');
    Object.assign(environment, { databaseUrl: database.url(), dataDir: join(directory, 'data'), secret });
    await migrate(database.url());
    const served = await startService();
    try {
      const post = poster(served.url, await signToken('corpus', 'reader'));
      const { body } = await post('/projects', { name: 'Corpus' });
      return await work({ post, place: { source: 'workspace', project_id: body.id } });
    } finally {
      await served.stop();
    }
  } finally {
    await database.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

/** Returns a function that sends POST requests and retries them while the service is busy. */
function poster(url, token) {
  return async function post(path, body) {
    const response = await fetch(`${url}/api/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (response.status === 429) {
      await pause(RETRY_MS);
      return await post(path, body);
    }
    return { status: response.status, body: text === '' ? {} : JSON.parse(text) };
  };
}
