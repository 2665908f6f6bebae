import { Button, Group } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { nameOf } from '../../files/paths';
import { Failure } from '../../service/failure';
import { useService } from '../../service/service';
import type { Result } from '../runs-data';
import { contentOf, saveFile } from '../save-file';
import { Section } from './section';

/** Links for downloading the result files. */
export function ResultFiles({ projectId, result }: { projectId: string; result: Result }) {
  const { client } = useService();
  const { file_path, table_paths = [] } = result;
  const download = useMutation({
    mutationFn: async (path: string) => saveFile(await contentOf(client, projectId, path), nameOf(path)),
  });
  const paths = [...table_paths, ...(file_path === null ? [] : [file_path])];
  if (paths.length === 0) return null;
  return (
    <Section title="Download">
      <Group gap="xs">
        {paths.map((path) => (
          <Button
            key={path}
            size="compact-sm"
            variant="default"
            maw="100%"
            title={path}
            loading={download.isPending && download.variables === path}
            onClick={() => download.mutate(path)}
          >
            {path === file_path ? 'Complete result as JSON' : nameOf(path)}
          </Button>
        ))}
      </Group>
      {download.error !== null && <Failure title="Could not download the file" error={download.error} />}
    </Section>
  );
}
