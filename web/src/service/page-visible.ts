import { useDocumentVisibility } from '@mantine/hooks';

/**
 * Whether the page is visible. Streams are open only while it is. Browsers allow six HTTP/1.1 connections per host for all tabs
 * together, and each open stream occupies a connection.
 */
export const usePageVisible = (): boolean => useDocumentVisibility() !== 'hidden';
