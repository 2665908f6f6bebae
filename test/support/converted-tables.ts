import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { convert } from '../../packages/data-engine/tables/convert.js';
import type { ConvertTask, TableDescription, TableFormat } from '../../packages/data-engine/tasks.js';
import { type SheetCell, workbookFile } from './workbook-file.js';

export type ConvertedTable = TableDescription & {
  names: string[];
  /** Column types as `name type`. */
  types: string[];
  cells: unknown[][];
};

/** Converts files for tests and reads the resulting tables. */
export class ConvertedTables {
  private files = 0;

  private constructor(
    private readonly directory: string,
    private readonly database: DuckDBInstance,
  ) {}

  static async open(): Promise<ConvertedTables> {
    return new ConvertedTables(
      await mkdtemp(join(tmpdir(), 'converted-')),
      await DuckDBInstance.create(':memory:', { threads: '1' }),
    );
  }

  async close(): Promise<void> {
    this.database.closeSync();
    await rm(this.directory, { recursive: true });
  }

  /** Converts a file and reads it. An array of rows becomes a workbook with a single sheet. */
  async read(
    content: string | Uint8Array | (SheetCell[] | undefined)[],
    more: Partial<ConvertTask> = {},
  ): Promise<ConvertedTable> {
    const format: TableFormat = more.format ?? (Array.isArray(content) ? 'xlsx' : 'csv');
    const from = join(this.directory, `${(this.files += 1)}.${format}`);
    const to = `${from}.parquet`;
    await writeFile(from, Array.isArray(content) ? workbookFile({ Sheet: content }) : content);
    const table = await convert({ kind: 'convert', from, format, ignoreErrors: false, to, ...more });
    const connection = await this.database.connect();
    try {
      const result = await connection.runAndReadAll(`FROM read_parquet('${to}')`);
      return {
        ...table,
        names: table.columns.map(({ name }) => name),
        types: table.columns.map(({ name, type }) => `${name} ${type}`),
        cells: result.getRowsJson().map((row) => row.map(plain)),
      };
    } finally {
      connection.closeSync();
    }
  }
}

/** Converts 64-bit integers, which DuckDB writes as strings in JSON, to numbers. */
const plain = (cell: unknown): unknown => (typeof cell === 'string' && /^-?\d+$/.test(cell) ? Number(cell) : cell);
