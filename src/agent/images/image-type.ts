import { decodeText } from '../../files/blobs/content.js';

/** Media types of images that models accept. */
export type ImageType = 'image/png' | 'image/jpeg' | 'image/webp' | 'image/gif';

/** Number of leading bytes needed to detect the type of a file. */
export const IMAGE_HEAD_BYTES = 16;

/** First bytes of each format, in Latin-1. A dot matches any byte. */
const BEGINNINGS: Record<ImageType, RegExp> = {
  'image/png': /^\x89PNG\r\n\x1a\n/,
  'image/jpeg': /^\xff\xd8\xff/,
  'image/webp': /^RIFF[^]{4}WEBP/,
  'image/gif': /^GIF8[79]a/,
};

/**
 * Detects an image by its first bytes, regardless of its name. Returns undefined for any other file. The rest may be damaged,
 * because nothing is decoded.
 */
export function imageType(head: Buffer): ImageType | undefined {
  const beginning = head.subarray(0, IMAGE_HEAD_BYTES);
  // A text file may start with the letters of GIF or WebP, but an image always has invalid UTF-8 in its first 16 bytes.
  if (decodeText(beginning) !== undefined) return undefined;
  const text = beginning.toString('latin1');
  const types = Object.keys(BEGINNINGS) as ImageType[];
  return types.find((type) => BEGINNINGS[type].test(text));
}
