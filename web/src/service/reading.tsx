import { Center, Loader, VisuallyHidden } from '@mantine/core';

/** In the place of something that is being read. */
export function Reading({ what }: { what: string }) {
  return (
    <Center mih={200} role="status">
      <Loader size="sm" />
      <VisuallyHidden>{what} is being read</VisuallyHidden>
    </Center>
  );
}
