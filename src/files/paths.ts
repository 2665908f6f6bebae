/** Longest path, in bytes of UTF-8. */
export const MAX_PATH_BYTES = 1024;

/** Longest name of a file or directory, in bytes of UTF-8. */
export const MAX_NAME_BYTES = 255;

/** Each character of a text in NFC has stood for at most so many times its bytes. */
const MOST_COMPOSED = 3;

/** So many combining marks in a row are longer than a name may be, composed or not. */
const MAX_MARKS = 140;

/** A text that cannot be a path; the message says why. */
export class InvalidPath extends Error {}

/**
 * The one form of a path inside a container: relative, segments joined by single `/`, Unicode NFC. One leading `/` is
 * dropped. The root is `''`, allowed where `root` says so.
 *
 * @throws InvalidPath
 */
export function normalizePath(text: string, { root = false } = {}): string {
  // Normalising takes time with the square of the marks in a row, so what is too long anyway is refused before.
  if (Buffer.byteLength(text) > MAX_PATH_BYTES * MOST_COMPOSED + 1) throw tooLong();
  if (text.match(/\p{M}+/gu)?.some((marks) => marks.length >= MAX_MARKS) === true) throw nameTooLong();
  const path = text.normalize('NFC').replace(/^\//, '');
  if (path === '') {
    if (root) return path;
    throw new InvalidPath('path must not be empty');
  }
  if (!path.isWellFormed()) throw new InvalidPath('path must be valid Unicode');
  if (path.includes('\\')) throw new InvalidPath('path must not contain a backslash');
  if (/\p{Cc}/u.test(path)) throw new InvalidPath('path must not contain control characters');
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) throw tooLong();
  for (const name of path.split('/')) {
    if (name === '') throw new InvalidPath('path must not contain empty segments');
    if (name === '.' || name === '..') throw new InvalidPath("path must not contain '.' or '..' segments");
    if (Buffer.byteLength(name) > MAX_NAME_BYTES) throw nameTooLong();
  }
  return path;
}

const tooLong = (): InvalidPath => new InvalidPath(`path must have at most ${MAX_PATH_BYTES} bytes`);
const nameTooLong = (): InvalidPath => new InvalidPath(`path segments must have at most ${MAX_NAME_BYTES} bytes`);

/** Why a text cannot be a path, in words without a full stop; undefined when it can. */
export function pathProblem(text: string, options?: { root?: boolean }): string | undefined {
  try {
    normalizePath(text, options);
    return undefined;
  } catch (error) {
    if (error instanceof InvalidPath) return error.message;
    throw error;
  }
}

/** Names from the root down; none for the root itself. */
export function namesOf(path: string): string[] {
  return path === '' ? [] : path.split('/');
}

export function joinPath(parent: string, name: string): string {
  return parent === '' ? name : `${parent}/${name}`;
}

/** Whether `path` is `ancestor` or below it. */
export function isWithin(path: string, ancestor: string): boolean {
  return ancestor === '' || path === ancestor || path.startsWith(`${ancestor}/`);
}
