import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { deserialize } from 'node:v8';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import {
  type ColumnCells,
  type Dialect,
  TransientProblem,
  readingNotes,
  rowInFile,
  type TableDescription,
  TaskProblem,
} from '../../../packages/data-engine/index.js';
import type { DateReading } from '../../../packages/modelling/index.js';
import type { ContainerRef } from '../../files/tree/container-ref.js';
import { FileTreeReaderService } from '../../files/tree/file-tree-reader.service.js';
import type { Tx } from '../../database/database.service.js';
import { pathProblem } from '../../../packages/paths/index.js';
import { NotFound } from '../../common/errors/errors.js';
import { type TableName, TableReaderService } from '../../tables/table-reader.service.js';
import {
  contentKey,
  type DataFile,
  type FileFacts,
  type FileState,
  type FileStates,
  isSetOfFile,
  MAX_CELLS,
  MAX_ROWS,
  fileKey,
  readData,
  tableOf,
  withinFileSetLimit,
  withValues,
} from '../../../packages/canvas/index.js';
import type { Card } from './card.entity.js';
import { type FactsKey, FileFactsRepository } from './file-facts.repository.js';

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
    sizeCalculation: ({ columns }) =>
      columns.reduce((sum, { values = [], cells = [] }) => sum + values.length + cells.length + 1, 1),
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

  private async readTable(workspace: ContainerRef, file: DataFile, signal?: AbortSignal) {
    const { key, isDistinct } = file;
    const name = tableOf(file);
    const options = { ...(signal !== undefined && { signal }) };
    const { blob_id, description } = await this.tables.describe(workspace, name, options);
    const columns = await this.withValues(workspace, name, { blob_id, description, key }, options);
    if (columns === undefined) return undefined;
    const hasKeyColumns = key.every((one) => columns.some((column) => column.name === one));
    const notes = readingNotes(description);
    const noteFields = notes.length > 0 && { notes };
    if (key.length === 0 || !hasKeyColumns)
      return { blob_id, facts: { columns, rows: description.rows, ...noteFields } };
    const checked = await this.tables.keys(workspace, name, key, options);
    if (checked.blob_id !== blob_id) return undefined;
    const { empty, misfits } = checked;
    // If a set consists of the distinct values of a `column`, duplicates are allowed.
    const doubled = isDistinct ? null : checked.doubled;
    const rowOf = (place: number): number => rowInFile(description, place);
    const facts: FileFacts = {
      columns: columns.map((column) => {
        const misfit = misfits.find((one) => one.column === column.name);
        return misfit === undefined ? column : { ...column, misfit: { row: rowOf(misfit.row), text: misfit.text } };
      }),
      rows: description.rows,
      ...noteFields,
      ...(doubled !== null && {
        doubled: { key: doubled.key, rows: [rowOf(doubled.rows[0]), rowOf(doubled.rows[1])] },
      }),
      ...(empty !== null && { empty: { ...empty, rows: empty.rows.map(rowOf) } }),
    };
    return { blob_id, facts };
  }

  /**
   * Returns the columns of a table, and their values if the table is small enough. Returns undefined if the file has changed.
   */
  private async withValues(
    workspace: ContainerRef,
    name: TableName,
    { blob_id, description, key }: Described,
    options: { signal?: AbortSignal },
  ): Promise<FileFacts['columns'] | undefined> {
    const columns = fitting(factsOf(description), key);
    const { rows } = description;
    if (rows > MAX_ROWS || rows * columns.length > MAX_CELLS || columns.length === 0) return columns;
    const names = columns.map((column) => column.name);
    const { file, ...answer } = await this.tables.columns(workspace, name, names, options);
    try {
      if (answer.blob_id !== blob_id) return undefined;
      return withValues(columns, deserialize(await readFile(file)) as ColumnCells[], key);
    } finally {
      await rm(file, { force: true });
    }
  }
}

/** Description of a table and the names of its key columns. */
interface Described {
  blob_id: string;
  description: TableDescription;
  key: readonly string[];
}

/** Returns the columns of a table with their types in formulas. */
export const factsOf = ({ columns, dialect }: TableDescription): FileFacts['columns'] =>
  columns.map(({ name, type }) => {
    const isFigure = type === 'integer' || type === 'number';
    const hasDates = type === 'date' || type === 'time' || type === 'timestamp';
    const reading = hasDates && { reading: { type, ...orderOf(dialect) } };
    return { name, type: isFigure ? ('number' as const) : ('text' as const), ...reading };
  });

/** Returns the order of day and month in a table's dates. Omits the order if the file does not determine it. */
function orderOf(dialect: Dialect | null): Pick<DateReading, 'order'> {
  if (dialect === null) return {};
  const { date_order, uncertain } = dialect;
  if (date_order !== null) return { order: date_order };
  return uncertain.includes('date_order') ? { order: 'mixed' } : {};
}

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
