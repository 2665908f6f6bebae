import { rm, stat, utimes, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { TestEngine } from '../../test/support/data-engine.js';
import { LocalFiles } from '../../test/support/local-files.js';
import { TransientProblem, TaskProblem } from '../../packages/data-engine/tasks.js';
import type { CompanyBlob } from '../files/blobs/local-copies.service.js';
import { MetricsService } from '../common/metrics/metrics.service.js';
import { type OpenTable, TableCacheService } from './table-cache.service.js';

const DAY_SECONDS = 24 * 60 * 60;
const logger = pino({ level: 'silent' });
const reason = new Error('The client has gone');

let files: LocalFiles;
let test: TestEngine;
let metrics: MetricsService;
let cache: TableCacheService;
beforeEach(async () => {
  files = await LocalFiles.open();
  test = await TestEngine.start({ size: 4 });
  metrics = new MetricsService(logger);
  cache = newCache(metrics);
});
afterEach(async () => {
  await test.stop();
  await files.close();
});

/** Creates a second cache that uses the same folder, as another process would. */
const newCache = (own = new MetricsService(logger)): TableCacheService =>
  new TableCacheService(files.config, test.engine, files.copies, own, logger);

const open = (blob: CompanyBlob, of = cache, signal?: AbortSignal): Promise<OpenTable> =>
  of.open({ ...blob, format: 'csv', ignoreErrors: false }, signal);

/** Opens and releases a table as a request does. */
async function use(blob: CompanyBlob, of = cache): Promise<OpenTable> {
  const table = await open(blob, of);
  table.release();
  return table;
}

const exists = async (path: string): Promise<boolean> => await stat(path).then(...([() => true, () => false] as const));

/** Returns the number of conversions by outcome. */
async function conversions(): Promise<Record<string, number>> {
  const lines = (await test.metrics.scrape()).matchAll(
    /^pws_data_engine_tasks_total\{kind="convert",outcome="(\w+)"\} (\d+)/gm,
  );
  return Object.fromEntries(Array.from(lines, ([, outcome, count]) => [outcome!, Number(count)]));
}

async function requests(): Promise<Record<string, number>> {
  const lines = (await metrics.scrape()).matchAll(/^pws_table_cache_requests_total\{outcome="(\w+)"\} (\d+)/gm);
  return Object.fromEntries(Array.from(lines, ([, outcome, count]) => [outcome!, Number(count)]));
}

describe('a cached table', () => {
  it('is converted only once for all requests', async () => {
    const blob = await files.put('a,b\n1,x\n2,y\n');
    const [first, second] = await Promise.all([use(blob), use(blob)]);
    expect(second).toMatchObject({ path: first.path, description: first.description });
    expect((await use(blob)).description).toEqual(first.description);
    expect(await conversions()).toEqual({ ok: 1 });
    expect(await requests()).toEqual({ hit: 1, miss: 2 });
    await cache.open({ ...blob, format: 'csv', ignoreErrors: true });
    expect(await conversions()).toEqual({ ok: 2 });
  });

  it('is shared by all processes that use the folder', async () => {
    const blob = await files.put('a,b\n1,x\n2,y\n');
    const other = newCache();
    const [first, second] = await Promise.all([use(blob), use(blob, other)]);
    expect(second.path).toBe(first.path);
    expect(second.description).toEqual(first.description);
    const made = await conversions();
    await use(blob, newCache());
    expect(await conversions()).toEqual(made);
    expect(await files.list('tables/drafts')).toEqual([]);
  });

  it('is removed before more recently used tables when space is needed', async () => {
    const [old, recent, next] = [await files.put('a\n1\n'), await files.put('a\n2\n'), await files.put('a\n3\n')];
    const [oldest, later] = [await use(old), await use(recent)];
    const { size } = await stat(oldest.path);
    const now = Date.now() / 1000;
    await utimes(oldest.path, now - 7_200, now - 7_200);
    await utimes(later.path, now - 10_000, now - 10_000);
    // The cache removes tables by their last use, not by their time of conversion.
    await use(recent);
    files.config.TABLES_CACHE_BYTES = 2.5 * size;
    await use(next);
    expect([await exists(oldest.path), await exists(later.path)]).toEqual([false, true]);
    expect(await files.list('tables')).toHaveLength(5);
  });

  it('stays in the cache while it is in use, even when space is needed', async () => {
    files.config.TABLES_CACHE_BYTES = 0;
    const table = await open(await files.put('a\n1\n'));
    const other = await open(await files.put('a\n2\n'));
    expect(await exists(table.path)).toBe(true);
    table.release();
    other.release();
    await use(await files.put('a\n3\n'));
    expect([await exists(table.path), await exists(other.path)]).toEqual([false, false]);
  });

  it('expires after a day without use', async () => {
    const [first, second] = [await use(await files.put('a\n1\n')), await use(await files.put('a\n2\n'))];
    const times = Date.now() / 1000 - DAY_SECONDS;
    await utimes(first.path, times - 60, times - 60);
    await utimes(second.path, times + 60, times + 60);
    await use(await files.put('a\n3\n'));
    expect([await exists(first.path), await exists(second.path)]).toEqual([false, true]);
  });

  it('is converted again if it is missing or its description is truncated', async () => {
    const blob = await files.put('a,b\n1,x\n');
    const table = await open(blob);
    await rm(table.path);
    expect((await use(blob)).description).toEqual(table.description);
    expect(await exists(table.path)).toBe(true);
    await writeFile(table.path.replace('.parquet', '.json'), '{"columns":[{"na');
    expect((await use(blob)).description).toEqual(table.description);
    expect((await use(blob)).description).toEqual(table.description);
    expect(await conversions()).toEqual({ ok: 3 });
  });
});

describe('a conversion', () => {
  it('is not repeated by later requests after a failure', async () => {
    const blob = await files.put('a,b\n1\n');
    const failures = await Promise.allSettled([use(blob), use(blob)]);
    for (let round = 0; round < 3; round += 1) failures.push(...(await Promise.allSettled([use(blob)])));
    for (const failure of failures) expect(failure).toMatchObject({ reason: expect.any(TaskProblem) });
    expect(await conversions()).toEqual({ ragged_row: 1 });
    await cache.open({ ...blob, format: 'csv', ignoreErrors: true });
    expect(await conversions()).toEqual({ ragged_row: 1, ok: 1 });
  });

  it.each([
    { sheet: 'Other' },
    { ignoreErrors: true },
    { dialect: { delimiter: ';' } },
    { dialect: { encoding: 'utf-8' }, sheet: 'Other' },
  ] as const)('is not repeated with the options %j after a timeout', async (options) => {
    const blob = await files.put('a,b\n1,x\n');
    let count = 0;
    const run = async (): Promise<never> => {
      count += 1;
      return await Promise.reject(new TransientProblem('unreadable', 'Reading the file took longer than 60 seconds'));
    };
    const of = new TableCacheService(files.config, { run } as never, files.copies, new MetricsService(logger), logger);
    const source = { ...blob, format: 'xlsx', ignoreErrors: false } as const;
    await expect(of.open(source)).rejects.toThrow('longer than 60 seconds');
    await expect(of.open({ ...source, ...options })).rejects.toThrow('longer than 60 seconds');
    expect(count).toBe(1);
    await expect(of.open({ ...source, ...(await files.put('a')) })).rejects.toThrow('longer than 60 seconds');
    expect(count).toBe(2);
  });

  it('continues while a client is waiting for it, and ends when the last client disconnects', async () => {
    const blob = await files.put(`a,b\n${'1,2\n'.repeat(300_000)}`);
    const clients = [new AbortController(), new AbortController(), new AbortController()];
    const [leaves, stays, last] = clients.map(async ({ signal }) => await open(blob, cache, signal));
    clients[0]!.abort(reason);
    await expect(leaves).rejects.toBe(reason);
    clients[1]!.abort(reason);
    await expect(stays).rejects.toBe(reason);
    (await last!).release();
    expect(await conversions()).toEqual({ ok: 1 });

    const other = { ...blob, ...(await files.put(`a,b\n${'3,4\n'.repeat(300_000)}`)) };
    const alone = new AbortController();
    const opened = open(other, cache, alone.signal);
    // Wait until the conversion is running.
    while ((await files.list('tables/drafts')).length === 0) await Promise.race([opened, Promise.resolve()]);
    alone.abort(reason);
    await expect(opened).rejects.toBe(reason);
    // A later request converts the table again.
    expect((await use(other)).description.rows).toBe(300_000);
    expect(await conversions()).toEqual({ ok: 2, failed: 1 });
    expect(await files.list('copies')).toEqual([]);
    expect(await files.list('tables/drafts')).toEqual([]);
  });
});
