import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { undefinedIfMissing } from '../../storage/file-errors.js';

/** What is older was left behind by a process that has died: no work on such a file takes so long. */
const STALE_MS = 60 * 60_000;

/** An entry of a folder. */
export interface FolderEntry {
  name: string;
  /** Bytes. */
  size: number;
  modifiedMs: number;
}

/** A folder for files that are there for a while. It is made when the first one is. */
export class ScratchFolder {
  /** @param path absolute: processes that are told of a file may have another working directory */
  constructor(private readonly path: string) {}

  /** A path in the folder that nothing has. */
  async newPath(ending = ''): Promise<string> {
    await mkdir(this.path, { recursive: true, mode: 0o700 });
    return join(this.path, randomUUID() + ending);
  }

  /** Removes what was left behind. */
  async dropStale(): Promise<void> {
    const stale = (await entriesOf(this.path)).filter(({ modifiedMs }) => modifiedMs < Date.now() - STALE_MS);
    for (const { name } of stale) await rm(join(this.path, name), { recursive: true, force: true });
  }
}

/** The entries of a folder that other processes may change meanwhile; none if it is not there. */
export async function entriesOf(folder: string): Promise<FolderEntry[]> {
  const found: FolderEntry[] = [];
  for (const name of (await readdir(folder).catch(undefinedIfMissing)) ?? []) {
    const entry = await stat(join(folder, name)).catch(undefinedIfMissing);
    if (entry !== undefined) found.push({ name, size: entry.size, modifiedMs: entry.mtimeMs });
  }
  return found;
}
