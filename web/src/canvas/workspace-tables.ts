import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { TABLE, tableShapeQuery } from '../project/workspace-files';
import { useService } from '../service/service';

const TYPING_MS = 300;

/**
 * Returns the columns of a file, for suggestions. If the file cannot be read, returns no columns, because the card's gaps
 * already explain the problem.
 */
export function useFileColumns(
  projectId: string,
  typedPath: string,
  typedSheet: string,
  isEnabled: boolean,
): { columns: string[]; sheets: string[] } {
  const { client } = useService();
  const [path] = useDebouncedValue(typedPath, TYPING_MS);
  const [sheet] = useDebouncedValue(typedSheet, TYPING_MS);
  const { data } = useQuery({
    ...tableShapeQuery(client, projectId, { path, sheet: sheet === '' ? undefined : sheet }),
    enabled: isEnabled && TABLE.test(path),
  });
  return { columns: [...new Set(data?.columns.map(({ name }) => name))], sheets: data?.sheets ?? [] };
}
