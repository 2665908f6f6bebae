import type { Schemas } from '@project-workspace/client';
import { keyOf } from '../project/project-data';
import { useService } from '../service/service';
import type { Container } from './containers';
import { type Paged, usePages } from './paging';

/** Entries of a page. */
const PAGE = 200;

export type FileEntry = Schemas['FileEntry'];

/** What a folder holds: a file with what is known of it, or a folder. */
export type Entry = { path: string; file: FileEntry | undefined };

export interface Listing extends Pick<Paged<unknown>, 'isReading' | 'error' | 'retry' | 'see'> {
  /** Undefined until it is known. */
  total: number | undefined;
  entry: (index: number) => Entry | undefined;
  /** What is known of a path, as far as the folder was read. */
  find: (path: string) => Entry | undefined;
}

/** A folder: folders first, then files, by their names. */
export function useListing(projectId: string, { key, ref }: Container, folder: string): Listing {
  const { client } = useService();
  const { some, page, isReading, error, retry, see } = usePages({
    queryKey: keyOf(projectId, 'files', 'list', key, folder),
    size: PAGE,
    read: async (offset, signal) => {
      const body = { ...ref, path: folder, recursive: false, limit: PAGE, offset };
      const { directories, entries, total } = (await client.POST('/api/v1/files/list', { body, signal })).data;
      const folders: Entry[] = directories.map((path) => ({ path, file: undefined }));
      return { total, entries: [...folders, ...entries.map((file): Entry => ({ path: file.path, file }))] };
    },
  });
  return {
    total: some?.total,
    entry: (index) => page(Math.floor(index / PAGE))?.entries[index % PAGE],
    find: (path) => {
      for (let number = 0; number * PAGE < (some?.total ?? 0); number += 1) {
        const entry = page(number)?.entries.find((one) => one.path === path);
        if (entry !== undefined) return entry;
      }
      return undefined;
    },
    isReading,
    error,
    retry,
    see,
  };
}
