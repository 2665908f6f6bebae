import type { DownloadProgress, WorkspaceClient } from '@project-workspace/client';
import type { ContainerRef } from './containers';
import { nameOf } from './paths';

/** Maximum size of a file that is downloaded into memory. The browser streams larger files to disk. */
const MAX_MEMORY_BYTES = 64 * 1024 ** 2;
/** Time, in milliseconds, that the browser has to start reading a blob URL. */
const REVOKE_DELAY_MS = 60_000;

interface FileToSave {
  container: ContainerRef;
  path: string;
  /** Size in bytes. Undefined if unknown. */
  size: number | undefined;
}

/** Saves a file on the user's computer. Resolves when the file has arrived, or when the browser has started the download. */
export async function saveToDisk(
  client: WorkspaceClient,
  { container, path, size }: FileToSave,
  options: { signal?: AbortSignal; onProgress?: (progress: DownloadProgress) => void } = {},
): Promise<void> {
  const file = { ...container, path };
  if (size === undefined || size > MAX_MEMORY_BYTES) {
    // The signed URL expires soon, covers only this file and does not contain the token.
    const { data } = await client.POST('/api/v1/files/download', { body: file, signal: options.signal });
    clickDownloadLink(data.url, nameOf(path));
    return;
  }
  const url = URL.createObjectURL(await client.download(file, options));
  clickDownloadLink(url, nameOf(path));
  setTimeout(() => URL.revokeObjectURL(url), REVOKE_DELAY_MS);
}

function clickDownloadLink(url: string, name: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.rel = 'noreferrer';
  link.click();
}
