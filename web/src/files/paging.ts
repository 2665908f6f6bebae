import { useThrottledValue } from '@mantine/hooks';
import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';

/** How often what is in sight is read while somebody scrolls, in milliseconds. */
const READ_MS = 100;
/** Items before and after those in sight that are read with them. */
const MARGIN = 60;

export interface Paged<Page> {
  /** Any page that is there, of the newest key first: what all pages say. */
  some: Page | undefined;
  /** A page by its number; while a new order is read, the one of the order before. */
  page: (number: number) => Page | undefined;
  /** Whether what is shown is of the key before. */
  isOld: boolean;
  isReading: boolean;
  error: Error | null;
  /** Reads again what could not be read. */
  retry: () => void;
  /** Tells which items are in sight, by their index. */
  see: (first: number, last: number) => void;
}

interface Paging<Page> {
  /** What is paged; read again when the project says that it has changed. */
  queryKey: readonly unknown[];
  /** Items of a page. */
  size: number;
  read: (offset: number, signal: AbortSignal) => Promise<Page>;
}

/** A long list of which the pages in sight are read, and those that were are kept for a while. */
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
      // Events of the project tell when it has changed.
      staleTime: Infinity,
    })),
  });
  const here = results.find(({ data }) => data !== undefined)?.data;
  /** What was shown last, and of which key. */
  const shown = useRef<{ queryKey: readonly unknown[]; page: Page }>(undefined);
  useEffect(() => {
    if (here !== undefined) shown.current = { queryKey, page: here };
  });
  const before = here === undefined ? shown.current : undefined;
  /** Found in this look at the list. */
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
