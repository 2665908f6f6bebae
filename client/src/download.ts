import { ConnectionError, errorOf, ServiceError } from './errors.js';
import { isTemporary, withRetries } from './retry.js';
import type { Schemas } from './schemas.js';
import { Watchdog } from './time.js';
import type { Transport } from './transport.js';

/** Maximum time in milliseconds without new data. */
const SILENCE_MS = 60_000;
const PARTIAL = 206;

/** Bytes received so far and file size. The size is undefined if the store does not report it. */
export interface DownloadProgress {
  loaded: number;
  total: number | undefined;
}

export interface DownloadOptions {
  signal?: AbortSignal;
  /** Called whenever data arrives. */
  onProgress?: (progress: DownloadProgress) => void;
}

/** Downloads a file from its signed URL. The content behind a signed URL never changes. */
export async function download(
  transport: Transport,
  file: Schemas['FileDownloadRequest'],
  { signal, onProgress }: DownloadOptions,
): Promise<Blob> {
  const { data } = await transport.call('post', '/api/v1/files/download', { body: file, signal });
  const { url } = data as Schemas['FileDownloadResponse'];
  let chunks: (Blob | Uint8Array<ArrayBuffer>)[] = [];
  let loaded = 0;
  const attempt = async (): Promise<Blob> => {
    const watchdog = new Watchdog(signal, SILENCE_MS);
    try {
      const headers: Record<string, string> = loaded > 0 ? { range: `bytes=${loaded}-` } : {};
      const request = new Request(url, { headers, signal: watchdog.signal });
      const response = await transport.send(request, watchdog);
      if (!response.ok) throw errorOf(response, await response.text());
      if (response.status !== PARTIAL) [chunks, loaded] = [[], 0];
      const contentLength = response.headers.get('content-length');
      const total = contentLength === null ? undefined : loaded + Number(contentLength);
      const reader = response.body?.getReader();
      for (;;) {
        const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
        if (done) break;
        watchdog.refresh();
        chunks.push(value);
        loaded += value.length;
        onProgress?.({ loaded, total });
      }
      return new Blob(chunks, { type: response.headers.get('content-type') ?? '' });
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof ServiceError) throw error;
      throw new ConnectionError('The download was interrupted', { cause: error });
    } finally {
      watchdog.release();
    }
  };
  return await withRetries(attempt, isTemporary, transport.retry, signal, transport.onRetry);
}
