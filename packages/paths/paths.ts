/** Maximum path length in UTF-8 bytes. */
export const MAX_PATH_BYTES = 1024;

/** Maximum length of a file or directory name in UTF-8 bytes. */
export const MAX_NAME_BYTES = 255;

/** Maximum factor by which Unicode NFC can shorten a string, in bytes. */
const NFC_SHORTENS = 3;

/** Thrown if a string cannot be a path. The message says why. */
export class InvalidPath extends Error {}

/**
 * Returns the canonical form of a path inside a container: relative, with single `/` between segments, in Unicode NFC. A leading
 * `/` is dropped. The root is `''` and allowed only if `root` is true.
 *
 * @throws InvalidPath
 */
export function normalizePath(text: string, { root = false } = {}): string {
  // Normalizing long runs of combining marks takes quadratic time, so strings that would be too long even in NFC are rejected
  // first.
  assertLength(text, NFC_SHORTENS);
  const path = text.normalize('NFC').replace(/^\//, '');
  if (path === '') {
    if (root) return path;
    throw new InvalidPath('path must not be empty');
  }
  if (!path.isWellFormed()) throw new InvalidPath('path must be valid Unicode');
  if (path.includes('\\')) throw new InvalidPath('path must not contain a backslash');
  if (/\p{Cc}/u.test(path)) throw new InvalidPath('path must not contain control characters');
  for (const name of path.split('/')) {
    if (name === '') throw new InvalidPath('path must not contain empty segments');
    if (name === '.' || name === '..') throw new InvalidPath("path must not contain '.' or '..' segments");
  }
  assertLength(path, 1);
  return path;
}

function assertLength(path: string, times: number): void {
  if (Buffer.byteLength(path) > times * MAX_PATH_BYTES) {
    throw new InvalidPath(`path must have at most ${MAX_PATH_BYTES} bytes`);
  }
  if (path.split('/').some((name) => Buffer.byteLength(name) > times * MAX_NAME_BYTES)) {
    throw new InvalidPath(`path segments must have at most ${MAX_NAME_BYTES} bytes`);
  }
}

/** Explains why a string is not a valid path, in a phrase without a full stop. Returns undefined if the string is valid. */
export function pathProblem(text: string, options?: { root?: boolean }): string | undefined {
  try {
    normalizePath(text, options);
    return undefined;
  } catch (error) {
    if (error instanceof InvalidPath) return error.message;
    throw error;
  }
}

/** Returns the names in a path, starting with the topmost directory. Returns an empty list for the root itself. */
export function namesOf(path: string): string[] {
  return path === '' ? [] : path.split('/');
}

export function joinPath(parent: string, name: string): string {
  return parent === '' ? name : `${parent}/${name}`;
}

/** Returns true if `path` is `ancestor` or below it. */
export function isWithin(path: string, ancestor: string): boolean {
  return ancestor === '' || path === ancestor || path.startsWith(`${ancestor}/`);
}
