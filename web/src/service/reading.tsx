import { Center, Loader, VisuallyHidden } from '@mantine/core';

/** Placeholder for loading content. */
export function Reading({ what }: { what: string }) {
  return (
    <Center mih={200} role="status">
      <Loader size="sm" />
      <VisuallyHidden>Loading {what}</VisuallyHidden>
    </Center>
  );
}
