import type { ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request } from 'express';
import { type Coding, CODINGS } from '../etag/entity-tag.js';

/** Shorter bodies fit into the packet that the head needs anyway. */
export const MIN_COMPRESSED_BYTES = 1024;

/** Takes about as long as gzip, and makes windows of messages a fifth smaller; its default takes a hundred times as long. */
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

/** The coding of a body for a client: the first of ours that it takes no less than the body as it is; undefined: as it is. */
export function codingFor(request: Request): Coding | undefined {
  if (request.headers['accept-encoding'] === undefined) return undefined;
  return CODINGS.find((coding) => request.acceptsEncodings([coding, 'identity']) === coding);
}

/** What answers depend on whose coding the client decides. */
export function varyByCoding(response: ServerResponse): void {
  const vary = response.getHeader('Vary');
  response.setHeader('Vary', vary === undefined ? 'Accept-Encoding' : `${String(vary)}, Accept-Encoding`);
}

/** A body in a coding. The work is done beside the event loop, and the whole is in memory as the body is. */
export const compressed = async (bytes: Buffer, coding: Coding): Promise<Buffer> => await MAKERS[coding](bytes);
