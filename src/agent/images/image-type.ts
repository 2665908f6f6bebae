import { decodeText } from '../../files/blobs/content.js';

/** Media types of images that models accept. */
export type ImageType = 'image/png' | 'image/jpeg' | 'image/webp' | 'image/gif';

/** Number of leading bytes needed to detect the type of a file. */
export const IMAGE_HEAD_BYTES = 16;

/** Signature of each format, decoded as Latin-1. */
const BEGINNINGS: Record<ImageType, RegExp> = {
  'image/png': /^\x89PNG\r\n\x1a\n/,
  'image/jpeg': /^\xff\xd8\xff/,
  'image/webp': /^RIFF[^]{4}WEBP/,
  'image/gif': /^GIF8[79]a/,
};

/**
 * Detects the type of an image from its first bytes, regardless of the file name. Returns undefined if the file is not an
 * image. Does not decode the image, so the rest of the file may be corrupt.
 */
export function imageType(head: Buffer): ImageType | undefined {
  const beginning = head.subarray(0, IMAGE_HEAD_BYTES);
  // A text file may start with the same letters as a GIF or WebP file, but the first 16 bytes of an image are never valid
  // UTF-8.
  if (decodeText(beginning) !== undefined) return undefined;
  const text = beginning.toString('latin1');
  const types = Object.keys(BEGINNINGS) as ImageType[];
  return types.find((type) => BEGINNINGS[type].test(text));
}
