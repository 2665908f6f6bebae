import { Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './canvas.module.css';
import type { Field } from './kinds';
import { columnsIn, tableIn } from './texts';
import { ValueTableView } from './value-table-view';

/** Shows changes that others have made while the user is editing. */
export function Meanwhile({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div role="alert" className={classes.meanwhile}>
      <strong>{title}</strong>
      <Text size="sm">{children}</Text>
    </div>
  );
}

interface TheirsProps {
  field: Field;
  /** Current value in the card. */
  text: string;
  onMine: () => void;
  onTheirs: () => void;
}

/** Shows another user's value below the field that the user is editing. */
export function Theirs({ field, text, onMine, onTheirs }: TheirsProps) {
  return (
    <div className={classes.theirs} role="group" aria-label={`Other version of ${field.label}`}>
      <Text size="xs" c="dimmed">
        Other version
      </Text>
      {field.table !== undefined && text !== '' ? (
        <ValueTableView table={tableIn(field, text)} of={field.label} />
      ) : (
        <p className={classes.theirText}>{shownOf(field, text)}</p>
      )}
      <Group gap="xs">
        <Button variant="default" size="compact-xs" onClick={onTheirs}>
          Use theirs
        </Button>
        <Button variant="default" size="compact-xs" onClick={onMine}>
          Keep mine
        </Button>
      </Group>
    </div>
  );
}

function shownOf({ is, choices }: Field, text: string): string {
  if (text === '') return '(empty)';
  if (is === 'flag') return text === 'true' ? 'Yes' : text;
  if (is === 'columns') return columnsIn(text).join(', ');
  return choices?.find(({ value }) => value === text)?.label ?? text;
}
