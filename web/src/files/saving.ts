import type { DownloadProgress, WorkspaceClient } from '@project-workspace/client';
import type { ContainerRef } from './containers';
import { nameOf } from './paths';

/** Files up to so many bytes come through the page; the browser writes larger ones to the disk as they arrive. */
const HELD_BYTES = 64 * 1024 ** 2;
/** How long a browser may take to begin with what is in memory, in milliseconds. */
const BEGIN_MS = 60_000;

interface Wanted {
  container: ContainerRef;
  path: string;
  /** Undefined where it is not known. */
  size: number | undefined;
}

/** Saves a file on the computer of the person. Resolves when it has arrived, or when the browser has taken over. */
export async function save(
  client: WorkspaceClient,
  { container, path, size }: Wanted,
  options: { signal?: AbortSignal; onProgress?: (progress: DownloadProgress) => void } = {},
): Promise<void> {
  const file = { ...container, path };
  if (size === undefined || size > HELD_BYTES) {
    // The URL is of this file alone and ends soon; the token is not in it.
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
