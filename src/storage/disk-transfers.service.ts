import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { BadRequest, DomainError, NotFound } from '../common/errors/errors.js';
import { announcedBytes, askForBody } from '../common/http/unread-body.js';
import { FairShares } from '../common/throttling/fair-shares.js';
import { parseRange } from './byte-range.js';
import { attachment } from './content-disposition.js';
import { DiskStore } from './disk.store.js';
import { ObjectMissing, UploadMissing } from './object-store.js';
import { movingBody } from './moving-body.js';
import { type PartUrl, SignedUrlsService } from './signed-urls.service.js';

/** Most parts of one upload that are received at once; further ones wait. */
const PARTS_AT_ONCE = 16;

/** An answer whose body is streamed. */
export interface Transfer {
  status: number;
  headers: Record<string, string>;
  body: Readable;
}

/** A part that may come now. */
export interface AdmittedPart {
  maxBytes: number;
  /** To be called when all bytes are received, before they become the part. @throws Conflict when it is sent again */
  keep: (size: number) => Promise<void>;
  /** To be called when it fails. */
  release: () => Promise<void>;
}

/** Answer to a request whose part a later request is sending. */
export const SENT_AGAIN = 'The part is being sent again, or its upload is over';

/** Current state of what URLs were signed for; a valid signature only proves the past. */
export interface TransferRules {
  /** @param announced bytes that the sender says will come @throws DomainError when no such part may come any more */
  admitPart(url: PartUrl, announced: number | undefined): Promise<AdmittedPart>;
  /** Whether objects are still to be read under the scope that the URL was signed with. */
  mayRead(scope: string): Promise<boolean>;
}

/** What signed URLs of the disk store do. */
@Injectable()
export class DiskTransfersService {
  private given?: TransferRules;
  private readonly receiving = new FairShares(Infinity);
  /** Signed URLs name no caller, so all of them together share one caller's part of the database. */
  private readonly asking: FairShares;

  constructor(
    private readonly store: DiskStore,
    private readonly urls: SignedUrlsService,
    { requestsInProgress }: Config,
  ) {
    this.asking = new FairShares(requestsInProgress.caller);
  }

  /** Sets the rules for signed URLs, by the module that has them signed; without rules they allow nothing. */
  provide(rules: TransferRules): void {
    this.given = rules;
  }

  /** Questions to the rules, one at a time of an object, which would wait for each other in the database. */
  private async ask<Answer>(key: string, question: () => Promise<Answer>): Promise<Answer> {
    const turn = this.asking.take(1, [{ key, limit: 1 }]);
    try {
      await turn.granted;
      return await question();
    } finally {
      turn.leave();
    }
  }

  private get rules(): TransferRules {
    if (this.given === undefined) throw new Error('Nobody says what signed URLs may do');
    return this.given;
  }

  /** Receives one part of an upload; resolves with its etag in quotes, as the header has it. */
  async receive(key: string, query: unknown, request: IncomingMessage): Promise<string> {
    const url = await this.urls.readPart(key, query);
    const place = this.receiving.take(1, [{ key, limit: PARTS_AT_ONCE }]);
    try {
      await place.granted;
      return await this.receivePart(url, request);
    } finally {
      place.leave();
    }
  }

  private async receivePart(url: PartUrl, request: IncomingMessage): Promise<string> {
    const { key } = url;
    const announced = announcedBytes(request);
    const { maxBytes, keep, release } = await this.ask(key, () => this.rules.admitPart(url, announced));
    askForBody(request);
    try {
      const etag = await this.store.putPart({ ...url, maxBytes }, movingBody(request), announced ?? 0, (size) =>
        this.ask(key, () => keep(size)),
      );
      return `"${etag}"`;
    } catch (error) {
      await this.ask(key, release);
      if (error instanceof UploadMissing) throw new NotFound('Upload');
      if (request.destroyed && !request.complete) throw new BadRequest('body_cut_off', 'The body was cut off');
      throw error;
    }
  }

  /** Opens an object, or a range of it, for its reader. */
  async send(key: string, query: unknown, rangeHeader: string | undefined): Promise<Transfer> {
    const { fileName, contentType, scope } = await this.urls.readDownload(key, query);
    const size = (await this.ask(key, () => this.rules.mayRead(scope))) ? await this.store.size(key) : undefined;
    if (size === undefined) throw new NotFound('File');
    const range = parseRange(rangeHeader, size);
    if (range === 'unsatisfiable') {
      throw new DomainError('range_not_satisfiable', 'The range is not in the file', {
        'Content-Range': `bytes */${size}`,
      });
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
