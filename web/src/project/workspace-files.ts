import type { Schemas, WorkspaceClient } from '@project-workspace/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useService } from '../service/service';
import { keyOf } from './project-data';

/** Maximum number of files listed. */
const MAX_FILES = 1000;
/** File names that can be read as tables. */
export const TABLE = /\.(csv|tsv|json|ndjson|parquet|xlsx)$/i;

/** Returns the workspace files. Empty until they have loaded. */
export function useWorkspaceFiles(projectId: string, enabled = true): Schemas['FileEntry'][] {
  const { client } = useService();
  const { data = [] } = useQuery({
    queryKey: keyOf(projectId, 'files', 'entries'),
    enabled,
    queryFn: async ({ signal }) => {
      const body = { source: 'workspace', project_id: projectId, recursive: true, limit: MAX_FILES } as const;
      return (await client.POST('/api/v1/files/list', { body, signal })).data.entries;
    },
  });
  return data;
}

/** Returns the paths of workspace files whose names match a pattern. Users can type other names. */
export const useFilePaths = (projectId: string, pattern: RegExp, enabled = true): string[] =>
  useWorkspaceFiles(projectId, enabled).flatMap(({ path }) => (pattern.test(path) ? [path] : []));

/** Structure of a workspace table. */
export interface TableShape {
  columns: Schemas['TableColumnResponse'][];
  /** Sheet names of a workbook. */
  sheets: string[];
}

/** Query for the structure of a workspace table. @param sheet sheet of a workbook; default: the first sheet */
export const tableShapeQuery = (client: WorkspaceClient, projectId: string, path: string, sheet: string | undefined) =>
  queryOptions({
    queryKey: keyOf(projectId, 'files', 'columns', path, sheet),
    queryFn: async ({ signal }): Promise<TableShape> => {
      const request = {
        source: 'workspace',
        project_id: projectId,
        path,
        ...(sheet !== undefined && { sheet }),
      } as const;
      // `ignore_errors` is set because unreadable rows do not affect the columns.
      const body = { ...request, ignore_errors: true, limit: 1 };
      const { columns, sheets } = (await client.POST('/api/v1/files/table', { body, signal })).data;
      return { columns, sheets: sheets ?? [] };
    },
  });
