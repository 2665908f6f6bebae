import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import { convert } from '../../packages/data-engine/tables/convert.js';
import { readTableRows } from '../../packages/data-engine/tables/read.js';
import {
  type ConvertTask,
  type StructuredQuery,
  type TableDescription,
  type TableFormat,
  TaskProblem,
  type TextAnswer,
  type TextTask,
} from '../../packages/data-engine/tasks.js';
import { documentText } from '../../packages/data-engine/documents/text.js';

/** Converted file as returned to clients. */
export interface ConvertedTable {
  /** Columns as `name type`. */
  columns: string[];
  rows: unknown[][];
  description: TableDescription;
  /** Path of the table's Parquet file. */
  path: string;
}

type Content = string | Uint8Array;

/** Converts and reads files in a temporary folder within this process. */
export class TableFiles {
  private directory = '';
  private files = 0;

  constructor() {
    beforeAll(async () => {
      this.directory = await mkdtemp(join(tmpdir(), 'table-files-'));
    });
    afterAll(async () => {
      await rm(this.directory, { recursive: true });
    });
  }

  /** Creates a file with the given content and returns its path. */
  async file(content: Content, name = 'file'): Promise<string> {
    const path = this.path(name);
    await writeFile(path, content);
    return path;
  }

  /** Returns the path of a file that does not exist yet. */
  path(name: string): string {
    return join(this.directory, `${(this.files += 1)}-${name}`);
  }

  async convert(
    content: Content,
    format: TableFormat,
    options: Partial<Pick<ConvertTask, 'ignoreErrors' | 'sheet' | 'dialect'>> = {},
  ): Promise<ConvertedTable> {
    const from = await this.file(content, `table.${format}`);
    const path = `${from}.parquet`;
    const description = await convert({ kind: 'convert', from, format, ignoreErrors: false, to: path, ...options });
    return { ...(await this.rows(path)), columns: description.columns.map(nameAndType), description, path };
  }

  /** Returns the rows of a converted table. */
  async rows(table: string, query: Partial<StructuredQuery> = {}): Promise<Pick<ConvertedTable, 'columns' | 'rows'>> {
    const answer = await readTableRows({ kind: 'read', table, query: { limit: 10_000, offset: 0, ...query } });
    return { columns: answer.columns.map(nameAndType), rows: JSON.parse(answer.rows) as unknown[][] };
  }

  async text(content: Content, format: TextTask['format']): Promise<TextAnswer> {
    const from = await this.file(content, `document.${format}`);
    return await documentText({ kind: 'text', from, format, maxBytes: 100_000 });
  }
}

const nameAndType = ({ name, type }: { name: string; type: string }): string => `${name} ${type}`;

/**
 * Returns the message of the problem with which a task is rejected. Other errors and successful results fail the test.
 */
export async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof TaskProblem) return error.message;
    throw error;
  }
  throw new Error('The task was not refused');
}
