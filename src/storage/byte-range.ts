import type { ByteRange } from './object-store.js';

/**
 * The part of `size` bytes that a `Range` header asks for.
 *
 * `undefined` means all of it: without the header, in a unit or form that is not served (several ranges), as RFC 9110
 * lets servers do. `unsatisfiable`: none of the bytes asked for exist.
 */
export function parseRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/i.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined || first + last === '') return undefined;
  if (first === '') return clip(size - Number(last), size - 1, size);
  if (last !== '' && Number(last) < Number(first)) return undefined;
  return clip(Number(first), last === '' ? size - 1 : Number(last), size);
}

function clip(first: number, last: number, size: number): ByteRange | 'unsatisfiable' {
  const start = Math.max(first, 0);
  const end = Math.min(last, size - 1);
  return start <= end ? { start, end } : 'unsatisfiable';
}
