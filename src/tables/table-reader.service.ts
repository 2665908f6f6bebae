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

/** File in a container, or a sheet in the file. */
export interface TableName {
  /** Normalized path. */
  path: string;
  sheet?: string;
  /** Options for reading the file. Absent fields are detected. */
  dialect?: DialectOptions;
}

/** Table and the container of its file. The tables of a query can be in different containers. */
export interface ContainerTable extends TableName {
  container: ContainerRef;
}

export interface TableOptions {
  /** Whether rows that cannot be read are omitted. */
  ignoreErrors?: boolean;
  /** Aborts the work when the client disconnects. */
  signal?: AbortSignal;
}

/** Thrown if a copy of a table is missing or damaged. */
class CopyMissing extends Error {}

const yes = (): boolean => true;
const no = (): boolean => false;

/** Runs the work, and repeats it once if a copy is missing or damaged. */
async function retryMissingCopy<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CopyMissing) return await work();
    throw error;
  }
}

const mayBeDamage = (error: unknown): boolean =>
  error instanceof EngineFault || (error instanceof TaskProblem && error.code === 'engine_failed');

/** Statement with options for its result. */
export interface Select {
  sql: string;
  /** Maximum number of rows in the result. */
  limit: number;
  /** Maximum size of the result's rows in JSON bytes. The default and upper limit is 8 MiB. */
  maxBytes?: number;
  /** Format in which the whole result is also stored. */
  save?: 'csv' | 'parquet';
}

/** Problem with one of the tables of a query. */
export class TableProblem extends TaskProblem {
  constructor(
    /** Name of the table in the query. */
    readonly table: string,
    { code, message, place }: TaskProblem,
  ) {
    super(code, `${table}: ${message}`, place);
  }
}

/** Result of a query. `saved` is the stored complete result, if it was requested. */
export interface QueryResult extends QueryAnswer {
  saved: StoredBlob | undefined;
  /** Descriptions of the tables by their names in the query. */
  descriptions: ReadonlyMap<string, TableDescription>;
}

/**
 * Reads tables in container files for all modules. The caller must have checked access to the container.
 *
 * Problems with the data, a structured query or SQL are {@link TaskProblem}s, or {@link TableProblem}s if there are several
 * tables. Unavailable means that the engine cannot run. TooManyRequests means that the company uses its whole share of the
 * engine.
 */
@Injectable()
export class TableReaderService {
  constructor(
    private readonly reader: FileTreeReaderService,
    private readonly cache: TableCacheService,
    private readonly engine: DataEngine,
    private readonly blobs: BlobsService,
  ) {}

  /** Returns rows or groups from a table, with its description. @throws NotFound */
  async read(
    container: ContainerRef,
    name: TableName,
    query: StructuredQuery,
    options: TableOptions = {},
  ): Promise<ReadAnswer & { description: TableDescription }> {
    return await this.ask(container, name, options, (table) => ({ kind: 'read', table, query }));
  }

  /** Returns the description of a table. @throws NotFound */
  async describe(
    container: ContainerRef,
    name: TableName,
    options: TableOptions = {},
  ): Promise<{ blob_id: string; description: TableDescription }> {
    const table = await this.open(container, name, options);
    table.release();
    return { blob_id: table.blob_id, description: table.description };
  }

  /** Checks whether columns identify the rows of a table. Rows are zero-based indexes in the table. @throws NotFound */
  async keys(
    container: ContainerRef,
    name: TableName,
    columns: readonly string[],
    options: TableOptions = {},
  ): Promise<KeysAnswer & { blob_id: string; description: TableDescription }> {
    return await this.ask(container, name, options, (table) => ({ kind: 'keys', table, columns: [...columns] }));
  }

  /**
   * Writes whole columns of a table to a local file, as a V8-serialized list of `ColumnCells`. The caller must remove the file.
   * The data does not pass through this thread.
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
    return await retryMissingCopy(async () => {
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
   * Runs a SELECT over a company's tables, which the statement refers to by the given names.
   *
   * @throws NotFound
   */
  async select(
    company_id: string,
    names: ReadonlyMap<string, ContainerTable>,
    select: TableOptions & Select,
  ): Promise<QueryResult> {
    return await retryMissingCopy(() => this.selectOnce(company_id, names, select));
  }

  private async selectOnce(
    company_id: string,
    names: ReadonlyMap<string, ContainerTable>,
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

  private async openAs(as: string, name: ContainerTable, options: TableOptions): Promise<OpenTable> {
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
    { path, sheet, dialect: dialectFields }: TableName,
    { ignoreErrors = false, signal }: TableOptions,
  ): Promise<OpenTable & { blob_id: string }> {
    const file = await this.reader.find(container, path);
    if (file === undefined) throw new NotFound('File');
    const format = tableFormat(path);
    if (format === undefined) throw new TaskProblem('unreadable', `The file is not a table: ${TABLE_ENDINGS}`);
    if (sheet !== undefined && format !== 'xlsx') throw new TaskProblem('unknown_sheet', 'Only a workbook has sheets');
    const { blob_id, size } = file;
    const { company_id } = container;
    const dialect = dialectOf(dialectFields);
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
        if (discarded.includes(true)) throw new CopyMissing();
      }
      const copiesExist = await Promise.all(tables.map(({ path }) => access(path).then(yes, no)));
      throw copiesExist.every(Boolean) ? error : new CopyMissing();
    }
  }
}
