import { Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './canvas.module.css';
import type { Field } from './kinds';
import { parseColumns, parseTable } from './texts';
import { ValueTableView } from './value-table-view';

/** Shows changes that others have made while the user is editing. */
export function EditConflict({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div role="alert" className={classes.editConflict}>
      <strong>{title}</strong>
      <Text size="sm">{children}</Text>
    </div>
  );
}

interface OtherVersionProps {
  field: Field;
  /** Current value in the card. */
  text: string;
  onKeepMine: () => void;
  onUseTheirs: () => void;
}

/** Shows another user's value below the field that the user is editing. */
export function OtherVersion({ field, text, onKeepMine, onUseTheirs }: OtherVersionProps) {
  return (
    <div className={classes.otherVersion} role="group" aria-label={`Other version of ${field.label}`}>
      <Text size="xs" c="dimmed">
        Other version
      </Text>
      {field.table !== undefined && text !== '' ? (
        <ValueTableView table={parseTable(field, text)} subject={field.label} />
      ) : (
        <p className={classes.otherText}>{displayText(field, text)}</p>
      )}
      <Group gap="xs">
        <Button variant="default" size="compact-xs" onClick={onUseTheirs}>
          Use theirs
        </Button>
        <Button variant="default" size="compact-xs" onClick={onKeepMine}>
          Keep mine
        </Button>
      </Group>
    </div>
  );
}

function displayText({ type, choices }: Field, text: string): string {
  if (text === '') return '(empty)';
  if (type === 'flag') return text === 'true' ? 'Yes' : text;
  if (type === 'columns') return parseColumns(text).join(', ');
  return choices?.find(({ value }) => value === text)?.label ?? text;
}
