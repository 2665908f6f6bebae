import type { Schemas, WorkspaceClient } from '@project-workspace/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useService } from '../service/service';
import { keyOf } from './project-data';

/** Files that are offered; others are found by their names. */
const OFFERED = 1000;
/** Files that can be read as tables. */
export const TABLE = /\.(csv|tsv|json|ndjson|parquet|xlsx)$/i;

/** Paths of the files of a workspace whose names end in one of some ways; none as long as they are not known. */
export function useFilesNamed(projectId: string, endings: RegExp, enabled = true): string[] {
  const { client } = useService();
  const { data } = useQuery({
    queryKey: keyOf(projectId, 'files', 'paths'),
    enabled,
    queryFn: async ({ signal }) => {
      const body = { source: 'workspace', project_id: projectId, recursive: true, limit: OFFERED } as const;
      return (await client.POST('/api/v1/files/list', { body, signal })).data.entries.map(({ path }) => path);
    },
  });
  return data?.filter((path) => endings.test(path)) ?? [];
}

/** What a table of the workspace has in it. */
export interface TableShape {
  columns: Schemas['TableColumnResponse'][];
  /** Of a workbook. */
  sheets: string[];
}

/** Reads what a table of the workspace has in it. @param sheet of a workbook; absent: the first */
export const tableShapeQuery = (client: WorkspaceClient, projectId: string, path: string, sheet: string | undefined) =>
  queryOptions({
    queryKey: keyOf(projectId, 'files', 'columns', path, sheet),
    queryFn: async ({ signal }): Promise<TableShape> => {
      const named = {
        source: 'workspace',
        project_id: projectId,
        path,
        ...(sheet !== undefined && { sheet }),
      } as const;
      // Rows that cannot be read change nothing about the columns.
      const body = { ...named, ignore_errors: true, limit: 1 };
      const { columns, sheets } = (await client.POST('/api/v1/files/table', { body, signal })).data;
      return { columns, sheets: sheets ?? [] };
    },
  });
