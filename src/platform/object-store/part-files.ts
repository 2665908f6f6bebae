import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { ByteRange, PartName, StoredPart } from './object-store.js';

/** A file of a folder of parts. */
export interface PartFile extends StoredPart {
  file: string;
  /** When its last byte was written, in nanoseconds. */
  written: bigint;
}

/** More bytes came than a part may have. */
export class PartTooLarge extends Error {}

export const partFileName = (partNumber: number, etag: string): string =>
  `${String(partNumber).padStart(5, '0')}.${etag}`;

/** The files of a folder of parts by number, then age; undefined when there is no such folder. */
export async function partsIn(folder: string): Promise<PartFile[] | undefined> {
  const names = await readdir(folder).catch(undefinedIfMissing);
  if (names === undefined) return undefined;
  const parts: PartFile[] = [];
  for (const name of names) {
    const [number, etag] = name.split('.');
    const found = await stat(join(folder, name), { bigint: true }).catch(undefinedIfMissing);
    if (etag === undefined || found === undefined) continue;
    parts.push({
      part_number: Number(number),
      etag,
      size: Number(found.size),
      file: join(folder, name),
      written: found.mtimeNs,
    });
  }
  return parts.sort(
    (a, b) => a.part_number - b.part_number || compare(a.written, b.written) || compare(a.etag, b.etag),
  );
}

/** Of every part the file written last. */
export function newest(parts: readonly PartFile[]): PartFile[] {
  return [...new Map(parts.map((part) => [part.part_number, part])).values()];
}

/** Deletes what a newer file of the same part has replaced; the newest of all stays, whoever else does the same now. */
export async function dropReplaced(folder: string, partNumber: number): Promise<void> {
  const versions = ((await partsIn(folder)) ?? []).filter(({ part_number }) => part_number === partNumber);
  for (const { file } of versions.slice(0, -1)) await rm(file, { force: true });
}

/** Paths of the wanted parts; undefined when one of them is not there with that etag. */
export function choose(parts: readonly PartFile[], wanted: readonly PartName[]): ReadonlySet<string> | undefined {
  const files = new Map(parts.map(({ part_number, etag, file }) => [partFileName(part_number, etag), file]));
  const chosen = new Set<string>();
  for (const { part_number, etag } of wanted) {
    const file = files.get(partFileName(part_number, etag));
    if (file === undefined) return undefined;
    chosen.add(file);
  }
  return chosen;
}

/** The bytes of a range of parts laid end to end. */
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
 * Writes a new file of at most `maxBytes` and flushes it; the etag is the MD5 of its content.
 *
 * @throws PartTooLarge and leaves the rest of a stream to be read, so that its sender can still be answered
 */
export async function writePart(
  file: string,
  body: Buffer | Readable,
  maxBytes: number,
): Promise<{ size: number; etag: string }> {
  const hash = createHash('md5');
  let size = 0;
  const handle = await open(file, 'wx');
  try {
    for await (const chunk of chunksOf(body)) {
      size += chunk.length;
      if (size > maxBytes) throw new PartTooLarge();
      hash.update(chunk);
      await handle.writeFile(chunk);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  return { size, etag: hash.digest('hex') };
}

/** Makes the names in a folder durable. */
export async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** For `catch`: a missing file or folder is no error. */
export function undefinedIfMissing(error: unknown): undefined {
  if (!hasCode(error, 'ENOENT')) throw error;
  return undefined;
}

export function hasCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === code;
}

function chunksOf(body: Buffer | Readable): Iterable<Buffer> | AsyncIterable<Buffer> {
  return Buffer.isBuffer(body) ? [body] : (body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>);
}

const compare = <Value extends bigint | string>(a: Value, b: Value): number => (a < b ? -1 : a > b ? 1 : 0);
