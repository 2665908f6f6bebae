import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { deserialize } from 'node:v8';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import {
  type ColumnCells,
  isTotalLabel,
  TransientProblem,
  readingNotes,
  rowInFile,
  type TableDescription,
  TaskProblem,
} from '../../../packages/data-engine/index.js';
import { listFirst } from '../../../packages/modelling/index.js';
import type { ContainerRef } from '../../files/tree/container-ref.js';
import { FileTreeReaderService } from '../../files/tree/file-tree-reader.service.js';
import type { Tx } from '../../database/database.service.js';
import { pathProblem } from '../../../packages/paths/index.js';
import { NotFound } from '../../common/errors/errors.js';
import { TableReaderService } from '../../tables/table-reader.service.js';
import {
  CELLS,
  contentKey,
  type DataFile,
  doubledHeader,
  factsWithCells,
  factsWithoutCells,
  type FileFacts,
  firstMisfitOf,
  type FileState,
  type FileStates,
  isSetOfFile,
  MAX_CELLS,
  MAX_ROWS,
  fileKey,
  readData,
  type WideColumn,
  wideColumns,
  withinFileSetLimit,
  withValues,
} from '../../../packages/canvas/index.js';
import type { Card } from './card.entity.js';
import { type FactsKey, FileFactsRepository } from './file-facts.repository.js';
import { describeSetFile, factsOf, type SetFile } from './set-file.js';

/** Maximum number of strings and cells in all cached facts together. */
const MAX_CACHED_VALUES = 3_000_000;

type DataCard = Pick<Card, 'card_type' | 'data'>;

/** Facts about the current files that cards refer to. */
export interface CachedFileStates {
  states: FileStates;
  /** Hex hash of the contents of the files with sets. Empty if no file contains a set, null if no card refers to a file. */
  digest: string | null;
}

/** File that cards refer to. */
interface ReferencedFile {
  file: DataFile;
  /** Whether the file contains the members of a set. */
  hasSet: boolean;
}

/** Reads the workspace files that data cards refer to. */
@Injectable()
export class DataFilesService {
  /**
   * Entries never expire, because file contents are immutable. Callers must get the same objects each time, because other
   * caches use their identity as a key.
   */
  private readonly cachedFacts = new LRUCache<string, FileFacts>({
    maxSize: MAX_CACHED_VALUES,
    sizeCalculation: ({ columns, headers = [] }) =>
      columns.reduce((sum, { values = [], cells = [] }) => sum + values.length + cells.length + 1, headers.length + 1),
  });

  constructor(
    private readonly reader: FileTreeReaderService,
    private readonly facts: FileFactsRepository,
    private readonly tables: TableReaderService,
  ) {}

  /** Returns cached facts about the files that cards refer to, without reading the files. */
  async cachedStates(workspace: ContainerRef, cards: readonly DataCard[], tx?: Tx): Promise<CachedFileStates> {
    const references = filesOf(cards);
    if (references.length === 0) return { states: new Map(), digest: null };
    const paths = references.map(({ file }) => file.path).filter((path) => pathProblem(path) === undefined);
    const filesByPath = await this.reader.findAt(workspace, paths, tx);
    const keys = references.flatMap(({ file, hasSet }) => {
      const blob_id = filesByPath.get(file.path)?.blob_id;
      return hasSet && blob_id !== undefined ? [{ question: fileKey(file), blob_id, aspect: digestOf(file) }] : [];
    });
    const facts = await this.factsOf(keys, tx);
    const states = new Map<string, FileState>();
    for (const { file } of references) states.set(fileKey(file), filesByPath.has(file.path) ? 'unread' : 'missing');
    keys.forEach(({ question }, index) => states.set(question, facts[index] ?? 'unread'));
    const contents = keys.map(({ question, blob_id }) => JSON.stringify([question, blob_id])).sort();
    return { states, digest: contents.length === 0 ? '' : sha256(contents.join('\n')).toString('hex') };
  }

