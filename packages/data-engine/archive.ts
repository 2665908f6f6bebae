import { open as openFile } from 'node:fs/promises';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { TaskProblem } from './tasks.js';

const MiB = 1024 ** 2;

/** What an archive may be at most; beyond it, it is `unreadable`. */
export interface ArchiveLimits {
  /** Entries that it lists. */
  entries: number;
  /** Bytes that are unpacked of it, over all reads. */
  unpackedBytes: number;
}

const DEFAULTS: ArchiveLimits = { entries: 10_000, unpackedBytes: 2_048 * MiB };

/** Most bytes of names, comments and extra fields, which are kept while the archive is open. */
const MAX_LISTING_BYTES = 8 * MiB;
/** How many times larger than packed an entry may be: deflate reaches 1,032, real worksheets and documents far less. */
const MAX_RATIO = 250;
/** Entries up to so many bytes unpacked may have any ratio. */
const ANY_RATIO_BYTES = 8 * MiB;

/** How office files with a password begin, and those from before 2007. */
const COMPOUND_FILE = Buffer.from('d0cf11e0a1b11ae1', 'hex');

/**
 * A ZIP archive (XLSX, DOCX) in a local file, read entry by entry and never as a whole: only its list of entries is kept in memory.
 *
 *     const archive = await openArchive(path, { entries: 1_000 });
 *     try {
 *       if (archive.has('xl/workbook.xml')) for await (const chunk of archive.read('xl/workbook.xml', signal)) ...
 *     } finally {
 *       archive.close();
 *     }
 *
 * Names are only looked up; nothing is ever written where they say. Names that differ in case alone are equal, and `\\` equals `/`.
 * Of entries with the same name, the last one counts.
 */
export class Archive {
  private unpacked = 0;

  constructor(
    private readonly zip: ZipFile,
    private readonly entries: ReadonlyMap<string, Entry>,
    private readonly limits: ArchiveLimits,
  ) {}

  has(name: string): boolean {
    return this.entries.has(keyOf(name));
  }

  /**
   * The unpacked bytes of an entry, piece by piece (at most 64 KiB each); the reader may stop at any piece.
   *
   * @throws TaskProblem `unreadable`: no such entry, broken, encrypted, or larger than the limits, which its header is asked for
   *   before anything is unpacked
   * @throws the signal's reason
   */
  async *read(name: string, signal?: AbortSignal): AsyncGenerator<Buffer, void, undefined> {
    const entry = this.entries.get(keyOf(name));
    if (entry === undefined) throw unreadable(`The file lacks its part ${name}`);
    if (entry.isEncrypted()) throw unreadable('The file is encrypted');
    const { uncompressedSize: size, compressedSize } = entry;
    const packedTooWell = size > ANY_RATIO_BYTES && size > MAX_RATIO * compressedSize;
    if (packedTooWell || this.unpacked + size > this.limits.unpackedBytes) throw tooLarge(name);
    try {
      const content = await this.zip.openReadStreamPromise(entry);
      for await (const chunk of content as AsyncIterable<Buffer>) {
        signal?.throwIfAborted();
        this.unpacked += chunk.length;
        yield chunk;
      }
    } catch (error) {
      signal?.throwIfAborted();
      throw error instanceof TaskProblem ? error : unreadable(`The part ${name} of the file is broken`);
    }
  }

  close(): void {
    this.zip.close();
  }
}

/**
 * Reads the list of entries; nothing is unpacked. The caller closes the archive.
 *
 * @throws TaskProblem `unreadable`: no archive, encrypted, broken or beyond the limits
 */
export async function openArchive(path: string, given: Partial<ArchiveLimits> = {}): Promise<Archive> {
  const limits = { ...DEFAULTS, ...given };
  if (await isCompoundFile(path)) throw unreadable('The file is encrypted, or of a version of Office before 2007');
  const zip = await openPromise(path, { lazyEntries: true, autoClose: false }).catch(() => {
    throw unreadable('The file is not what its name says, or it is broken');
  });
  // What goes wrong later is told by the read that it concerns.
  zip.on('error', () => undefined);
  try {
    if (zip.entryCount > limits.entries) throw unreadable(`The file has more than ${limits.entries} parts`);
    return new Archive(zip, await listEntries(zip), limits);
  } catch (error) {
    zip.close();
    throw error instanceof TaskProblem ? error : unreadable('The list of parts in the file is broken');
  }
}

async function listEntries(zip: ZipFile): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>();
  let bytes = 0;
  for await (const entry of zip.eachEntry()) {
    bytes += entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength;
    if (bytes > MAX_LISTING_BYTES) throw unreadable('The list of parts in the file is too long');
    entries.set(keyOf(entry.fileName), entry);
  }
  return entries;
}

async function isCompoundFile(path: string): Promise<boolean> {
  const file = await openFile(path);
  try {
    const { buffer } = await file.read(Buffer.alloc(COMPOUND_FILE.length), 0, COMPOUND_FILE.length, 0);
    return buffer.equals(COMPOUND_FILE);
  } finally {
    await file.close();
  }
}

/** Key of a part name. Equal names have the same key. */
const keyOf = (name: string): string => name.replaceAll('\\', '/').toLowerCase();

const unreadable = (sentence: string): TaskProblem => new TaskProblem('unreadable', sentence);
const tooLarge = (name: string): TaskProblem => unreadable(`The part ${name} of the file is too large when unpacked`);
