import { Injectable } from '@nestjs/common';
import type { StoredBlob } from '../files/blobs/blobs.service.js';
import { contentTypeByName } from '../files/blobs/content-type.js';
import { ContainerResolverService, type RequestedContainer } from '../files/container-resolver.service.js';
import { FileEntry } from '../files/files.dto.js';
import { FileTreeService } from '../files/tree/file-tree.service.js';
import { normalizePath } from '../../packages/paths/index.js';
import { WorkspaceChangesService } from '../files/workspace-changes.service.js';
import type { Principal } from '../auth/principal.js';
import { DatabaseService, type Tx } from '../database/database.service.js';
import { JsonText } from '../common/http/json-text.js';
import { dialectOf, savedFormat } from '../../packages/data-engine/index.js';
import { type QueryRequest, type QueryResponse, QueryTable, type TableReference } from './query.dto.js';
import { TableColumnResponse, TableRequest, type TableResponse } from './table.dto.js';
import { explained, type RequestPlaces } from './table-problems.js';
import { type TableName, TableReaderService } from './table-reader.service.js';

const OF_TABLE: RequestPlaces = {
  query: ['body'],
  table: () => ({ file: ['body', 'path'], sheet: ['body', 'sheet'], dialect: ['body', 'dialect'] }),
};
const OF_QUERY: RequestPlaces = {
  query: ['body', 'sql'],
  table: (name = '') => {
    const file = ['body', 'tables', name];
    return { file, sheet: [...file, 'sheet'], dialect: [...file, 'dialect'] };
  },
};

/** Implements the table operations that clients call. */
@Injectable()
export class TablesService {
  constructor(
    private readonly database: DatabaseService,
    private readonly resolver: ContainerResolverService,
    private readonly tables: TableReaderService,
    private readonly fileTree: FileTreeService,
    private readonly changes: WorkspaceChangesService,
  ) {}

  /** @throws Invalid if the file is not a table, or the query does not fit it */
  async read(caller: Principal, body: TableRequest, signal: AbortSignal): Promise<JsonText> {
    const container = await this.resolver.find(caller, body);
    const { ignore_errors: ignoreErrors, limit, offset } = body;
    const answer = await explained(body, OF_TABLE, () =>
      this.tables.read(container, toName(body), TableRequest.query(body), { ignoreErrors, signal }),
    );
    const { columns, rows, total, description } = answer;
    const { sheets, dialect, leftOut: left_out, skipped } = description;
    const rest = { limit, offset, total, skipped, sheets, dialect, left_out } satisfies Omit<
      TableResponse,
      'columns' | 'rows'
    >;
    return withRows(TableColumnResponse.from(body, columns, description), rows, rest);
  }

  /**
   * @throws Invalid if a file is not a table, or the SQL is invalid or not allowed @throws Forbidden if the caller cannot save
   *   results
   */
  async query(caller: Principal, body: QueryRequest, signal: AbortSignal): Promise<JsonText> {
    const container = await this.resolver.find(caller, body);
    const { sql, limit, ignore_errors: ignoreErrors, save_as } = body;
    const path = save_as == null ? undefined : normalizePath(save_as);
    if (path !== undefined) {
      await this.workspaceOf(caller, body);
      await caller.keyed?.check();
    }
    const names = new Map(Array.from(body.tables, ([name, reference]) => [name, { ...toName(reference), container }]));
    const { columns, rows, truncated, saved, descriptions } = await explained(body, OF_QUERY, () =>
      this.tables.select(container.company_id, names, {
        sql,
        limit,
        ignoreErrors,
        signal,
        ...(path !== undefined && { save: savedFormat(path) }),
      }),
    );
    const tables = Array.from(descriptions, ([name, table]) => QueryTable.from(name, table));
    const answer = (file: FileEntry | null): JsonText =>
      withRows(columns, rows, { limit, truncated, saved: file, tables } satisfies Omit<
        QueryResponse,
        'columns' | 'rows'
      >);
    if (saved === undefined || path === undefined) return answer(null);
    return await this.database.transaction(async (tx) => {
      const workspace = await this.workspaceOf(caller, body, tx);
      return await caller.once(tx, async () => answer(await this.put(tx, caller, workspace, path, saved)));
    });
  }

  /** Returns the workspace for saved results. @throws NotFound @throws Forbidden */
  private async workspaceOf(
    caller: Principal,
    { project_id = null }: QueryRequest,
    tx?: Tx,
  ): Promise<RequestedContainer> {
    return await this.resolver.findForWriting(caller, { source: 'workspace', project_id }, tx);
  }

  private async put(
    tx: Tx,
    caller: Principal,
    workspace: RequestedContainer,
    path: string,
    blob: StoredBlob,
  ): Promise<FileEntry> {
    const details = { content_type: contentTypeByName(path), source: 'upload' } as const;
    const file = await this.fileTree.putFile(tx, workspace, path, blob, details);
    this.changes.note(tx, caller, workspace.project_id, [path]);
    return FileEntry.from('workspace', file);
  }
}

/** Builds a response around rows that are already JSON. The rows may take up to 8 MiB and are neither parsed nor serialized. */
function withRows(columns: object[], rows: string, rest: object): JsonText {
  return new JsonText(`{"columns":${JSON.stringify(columns)},"rows":${rows},${JSON.stringify(rest).slice(1)}`);
}

function toName({ path, sheet, dialect: dialectFields }: TableReference): TableName {
  const dialect = dialectOf(dialectFields);
  return {
    path: normalizePath(path),
    ...(sheet != null && { sheet }),
    ...(dialect !== undefined && { dialect }),
  };
}
