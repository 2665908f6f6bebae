import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ByteRange, PartName, StoredPart } from './object-store.js';
import { undefinedIfMissing } from './file-errors.js';

/** A file of a folder of parts. */
export interface PartFile extends StoredPart {
  file: string;
}

/** More bytes came than a part may have. */
export class PartTooLarge extends Error {}

let latest = 0;

/** Microseconds; each later than the one before, as two versions of a part may be there at once. */
function moment(): number {
  latest = Math.max(latest + 1, Math.floor((performance.timeOrigin + performance.now()) * 1000));
  return latest;
}

const padded = (partNumber: number): string => String(partNumber).padStart(5, '0');

/** A name for a part received now: its number, the moment and the etag, so that names are in order of number and age. */
export const partFileName = (partNumber: number, etag: string): string =>
  `${padded(partNumber)}.${String(moment()).padStart(16, '0')}.${etag}`;

/** The files of a folder of parts, or those of one part, by number, then age; undefined when there is no such folder. */
export async function partsIn(folder: string, partNumber?: number): Promise<PartFile[] | undefined> {
  const prefix = partNumber === undefined ? '' : `${padded(partNumber)}.`;
  const names = await readdir(folder).catch(undefinedIfMissing);
  if (names === undefined) return undefined;
  const parts: PartFile[] = [];
  for (const name of names.filter((one) => one.startsWith(prefix)).sort()) {
    const [number, , etag] = name.split('.');
    const found = await stat(join(folder, name)).catch(undefinedIfMissing);
    if (etag === undefined || found === undefined) continue;
    parts.push({ part_number: Number(number), etag, size: found.size, file: join(folder, name) });
  }
  return parts;
}

/** Of every part the file received last. */
export function newest(parts: readonly PartFile[]): PartFile[] {
  return [...new Map(parts.map((part) => [part.part_number, part])).values()];
}

/** Deletes what a newer file of the same part has replaced; the newest of all stays, whoever else does the same now. */
export async function dropReplaced(folder: string, partNumber: number): Promise<void> {
  const versions = (await partsIn(folder, partNumber)) ?? [];
  for (const { file } of versions.slice(0, -1)) await rm(file, { force: true });
}

/** Paths of the wanted parts; undefined when one of them is not there with that etag. */
export function choose(parts: readonly PartFile[], wanted: readonly PartName[]): ReadonlySet<string> | undefined {
  const byNumber = new Map(parts.map((part) => [part.part_number, part]));
  const chosen = new Set<string>();
  for (const { part_number, etag } of wanted) {
    const part = byNumber.get(part_number);
    if (part?.etag !== etag) return undefined;
    chosen.add(part.file);
  }
  return chosen;
}

/** The bytes of a range of the concatenated parts. */
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
 * Writes a new file of at most `maxBytes` and flushes it; the etag is the MD5 of its content. `progress` hears of each piece that
 * was written, and ends the writing by throwing.
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
