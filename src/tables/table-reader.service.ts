import { access, rm } from 'node:fs/promises';
import { Injectable } from '@nestjs/common';
import { DataEngine, EngineFault } from '../data-engine/data-engine.service.js';
import {
  type Answers,
  type ColumnsAnswer,
  type ColumnsTask,
  dialectOf,
  type DialectOptions,
  type KeysAnswer,
  type QueryAnswer,
  type ReadAnswer,
  type StructuredQuery,
  TABLE_ENDINGS,
  type TableDescription,
  tableFormat,
  type Task,
  TaskProblem,
} from '../../packages/data-engine/index.js';
import { BlobsService, type StoredBlob } from '../files/blobs/blobs.service.js';
import type { ContainerRef } from '../files/tree/container-ref.js';
import { FileTreeReaderService } from '../files/tree/file-tree-reader.service.js';
import { NotFound } from '../common/errors/errors.js';
import { type OpenTable, TableCacheService } from './table-cache.service.js';

/** A file of a container, or a sheet of one. */
export interface TableName {
  /** Normalised. */
  path: string;
  sheet?: string;
  /** How it is to be read; the rest is recognised. */
  dialect?: DialectOptions;
}

/** A table that stands in a container of its own. */
export interface PlacedTable extends TableName {
  container: ContainerRef;
}

export interface TableOptions {
  /** Whether rows that cannot be read are left out. */
  ignoreErrors?: boolean;
  /** Ends the work when nobody waits for it any more. */
  signal?: AbortSignal;
}

/** A copy of a table is missing or was damaged. */
class CopyGone extends Error {}

const yes = (): boolean => true;
const no = (): boolean => false;

/** Runs the work, and repeats it once if a copy is missing or damaged. */
async function again<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CopyGone) return await work();
    throw error;
  }
}

const mayBeDamage = (error: unknown): boolean =>
  error instanceof EngineFault || (error instanceof TaskProblem && error.code === 'engine_failed');

/** A statement, and what is wanted of its result. */
export interface Select {
  sql: string;
  /** Most rows of the answer. */
  limit: number;
  /** Most bytes of JSON of the answer's rows; up to 8 MiB, the default. */
  maxBytes?: number;
  /** Format in which the whole result is stored as well. */
  save?: 'csv' | 'parquet';
}

/** A problem of one of the tables of a query. */
export class TableProblem extends TaskProblem {
  constructor(
    /** Its name in the query. */
    readonly table: string,
    { code, message, place }: TaskProblem,
  ) {
    super(code, `${table}: ${message}`, place);
  }
}

/** Answers of a query, and the whole result where it was asked for. */
export interface QueryResult extends QueryAnswer {
  saved: StoredBlob | undefined;
  /** Descriptions of the tables, by their names in the query. */
  descriptions: ReadonlyMap<string, TableDescription>;
}

/**
 * Tables in the files of containers, for every module. Whoever calls has found the container.
 *
 * Problems of the data, of a structured query or of SQL are {@link TaskProblem}s, of one of several tables {@link TableProblem}s;
 * Unavailable says that the engine cannot run, TooManyRequests that the company has its share of it.
 */
@Injectable()
export class TableReaderService {
  constructor(
    private readonly reader: FileTreeReaderService,
    private readonly cache: TableCacheService,
    private readonly engine: DataEngine,
    private readonly blobs: BlobsService,
  ) {}

  /** Rows of a table or groups of them, and what the table is. @throws NotFound */
  async read(
    container: ContainerRef,
    name: TableName,
    query: StructuredQuery,
    options: TableOptions = {},
  ): Promise<ReadAnswer & { description: TableDescription }> {
    return await this.ask(container, name, options, (table) => ({ kind: 'read', table, query }));
  }

  /** What a table is. @throws NotFound */
  async describe(
    container: ContainerRef,
    name: TableName,
    options: TableOptions = {},
  ): Promise<{ blob_id: string; description: TableDescription }> {
    const table = await this.open(container, name, options);
    table.release();
    return { blob_id: table.blob_id, description: table.description };
  }

  /** Whether columns tell the rows of a table apart; rows are places in the table, from 0. @throws NotFound */
  async keys(
    container: ContainerRef,
    name: TableName,
    columns: readonly string[],
    options: TableOptions = {},
  ): Promise<KeysAnswer & { blob_id: string; description: TableDescription }> {
    return await this.ask(container, name, options, (table) => ({ kind: 'keys', table, columns: [...columns] }));
  }