  /** Returns the facts about file contents in the order of `keys`, with undefined for contents that have not been read yet. */
  private async factsOf(keys: readonly FactsKey[], tx?: Tx): Promise<(FileFacts | undefined)[]> {
    const keyOf = ({ blob_id, aspect }: FactsKey): string => `${blob_id} ${aspect.toString('hex')}`;
    const isMissing = (one: FactsKey): boolean => !this.cachedFacts.has(keyOf(one));
    const missing = keys.filter(isMissing);
    const loaded = missing.length === 0 ? [] : await (tx?.withRepository(this.facts) ?? this.facts).of(missing);
    const factsByKey = new Map(missing.map((one, at) => [keyOf(one), loaded[at]]));
    return keys.map((one) => {
      const facts = factsByKey.get(keyOf(one)) ?? this.cachedFacts.get(keyOf(one));
      if (facts !== undefined) this.cachedFacts.set(keyOf(one), facts);
      return facts;
    });
  }

  /**
   * Reads the unread files that contain the sets of cards, one after another. If a file cannot be read, continues with the next
   * file and throws the first error at the end.
   *
   * @throws the errors of {@link TableReaderService}, except for permanent problems with the content, which are stored as facts
   * @throws the signal's reason if it aborts
   */
  async read(workspace: ContainerRef, cards: readonly DataCard[], signal?: AbortSignal): Promise<void> {
    const { states } = await this.cachedStates(workspace, cards);
    const failures: unknown[] = [];
    for (const { file, hasSet } of filesOf(cards)) {
      if (!hasSet || states.get(fileKey(file)) !== 'unread') continue;
      signal?.throwIfAborted();
      try {
        const result = await this.readOne(workspace, file, signal);
        if (result !== undefined)
          await this.facts.keep({ blob_id: result.blob_id, aspect: digestOf(file) }, result.facts);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  /**
   * Returns the facts about a file, or undefined if the file was deleted or changed while it was being read. Such a change
   * requests another refresh.
   */
  private async readOne(
    workspace: ContainerRef,
    file: DataFile,
    signal?: AbortSignal,
  ): Promise<{ blob_id: string; facts: FileFacts } | undefined> {
    const before = await this.reader.find(workspace, file.path);
    if (before === undefined) return undefined;
    try {
      return await this.readTable(workspace, file, signal);
    } catch (error) {
      if (error instanceof NotFound) return undefined;
      if (!(error instanceof TaskProblem) || error instanceof TransientProblem) throw error;
      const after = await this.reader.find(workspace, file.path);
      if (after?.blob_id !== before.blob_id) return undefined;
      return { blob_id: before.blob_id, facts: { problem: error.message, columns: [] } };
    }
  }

  private async readTable(
    workspace: ContainerRef,
    file: DataFile,
    signal?: AbortSignal,
  ): Promise<{ blob_id: string; facts: FileFacts } | undefined> {
    const { key, isDistinct } = file;
    const options = { ...(signal !== undefined && { signal }) };
    const table = await describeSetFile(this.tables, workspace, file, options);
    const { name, blob_id, description } = table;
    const content = await this.contentOf(workspace, table, file, options);
    if (content === undefined) return undefined;
    const notes = [...readingNotes(description), ...(content.notes ?? [])];
    const facts: FileFacts = { ...content, ...(notes.length > 0 && { notes }) };
    if (key.length === 0 || !hasColumns(description, key)) return { blob_id, facts };
    const checked = await this.tables.keys(workspace, name, key, options);
    if (checked.blob_id !== blob_id) return undefined;
    const { empty } = checked;
    // If a set consists of the distinct values of a `column`, duplicates are allowed.
    const doubled = isDistinct ? null : checked.doubled;
    const rowOf = (place: number): number => rowInFile(description, place);
    const misfits = checked.misfits.map((misfit) => ({ ...misfit, row: rowOf(misfit.row) }));
    // The number of filled cells is unknown only if the cells of a wide table have not been read.
    const inCells =
      content.rows === undefined
        ? firstMisfitOf(wideColumns(description.columns, key, description.rows).columns, misfits)
        : undefined;
    return {
      blob_id,
      facts: {
        ...facts,
        columns: content.columns.map((column) => {
          const misfit = column.name === CELLS ? inCells : misfits.find((one) => one.column === column.name);
          return misfit === undefined ? column : { ...column, misfit };
        }),
        ...(doubled !== null && {
          doubled: { key: doubled.key, rows: [rowOf(doubled.rows[0]), rowOf(doubled.rows[1])] },
        }),
        ...(empty !== null && { empty: { ...empty, rows: empty.rows.map(rowOf) } }),
      },
    };
  }

  /**
   * Returns the columns of a set, and their values if the table is small enough. Returns undefined if the file has changed.
   */
  private async contentOf(
    workspace: ContainerRef,
    table: SetFile,
    { key, columnsAs }: DataFile,
    options: { signal?: AbortSignal },
  ): Promise<FileFacts | undefined> {
    const { description } = table;
    const { rows } = description;
    const all = factsOf(description);
    if (columnsAs === undefined || key.length === 0 || !hasColumns(description, key)) {
      const columns = fitting(all, key);
      const cells = await this.cellsOf(
        workspace,
        table,
        columns.map(({ name }) => name),
        options,
      );
      if (cells === 'changed') return undefined;
      return { columns: cells === 'many' ? columns : withValues(columns, cells, key), rows };
    }
    const { columns, unnamed } = wideColumns(description.columns, key, rows);
    const keys = key.map((one) => all.find(({ name }) => name === one)!);
    const cells = await this.cellsOf(
      workspace,
      table,
      [...keys, ...columns].map(({ name }) => name),
      options,
    );
    if (cells === 'changed') return undefined;
    const doubled = doubledHeader(columns);
    const notes = notesOnColumns(columns, unnamed);
    return {
      ...(cells === 'many'
        ? { columns: factsWithoutCells(keys, columns) }
        : factsWithCells(keys, columns, cells, { rows, rowInFile: (row) => rowInFile(description, row) })),
      headers: columns.map(({ header }) => header),
      ...(doubled !== undefined && { doubledHeader: doubled }),
      ...(notes.length > 0 && { notes }),
    };
  }

  /** Returns the cells of columns, `many` if there are too many, or `changed` if the file has changed. */
  private async cellsOf(
    workspace: ContainerRef,
    { name, blob_id, description: { rows } }: SetFile,
    columns: readonly string[],
    options: { signal?: AbortSignal },
  ): Promise<ColumnCells[] | 'many' | 'changed'> {
    if (rows > MAX_ROWS || rows * columns.length > MAX_CELLS || columns.length === 0) return 'many';
    const { file, ...answer } = await this.tables.columns(workspace, name, columns, options);
    try {
      return answer.blob_id === blob_id ? (deserialize(await readFile(file)) as ColumnCells[]) : 'changed';
    } finally {
      await rm(file, { force: true });
    }
  }
}

const hasColumns = ({ columns }: TableDescription, names: readonly string[]): boolean =>
  names.every((name) => columns.some((column) => column.name === name));

/** Describes columns of a wide table that a planner should check. */
const notesOnColumns = (columns: readonly WideColumn[], unnamed: readonly WideColumn[]): string[] => [
  ...(unnamed.length === 0
    ? []
    : [`left out: ${unnamed.length === 1 ? 'column' : 'columns'} ${listNumbers(unnamed)} (no header)`]),
  ...columns
    .filter(({ header }) => isTotalLabel(header))
    .map(({ header, number }) => `column ${number} (${header}) is read as a member, although it may contain totals`),
];

const MAX_LISTED = 5;
const listNumbers = (columns: readonly WideColumn[]): string =>
  listFirst(
    columns.map(({ number }) => String(number)),
    MAX_LISTED,
  );

/** Maximum total size of the column names that are stored for a file, in bytes. Each change to a canvas loads these names. */
const MAX_NAMES = 64 * 1024;

/** Returns the key columns and the other columns that fit into the limit, in their order. */
function fitting(columns: FileFacts['columns'], key: readonly string[]): FileFacts['columns'] {
  let remaining = MAX_NAMES;
  const isKey = ({ name }: FileFacts['columns'][number]): boolean => key.includes(name);
  return columns.filter((column) => isKey(column) || (remaining -= Buffer.byteLength(column.name) + 40) >= 0);
}

/**
 * Returns the files that cards refer to. Cards that read a file in the same way share an entry. Files with sets beyond the
 * maximum number are omitted.
 */
function filesOf(cards: readonly DataCard[]): ReferencedFile[] {
  const references = new Map<string, ReferencedFile>();
  for (const card of withinFileSetLimit(cards)) {
    if (card.data['file_path'] === undefined) continue;
    const { file } = readData(card);
    if (file === undefined) continue;
    const hasSet = isSetOfFile(card);
    const question = fileKey(file);
    if (hasSet || !references.has(question)) references.set(question, { file, hasSet });
  }
  return [...references.values()];
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
const digestOf = (file: DataFile): Buffer => sha256(contentKey(file));
