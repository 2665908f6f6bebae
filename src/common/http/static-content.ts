import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import { reportFailure } from '../logging/request-log.js';
import { codingFor, compressed, MIN_COMPRESSED_BYTES, varyByCoding } from './compression.js';
import { type Coding, tagHeader } from '../etag/entity-tag.js';

/** Makes browsers revalidate the content on each use. The content is sent again only if its tag has changed. */
export const REVALIDATE = 'no-cache';

/** Options for sending static content. */
export interface StaticOptions {
  /** Content-Type with its charset. */
  type: string;
  /** Cache-Control. Defaults to {@link REVALIDATE}. */
  caching?: string;
  compression: boolean;
}

/** Bytes that do not change while the process runs. Each requested encoding is cached. */
export class StaticContent {
  private readonly bytes: Buffer;
  private readonly tag: string;
  private readonly coded = new Map<Coding, Promise<Buffer>>();

  constructor(
    content: Buffer | string,
    private readonly options: StaticOptions,
  ) {
    this.bytes = Buffer.from(content);
    this.tag = createHash('sha256').update(this.bytes).digest('base64url').slice(0, 22);
  }

  send(request: Request, response: Response): void {
    const { type, caching = REVALIDATE, compression } = this.options;
    const coding = compression && this.bytes.length > MIN_COMPRESSED_BYTES ? codingFor(request) : undefined;
    varyByCoding(response);
    response.setHeader('Cache-Control', caching);
    response.setHeader('ETag', tagHeader(this.tag, coding));
    if (request.fresh) {
      response.status(304).end();
      return;
    }
    response.setHeader('Content-Type', type);
    if (coding !== undefined) response.setHeader('Content-Encoding', coding);
    this.in(coding).then(
      (bytes) => {
        response.setHeader('Content-Length', bytes.length);
        response.end(bytes);
      },
      (error: Error) => {
        reportFailure(response, error);
        response.destroy();
      },
    );
  }

  private async in(coding: Coding | undefined): Promise<Buffer> {
    if (coding === undefined) return this.bytes;
    const content = this.coded.get(coding) ?? compressed(this.bytes, coding);
    this.coded.set(coding, content);
    return await content;
  }
}
