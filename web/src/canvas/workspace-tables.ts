import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { keyOf } from '../project/project-data';
import { tableShapeQuery } from '../project/table-columns';
import { useService } from '../service/service';

/** Files that are offered; others are found by their names. */
const OFFERED = 1000;
const TABLE = /\.(csv|tsv|json|parquet|xlsx)$/i;

const TYPING_MS = 300;

/** Paths of the files of a workspace that can be read as tables; none as long as they are not known. */
export function useTableFiles(projectId: string, isWanted: boolean): string[] {
  const { client } = useService();
  const { data } = useQuery({
    enabled: isWanted,
    queryKey: keyOf(projectId, 'files', 'tables'),
    queryFn: async ({ signal }) => {
      const body = { source: 'workspace', project_id: projectId, recursive: true, limit: OFFERED } as const;
      const { entries } = (await client.POST('/api/v1/files/list', { body, signal })).data;
      return entries.map(({ path }) => path).filter((path) => TABLE.test(path));
    },
  });
  return data ?? [];
}

/** What a file has in it, to choose from; nothing as long as it cannot be read: the gaps of the card say why. */
export function useFileColumns(
  projectId: string,
  writtenPath: string,
  writtenSheet: string,
  isWanted: boolean,
): { columns: string[]; sheets: string[] } {
  const { client } = useService();
  const [path] = useDebouncedValue(writtenPath, TYPING_MS);
  const [sheet] = useDebouncedValue(writtenSheet, TYPING_MS);
  const { data } = useQuery({
    ...tableShapeQuery(client, projectId, path, sheet === '' ? undefined : sheet),
    enabled: isWanted && TABLE.test(path),
  });
  return { columns: [...new Set(data?.columns.map(({ name }) => name))], sheets: data?.sheets ?? [] };
}
