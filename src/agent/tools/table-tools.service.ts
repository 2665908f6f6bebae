import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import {
  type Cell,
  contradictionIn,
  DATE_ORDERS,
  DECIMALS,
  delimiterProblem,
  dialectOf,
  encodingProblem,
  MAX_ANSWER_ROWS,
  MAX_ROW,
  MAX_SQL,
  MAX_TABLES,
  QUOTES,
  readingNotes,
  savedFormat,
  savedPathProblem,
  SUBTOTAL_CHOICES,
  tableNameProblem,
  TaskProblem,
  THOUSANDS,
} from '../../../packages/data-engine/index.js';
import { normalizePath, pathProblem } from '../../../packages/paths/index.js';
import { type TableName, TableReaderService } from '../../tables/table-reader.service.js';
import type { AgentContext } from '../agent.js';
import { AgentFilesService } from './agent-files.service.js';
import { cutText } from './data-text.js';
import { refusing } from './problem.js';
import { type Effect, type Tool, ToolFailure, type ToolOutcome } from './tool.js';

/** Number of sample rows in a description. */
const SAMPLE = 5;
/** Maximum size of a sample cell, and of all column names together, in bytes. */
const MAX_CELL_BYTES = 200;
const MAX_COLUMN_BYTES = 16 * 1024;
/**
 * Maximum total size of the rows in a result, in bytes. Lower than the general limit on result size, so a result is never cut
 * off in the middle of a row.
 */
const MAX_ROW_BYTES = 40 * 1024;

const path = z
  .string()
  .superRefine(refusing((text) => pathProblem(text)))
  .describe('Path in the workspace, such as inputs/demand.csv');
const sheet = z.string().optional().describe('Sheet of a workbook. Default: the first sheet');

const row = z.int().min(1).max(MAX_ROW).optional();
const dialect = z
  .strictObject({
    delimiter: z
      .string()
      .superRefine(refusing((text) => delimiterProblem(text)))
      .optional(),
    quote: z.enum(QUOTES).optional(),
    encoding: z
      .string()
      .superRefine(refusing((text) => encodingProblem(text)))
      .optional(),
    decimal: z.enum(DECIMALS).optional(),
    thousands: z.enum(THOUSANDS).optional(),
    date_order: z.enum(DATE_ORDERS).optional(),
    subtotals: z.enum(SUBTOTAL_CHOICES).optional(),
    header: z.boolean().optional(),
    header_row: row,
    first_row: row,
    last_row: row,
  })
  .superRefine(
    refusing((fields) => {
      const problem = contradictionIn(dialectOf(fields) ?? {});
      return problem && `${problem.field}: ${problem.sentence}`;
    }),
  )
  .optional()
  .describe(
    'How to read the file if describe_table detects it wrongly or is uncertain. Rows are numbered as in the file',
  );

const describeInput = z.strictObject({ path, sheet, dialect });
const queryInput = z.strictObject({
  tables: z
    .record(z.string().superRefine(refusing(tableNameProblem)), z.strictObject({ path, sheet, dialect }))
    .refine((tables) => Object.keys(tables).length <= MAX_TABLES, `At most ${MAX_TABLES} tables`)
    .describe('Files by their table names in the statement'),
  sql: z.string().min(1).max(MAX_SQL).describe('A single SELECT statement for DuckDB'),
  limit: z.int().min(1).max(MAX_ANSWER_ROWS).default(50).describe('Maximum number of rows to return'),
  save_as: path
    .superRefine(refusing(savedPathProblem))
    .optional()
    .describe('Workspace path for saving the whole result; must end with .csv or .parquet'),
});

type QueryInput = z.infer<typeof queryInput>;

