import type { Schemas, WorkspaceClient } from '@project-workspace/client';
import { queryOptions, useQueries, useQuery } from '@tanstack/react-query';
import { useService } from '../service/service';
import { keyOf } from './project-data';

/** Maximum number of files listed. */
const MAX_FILES = 1000;
/** Names of files that can be read as tables. */
export const TABLE = /\.(csv|tsv|json|ndjson|parquet|xlsx)$/i;

/** Returns the paths of workspace files whose names match a pattern. Empty until they have loaded. Users can type other names. */
export function useFilePaths(projectId: string, pattern: RegExp, enabled = true): string[] {
  const { client } = useService();
  const { data = [] } = useQuery({ ...listQuery(client, projectId, ''), enabled });
  return data.flatMap(({ path }) => (pattern.test(path) ? [path] : []));
}

/**
 * Returns when each of the given files was last changed, by path. Reads the first entries of their folders. Files that are not
 * among them, or have not loaded yet, are missing.
 */
export function useModified(projectId: string, paths: readonly string[]): ReadonlyMap<string, string> {
  const { client } = useService();
  const folders = new Set(paths.map((path) => path.split('/').slice(0, -1).join('/')));
  return useQueries({
    queries: [...folders].map((folder) => listQuery(client, projectId, folder, false)),
    combine: (results) =>
      new Map(results.flatMap(({ data = [] }) => data.map(({ path, modified }) => [path, modified ?? '']))),
  });
}

const listQuery = (client: WorkspaceClient, projectId: string, path: string, recursive = true) =>
  queryOptions({
    queryKey: keyOf(projectId, 'files', 'entries', path, recursive),
    queryFn: async ({ signal }) => {
      const body = { source: 'workspace', project_id: projectId, path, recursive, limit: MAX_FILES } as const;
      return (await client.POST('/api/v1/files/list', { body, signal })).data.entries;
    },
  });

/** Structure of a workspace table. */
export interface TableShape {
  columns: Schemas['TableColumnResponse'][];
  /** Sheet names in a workbook. */
  sheets: string[];
}

/** Table in the workspace. */
export interface WorkspaceTable {
  path: string;
  /** Sheet in a workbook. Default: the first sheet. */
  sheet: string | undefined;
  /** Set if a row contains the column names, even if it looks like data. */
  hasHeader?: boolean;
}

/** Returns the part of a request that selects a workspace table. Unreadable rows are skipped. */
export const tableRequest = (projectId: string, { path, sheet, hasHeader = false }: WorkspaceTable) =>
  ({
    source: 'workspace',
    project_id: projectId,
    path,
    ...(sheet !== undefined && { sheet }),
    ...(hasHeader && { dialect: { header: true } }),
    ignore_errors: true,
  }) as const;

/** Query for the structure of a workspace table. */
export const tableShapeQuery = (client: WorkspaceClient, projectId: string, table: WorkspaceTable) =>
  queryOptions({
    queryKey: keyOf(projectId, 'files', 'columns', table),
    queryFn: async ({ signal }): Promise<TableShape> => {
      const body = { ...tableRequest(projectId, table), limit: 1 };
      const { columns, sheets } = (await client.POST('/api/v1/files/table', { body, signal })).data;
      return { columns, sheets: sheets ?? [] };
    },
  });
