import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { BadRequest, DomainError, NotFound } from '../errors/errors.js';
import { askForBody } from '../http/unread-body.js';
import { parseRange } from './byte-range.js';
import { attachment } from './content-disposition.js';
import { DiskStore } from './disk-store.js';
import { ObjectMissing, UploadMissing } from './object-store.js';
import { hasCode } from './part-files.js';
import { SignedUrls } from './signed-urls.js';

/** An answer whose body is streamed. */
export interface Transfer {
  status: number;
  headers: Record<string, string>;
  body: Readable;
}

/** What signed URLs of the disk store do. */
@Injectable()
export class DiskTransfers {
  constructor(
    private readonly store: DiskStore,
    private readonly urls: SignedUrls,
  ) {}

  /** Receives one part of an upload; resolves with its etag in quotes, as the header has it. */
  async receive(key: string, query: unknown, request: IncomingMessage): Promise<string> {
    const grant = await this.urls.readPart(key, query);
    askForBody(request);
    try {
      return `"${await this.store.putPart(grant, request, Number(request.headers['content-length'] ?? 0))}"`;
    } catch (error) {
      if (error instanceof UploadMissing) throw new NotFound('Upload');
      if (hasCode(error, 'ECONNRESET')) throw new BadRequest('The body was cut off');
      throw error;
    }
  }

  /** Opens an object, or a range of it, for its reader. */
  async send(key: string, query: unknown, rangeHeader: string | undefined): Promise<Transfer> {
    const { fileName, contentType } = await this.urls.readDownload(key, query);
    const size = await this.store.size(key);
    if (size === undefined) throw new NotFound('File');
    const range = parseRange(rangeHeader, size);
    if (range === 'unsatisfiable') {
      throw new DomainError(416, 'The range is not in the file', { 'Content-Range': `bytes */${size}` });
    }
    try {
      const { start, end } = range ?? { start: 0, end: size - 1 };
      return {
        status: range === undefined ? 200 : 206,
        headers: {
          'Content-Type': contentType,
          'Content-Length': String(end - start + 1),
          'Content-Disposition': attachment(fileName),
          'Accept-Ranges': 'bytes',
          'X-Content-Type-Options': 'nosniff',
          'Content-Security-Policy': 'sandbox',
          'Cache-Control': 'private, no-store',
          ...(range !== undefined && { 'Content-Range': `bytes ${start}-${end}/${size}` }),
        },
        body: await this.store.get(key, { start, end }),
      };
    } catch (error) {
      throw error instanceof ObjectMissing ? new NotFound('File') : error;
    }
  }
}
