import { EventEmitter, once } from 'node:events';
import { expect, it } from '@jest/globals';
import { pino } from 'pino';
import { MetricsService } from '../common/metrics/metrics.service.js';
import { DataEngine } from './data-engine.service.js';
import type { TaskResult } from '../../packages/data-engine/engine-connection.js';
import { EngineMetricsService } from './engine-metrics.service.js';
import type { ProcessPool } from '../../packages/data-engine/process-pool.js';
import type { ConvertTask, TextTask } from '../../packages/data-engine/tasks.js';

/** Process pool whose tasks run until the test calls `endTasks`. */
class Processes {
  readonly size = 4;
  readonly begun: string[] = [];
  private readonly emitter = new EventEmitter();
  private readonly end = once(this.emitter, 'end');

  async acquire(): Promise<unknown> {
    const perform = async ({ from }: { from: string }): Promise<TaskResult> => {
      this.begun.push(from);
      await this.end;
      return { kind: 'aborted' };
    };
    return await Promise.resolve({ isFresh: true, perform });
  }

  release(): void {}

  endTasks(): void {
    this.emitter.emit('end');
  }
}

const MIB = 1024 ** 2;
const table = (from: string, format: ConvertTask['format'], bytes: number) => ({
  task: { kind: 'convert', from, format, ignoreErrors: false, to: from } as const,
  bytes,
});
const document = (from: string, format: TextTask['format'], bytes: number) => ({
  task: { kind: 'text', from, format, maxBytes: 1 } as const,
  bytes,
});

let engine: DataEngine;
const tasks: Promise<unknown>[] = [];

const run = (company_id: string, { task, bytes }: ReturnType<typeof table | typeof document>): void => {
  tasks.push(engine.run<'convert' | 'text'>(task, { company_id, bytes }));
};

/** Runs `start` on a new engine and returns the names of the tasks that begin immediately, in order. */
async function begun(start: () => void): Promise<string[]> {
  const logger = pino({ level: 'silent' });
  const processes = new Processes();
  engine = new DataEngine(
    processes as unknown as ProcessPool,
    new EngineMetricsService(new MetricsService(logger)),
    logger,
  );
  start();
  await new Promise(setImmediate);
  const names = [...processes.begun];
  processes.endTasks();
  await Promise.allSettled(tasks.splice(0));
  return names;
}

it.each([
  ['a workbook', table('b', 'xlsx', 3 * MIB)],
  ['a CSV file', table('b', 'csv', 3 * MIB)],
  ['a small Parquet file', table('b', 'parquet', 100)],
  ['a PDF', document('b', 'pdf', 100)],
])('reads %s for a company while another company reads large files', async (_, file) => {
  const names = await begun(() => {
    for (const name of ['a1', 'a2', 'a3']) run('a', table(name, 'xlsx', 39 * MIB));
    run('b', file);
  });
  expect(names).toEqual(['a1', 'b']);
});

it.each([
  ['CSV file', table('c', 'csv', 12)],
  ['TSV file', table('c', 'tsv', MIB)],
  ['JSON file', table('c', 'json', 1_000)],
  ['workbook', table('c', 'xlsx', 30_000)],
  ['DOCX file', document('c', 'docx', 30_000)],
])('reads a small %s while two other companies read large files', async (_, file) => {
  const names = await begun(() => {
    for (const company of ['a', 'b'])
      for (const name of ['1', '2']) run(company, table(company + name, 'xlsx', 39 * MIB));
    run('c', file);
  });
  expect(names).toEqual(['a1', 'b1', 'c']);
});

it('reads small files for a company while another company reads many small files', async () => {
  const names = await begun(() => {
    for (const name of ['a1', 'a2', 'a3']) run('a', table(name, 'csv', MIB));
    run('b', table('b', 'csv', 12));
  });
  expect(names).toEqual(['a1', 'b']);
});
