import { useDocumentVisibility } from '@mantine/hooks';

/**
 * Whether the page is visible. Streams are open only while it is visible. Browsers allow six HTTP/1.1 connections per host
 * across all tabs, and each open stream occupies a connection.
 */
export const usePageVisible = (): boolean => useDocumentVisibility() !== 'hidden';
