import { rm } from 'node:fs/promises';
import { Injectable } from '@nestjs/common';
import { TaskProblem } from '../../packages/data-engine/index.js';
import type { ContainerRef } from '../files/tree/container-ref.js';
import { inputsOf, isProblem, mentionsOf, parseFormula, parseIndex } from '../../packages/modelling/index.js';
import { NotFound } from '../common/errors/errors.js';
import {
  type DataContent,
  type DataFile,
  doubledHeader,
  fieldOf,
  fileColumns,
  type FileFacts,
  formulaIn,
  HEADERS,
  isSetOfFile,
  type ModelCard,
  namesInAdjustment,
  readData,
  readingOfHeaders,
  type SetTable,
  whyDoubled,
  wideColumns,
} from '../../packages/canvas/index.js';
import { describeSetFile, factsOf } from '../projects/canvas/set-file.js';
import { TableReaderService } from '../tables/table-reader.service.js';

/** Fields of cards that contain formulas or lists of formulas. */
const FORMULAS = ['expression', 'lower', 'upper', 'zero_or_between', 'penalty'] as const;
/** Maximum number of used cells in all of a model's tables. A solve holds all of them in memory. */
const MAX_CELLS = 10_000_000;
/** Maximum total size of these cells on disk, in bytes. */
const MAX_BYTES = 200_000_000;

/** Reads the tables that contain the sets of a model. */
@Injectable()
export class SetTablesService {
  constructor(private readonly tables: TableReaderService) {}

  /**
   * Loads the columns that a model needs from the files of its sets, and returns them by card id. If a file cannot be used, the
   * entry of its card contains the problem. The caller must call {@link discard} to remove the local copies.
   *
   * @param container container with the files, or null if the model has no files
   * @throws the errors of {@link TableReaderService}, and the signal's reason if it aborts
   */
  async read(
    container: ContainerRef | null,
    cards: readonly ModelCard[],
    signal: AbortSignal,
  ): Promise<Map<string, SetTable>> {
    const tables = new Map<string, SetTable>();
    const ofFiles = cards.filter(isSetOfFile);
    if (ofFiles.length === 0) return tables;
    const usedNames = namesIn(cards);
    const room = { cells: MAX_CELLS, bytes: MAX_BYTES };
    try {
      for (const card of ofFiles) {
        const content = readData(card);
        const { file } = content;
        if (file === undefined) continue;
        const table =
          container === null
            ? { problem: noFile(file) }
            : await this.readOne(container, content, file, { usedNames, room }, signal);
        tables.set(card.id, table);
      }
      return tables;
    } catch (error) {
      await this.discard(tables);
      throw error;
    }
  }

  async discard(tables: ReadonlyMap<string, SetTable>): Promise<void> {
    for (const table of tables.values()) if ('file' in table) await rm(table.file, { force: true });
  }

  private async readOne(
    container: ContainerRef,
    content: DataContent,
    file: DataFile,
    { usedNames, room }: { usedNames: ReadonlySet<string>; room: { cells: number; bytes: number } },
    signal: AbortSignal,
  ): Promise<SetTable> {
    const { path, key } = file;
    try {
      const { name, description } = await describeSetFile(this.tables, container, file, { signal });
      const facts = factsOf(description);
      const wide = file.columnsAs === undefined ? undefined : wideColumns(description.columns, key, description.rows);
      const columns =
        wide === undefined ? usedColumns(content, { columns: facts }, usedNames) : new Map<string, string>();
      if ('problem' in columns) return columns;
      const doubled = wide && doubledHeader(wide.columns);
      if (doubled !== undefined) return { problem: whyDoubled(path, doubled) };
      const columnNames = [...new Set([...key, ...columns.values(), ...(wide?.columns ?? []).map((one) => one.name)])];
      const strange = columnNames.find((one) => !description.columns.some((column) => column.name === one));
      if (strange !== undefined) return { problem: `${path} has no column ${strange}` };
      room.cells -= description.rows * columnNames.length;
      if (room.cells < 0) return { problem: `a model can use at most ${MAX_CELLS} cells of its tables` };
      const answer = await this.tables.columns(container, name, columnNames, { signal });
      room.bytes -= answer.bytes;
      if (room.bytes < 0) {
        await rm(answer.file, { force: true });
        return { problem: `the table cells that the model uses have more than ${MAX_BYTES} bytes` };
      }
      const readings = new Map(facts.flatMap(({ name, reading }) => (reading ? [[name, reading] as const] : [])));
      const { rowNumbers } = answer.description;
      const table = { file: answer.file, names: columnNames, columns, readings, rowNumbers };
      if (wide === undefined) return table;
      const headers = wide.columns.map(({ header }) => header);
      const reading = readingOfHeaders(headers);
      if (reading !== undefined) readings.set(HEADERS, reading);
      return { ...table, headers };
    } catch (error) {
      if (error instanceof NotFound) return { problem: noFile(file) };
      if (error instanceof TaskProblem) return { problem: `${path}: ${error.message}` };
      throw error;
    }
  }
}

/** Returns the columns that formulas use, by their names in formulas. */
function usedColumns(
  content: DataContent,
  facts: FileFacts,
  usedNames: ReadonlySet<string>,
): Map<string, string> | { problem: string } {
  const columns = new Map<string, string>();
  for (const [name, { column }] of fileColumns(content, facts)) {
    if (!usedNames.has(name)) continue;
    const other = columns.get(name);
    if (other !== undefined)
      return { problem: `${content.file?.path}: ${name} can mean the column ${other} or ${column}` };
    columns.set(name, column);
  }
  return columns;
}

const noFile = ({ path }: DataFile): string => `the workspace has no file ${path}`;

/** Returns all names that the formulas of cards and the adjustments of scenarios contain. */
function namesIn(cards: readonly ModelCard[]): Set<string> {
  const names = new Set<string>();
  for (const card of cards) {
    const data: Record<string, unknown> = { ...card.data, ...formulaIn(card) };
    const { adjustments = [] } = card;
    const { derivation } = readData(card).set ?? {};
    if (derivation !== undefined && !('problem' in derivation))
      for (const name of inputsOf(derivation)) names.add(name);
    for (const adjustment of adjustments) for (const name of namesInAdjustment(adjustment)) names.add(name);
    const text = data['index'];
    const parsed = typeof text === 'string' ? parseIndex(text) : undefined;
    const index = parsed === undefined || isProblem(parsed) ? undefined : parsed;
    const computed = fieldOf<Record<string, unknown>>(card, 'computed') ?? {};
    for (const content of [...FORMULAS.flatMap((field) => data[field]), ...Object.values(computed)]) {
      const formula = typeof content === 'string' ? parseFormula(content) : undefined;
      const usable = formula === undefined || isProblem(formula) ? undefined : formula;
      for (const name of mentionsOf(usable, index)) names.add(name);
    }
  }
  return names;
}
