import { isUtf8 } from 'node:buffer';
import { extname } from 'node:path/posix';
import { lookup } from 'mime-types';

/** The text that bytes are in strict UTF-8, a byte order mark included; undefined for anything else and for NUL. */
export function decodeText(bytes: Buffer): string | undefined {
  return isUtf8(bytes) && !bytes.includes(0) ? bytes.toString() : undefined;
}

/** The text that bytes are in UTF-8, with U+FFFD where they are none. */
export function decodeTextLoosely(bytes: Buffer): string {
  return bytes.toString();
}

/** The media type that goes with the extension of a path; null for none and for an unknown one. */
export function contentTypeByName(path: string): string | null {
  const extension = extname(path);
  return (extension !== '' && lookup(extension)) || null;
}
