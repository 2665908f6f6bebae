import { Readable } from 'node:stream';
import type { UploadStartResponse } from '../../src/files/uploads/uploads.dto.js';
import type { Place } from '../factories/make.js';
import type { Client } from './client.js';
import { HeldRequest } from './hostile.js';
import { raw } from './raw.js';

export type Upload = { upload_token: string; parts: { url: string }[] };

export const start = async (client: Client, place: Place, path: string, size?: number): Promise<Upload> =>
  await client.post<UploadStartResponse>('/files/upload/start', { ...place, path, size });

/**
 * Sends a part. With `chunked`, its length is not declared. A client that keeps sending after a rejection may find the
 * connection closed.
 */
export const put = async (url: string | undefined, bytes: number, chunked = false): Promise<number | 'closed'> => {
  const body = Buffer.alloc(bytes);
  try {
    return (await raw(url ?? '', { method: 'PUT', body: chunked ? Readable.from([body]) : body })).status;
  } catch (error) {
    if (!['EPIPE', 'ECONNRESET'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return 'closed';
  }
};

/** Starts to send a part and keeps the request in progress. Resolves when the part is admitted. */
export const hold = async (url: string | undefined, bytes: number): Promise<HeldRequest> =>
  await new Promise((resolve) => {
    const held: HeldRequest = HeldRequest.start(url ?? '', {
      method: 'PUT',
      headers: { expect: '100-continue' },
      body: Buffer.alloc(bytes),
      keep: 1,
      onContinue: () => resolve(held),
    });
  });
