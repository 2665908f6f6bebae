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
import { type PartUrl, SignedUrls } from './signed-urls.js';

/** An answer whose body is streamed. */
export interface Transfer {
  status: number;
  headers: Record<string, string>;
  body: Readable;
}

/** A part that may come now. */
export interface AdmittedPart {
  maxBytes: number;
  /** To be called when it is over: with the bytes that came, or without when nothing was kept. */
  settle: (size?: number) => Promise<void>;
}

/** What became of what URLs were signed for; a valid signature alone says what once was. */
export interface TransferRules {
  /** @param announced bytes that the sender says will come @throws DomainError when no such part may come any more */
  admitPart(url: PartUrl, announced: number | undefined): Promise<AdmittedPart>;
  /** Whether objects are still to be read under the scope that the URL was signed with. */
  mayRead(scope: string): Promise<boolean>;
}

/** What signed URLs of the disk store do. */
@Injectable()
export class DiskTransfers {
  private rules: TransferRules = {
    admitPart: ({ maxBytes }) => Promise.resolve({ maxBytes, settle: () => Promise.resolve() }),
    mayRead: () => Promise.resolve(true),
  };

  constructor(
    private readonly store: DiskStore,
    private readonly urls: SignedUrls,
  ) {}

  /** Lets the module that has URLs signed say what they may still do; without rules a signature is enough. */
  provide(rules: TransferRules): void {
    this.rules = rules;
  }

  /** Receives one part of an upload; resolves with its etag in quotes, as the header has it. */
  async receive(key: string, query: unknown, request: IncomingMessage): Promise<string> {
    const url = await this.urls.readPart(key, query);
    const length = request.headers['content-length'];
    const announced = length === undefined ? undefined : Number(length);
    const { maxBytes, settle } = await this.rules.admitPart(url, announced);
    let size = 0;
    let kept = false;
    askForBody(request);
    try {
      const etag = await this.store.putPart({ ...url, maxBytes }, request, announced ?? 0, (bytes) => (size += bytes));
      kept = true;
      return `"${etag}"`;
    } catch (error) {
      if (error instanceof UploadMissing) throw new NotFound('Upload');
      if (hasCode(error, 'ECONNRESET')) throw new BadRequest('The body was cut off');
      throw error;
    } finally {
      await settle(kept ? size : undefined);
    }
  }

  /** Opens an object, or a range of it, for its reader. */
  async send(key: string, query: unknown, rangeHeader: string | undefined): Promise<Transfer> {
    const { fileName, contentType, scope } = await this.urls.readDownload(key, query);
    const size = (await this.rules.mayRead(scope)) ? await this.store.size(key) : undefined;
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
