import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type TableDescription, TaskProblem } from '../../data-engine/tasks.js';
import type { ContainerRef } from '../../files/tree/container-ref.js';
import { FileTreeReader } from '../../files/tree/file-tree-reader.service.js';
import type { Tx } from '../../platform/database/database.service.js';
import { NotFound } from '../../platform/errors/errors.js';
import { rowInFile } from '../../tables/table-format.js';
import { TableReader } from '../../tables/table-reader.service.js';
import type { Card } from './card.entity.js';
import { readData } from './data-content.js';
import { aspectOf, type DataFile, type FileFacts, type FileState, type FileStates, questionOf } from './data-file.js';
import { FileFactsRepository } from './file-facts.repository.js';

type DataCard = Pick<Card, 'card_type' | 'data'>;

/** What is known of the files that cards name, at one moment. */
export interface KnownFiles {
  states: FileStates;
  /** Hash of the contents that sets stand in, in hex; empty when there are none, null when no card names a file. */
  digest: string | null;
}

/** A file that cards name. */
interface Named {
  file: DataFile;
  /** Whether members stand in it. */
  hasSet: boolean;
}

/** The files of the workspace that data cards name. */
@Injectable()
export class DataFiles {
  constructor(
    private readonly reader: FileTreeReader,
    private readonly facts: FileFactsRepository,
    private readonly tables: TableReader,
  ) {}

  /** What is known of the files that cards name; nothing is read of them. */
  async known(workspace: ContainerRef, cards: readonly DataCard[], tx?: Tx): Promise<KnownFiles> {
    const named = filesOf(cards);
    if (named.length === 0) return { states: new Map(), digest: null };
    const found = await this.reader.findAll(
      workspace,
      named.map(({ file }) => file.path),
      tx,
    );
    const asked = named.flatMap(({ file, hasSet }) => {
      const blob_id = found.get(file.path)?.blob_id;
      return hasSet && blob_id !== undefined ? [{ question: questionOf(file), blob_id, aspect: digestOf(file) }] : [];
    });
    const facts = asked.length === 0 ? [] : await (tx?.withRepository(this.facts) ?? this.facts).of(asked);
    const states = new Map<string, FileState>();
    for (const { file } of named) states.set(questionOf(file), found.has(file.path) ? 'unread' : 'missing');
    asked.forEach(({ question }, index) => states.set(question, facts[index] ?? 'unread'));
    const contents = asked.map(({ question, blob_id }) => JSON.stringify([question, blob_id])).sort();
    return { states, digest: contents.length === 0 ? '' : sha256(contents.join('\n')).toString('hex') };
  }

  /**
   * Reads what nobody knows yet of the files that the sets of cards stand in.
   *
   * @throws what {@link TableReader} throws, but for problems of the files: those are facts
   * @throws the signal's reason when it aborts
   */
  async read(workspace: ContainerRef, cards: readonly DataCard[], signal?: AbortSignal): Promise<void> {
    const { states } = await this.known(workspace, cards);
    for (const { file, hasSet } of filesOf(cards)) {
      if (!hasSet || states.get(questionOf(file)) !== 'unread') continue;
      const read = await this.readOne(workspace, file, signal);
      if (read !== undefined) await this.facts.keep({ blob_id: read.blob_id, aspect: digestOf(file) }, read.facts);
    }
  }

  /** What a file holds; undefined when it is gone or was changed meanwhile, of which there is news. */
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
      if (!(error instanceof TaskProblem)) throw error;
      const after = await this.reader.find(workspace, file.path);
      if (after?.blob_id !== before.blob_id) return undefined;
      return { blob_id: before.blob_id, facts: { problem: error.message, columns: [] } };
    }
  }

  private async readTable(workspace: ContainerRef, { path, sheet, key, isDistinct }: DataFile, signal?: AbortSignal) {
    const name = { path, ...(sheet !== undefined && { sheet }) };
    const options = { ...(signal !== undefined && { signal }) };
    const { blob_id, description } = await this.tables.describe(workspace, name, options);
    const columns = factsOf(description);
    const isKnown = key.every((one) => columns.some((column) => column.name === one));
    if (isDistinct || key.length === 0 || !isKnown) return { blob_id, facts: { columns } };
    const checked = await this.tables.keys(workspace, name, key, options);
    if (checked.blob_id !== blob_id) return undefined;
    const { doubled, empty, misfits } = checked;
    const rowOf = (place: number): number => rowInFile(description, place);
    const facts: FileFacts = {
      columns: columns.map((column) => {
        const misfit = misfits.find((one) => one.column === column.name);
        return misfit === undefined ? column : { ...column, misfit: { row: rowOf(misfit.row), text: misfit.text } };
      }),
      ...(doubled !== null && {
        doubled: { key: doubled.key, rows: [rowOf(doubled.rows[0]), rowOf(doubled.rows[1])] },
      }),
      ...(empty !== null && { empty: { row: rowOf(empty.row), column: empty.column } }),
    };
    return { blob_id, facts };
  }
}

/** What formulas make of the columns of a table. */
export const factsOf = ({ columns }: TableDescription): FileFacts['columns'] =>
  columns.map(({ name, type }) => ({ name, type: type === 'integer' || type === 'number' ? 'number' : 'text' }));

/** The files that cards name, each as often as it is asked something else. */
function filesOf(cards: readonly DataCard[]): Named[] {
  const named = new Map<string, Named>();
  for (const card of cards) {
    const { file, set } = readData(card);
    if (file === undefined) continue;
    const hasSet = set !== undefined && set.members === undefined;
    const question = questionOf(file);
    if (hasSet || !named.has(question)) named.set(question, { file, hasSet });
  }
  return [...named.values()];
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
const digestOf = (file: DataFile): Buffer => sha256(aspectOf(file));
