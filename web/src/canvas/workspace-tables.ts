import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { TABLE, tableShapeQuery } from '../project/workspace-files';
import { useService } from '../service/service';

const TYPING_MS = 300;

/**
 * Reads the columns of a file as suggestions. Returns none if the file cannot be read, because the card's gaps give the reason.
 */
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
