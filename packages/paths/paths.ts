/** Longest path, in bytes of UTF-8. */
export const MAX_PATH_BYTES = 1024;

/** Longest name of a file or directory, in bytes of UTF-8. */
export const MAX_NAME_BYTES = 255;

/** How often shorter NFC is than another form of the same text, at most, in bytes. */
const NFC_SHORTENS = 3;

/** A text that cannot be a path; the message says why. */
export class InvalidPath extends Error {}

/**
 * The one form of a path inside a container: relative, segments joined by single `/`, Unicode NFC. One leading `/` is
 * dropped. The root is `''`, allowed where `root` says so.
 *
 * @throws InvalidPath
 */
export function normalizePath(text: string, { root = false } = {}): string {
  // Normalisation takes quadratic time for long runs of combining marks, so what cannot become short enough stays out.
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
