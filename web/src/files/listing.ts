import type { Schemas } from '@project-workspace/client';
import { keyOf } from '../project/project-data';
import { useService } from '../service/service';
import type { Container } from './containers';
import { type Paged, usePages } from './paging';

/** Number of entries per page. */
const PAGE_SIZE = 200;

export type FileEntry = Schemas['FileEntry'];

/** Entry in a folder: a file with its metadata, or a folder. */
export type Entry = { path: string; file: FileEntry | undefined };

export interface Listing extends Pick<Paged<unknown>, 'isLoading' | 'error' | 'retry' | 'setVisibleRange'> {
  /** Undefined until the first page has loaded. */
  total: number | undefined;
  entry: (index: number) => Entry | undefined;
  /** Returns the entry at a path. Returns undefined unless its page has loaded. */
  find: (path: string) => Entry | undefined;
}

/** Reads a folder page by page: first its folders, then its files, each sorted by name. */
export function useListing(projectId: string, { key, ref }: Container, folder: string): Listing {
  const { client } = useService();
  const { anyPage, page, isLoading, error, retry, setVisibleRange } = usePages({
    queryKey: keyOf(projectId, 'files', 'list', key, folder),
    size: PAGE_SIZE,
    read: async (offset, signal) => {
      const body = { ...ref, path: folder, recursive: false, limit: PAGE_SIZE, offset };
      const { directories, entries, total } = (await client.POST('/api/v1/files/list', { body, signal })).data;
      const folders: Entry[] = directories.map((path) => ({ path, file: undefined }));
      return { total, entries: [...folders, ...entries.map((file): Entry => ({ path: file.path, file }))] };
    },
  });
  return {
    total: anyPage?.total,
    entry: (index) => page(Math.floor(index / PAGE_SIZE))?.entries[index % PAGE_SIZE],
    find: (path) => {
      for (let number = 0; number * PAGE_SIZE < (anyPage?.total ?? 0); number += 1) {
        const entry = page(number)?.entries.find((one) => one.path === path);
        if (entry !== undefined) return entry;
      }
      return undefined;
    },
    isLoading,
    error,
    retry,
    setVisibleRange,
  };
}
