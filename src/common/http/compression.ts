import type { ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request } from 'express';
import { type Coding, CODINGS } from '../etag/entity-tag.js';

/** Minimum size of a compressed body. Shorter bodies fit into the packet that carries the headers. */
export const MIN_COMPRESSED_BYTES = 1024;

/** About as fast as gzip, with message windows a fifth smaller. The default quality takes a hundred times as long. */
const BROTLI_QUALITY = 4;
const GZIP_LEVEL = 6;

const MAKERS: Record<Coding, (bytes: Buffer) => Promise<Buffer>> = {
  br: async (bytes) =>
    await promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  gzip: async (bytes) => await promisify(gzip)(bytes, { level: GZIP_LEVEL }),
};

/**
 * Returns the first of our encodings that the client accepts at least as readily as the unencoded body, or undefined for the
 * unencoded body.
 */
export function codingFor(request: Request): Coding | undefined {
  if (request.headers['accept-encoding'] === undefined) return undefined;
  return CODINGS.find((coding) => request.acceptsEncodings([coding, 'identity']) === coding);
}

/** Marks a response as dependent on the client's accepted encodings. */
export function varyByCoding(response: ServerResponse): void {
  const vary = response.getHeader('Vary');
  response.setHeader('Vary', vary === undefined ? 'Accept-Encoding' : `${String(vary)}, Accept-Encoding`);
}

/** Encodes a body outside the event loop. The result is held in memory, like the body itself. */
export const compressed = async (bytes: Buffer, coding: Coding): Promise<Buffer> => await MAKERS[coding](bytes);
