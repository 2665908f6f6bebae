import { Text } from '@mantine/core';
import classes from './previews.module.css';

/** Placeholder for content that cannot be shown. */
export function Said({ title, text }: { title: string; text: string }) {
  return (
    <div className={classes.said} role="status">
      <Text fw={550}>{title}</Text>
      <Text size="sm" c="dimmed">
        {text}
      </Text>
    </div>
  );
}

/** Placeholder for a file that was moved or deleted. */
export const Gone = () => <Said title="This file no longer exists" text="It was moved or deleted." />;
