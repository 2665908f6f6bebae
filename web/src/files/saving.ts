import type { DownloadProgress, WorkspaceClient } from '@project-workspace/client';
import type { ContainerRef } from './containers';
import { nameOf } from './paths';

/** Maximum size of a file that is downloaded into memory. The browser streams larger files to disk. */
const HELD_BYTES = 64 * 1024 ** 2;
/** Time for the browser to start reading a blob URL, in milliseconds. */
const BEGIN_MS = 60_000;

interface Wanted {
  container: ContainerRef;
  path: string;
  /** Undefined if unknown. */
  size: number | undefined;
}

/** Saves a file on the user's computer. Resolves when the file has arrived, or when the browser has started the download. */
export async function save(
  client: WorkspaceClient,
  { container, path, size }: Wanted,
  options: { signal?: AbortSignal; onProgress?: (progress: DownloadProgress) => void } = {},
): Promise<void> {
  const file = { ...container, path };
  if (size === undefined || size > HELD_BYTES) {
    // The signed URL expires soon, covers only this file and does not contain the token.
    const { data } = await client.POST('/api/v1/files/download', { body: file, signal: options.signal });
    offer(data.url, nameOf(path));
    return;
  }
  const url = URL.createObjectURL(await client.download(file, options));
  offer(url, nameOf(path));
  setTimeout(() => URL.revokeObjectURL(url), BEGIN_MS);
}

function offer(url: string, name: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.rel = 'noreferrer';
  link.click();
}
