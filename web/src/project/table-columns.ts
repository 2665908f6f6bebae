import type { Schemas, WorkspaceClient } from '@project-workspace/client';
import { queryOptions } from '@tanstack/react-query';
import { keyOf } from './project-data';

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
      const body = { ...named, ignore_errors: true, limit: 1, offset: 0 };
      const { columns, sheets } = (await client.POST('/api/v1/files/table', { body, signal })).data;
      return { columns, sheets: sheets ?? [] };
    },
  });
