import { Center, Loader, VisuallyHidden } from '@mantine/core';

/** Placeholder while content is loading. */
export function Loading({ name }: { name: string }) {
  return (
    <Center mih={200} role="status">
      <Loader size="sm" />
      <VisuallyHidden>Loading {name}</VisuallyHidden>
    </Center>
  );
}
