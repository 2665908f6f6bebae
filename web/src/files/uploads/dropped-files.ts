import { joined } from '../paths';

/** A file, and the path that it has below the folder that it is dropped into. */
export interface GivenFile {
  file: File;
  path: string;
}

/** Files of a drop, also those in folders. */
export async function droppedFiles({ items }: DataTransfer): Promise<GivenFile[]> {
  // What is dropped can be asked for now and not later.
  const given = Array.from(items, (item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }));
  const found = await Promise.all(
    given.map(async ({ entry, file }) =>
      entry?.isDirectory === true ? await filesIn(entry, '') : file === null ? [] : [{ file, path: file.name }],
    ),
  );
  return found.flat();
}

async function filesIn(entry: FileSystemEntry, folder: string): Promise<GivenFile[]> {
  const path = joined(folder, entry.name);
  if (isFileEntry(entry)) return [{ file: await fileOf(entry), path }];
  if (!isDirectoryEntry(entry)) return [];
  const reader = entry.createReader();
  const files: GivenFile[] = [];
  for (;;) {
    // Some at a time, until there are none.
    const some = await nextOf(reader);
    if (some.length === 0) return files;
    for (const inside of some) files.push(...(await filesIn(inside, path)));
  }
}

const fileOf = async (entry: FileSystemFileEntry): Promise<File> =>
  await new Promise((resolve, reject) => {
    entry.file(resolve, reject);
  });

const nextOf = async (reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> =>
  await new Promise((resolve, reject) => {
    reader.readEntries(resolve, reject);
  });

const isFileEntry = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
const isDirectoryEntry = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;
