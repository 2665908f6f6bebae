import { Alert, Button, Group, Text } from '@mantine/core';
import { Component, type ReactNode } from 'react';

/**
 * Catches errors in its children, such as a bug in the page, or a script that failed to load after a newer version was
 * deployed.
 */
export class Boundary extends Component<{ children: ReactNode }, { isBroken: boolean }> {
  override state = { isBroken: false };

  static getDerivedStateFromError(): { isBroken: boolean } {
    return { isBroken: true };
  }

  override render(): ReactNode {
    if (!this.state.isBroken) return this.props.children;
    return (
      <Alert color="red" variant="light" role="alert" title="This part of the page could not be shown" m="md">
        <Text size="sm">
          The page may be out of date, incompletely loaded or faulty. Your saved work is safe. Reload the page to try
          again.
        </Text>
        <Group mt="xs">
          <Button size="compact-sm" variant="default" onClick={() => location.reload()}>
            Reload the page
          </Button>
        </Group>
      </Alert>
    );
  }
}
