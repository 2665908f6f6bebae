import { useDocumentVisibility } from '@mantine/hooks';

/**
 * Whether somebody can see the page. Streams are open only meanwhile: a browser has six connections to a host that is reached by
 * HTTP/1.1, for all tabs together, and a stream takes one for as long as it is open.
 */
export const useIsLookedAt = (): boolean => useDocumentVisibility() !== 'hidden';
