import { Text } from '@mantine/core';
import classes from './previews.module.css';

/** Placeholder for content that cannot be shown. */
export function Notice({ title, text }: { title: string; text: string }) {
  return (
    <div className={classes.notice} role="status">
      <Text fw={550}>{title}</Text>
      <Text size="sm" c="dimmed">
        {text}
      </Text>
    </div>
  );
}

/** Placeholder for a file that was moved or deleted. */
export const MissingFile = () => <Notice title="This file no longer exists" text="It was moved or deleted." />;
