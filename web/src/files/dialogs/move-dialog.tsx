import { Autocomplete, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Dialog } from '../../frame/dialog';
import { keyOf } from '../../project/project-data';
import { Failure } from '../../service/failure';
import { useService } from '../../service/service';
import type { Container } from '../containers';
import { useFileUsers } from '../file-users';
import type { Entry } from '../listing';
import { displayName, folderOf, isAtOrBelow } from '../paths';
import { FileUsersText } from './file-users-text';

/** Maximum number of folders offered. Users can type any other folder. */
const MAX_FOLDERS = 1_000;
const MAX_SUGGESTIONS = 100;

interface MoveDialogProps {
  projectId: string;
  container: Container;
  entries: Entry[];
  onMove: (folder: string) => void;
  isPending: boolean;
  error: Error | null;
  onClose: () => void;
}

/** Asks for the folder to which entries are moved. */
export function MoveDialog({ projectId, container, entries, onMove, isPending, error, onClose }: MoveDialogProps) {
  const { client } = useService();
  const [folder, setFolder] = useState('');
  const folders = useQuery({
    queryKey: keyOf(projectId, 'files', 'folders', container.key),
    queryFn: async ({ signal }) => {
      // The listing starts with the folders.
      const body = { ...container.ref, path: '', recursive: true, limit: MAX_FOLDERS, offset: 0 };
      return (await client.POST('/api/v1/files/list', { body, signal })).data.directories;
    },
  });
  const movedPaths = new Set(entries.map(({ path }) => path));
  const from = folderOf(entries[0]?.path ?? '');
  const targetFolders = (folders.data ?? []).filter(
    (path) => path !== from && ![...movedPaths].some((one) => isAtOrBelow(path, one)),
  );
  const to = folder.trim().replaceAll(/^\/+|\/+$/g, '');
  const users = useFileUsers(projectId, container, [...movedPaths]);
  const isNew = to !== '' && folders.data?.includes(to) === false;
  const isSame = to === from;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isSame) onMove(to);
  };
  const subject = entries.length === 1 ? displayName(entries[0]?.path ?? '') : `${entries.length} items`;
  return (
    <Dialog title={`Move ${subject}`} onClose={onClose}>
      <form onSubmit={submit} noValidate>
        <Stack>
          <Autocomplete
            label="Destination folder"
            description="Leave empty for the top level. A missing folder is created."
            placeholder="Top level of the workspace"
            data-autofocus
            autoFocus
            data={targetFolders}
            limit={MAX_SUGGESTIONS}
            value={folder}
            onChange={setFolder}
            autoSelectOnBlur={false}
          />
          <Text size="xs" c="dimmed" mih={18} role="status">
            {isSame ? 'Already in this folder.' : isNew ? `The folder ${to} will be created.` : ''}
          </Text>
          <FileUsersText names={users.names} isMove />
          {folders.error !== null && (
            <Failure title="Could not load the folders" error={folders.error} onRetry={() => void folders.refetch()} />
          )}
          {error !== null && <Failure title="Could not move everything" error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={isPending} disabled={isSame}>
              Move
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