/** Tools for tables in the project's workspace files. */
@Injectable()
export class TableToolsService {
  readonly describe: Tool<z.infer<typeof describeInput>> = {
    name: 'describe_table',
    description:
      'Describes a CSV, TSV, JSON, Parquet or XLSX file in the workspace: its columns with their types, the number of ' +
      'rows, the sheets of a workbook, the first rows, how the file was read (`dialect`, with the fields that are ' +
      'uncertain), and what is not part of the table (`left_out`: titles, totals, notes).',
    input: describeInput,
    run: async (input, context) => {
      const workspace = await this.files.workspace(context);
      const name = toName(input);
      const query = { limit: SAMPLE, offset: 0 };
      const { description, rows, total } = await withToolFailures(() =>
        this.tables.read(workspace, name, query, { signal: context.signal }),
      );
      const { sheets, leftOut } = description;
      const described = description.columns.map(({ name, type, nulls, distinct }) => ({ name, type, nulls, distinct }));
      const columns = firstOf(described, MAX_COLUMN_BYTES);
      const first_rows = (JSON.parse(rows) as Cell[][]).map((row) => row.slice(0, columns.length).map(cutCell));
      const more_columns = description.columns.length - columns.length;
      const sample = { columns, more_columns, total, first_rows, sheets: sheets && firstOf(sheets, MAX_COLUMN_BYTES) };
      const left_out = firstOf(leftOut, MAX_COLUMN_BYTES);
      return { result: { path: name.path, ...sample, dialect: description.dialect, left_out } };
    },
  };

  readonly query: Tool<QueryInput> = {
    name: 'query_tables',
    description:
      'Runs a SELECT over tables in workspace files. Describe a table first to learn its columns. ' +
      'With save_as, saves the whole result to a file. `notes` lists guesses, and rows that were left out of a table.',
    input: queryInput,
    run: async (input, context) =>
      input.save_as === undefined
        ? { result: (await this.answer(input, context)).result }
        : { effect: await this.prepareSave(normalizePath(input.save_as), input, context) },
  };

  constructor(
    private readonly files: AgentFilesService,
    private readonly tables: TableReaderService,
  ) {}

  private async answer({ tables, sql, limit, save_as }: QueryInput, context: AgentContext) {
    const workspace = await this.files.workspace(context);
    const names = new Map(
      Object.entries(tables).map(([name, reference]) => [name, { ...toName(reference), container: workspace }]),
    );
    const save = save_as === undefined ? {} : { save: savedFormat(save_as) };
    const { saved, rows, descriptions, ...rest } = await withToolFailures(() =>
      this.tables.select(workspace.company_id, names, {
        sql,
        limit,
        maxBytes: MAX_ROW_BYTES,
        signal: context.signal,
        ...save,
      }),
    );
    const notes = Array.from(descriptions, ([name, table]) =>
      readingNotes(table).map((note) => `${name}: ${note}`),
    ).flat();
    const result = { ...rest, rows: JSON.parse(rows) as Cell[][], ...(notes.length > 0 && { notes }) };
    return { workspace, saved, result };
  }

  private async prepareSave(at: string, input: QueryInput, context: AgentContext): Promise<Effect> {
    const { workspace, saved, result } = await this.answer(input, context);
    if (saved === undefined) throw new Error('The query has no result to save');
    return async (tx): Promise<ToolOutcome> => ({
      result: { ...result, saved: await this.files.place(tx, context, workspace, at, saved) },
    });
  }
}

/** Returns as many items from the start as fit into `bytes` bytes of JSON. */
function firstOf<Item>(items: readonly Item[], bytes: number): Item[] {
  let remaining = bytes;
  const end = items.findIndex((item) => (remaining -= Buffer.byteLength(JSON.stringify(item))) < 0);
  return items.slice(0, end < 0 ? items.length : end);
}

/** Truncates a long cell. */
function cutCell(cell: Cell): Cell {
  const text = typeof cell === 'string' ? cell : JSON.stringify(cell);
  return Buffer.byteLength(text) <= MAX_CELL_BYTES ? cell : `${cutText(text, MAX_CELL_BYTES)}…`;
}

function toName({ path: at, sheet: of, dialect: fields }: z.infer<typeof describeInput>): TableName {
  const options = dialectOf(fields);
  return {
    path: normalizePath(at),
    ...(of !== undefined && { sheet: of }),
    ...(options !== undefined && { dialect: options }),
  };
}

/** Runs the work and converts problems with the data or the statement to tool failures. */
async function withToolFailures<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TaskProblem) throw new ToolFailure(error.code, error.message, { ...error.place });
    throw error;
  }
}
