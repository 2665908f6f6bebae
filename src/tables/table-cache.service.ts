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
  PassingProblem,
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

/** What of a content is a table. */
export interface TableSource {
  company_id: string;
  blob_id: string;
  /** Bytes. */
  size: number;
  format: TableFormat;
  /** Absent: the first sheet of a workbook. */
  sheet?: string;
  dialect?: DialectOptions;
  ignoreErrors: boolean;
}

/** A converted table, which this process does not remove before it is released. */
export interface OpenTable {
  /** Parquet file. */
  path: string;
  description: TableDescription;
  /** Removes a damaged copy. Does nothing if this request converted the table. Returns whether the copy was removed. */
  discard(): Promise<boolean>;
  release(): void;
}

/** A copy that nobody has asked for in so long is removed: the file that it is of may be gone. */
const UNUSED_MS = 24 * 60 * 60_000;
const SWEEP_MS = 60 * 60_000;
/** How long, and in how many characters, it is remembered why a file is no table. */
const PROBLEM_MS = 5 * 60_000;
const PROBLEMS_CHARACTERS = 4 * 1024 ** 2;
/** Counts up when tables come to be read in another way: copies of before are not used any more. */
const VERSION = 3;
/** How old the time of use on the disk may get while a copy is used again and again. */
const USE_MS = 60_000;

/**
 * Tables as Parquet files in `DATA_DIR/tables`, each with its description beside it. Contents of files never change, so a
 * copy is good for as long as it is there, for every process that shares the folder; those that were used least recently
 * go first.
 */
@Injectable()
export class TableCacheService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  /** Where files are made until they are whole. */
  readonly drafts: ScratchFolder;
  private readonly folder: string;
  /** Copies that are being removed. */
  private readonly removing = new Map<string, Promise<void>>();
  private readonly converting = new SharedWork<TableDescription>();
  /** Why files are no tables, so that nobody makes the engine read one over and over. */
  private readonly problems = new LRUCache<string, TaskProblem>({
    maxSize: PROBLEMS_CHARACTERS,
    sizeCalculation: ({ message, place }) => message.length + String(place.column).length + 1_000,
    ttl: PROBLEM_MS,
  });
  /** How many use a copy now. */
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
      help: 'Tables that were asked for, by whether a converted copy was there (hit, miss)',
      labels: ['outcome'],
    });
    metrics.gauges([{ name: 'pws_table_cache_bytes', help: 'Bytes of converted tables on the disk' }], () => ({
      pws_table_cache_bytes: this.bytes,
    }));
  }

  async onApplicationBootstrap(): Promise<void> {
    await makePrivateFolder(this.folder);
    const look = async (): Promise<void> => {
      await this.shrink();
      await this.drafts.dropStale();
    };
    this.sweep = new IntervalRunner(look, 'converted tables could not be cleaned up', this.logger, SWEEP_MS);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.sweep?.stop();
  }

  /**
   * Requests that come while a table is converted wait for the same conversion, which ends when all of them have gone.
   *
   * @throws TaskProblem for what is no table; what {@link LocalCopiesService.withCopy} and {@link DataEngine.run} throw
   * @throws the signal's reason when it aborts
   */
  async open(source: TableSource, signal?: AbortSignal): Promise<OpenTable> {
    const name = nameOf(source);
    this.users.set(name, (this.users.get(name) ?? 0) + 1);
    const release = (): void => {
      const left = (this.users.get(name) ?? 0) - 1;
      if (left > 0) this.users.set(name, left);
      else this.users.delete(name);
    };
    try {
      await this.removing.get(name);
      const known = await this.find(name);
      this.requests.inc({ outcome: known === undefined ? 'miss' : 'hit' });
      return {
        path: this.place(`${name}.parquet`),
        description: known ?? (await this.convertOnce(name, source, signal)),
        discard: async () => {
          if (known !== undefined) await this.remove(name);
          return known !== undefined;
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
      // A loss of power may have cut the description off; both are made anew.
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
        this.problems.set(error instanceof PassingProblem ? source.blob_id : name, error);
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
    // It comes last: a copy counts once its description is there.
    const draft = await this.drafts.newPath('.json');
    await writeFile(draft, JSON.stringify(description), { flush: true });
    await rename(draft, this.place(`${name}.json`));
    await this.shrink();
    return description;
  }

  /** Removes what was not used for long, and more until the rest is within the limit. */
  private async shrink(): Promise<void> {
    const tables = (await entriesOf(this.folder)).filter(({ name }) => name.endsWith('.parquet'));
    let bytes = tables.reduce((sum, { size }) => sum + size, 0);
    const now = Date.now();
    // The time of a copy is that of its last use.
    for (const { name: file, size, modifiedMs } of tables.sort((one, other) => one.modifiedMs - other.modifiedMs)) {
      if (bytes <= this.config.TABLES_CACHE_BYTES && modifiedMs > now - UNUSED_MS) break;
      const name = file.slice(0, -'.parquet'.length);
      if (this.users.has(name)) continue;
      await this.remove(name);
      bytes -= size;
    }
    this.bytes = bytes;
  }

  /** Whoever asks for the copy meanwhile waits, and makes it anew. */
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

/** Checks the fields that every description has, because a file can be damaged and still be JSON. */
function isDescription(value: unknown): value is TableDescription {
  const { columns, rows, leftOut, rowNumbers } = Object(value) as Partial<TableDescription>;
  return [columns, leftOut, rowNumbers].every(Array.isArray) && typeof rows === 'number';
}

/** Name of a copy, which tells nothing of the file. */
function nameOf({ blob_id, format, sheet, dialect, ignoreErrors }: TableSource): string {
  const what = JSON.stringify([VERSION, format, sheet ?? null, dialect ?? null, ignoreErrors]);
  return `${blob_id}-${createHash('sha256').update(what).digest('hex').slice(0, 16)}`;
}
