import { Alert, Button, Group, Text } from '@mantine/core';
import { Component, type ReactNode } from 'react';

/**
 * Contains errors of its children: a bug in the page, or a chunk that failed to load, such as after a deployment of a newer
 * version.
 */
export class Boundary extends Component<{ children: ReactNode }, { isBroken: boolean }> {
  override state = { isBroken: false };

  static getDerivedStateFromError(): { isBroken: boolean } {
    return { isBroken: true };
  }

  override render(): ReactNode {
    if (!this.state.isBroken) return this.props.children;
    return (
      <Alert color="red" variant="light" role="alert" title="This cannot be shown" m="md">
        <Text size="sm">
          The page has a fault, is not as new as the service, or could not be loaded. What you have saved is not
          concerned.
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
