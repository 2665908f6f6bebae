import { Button, Group, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Failure } from '../../service/failure';
import { splitName } from '../paths';
import { Dialog } from './dialog';

interface NameDialogProps {
  title: string;
  /** What the button says, and what has failed when it fails. */
  action: string;
  failure: string;
  /** The name until now; empty for something new. */
  name: string;
  onName: (name: string) => void;
  isPending: boolean;
  error: Error | null;
  onClose: () => void;
}

/** Asks for the name of one thing in a folder. */
export function NameDialog({ title, action, failure, name, onName, isPending, error, onClose }: NameDialogProps) {
  const [wanted, setWanted] = useState(name);
  const [problem, setProblem] = useState<string>();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const text = wanted.trim();
    const found = problemOf(text);
    setProblem(found);
    if (found !== undefined) return;
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
            value={wanted}
            onChange={({ currentTarget }) => {
              setWanted(currentTarget.value);
              setProblem(undefined);
            }}
            // Of a name that is there, what is before its ending is what people change.
            onFocus={({ currentTarget }) => currentTarget.setSelectionRange(0, splitName(name)[0].length)}
            error={problem}
          />
          {error !== null && <Failure what={failure} error={error} />}
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

/** Why a text can be no name; the service knows the rest. */
function problemOf(name: string): string | undefined {
  if (name === '') return 'Give it a name';
  if (/[/\\]/.test(name)) return 'A name has no slashes: to put it into another folder, move it';
  if (name === '.' || name === '..') return 'This name means a folder already';
  return undefined;
}
