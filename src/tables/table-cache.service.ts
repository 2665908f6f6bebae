import { createHash } from 'node:crypto';
import { readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { Config } from '../config/config.js';
import { DataEngine } from '../data-engine/data-engine.service.js';
import {
  type DialectOptions,
  TransientProblem,
  type TableDescription,
  type TableFormat,
  TaskProblem,
} from '../../packages/data-engine/index.js';
import { LocalCopiesService } from '../files/blobs/local-copies.service.js';
import { entriesOf, ScratchFolder } from '../files/blobs/scratch-folder.js';
import { IntervalRunner } from '../common/leases/interval-runner.js';
import { SharedWork } from '../common/leases/shared-work.js';
import { LOGGER } from '../common/logging/logging.module.js';
import { hasCode } from '../storage/file-errors.js';
import { makePrivateFolder } from '../storage/private-folder.js';
import { MetricsService } from '../common/metrics/metrics.service.js';

/** Source of a converted table. */
export interface TableSource {
  company_id: string;
  blob_id: string;
  /** Size of the file in bytes. */
  size: number;
  format: TableFormat;
  /** Default: the first sheet of a workbook. */
  sheet?: string;
  dialect?: DialectOptions;
  ignoreErrors: boolean;
}

/** Converted table. This process keeps it until it is released. */
export interface OpenTable {
  /** Path of the Parquet file. */
  path: string;
  description: TableDescription;
  /** Removes a damaged copy. Does nothing if this request converted the table. Returns whether the copy was removed. */
  discard(): Promise<boolean>;
  release(): void;
}

/** Time after which an unused copy is removed. Its file may have been deleted. */
const UNUSED_MS = 24 * 60 * 60_000;
const SWEEP_MS = 60 * 60_000;
/** Lifetime and total size in characters of cached conversion errors. */
const PROBLEM_MS = 5 * 60_000;
const PROBLEMS_CHARACTERS = 4 * 1024 ** 2;
/** Version of the conversion. Increment it when tables are read differently, so that old copies are not used. */
const VERSION = 4;
/** Minimum interval between updates of a copy's last-use time on disk. */
const USE_MS = 60_000;

/**
 * Caches converted tables as Parquet files in `DATA_DIR/tables`, with their descriptions. File contents never change, so a copy
 * stays valid for every process that shares the folder. The least recently used copies are removed first.
 */
@Injectable()
export class TableCacheService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  /** Folder for unfinished files. */
  readonly drafts: ScratchFolder;
  private readonly folder: string;
  /** Copies that are being removed. */
  private readonly removing = new Map<string, Promise<void>>();
  private readonly converting = new SharedWork<TableDescription>();
  /** Conversion errors, cached so that requests cannot make the engine read an invalid file over and over. */
  private readonly problems = new LRUCache<string, TaskProblem>({
    maxSize: PROBLEMS_CHARACTERS,
    sizeCalculation: ({ message, place }) => message.length + String(place.column).length + 1_000,
    ttl: PROBLEM_MS,
  });
  /** Number of current users of each copy. */
  private readonly users = new Map<string, number>();
  private readonly requests;
  private sweep: IntervalRunner | undefined;
  private bytes = 0;

  constructor(
    private readonly config: Config,
    private readonly engine: DataEngine,
    private readonly copies: LocalCopiesService,
    metrics: MetricsService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.folder = resolve(config.DATA_DIR, 'tables');
    this.drafts = new ScratchFolder(join(this.folder, 'drafts'));
    this.requests = metrics.counter({
      name: 'pws_table_cache_requests_total',
      help: 'Requested tables, by whether a converted copy was cached (hit, miss)',
      labels: ['outcome'],
    });
    metrics.gauges([{ name: 'pws_table_cache_bytes', help: 'Bytes of converted tables on disk' }], () => ({
      pws_table_cache_bytes: this.bytes,
    }));
  }

  async onApplicationBootstrap(): Promise<void> {
    await makePrivateFolder(this.folder);
    const sweep = async (): Promise<void> => {
      await this.shrink();
      await this.drafts.dropStale();
    };
    this.sweep = new IntervalRunner(sweep, 'converted tables could not be cleaned up', this.logger, SWEEP_MS);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.sweep?.stop();
  }

  /**
   * Opens a converted table. Requests that arrive during a conversion share it. The conversion is aborted when all their
   * clients have disconnected.
   *
   * @throws TaskProblem if the content is not a table
   * @throws the errors of {@link LocalCopiesService.withCopy} and {@link DataEngine.run}
   * @throws the signal's reason if it aborts
   */
  async open(source: TableSource, signal?: AbortSignal): Promise<OpenTable> {
    const name = nameOf(source);
    this.users.set(name, (this.users.get(name) ?? 0) + 1);
    const release = (): void => {
      const remaining = (this.users.get(name) ?? 0) - 1;
      if (remaining > 0) this.users.set(name, remaining);
      else this.users.delete(name);
    };
    try {
      await this.removing.get(name);
      const cached = await this.find(name);
      this.requests.inc({ outcome: cached === undefined ? 'miss' : 'hit' });
      return {
        path: this.place(`${name}.parquet`),
        description: cached ?? (await this.convertOnce(name, source, signal)),
        discard: async () => {
          if (cached !== undefined) await this.remove(name);
          return cached !== undefined;
        },
        release,
      };
    } catch (error) {
      release();
      throw error;
    }
  }

  private place(name: string): string {
    return join(this.folder, name);
  }

  private async find(name: string): Promise<TableDescription | undefined> {
    try {
      const { mtimeMs } = await stat(this.place(`${name}.parquet`));
      const description: unknown = JSON.parse(await readFile(this.place(`${name}.json`), 'utf8'));
      if (!isDescription(description)) return undefined;
      const now = new Date();
      if (mtimeMs < now.getTime() - USE_MS) await utimes(this.place(`${name}.parquet`), now, now);
      return description;
    } catch (error) {
      // A power failure may have truncated the description. Both files are then created again.
      if (hasCode(error, 'ENOENT') || error instanceof SyntaxError) return undefined;
      throw error;
    }
  }

  private async convertOnce(name: string, source: TableSource, signal?: AbortSignal): Promise<TableDescription> {
    const problem = this.problems.get(name) ?? this.problems.get(source.blob_id);
    if (problem !== undefined) throw problem;
    try {
      return await this.converting.join(name, (unwanted) => this.convert(name, source, unwanted), signal);
    } catch (error) {
      // A file that takes too long is not read again for another sheet or dialect.
      if (error instanceof TaskProblem)
        this.problems.set(error instanceof TransientProblem ? source.blob_id : name, error);
      throw error;
    }
  }

  private async convert(
    name: string,
    { format, sheet, dialect, ignoreErrors, ...blob }: TableSource,
    signal: AbortSignal,
  ): Promise<TableDescription> {
    // Other processes that share the folder may convert the same table.
    const to = await this.drafts.newPath('.parquet');
    const description = await this.copies.withCopy(
      blob,
      async (from) =>
        await this.engine.run(
          {
            kind: 'convert',
            from,
            format,
            ...(sheet !== undefined && { sheet }),
            ...(dialect !== undefined && { dialect }),
            ignoreErrors,
            to,
          },
          { company_id: blob.company_id, bytes: blob.size, signal },
        ),
      signal,
    );
    await rename(to, this.place(`${name}.parquet`));
    // The description is written last, because a copy is only valid with its description.
    const draft = await this.drafts.newPath('.json');
    await writeFile(draft, JSON.stringify(description), { flush: true });
    await rename(draft, this.place(`${name}.json`));
    await this.shrink();
    return description;
  }

  /** Removes unused copies, and then more copies until the total size is within the limit. */
  private async shrink(): Promise<void> {
    const tables = (await entriesOf(this.folder)).filter(({ name }) => name.endsWith('.parquet'));
    let bytes = tables.reduce((sum, { size }) => sum + size, 0);
    const now = Date.now();
    // The modification time of a copy is the time when it was last used.
    for (const { name: file, size, modifiedMs } of tables.sort((one, other) => one.modifiedMs - other.modifiedMs)) {
      if (bytes <= this.config.TABLES_CACHE_BYTES && modifiedMs > now - UNUSED_MS) break;
      const name = file.slice(0, -'.parquet'.length);
      if (this.users.has(name)) continue;
      await this.remove(name);
      bytes -= size;
    }
    this.bytes = bytes;
  }

  /** Removes a copy. Requests for it wait and then convert the table again. */
  private async remove(name: string): Promise<void> {
    const removal = Promise.all(
      ['json', 'parquet'].map(async (ending) => await rm(this.place(`${name}.${ending}`), { force: true })),
    ).then(() => undefined);
    this.removing.set(name, removal);
    try {
      await removal;
    } finally {
      this.removing.delete(name);
    }
  }
}

/** Checks the fields that every description has, because a damaged file can still be valid JSON. */
function isDescription(value: unknown): value is TableDescription {
  const { columns, rows, leftOut, rowNumbers } = Object(value) as Partial<TableDescription>;
  return [columns, leftOut, rowNumbers].every(Array.isArray) && typeof rows === 'number';
}

/** Returns the name of a copy, which reveals nothing about the file. */
function nameOf({ blob_id, format, sheet, dialect, ignoreErrors }: TableSource): string {
  const what = JSON.stringify([VERSION, format, sheet ?? null, dialect ?? null, ignoreErrors]);
  return `${blob_id}-${createHash('sha256').update(what).digest('hex').slice(0, 16)}`;
}
