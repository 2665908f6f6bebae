import { useDocumentVisibility } from '@mantine/hooks';

/**
 * Whether the page is visible. Streams are open only while the page is visible, because browsers allow only six HTTP/1.1
 * connections per host across all tabs and each open stream occupies one of them.
 */
export const usePageVisible = (): boolean => useDocumentVisibility() !== 'hidden';
