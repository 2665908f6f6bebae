import { Button, Group, List, Loader, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Dialog } from '../../frame/dialog';
import { keyOf } from '../../project/project-data';
import { Failure } from '../../service/failure';
import { useService } from '../../service/service';
import { type Contents, contentsOf } from '../changes';
import type { Container } from '../containers';
import { useFileUsers } from '../file-users';
import type { Entry } from '../listing';
import { displayName } from '../paths';
import { FileUsersText } from './file-users-text';

/** Maximum number of names listed. */
const MAX_LISTED = 8;

interface DeleteDialogProps {
  projectId: string;
  container: Container;
  entries: Entry[];
  onDelete: () => void;
  isPending: boolean;
  error: Error | null;
  onClose: () => void;
}

/** Shows what would be deleted, and asks for confirmation. */
export function DeleteDialog({
  projectId,
  container,
  entries,
  onDelete,
  isPending,
  error,
  onClose,
}: DeleteDialogProps) {
  const { client } = useService();
  const folders = entries.filter(({ file }) => file === undefined).map(({ path }) => path);
  const contents = useQuery({
    queryKey: keyOf(projectId, 'files', 'contents', container.key, folders),
    queryFn: async ({ signal }) => await contentsOf(client, container.ref, folders, signal),
    enabled: folders.length > 0,
  });
  const single = entries.length === 1 ? displayName(entries[0]?.path ?? '') : undefined;
  const isFolder = folders.length > 0;
  const users = useFileUsers(
    projectId,
    container,
    entries.map(({ path }) => path),
  );
  return (
    <Dialog
      title={
        single === undefined ? `Delete ${entries.length} items?` : `Delete ${isFolder ? 'the folder ' : ''}${single}?`
      }
      onClose={onClose}
    >
      <Stack>
        {single === undefined && (
          <List size="sm" styles={{ item: { overflowWrap: 'anywhere' } }}>
            {entries.slice(0, MAX_LISTED).map(({ path, file }) => (
              <List.Item key={path}>
                {displayName(path)}
                {file === undefined && '/'}
              </List.Item>
            ))}
            {entries.length > MAX_LISTED && <List.Item>and {entries.length - MAX_LISTED} more</List.Item>}
          </List>
        )}
        <FileUsersText names={users.names} />
        {isFolder && contents.isPending && (
          <Group gap="xs" role="status">
            <Loader size="xs" aria-hidden="true" />
            <Text size="sm">Counting the contents</Text>
          </Group>
        )}
        {contents.data !== undefined && (
          <Text size="sm" fw={550} role="status">
            {contentsText(contents.data, folders.length)}
          </Text>
        )}
        {contents.error !== null && (
          <Failure
            title="Could not count the contents"
            error={contents.error}
            onRetry={() => void contents.refetch()}
          />
        )}
        <Text size="sm" c="dimmed">
          This cannot be undone. Existing snapshots keep their copies.
        </Text>
        {error !== null && <Failure title="Could not delete everything" error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus autoFocus>
            Cancel
          </Button>
          <Button
            color="red"
            onClick={onDelete}
            loading={isPending}
            disabled={(isFolder && contents.isPending) || users.isPending}
          >
            Delete
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

const NUMBERS = new Intl.NumberFormat();

function contentsText({ files, folders, includesFolders }: Contents, folderCount: number): string {
  const subject = folderCount === 1 ? 'The folder' : `The ${folderCount} folders`;
  const verb = folderCount === 1 ? 'contains' : 'contain';
  const fileCount =
    files === 1 ? '1 file' : `${NUMBERS.format(files)} ${includesFolders ? 'files and folders' : 'files'}`;
  if (files === 0 && folders === 0) return folderCount === 1 ? 'The folder is empty.' : 'The folders are empty.';
  if (folders === 0) return `${subject} ${verb} ${fileCount}.`;
  return `${subject} ${verb} ${fileCount} and ${folders === 1 ? '1 folder' : `${NUMBERS.format(folders)} folders`}.`;
}
