import { joined } from '../paths';

/** File with its path relative to the drop target. */
export interface GivenFile {
  file: File;
  path: string;
}

/** Returns the files of a drop, including files in folders. */
export async function droppedFiles({ items }: DataTransfer): Promise<GivenFile[]> {
  // The dropped items are only accessible during the event.
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
    // The reader returns entries in batches. An empty batch marks the end.
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
