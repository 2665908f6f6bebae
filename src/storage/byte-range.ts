import type { ByteRange } from './object-store.js';

/**
 * Returns the part of `size` bytes that a `Range` header requests.
 *
 * Returns undefined for the whole content: without a header, or for unsupported units and multiple ranges, which RFC 9110
 * allows servers to ignore. Returns `unsatisfiable` if none of the requested bytes exist.
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
