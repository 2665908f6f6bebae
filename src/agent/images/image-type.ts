import { decodeText } from '../../files/blobs/content.js';

/** Media types of the images that models take. */
export type ImageType = 'image/png' | 'image/jpeg' | 'image/webp' | 'image/gif';

/** Bytes of a file's beginning that tell what it is. */
export const IMAGE_HEAD_BYTES = 16;

/** What each format begins with, in Latin-1; a dot is any byte. */
const BEGINNINGS: Record<ImageType, RegExp> = {
  'image/png': /^\x89PNG\r\n\x1a\n/,
  'image/jpeg': /^\xff\xd8\xff/,
  'image/webp': /^RIFF[^]{4}WEBP/,
  'image/gif': /^GIF8[79]a/,
};

/**
 * The image that a file is by its first bytes, whatever its name says; undefined for everything else. Only the beginning
 * is looked at: what follows may be damaged, and nothing is decoded.
 */
export function imageType(head: Buffer): ImageType | undefined {
  const beginning = head.subarray(0, IMAGE_HEAD_BYTES);
  // A text that begins with the letters of GIF or WebP is one, and images have other bytes among the first 16.
  if (decodeText(beginning) !== undefined) return undefined;
  const text = beginning.toString('latin1');
  const types = Object.keys(BEGINNINGS) as ImageType[];
  return types.find((type) => BEGINNINGS[type].test(text));
}
