import { rm } from 'node:fs/promises';
import { Injectable } from '@nestjs/common';
import { TaskProblem } from '../data-engine/tasks.js';
import type { ContainerRef } from '../files/tree/container-ref.js';
import { isProblem } from '../modelling/formula.js';
import { mentionsOf } from '../modelling/mentions.js';
import { parseFormula, parseIndex } from '../modelling/parse-formula.js';
import { NotFound } from '../platform/errors/errors.js';
import { type DataContent, fileColumns, readData } from '../projects/canvas/data-content.js';
import type { DataFile } from '../projects/canvas/data-file.js';
import { factsOf } from '../projects/canvas/data-files.service.js';
import { TableReader } from '../tables/table-reader.service.js';
import type { ModelCard, SetTable } from './solver/task.js';

/** Fields of cards that hold formulas. */
const FORMULAS = ['expression', 'lower', 'upper'] as const;
/** Most cells of all tables of a model that are used: a solve holds all of them at once. */
const MAX_CELLS = 10_000_000;

/** The tables that the sets of a model stand in. */
@Injectable()
export class SetTables {
  constructor(private readonly tables: TableReader) {}

  /**
   * Makes ready what a model needs of the files of its sets, by the ids of their cards. What is wrong with a file is an answer.
   * {@link discard} removes it.
   *
   * @param container null: there are no files
   * @throws what {@link TableReader} throws of itself; the signal's reason when it aborts
   */
  async read(
    container: ContainerRef | null,
    cards: readonly ModelCard[],
    signal: AbortSignal,
  ): Promise<Map<string, SetTable>> {
    const found = new Map<string, SetTable>();
    let used: ReadonlySet<string> | undefined;
    const room = { cells: MAX_CELLS };
    for (const card of cards) {
      const content = readData(card);
      if (content.file === undefined || content.set === undefined || content.set.members !== undefined) continue;
      used ??= namesIn(cards);
      const table =
        container === null
          ? { problem: noFile(content.file) }
          : await this.readOne(container, content, content.file, { used, room }, signal);
      found.set(card.id, table);
    }
    return found;
  }

  async discard(tables: ReadonlyMap<string, SetTable>): Promise<void> {
    for (const table of tables.values()) if ('file' in table) await rm(table.file, { force: true });
  }

  private async readOne(
    container: ContainerRef,
    content: DataContent,
    file: DataFile,
    { used, room }: { used: ReadonlySet<string>; room: { cells: number } },
    signal: AbortSignal,
  ): Promise<SetTable> {
    const { path, sheet, key } = file;
    const name = { path, ...(sheet !== undefined && { sheet }) };
    try {
      const { description } = await this.tables.describe(container, name, { signal });
      const known = fileColumns(content, { columns: factsOf(description) });
      const columns = new Map([...known].flatMap(([as, { column }]) => (used.has(as) ? [[as, column] as const] : [])));
      const wanted = [...new Set([...key, ...columns.values()])];
      const strange = wanted.find((one) => !description.columns.some((column) => column.name === one));
      if (strange !== undefined) return { problem: `${path} has no column ${strange}` };
      room.cells -= description.rows * wanted.length;
      if (room.cells < 0) return { problem: `the tables of a model have at most ${MAX_CELLS} cells that are used` };
      const answer = await this.tables.columns(container, name, wanted, { signal });
      return { file: answer.file, names: wanted, columns, rowNumbers: answer.description.rowNumbers };
    } catch (error) {
      if (error instanceof NotFound) return { problem: noFile(file) };
      if (error instanceof TaskProblem) return { problem: `${path}: ${error.message}` };
      throw error;
    }
  }
}

const noFile = ({ path }: DataFile): string => `no file ${path} is in the workspace`;

/** Every name that the formulas of cards mention. */
function namesIn(cards: readonly ModelCard[]): Set<string> {
  const names = new Set<string>();
  for (const { data } of cards) {
    const text = data['index'];
    const read = typeof text === 'string' ? parseIndex(text) : undefined;
    const index = read === undefined || isProblem(read) ? undefined : read;
    for (const field of FORMULAS) {
      const formula = typeof data[field] === 'string' ? parseFormula(data[field]) : undefined;
      const usable = formula === undefined || isProblem(formula) ? undefined : formula;
      for (const name of mentionsOf(usable, index)) names.add(name);
    }
  }
  return names;
}