  /**
   * Writes whole columns of a table into a file of this machine, a list of `ColumnCells` as V8 serialises it, which the
   * caller removes; nothing of them passes through this thread.
   *
   * @throws NotFound
   */
  async columns(
    container: ContainerRef,
    name: TableName,
    columns: readonly string[],
    options: TableOptions = {},
  ): Promise<ColumnsAnswer & { file: string; blob_id: string; description: TableDescription }> {
    const to = await this.cache.drafts.newPath('.columns');
    const taskOn = (table: string): ColumnsTask => ({ kind: 'columns', table, columns: [...columns], to });
    return { ...(await this.ask(container, name, options, taskOn)), file: to };
  }

  private async ask<Kind extends 'read' | 'keys' | 'columns'>(
    container: ContainerRef,
    name: TableName,
    options: TableOptions,
    taskOn: (table: string) => Extract<Task, { kind: Kind }>,
  ): Promise<Answers[Kind] & { blob_id: string; description: TableDescription }> {
    return await again(async () => {
      const table = await this.open(container, name, options);
      try {
        const answer = await this.run<Kind>(taskOn(table.path), container, options, [table]);
        return { ...answer, blob_id: table.blob_id, description: table.description };
      } finally {
        table.release();
      }
    });
  }

  /**
   * Runs one SELECT over tables of a company, by the names that it has for them.
   *
   * @throws NotFound
   */
  async select(
    company_id: string,
    names: ReadonlyMap<string, PlacedTable>,
    select: TableOptions & Select,
  ): Promise<QueryResult> {
    return await again(() => this.selectOnce(company_id, names, select));
  }

  private async selectOnce(
    company_id: string,
    names: ReadonlyMap<string, PlacedTable>,
    { sql, limit, maxBytes, save, ...options }: TableOptions & Select,
  ): Promise<QueryResult> {
    const tables = new Map<string, OpenTable>();
    const draft = save && (await this.cache.drafts.newPath(`.${save}`));
    try {
      for (const [as, name] of names) {
        options.signal?.throwIfAborted();
        tables.set(as, await this.openAs(as, name, options));
      }
      const task = {
        kind: 'query',
        tables: Object.fromEntries(Array.from(tables, ([as, { path }]) => [as, path])),
        sql,
        limit,
        ...(maxBytes !== undefined && { maxBytes }),
        ...(save && draft !== undefined && { save: { to: draft, format: save } }),
      } as const;
      const answer = await this.run(task, { company_id }, options, [...tables.values()]);
      const saved = draft === undefined ? undefined : await this.blobs.storeFile(company_id, draft);
      const descriptions = new Map(Array.from(tables, ([as, { description }]) => [as, description]));
      return { ...answer, saved, descriptions };
    } finally {
      for (const table of tables.values()) table.release();
      if (draft !== undefined) await rm(draft, { force: true });
    }
  }

  private async openAs(as: string, name: PlacedTable, options: TableOptions): Promise<OpenTable> {
    try {
      return await this.open(name.container, name, options);
    } catch (error) {
      if (error instanceof NotFound) throw new NotFound('File', name.path);
      if (error instanceof TaskProblem) throw new TableProblem(as, error);
      throw error;
    }
  }

  private async open(
    container: ContainerRef,
    { path, sheet, dialect: given }: TableName,
    { ignoreErrors = false, signal }: TableOptions,
  ): Promise<OpenTable & { blob_id: string }> {
    const file = await this.reader.find(container, path);
    if (file === undefined) throw new NotFound('File');
    const format = tableFormat(path);
    if (format === undefined) throw new TaskProblem('unreadable', `The file is no table: ${TABLE_ENDINGS}`);
    if (sheet !== undefined && format !== 'xlsx') throw new TaskProblem('unknown_sheet', 'Only a workbook has sheets');
    const { blob_id, size } = file;
    const { company_id } = container;
    const dialect = dialectOf(given);
    const source = {
      company_id,
      blob_id,
      size,
      format,
      ...(sheet !== undefined && { sheet }),
      ...(dialect !== undefined && { dialect }),
      ignoreErrors,
    };
    return { ...(await this.cache.open(source, signal)), blob_id };
  }

  private async run<Kind extends 'read' | 'query' | 'keys' | 'columns'>(
    task: Extract<Task, { kind: Kind }>,
    { company_id }: Pick<ContainerRef, 'company_id'>,
    { signal }: TableOptions,
    tables: readonly OpenTable[],
  ): Promise<Answers[Kind]> {
    try {
      return await this.engine.run(task, { company_id, ...(signal !== undefined && { signal }) });
    } catch (error) {
      if (mayBeDamage(error)) {
        const discarded = await Promise.all(tables.map(async (table) => await table.discard()));
        if (discarded.includes(true)) throw new CopyGone();
      }
      const isThere = await Promise.all(tables.map(({ path }) => access(path).then(yes, no)));
      throw isThere.every(Boolean) ? error : new CopyGone();
    }
  }
}
