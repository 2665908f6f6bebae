import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { TestEngine } from '../../test/support/data-engine.js';
import { LocalFiles } from '../../test/support/local-files.js';
import type { CompanyBlob } from '../files/blobs/local-copies.service.js';
import type { FileTreeReaderService } from '../files/tree/file-tree-reader.service.js';
import { MetricsService } from '../common/metrics/metrics.service.js';
import { TableCacheService } from './table-cache.service.js';
import { TableReaderService } from './table-reader.service.js';

const CONTAINER = { company_id: 'a' } as never;
const NAME = { path: 't.csv' };
const ROWS = { limit: 10, offset: 0 } as never;

let files: LocalFiles;
let test: TestEngine;
let blob: CompanyBlob;
let earlier = 0;
let cache: TableCacheService;
let reader: TableReaderService;
beforeAll(async () => {
  files = await LocalFiles.open();
  test = await TestEngine.start();
  const logger = pino({ level: 'silent' });
  cache = new TableCacheService(files.config, test.engine, files.copies, new MetricsService(logger), logger);
});
beforeEach(async () => {
  earlier += await conversions();
  blob = await files.put(`a,b\n${Array.from({ length: 2_000 }, (_, row) => `${row},x${row}\n`).join('')}`);
  const tree = { find: async () => await Promise.resolve(blob) } as unknown as FileTreeReaderService;
  reader = new TableReaderService(tree, cache, test.engine, undefined as never);
});
afterAll(async () => {
  await test.stop();
  await files.close();
});

async function copyPath(): Promise<string> {
  const table = await cache.open({ ...blob, format: 'csv', ignoreErrors: false });
  table.release();
  return table.path;
}

/** Returns the number of conversions since the current test started. */
async function conversions(): Promise<number> {
  const count = /^pws_data_engine_tasks_total\{kind="convert",outcome="ok"\} (\d+)/m.exec(await test.metrics.scrape());
  return Number(count?.[1] ?? 0) - earlier;
}

const sum = async (): Promise<string> => {
  const tables = new Map([['t', { ...NAME, container: CONTAINER }]]);
  return (await reader.select('a', tables, { sql: 'SELECT sum(a), max(b) FROM t', limit: 1 })).rows;
};

const DAMAGE: Record<string, (bytes: Buffer) => Buffer> = {
  'an empty file': () => Buffer.alloc(0),
  'a truncated file': (bytes) => bytes.subarray(0, bytes.length >> 1),
  'a file of zeros': (bytes) => Buffer.alloc(bytes.length),
  'zeros in the footer': (bytes) => bytes.fill(0, bytes.length - 200, bytes.length - 10),
  'zeros in the pages': (bytes) => bytes.fill(0, 4, bytes.length >> 1),
  'wrong bytes in the pages': (bytes) => bytes.fill(255, bytes.length >> 2, bytes.length >> 1),
};

it.each(Object.keys(DAMAGE))('converts a table again if its copy has damaged content: %s', async (kind) => {
  const path = await copyPath();
  await writeFile(path, DAMAGE[kind]!(await readFile(path)));
  expect(await sum()).toBe('[[1999000,"x999"]]');
  expect(await conversions()).toBe(2);
});

it('returns the rows and keys of a table whose copy is damaged', async () => {
  const path = await copyPath();
  await writeFile(path, '');
  expect((await reader.read(CONTAINER, NAME, ROWS)).rows).toContain('[9,"x9"]');
  await writeFile(path, '');
  expect((await reader.keys(CONTAINER, NAME, ['a'])).blob_id).toBe(blob.blob_id);
});

it.each(['{}', 'null', '[]', '"text"', '{"columns":[],"rows":null}', ''])(
  'converts a table again if the file with its description contains %j',
  async (text) => {
    const path = await copyPath();
    await writeFile(path.replace('.parquet', '.json'), text);
    expect((await reader.describe(CONTAINER, NAME)).description.rows).toBe(2_000);
    expect(await conversions()).toBe(2);
  },
);

it('keeps the copy if only the SQL statement is invalid', async () => {
  const tables = new Map([['t', { ...NAME, container: CONTAINER }]]);
  for (const sql of ["SELECT error('IO Error: No space left')", "SELECT 'x'::INTEGER FROM t", 'SELECT c FROM t'])
    await expect(reader.select('a', tables, { sql, limit: 1 })).rejects.toMatchObject({ code: 'invalid_sql' });
  expect(await conversions()).toBe(1);
});
