import { Body, Controller, Post } from '@nestjs/common';
import { CONTAINER_CODES, WRITING_CODES } from '../files/container-request.js';
import { Caller, ReadAccess } from '../auth/decorators.js';
import { Principal } from '../auth/principal.js';
import { ClientSignal } from '../common/http/client-signal.js';
import { JsonText } from '../common/http/json-text.js';
import { EXAMPLE, EXAMPLE_WORKSPACE } from '../common/openapi/examples.js';
import { Operation } from '../common/openapi/operation.js';
import { QueryRequest, QueryResponse } from './query.dto.js';
import { TableRequest, TableResponse } from './table.dto.js';
import { TablesService } from './tables.service.js';

@Controller('files')
export class TablesController {
  constructor(private readonly tables: TablesService) {}

  @Post('table')
  @ReadAccess()
  @Operation({
    tag: 'Files',
    summary: 'Read table',
    description:
      'Returns rows, or groups of rows, from a CSV, TSV, JSON, Parquet or XLSX file, with its columns, their types, ' +
      'and how the file was read. Detects delimiter, encoding, decimal point and types. The types fit every row. ' +
      'Returns 422 for `path` if the file is not a table or a row cannot be read.',
    example: { ...EXAMPLE_WORKSPACE, path: EXAMPLE.table, limit: 10 },
    response: TableResponse,
    errors: [...CONTAINER_CODES, 'content_too_large', 'file_not_found', 'store_full'],
    extension: true,
  })
  async readTable(
    @Caller() caller: Principal,
    @Body() body: TableRequest,
    @ClientSignal() signal: AbortSignal,
  ): Promise<JsonText> {
    return await this.tables.read(caller, body, signal);
  }

  @Post('query')
  @ReadAccess()
  @Operation({
    tag: 'Files',
    summary: 'Query tables',
    description:
      'Runs a SELECT in the DuckDB dialect over the named tables. The statement cannot read anything else. Returns ' +
      '422 for `sql` if the SQL is invalid, with DuckDB’s message, and for a statement that takes more than 10 s ' +
      '(`query_timeout`) or 512 MiB of memory (`out_of_memory`). Truncates responses above 8 MiB.',
    example: {
      ...EXAMPLE_WORKSPACE,
      tables: { demand: EXAMPLE.table },
      sql: 'SELECT product, sum(quantity) AS quantity FROM demand GROUP BY product',
    },
    response: QueryResponse,
    errors: [
      ...WRITING_CODES,
      'company_storage_full',
      'content_too_large',
      'directory_in_the_way',
      'file_in_the_way',
      'file_not_found',
      'store_full',
      'tree_full',
    ],
    idempotent: true,
    extension: true,
  })
  async queryTables(
    @Caller() caller: Principal,
    @Body() body: QueryRequest,
    @ClientSignal() signal: AbortSignal,
  ): Promise<JsonText> {
    return await this.tables.query(caller, body, signal);
  }
}
