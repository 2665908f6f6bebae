import { Text } from '@mantine/core';
import classes from './previews.module.css';

/** In the place of what cannot be shown. */
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

/** In the place of a file that somebody has moved or deleted. */
export const Gone = () => <Said title="This file is not there any more" text="It was moved or deleted." />;
