import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { DataEngine } from '../../src/data-engine/data-engine.service.js';
import { EngineMetricsService } from '../../src/data-engine/engine-metrics.service.js';
import { ProcessPool } from '../../packages/data-engine/process-pool.js';
import type { QueryAnswer, Task } from '../../packages/data-engine/tasks.js';
import { MetricsService } from '../../src/common/metrics/metrics.service.js';

/** The built module, because the engine's processes run JavaScript. */
export const ENGINE_ENTRY = new URL('../../dist/packages/data-engine/engine-process.js', import.meta.url);

/** Data engine with its own processes and folder. */
export class TestEngine {
  private constructor(
    readonly engine: DataEngine,
    readonly pool: ProcessPool,
    readonly metrics: MetricsService,
    readonly directory: string,
  ) {}

  static async start({ size = 3, idleMs = 60_000, seconds = 10 } = {}): Promise<TestEngine> {
    const logger = pino({ level: 'silent' });
    const metrics = new MetricsService(logger);
    const pool = new ProcessPool({ size, idleMs, entry: ENGINE_ENTRY });
    const limits: Record<Task['kind'], number> = {
      read: seconds,
      query: seconds,
      keys: seconds,
      columns: seconds,
      convert: 60,
      text: 60,
    };
    const engine = new DataEngine(pool, new EngineMetricsService(metrics), logger, limits);
    return new TestEngine(engine, pool, metrics, await mkdtemp(join(tmpdir(), 'data-engine-')));
  }

  async stop(): Promise<void> {
    this.engine.onApplicationShutdown();
    await rm(this.directory, { recursive: true, force: true });
  }

  /** Writes the result of a statement to a Parquet file and returns its path. */
  async table(name: string, sql: string): Promise<string> {
    const to = join(this.directory, `${name}.parquet`);
    const options = { company_id: 'setup' };
    await this.engine.run({ kind: 'query', tables: {}, sql, limit: 1, save: { to, format: 'parquet' } }, options);
    return to;
  }

  async query(
    sql: string,
    tables: Record<string, string> = {},
    options: { company_id?: string; signal?: AbortSignal } = {},
  ): Promise<QueryAnswer> {
    return await this.engine.run({ kind: 'query', tables, sql, limit: 100 }, { company_id: 'a', ...options });
  }
}
