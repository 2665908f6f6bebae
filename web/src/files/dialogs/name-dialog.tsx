import { Button, Group, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Dialog } from '../../frame/dialog';
import { Failure } from '../../service/failure';
import { splitName } from '../paths';
import { FileUsersText } from './file-users-text';

interface NameDialogProps {
  title: string;
  /** Label of the button, and title of the message if the action fails. */
  action: string;
  failure: string;
  /** Current name. Empty for a new item. */
  name: string;
  /** Names of the cards and scenarios that use the item. */
  userNames?: readonly string[];
  onName: (name: string) => void;
  isPending: boolean;
  error: Error | null;
  onClose: () => void;
}

/** Asks for the name of an item in a folder. */
export function NameDialog({
  title,
  action,
  failure,
  name,
  userNames = [],
  onName,
  isPending,
  error,
  onClose,
}: NameDialogProps) {
  const [newName, setNewName] = useState(name);
  const [problem, setProblem] = useState<string>();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const text = newName.trim();
    const reason = problemOf(text);
    setProblem(reason);
    if (reason !== undefined) return;
    if (text === name) onClose();
    else onName(text);
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit} noValidate>
        <Stack>
          <TextInput
            label="Name"
            data-autofocus
            autoFocus
            value={newName}
            onChange={({ currentTarget }) => {
              setNewName(currentTarget.value);
              setProblem(undefined);
            }}
            // Selects only the name without its extension, because users rarely change the extension.
            onFocus={({ currentTarget }) => currentTarget.setSelectionRange(0, splitName(name)[0].length)}
            error={problem}
          />
          <FileUsersText names={userNames} isMove />
          {error !== null && <Failure title={failure} error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={isPending}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

/** Returns the reason why a name is invalid. Returns undefined if it may be valid. The service checks the other rules. */
function problemOf(name: string): string | undefined {
  if (name === '') return 'Enter a name';
  if (/[/\\]/.test(name)) return 'A name cannot contain slashes. Use “Move” to change the folder';
  if (name === '.' || name === '..') return 'This name is reserved';
  return undefined;
}
