import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { BadRequest, DomainError, NotFound } from '../common/errors/errors.js';
import { declaredBytes, askForBody } from '../common/http/unread-body.js';
import { FairShares } from '../common/throttling/fair-shares.js';
import { parseRange } from './byte-range.js';
import { attachment } from './content-disposition.js';
import { DiskStore } from './disk.store.js';
import { ObjectMissing, UploadMissing } from './object-store.js';
import { bodyWithTimeout } from './moving-body.js';
import { type PartUrl, SignedUrlsService } from './signed-urls.service.js';

/** Maximum number of parts of the same upload that are received in parallel. Additional parts wait. */
const PARTS_AT_ONCE = 16;

/** Response with a streamed body. */
export interface Transfer {
  status: number;
  headers: Record<string, string>;
  body: Readable;
}

/** Part that the sender is allowed to upload now. */
export interface AdmittedPart {
  maxBytes: number;
  /** Called when all bytes are received, before the part is stored. @throws Conflict if a newer request sends the part */
  keep: (size: number) => Promise<void>;
  /** Called if receiving fails. */
  release: () => Promise<void>;
}

/** Error message for a request whose part is being sent again by a later request. */
export const PART_SUPERSEDED = 'The part is being sent again, or its upload has ended';

/**
 * Checks that a signed URL may still be used, because its signature only proves that its use was allowed when it was signed.
 */
export interface TransferRules {
  /** @param announced number of bytes that the sender declares @throws DomainError if the part may no longer be received */
  admitPart(url: PartUrl, announced: number | undefined): Promise<AdmittedPart>;
  /** Returns whether objects may still be read under the scope of the URL. */
  mayRead(scope: string): Promise<boolean>;
}

/** Transfers data for the disk store's signed URLs. */
@Injectable()
export class DiskTransfersService {
  private transferRules?: TransferRules;
  private readonly receiving = new FairShares(Infinity);
  /**
   * Limit on database queries for signed URLs. The URLs do not identify a caller, so all of them share the limit of a single
   * caller.
   */
  private readonly asking: FairShares;

  constructor(
    private readonly store: DiskStore,
    private readonly urls: SignedUrlsService,
    { requestsInProgress }: Config,
  ) {
    this.asking = new FairShares(requestsInProgress.caller);
  }

  /** Sets the rules for signed URLs. Called by the module that requests the URLs. Without rules, every transfer fails. */
  provide(rules: TransferRules): void {
    this.transferRules = rules;
  }

  /** Queries the rules. Queries about the same object are serialized, because they would wait for each other in the database. */
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
    if (this.transferRules === undefined) throw new Error('No rules for signed URLs are registered');
    return this.transferRules;
  }

  /** Receives a part of an upload and returns its etag in quotes, as in the header. */
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
    const announced = declaredBytes(request);
    const { maxBytes, keep, release } = await this.ask(key, () => this.rules.admitPart(url, announced));
    askForBody(request);
    try {
      const etag = await this.store.putPart({ ...url, maxBytes }, bodyWithTimeout(request), announced ?? 0, (size) =>
        this.ask(key, () => keep(size)),
      );
      return `"${etag}"`;
    } catch (error) {
      await this.ask(key, release);
      if (error instanceof UploadMissing) throw new NotFound('Upload');
      if (request.destroyed && !request.complete)
        throw new BadRequest('body_cut_off', 'The request body is incomplete');
      throw error;
    }
  }

  /** Opens an object, or a range of it, for a download. */
  async send(key: string, query: unknown, rangeHeader: string | undefined): Promise<Transfer> {
    const { fileName, contentType, scope } = await this.urls.readDownload(key, query);
    const size = (await this.ask(key, () => this.rules.mayRead(scope))) ? await this.store.size(key) : undefined;
    if (size === undefined) throw new NotFound('File');
    const range = parseRange(rangeHeader, size);
    if (range === 'unsatisfiable') {
      throw new DomainError('range_not_satisfiable', 'The requested range is outside the file', {
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
