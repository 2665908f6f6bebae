import type { Schemas, WorkspaceClient } from '@project-workspace/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useService } from '../service/service';
import { keyOf } from './project-data';

/** Maximum number of files offered. Users can type other names. */
const MAX_FILES = 1000;
/** Files that can be read as tables. */
export const TABLE = /\.(csv|tsv|json|ndjson|parquet|xlsx)$/i;

/** Returns the paths of workspace files whose names match a pattern. Empty until they have loaded. */
export function useFilePaths(projectId: string, pattern: RegExp, enabled = true): string[] {
  const { client } = useService();
  const { data } = useQuery({
    queryKey: keyOf(projectId, 'files', 'paths'),
    enabled,
    queryFn: async ({ signal }) => {
      const body = { source: 'workspace', project_id: projectId, recursive: true, limit: MAX_FILES } as const;
      return (await client.POST('/api/v1/files/list', { body, signal })).data.entries.map(({ path }) => path);
    },
  });
  return data?.filter((path) => pattern.test(path)) ?? [];
}

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
      // Unreadable rows do not affect the columns.
      const body = { ...request, ignore_errors: true, limit: 1 };
      const { columns, sheets } = (await client.POST('/api/v1/files/table', { body, signal })).data;
      return { columns, sheets: sheets ?? [] };
    },
  });
