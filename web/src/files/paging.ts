import { useThrottledValue } from '@mantine/hooks';
import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';

/** Throttle for reading visible pages while the user scrolls, in milliseconds. */
const READ_MS = 100;
/** Number of items to read before and after the visible items. */
const MARGIN = 60;

export interface Paged<Page> {
  /** Any loaded page, preferably of the current key, for fields that are the same on all pages. */
  some: Page | undefined;
  /** Returns a page by number. While a new key is loading, returns the page of the previous key. */
  page: (number: number) => Page | undefined;
  /** Whether the displayed pages belong to the previous key. */
  isOld: boolean;
  isReading: boolean;
  error: Error | null;
  /** Reads failed pages again. */
  retry: () => void;
  /** Sets the index range of visible items. */
  see: (first: number, last: number) => void;
}

interface Paging<Page> {
  /** Key of the list. Project events invalidate it. */
  queryKey: readonly unknown[];
  /** Number of items per page. */
  size: number;
  read: (offset: number, signal: AbortSignal) => Promise<Page>;
}

/** Reads only the visible pages of a long list. Pages stay cached for a while. */
export function usePages<Page>({ queryKey, size, read }: Paging<Page>): Paged<Page> {
  const queries = useQueryClient();
  const [wanted, setWanted] = useState({ from: 0, to: 0 });
  const sight = useThrottledValue(wanted, READ_MS);
  const keyOfPage = (number: number, key: readonly unknown[] = queryKey): readonly unknown[] => [
    ...key,
    'page',
    number,
  ];
  const numbers = Array.from({ length: sight.to - sight.from + 1 }, (_, index) => sight.from + index);
  const results = useQueries({
    queries: numbers.map((number) => ({
      queryKey: keyOfPage(number),
      queryFn: async ({ signal }: { signal: AbortSignal }) => await read(number * size, signal),
      // Project events invalidate the pages.
      staleTime: Infinity,
    })),
  });
  const here = results.find(({ data }) => data !== undefined)?.data;
  /** Last displayed page, with its key. */
  const shown = useRef<{ queryKey: readonly unknown[]; page: Page }>(undefined);
  useEffect(() => {
    if (here !== undefined) shown.current = { queryKey, page: here };
  });
  const before = here === undefined ? shown.current : undefined;
  /** Pages found during this render. */
  const found = new Map<number, Page>();
  const find = (number: number): Page | undefined =>
    queries.getQueryData<Page>(keyOfPage(number)) ??
    (before && queries.getQueryData<Page>(keyOfPage(number, before.queryKey)));
  return {
    some: here ?? before?.page,
    page: (number) => {
      const page = found.get(number) ?? find(number);
      if (page !== undefined) found.set(number, page);
      return page;
    },
    isOld: before !== undefined && JSON.stringify(before.queryKey) !== JSON.stringify(queryKey),
    isReading: results.some(({ isFetching }) => isFetching),
    error: results.find(({ error }) => error !== null)?.error ?? null,
    retry: () => results.forEach((result) => void (result.error !== null && result.refetch())),
    see: (first, last) => {
      const from = Math.floor(Math.max(0, first - MARGIN) / size);
      const to = Math.max(from, Math.floor((last + MARGIN) / size));
      setWanted((before) => (before.from === from && before.to === to ? before : { from, to }));
    },
  };
}
