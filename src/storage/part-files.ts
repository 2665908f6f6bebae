import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ByteRange, PartName, StoredPart } from './object-store.js';
import { undefinedIfMissing } from './file-errors.js';

/** File in a folder of parts. */
export interface PartFile extends StoredPart {
  file: string;
}

/** Thrown if more bytes arrive than a part may have. */
export class PartTooLarge extends Error {}

let latest = 0;

/**
 * Returns the time in microseconds. Each value is later than the previous value, because two versions of a part may exist at the
 * same time.
 */
function moment(): number {
  latest = Math.max(latest + 1, Math.floor((performance.timeOrigin + performance.now()) * 1000));
  return latest;
}

const padded = (partNumber: number): string => String(partNumber).padStart(5, '0');

/** Returns a name for a new part: its number, the time and the etag. Names sort by number and age. */
export const partFileName = (partNumber: number, etag: string): string =>
  `${padded(partNumber)}.${String(moment()).padStart(16, '0')}.${etag}`;

/**
 * Returns the files in a folder of parts, or the files of a single part, ordered by number and age. Returns undefined if the
 * folder does not exist.
 */
export async function partsIn(folder: string, partNumber?: number): Promise<PartFile[] | undefined> {
  const prefix = partNumber === undefined ? '' : `${padded(partNumber)}.`;
  const names = await readdir(folder).catch(undefinedIfMissing);
  if (names === undefined) return undefined;
  const parts: PartFile[] = [];
  for (const name of names.filter((one) => one.startsWith(prefix)).sort()) {
    const [number, , etag] = name.split('.');
    const stats = await stat(join(folder, name)).catch(undefinedIfMissing);
    if (etag === undefined || stats === undefined) continue;
    parts.push({ part_number: Number(number), etag, size: stats.size, file: join(folder, name) });
  }
  return parts;
}

/** Returns the latest file of each part. */
export function newest(parts: readonly PartFile[]): PartFile[] {
  return [...new Map(parts.map((part) => [part.part_number, part])).values()];
}

/**
 * Deletes files that a newer file of the same part has replaced. The latest file stays, even if several processes do this at the
 * same time.
 */
export async function dropReplaced(folder: string, partNumber: number): Promise<void> {
  const versions = (await partsIn(folder, partNumber)) ?? [];
  for (const { file } of versions.slice(0, -1)) await rm(file, { force: true });
}

/** Returns the paths of the requested parts, or undefined if a part with that etag does not exist. */
export function choose(parts: readonly PartFile[], requested: readonly PartName[]): ReadonlySet<string> | undefined {
  const byNumber = new Map(parts.map((part) => [part.part_number, part]));
  const chosen = new Set<string>();
  for (const { part_number, etag } of requested) {
    const part = byNumber.get(part_number);
    if (part?.etag !== etag) return undefined;
    chosen.add(part.file);
  }
  return chosen;
}

/** Yields the bytes of a range of the concatenated parts. */
export async function* readParts(parts: readonly PartFile[], { start, end }: ByteRange): AsyncGenerator<Buffer> {
  let offset = 0;
  for (const { file, size } of parts) {
    const from = Math.max(start - offset, 0);
    const to = Math.min(end - offset, size - 1);
    if (from <= to) yield* createReadStream(file, { start: from, end: to }) as AsyncIterable<Buffer>;
    offset += size;
  }
}

/**
 * Writes and flushes a new file of at most `maxBytes`. The etag is the MD5 of its content. `progress` is called for each chunk
 * and can throw to stop writing.
 *
 * @throws PartTooLarge
 */
export async function writePart(
  file: string,
  body: Buffer | AsyncIterable<Buffer>,
  maxBytes: number,
  progress: (bytes: number) => Promise<void>,
): Promise<{ size: number; etag: string }> {
  const hash = createHash('md5');
  let size = 0;
  const handle = await open(file, 'wx');
  try {
    for await (const chunk of Buffer.isBuffer(body) ? [body] : body) {
      size += chunk.length;
      if (size > maxBytes) throw new PartTooLarge();
      hash.update(chunk);
      await handle.writeFile(chunk);
      await progress(chunk.length);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  return { size, etag: hash.digest('hex') };
}

/** Flushes the names in a folder to disk. */
export async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
