import { useThrottledValue } from '@mantine/hooks';
import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';

/** Minimum time, in milliseconds, between reads of visible pages while the user scrolls. */
const THROTTLE_MS = 100;
/** Number of additional items to read before and after the visible items. */
const MARGIN = 60;

export interface Paged<Page> {
  /** Any loaded page, preferably for the current key. For fields that are the same on all pages. */
  anyPage: Page | undefined;
  /** Returns a page by number. While a new key is loading, returns the page for the previous key. */
  page: (number: number) => Page | undefined;
  /** Whether the displayed pages belong to the previous key. */
  isStale: boolean;
  isLoading: boolean;
  error: Error | null;
  /** Reads failed pages again. */
  retry: () => void;
  /** Sets the index range of visible items. */
  setVisibleRange: (first: number, last: number) => void;
}

interface Paging<Page> {
  /** Query key of the list. Project events invalidate it. */
  queryKey: readonly unknown[];
  /** Number of items per page. */
  size: number;
  read: (offset: number, signal: AbortSignal) => Promise<Page>;
}

/** Reads only the visible pages of a long list. Pages stay cached for a while. */
export function usePages<Page>({ queryKey, size, read }: Paging<Page>): Paged<Page> {
  const queries = useQueryClient();
  const [range, setRange] = useState({ from: 0, to: 0 });
  const throttledRange = useThrottledValue(range, THROTTLE_MS);
  const keyOfPage = (number: number, key: readonly unknown[] = queryKey): readonly unknown[] => [
    ...key,
    'page',
    number,
  ];
  const numbers = Array.from(
    { length: throttledRange.to - throttledRange.from + 1 },
    (_, index) => throttledRange.from + index,
  );
  const results = useQueries({
    queries: numbers.map((number) => ({
      queryKey: keyOfPage(number),
      queryFn: async ({ signal }: { signal: AbortSignal }) => await read(number * size, signal),
      // The pages stay fresh until project events invalidate them.
      staleTime: Infinity,
    })),
  });
  const currentPage = results.find(({ data }) => data !== undefined)?.data;
  /** Last displayed page, with its key. */
  const lastPage = useRef<{ queryKey: readonly unknown[]; page: Page }>(undefined);
  useEffect(() => {
    if (currentPage !== undefined) lastPage.current = { queryKey, page: currentPage };
  });
  const previous = currentPage === undefined ? lastPage.current : undefined;
  /** Pages already looked up during this render. */
  const pageCache = new Map<number, Page>();
  const find = (number: number): Page | undefined =>
    queries.getQueryData<Page>(keyOfPage(number)) ??
    (previous && queries.getQueryData<Page>(keyOfPage(number, previous.queryKey)));
  return {
    anyPage: currentPage ?? previous?.page,
    page: (number) => {
      const page = pageCache.get(number) ?? find(number);
      if (page !== undefined) pageCache.set(number, page);
      return page;
    },
    isStale: previous !== undefined && JSON.stringify(previous.queryKey) !== JSON.stringify(queryKey),
    isLoading: results.some(({ isFetching }) => isFetching),
    error: results.find(({ error }) => error !== null)?.error ?? null,
    retry: () => results.forEach((result) => void (result.error !== null && result.refetch())),
    setVisibleRange: (first, last) => {
      const from = Math.floor(Math.max(0, first - MARGIN) / size);
      const to = Math.max(from, Math.floor((last + MARGIN) / size));
      setRange((previous) => (previous.from === from && previous.to === to ? previous : { from, to }));
    },
  };
}
