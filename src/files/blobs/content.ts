import { isUtf8 } from 'node:buffer';

/** Decodes strict UTF-8 and keeps a byte order mark. Returns undefined for invalid UTF-8 and for NUL. */
export function decodeText(bytes: Buffer): string | undefined {
  return isUtf8(bytes) && !bytes.includes(0) ? bytes.toString() : undefined;
}

/** Decodes UTF-8, with U+FFFD for invalid bytes. */
export function decodeTextLoosely(bytes: Buffer): string {
  return bytes.toString();
}
