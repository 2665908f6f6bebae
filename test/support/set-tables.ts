import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serialize } from 'node:v8';
import type { ColumnCells } from '../../packages/data-engine/index.js';
import { withValues } from '../../packages/canvas/column-values.js';
import { readData } from '../../packages/canvas/data-content.js';
import { type FileFacts, fileKey, type FileStates } from '../../packages/canvas/data-file.js';
import type { ModelCard, SetTable } from '../../packages/canvas/model/model-card.js';

export type Cell = number | string | null;

/** Table of a set in a file: cells by row. */
export interface Rows {
  columns: string[];
  rows: Cell[][];
}

const toColumn = (cells: readonly Cell[]): ColumnCells => {
  if (!cells.some((cell) => typeof cell === 'string'))
    return { type: 'number', figures: Float64Array.from(cells, (cell) => (cell === null ? NaN : Number(cell))) };
  const texts = [...new Set(cells.flatMap((cell) => (cell === null ? [] : String(cell))))];
  return {
    type: 'text',
    texts,
    places: Int32Array.from(cells, (cell) => (cell === null ? -1 : texts.indexOf(String(cell)))),
  };
};

const cellsOf = ({ columns, rows }: Rows): ColumnCells[] =>
  columns.map((_, at) => toColumn(rows.map((row) => row[at] ?? null)));

/** Tables for the files of data cards, as a solve reads them. */
export class SetTables {
  private readonly folder = mkdtempSync(join(tmpdir(), 'set-tables-'));
  private written = 0;

  /** Returns the table of a card's file. */
  of(rows: Rows): SetTable {
    const file = join(this.folder, String((this.written += 1)));
    writeFileSync(file, serialize(cellsOf(rows)));
    const { columns: names } = rows;
    return { file, names, columns: new Map(names.map((name) => [name, name])), rowNumbers: [{ index: 0, row: 2 }] };
  }

  discard(): void {
    rmSync(this.folder, { recursive: true });
  }
}

/** Returns the cached metadata of a card's file. */
export function fileStates(card: ModelCard, rows: Rows): FileStates {
  const file = readData(card).file!;
  const cells = cellsOf(rows);
  const columns = rows.columns.map((name, at) => ({ name, type: cells[at]!.type }));
  const facts: FileFacts = { rows: rows.rows.length, columns: withValues(columns, cells, file.key) };
  return new Map([[fileKey(file), facts]]);
}
