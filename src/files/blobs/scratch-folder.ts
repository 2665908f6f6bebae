import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { undefinedIfMissing } from '../../storage/file-errors.js';

/** Age at which a file is considered left behind by a dead process. No work on a file takes this long. */
const STALE_MS = 60 * 60_000;

export interface FolderEntry {
  name: string;
  /** Size in bytes. */
  size: number;
  modifiedMs: number;
}

/** Folder for temporary files, created with the first file. */
export class ScratchFolder {
  /** @param path absolute, because the processes that receive it may have another working directory */
  constructor(private readonly path: string) {}

  /** Returns an unused path in the folder. */
  async newPath(ending = ''): Promise<string> {
    await mkdir(this.path, { recursive: true, mode: 0o700 });
    return join(this.path, randomUUID() + ending);
  }

  /** Removes files that dead processes left behind. */
  async dropStale(): Promise<void> {
    const stale = (await entriesOf(this.path)).filter(({ modifiedMs }) => modifiedMs < Date.now() - STALE_MS);
    for (const { name } of stale) await rm(join(this.path, name), { recursive: true, force: true });
  }
}

/**
 * Returns the entries in a folder, or an empty list if the folder does not exist. Other processes may change the folder at any
 * time.
 */
export async function entriesOf(folder: string): Promise<FolderEntry[]> {
  const entries: FolderEntry[] = [];
  for (const name of (await readdir(folder).catch(undefinedIfMissing)) ?? []) {
    const entry = await stat(join(folder, name)).catch(undefinedIfMissing);
    if (entry !== undefined) entries.push({ name, size: entry.size, modifiedMs: entry.mtimeMs });
  }
  return entries;
}
