import { joinPath } from '../paths';

/** File with its path relative to the drop target. */
export interface FileToUpload {
  file: File;
  path: string;
}

/** Returns the dropped files, including files in folders. */
export async function droppedFiles({ items }: DataTransfer): Promise<FileToUpload[]> {
  // The dropped items can only be accessed during the event.
  const dropped = Array.from(items, (item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }));
  const fileLists = await Promise.all(
    dropped.map(async ({ entry, file }) =>
      entry?.isDirectory === true ? await filesIn(entry, '') : file === null ? [] : [{ file, path: file.name }],
    ),
  );
  return fileLists.flat();
}

async function filesIn(entry: FileSystemEntry, folder: string): Promise<FileToUpload[]> {
  const path = joinPath(folder, entry.name);
  if (isFileEntry(entry)) return [{ file: await fileOf(entry), path }];
  if (!isDirectoryEntry(entry)) return [];
  const reader = entry.createReader();
  const files: FileToUpload[] = [];
  for (;;) {
    // The reader returns the entries in batches. An empty batch marks the end.
    const batch = await nextOf(reader);
    if (batch.length === 0) return files;
    for (const child of batch) files.push(...(await filesIn(child, path)));
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
