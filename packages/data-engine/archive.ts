import { open as openFile } from 'node:fs/promises';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { TaskProblem } from './tasks.js';

const MiB = 1024 ** 2;

/** Size limits for an archive. An archive that exceeds them is `unreadable`. */
export interface ArchiveLimits {
  /** Maximum number of entries. */
  entries: number;
  /** Maximum number of unpacked bytes in all entries read from the archive. */
  unpackedBytes: number;
}

const DEFAULTS: ArchiveLimits = { entries: 10_000, unpackedBytes: 2_048 * MiB };

/** Maximum total size of entry names, comments and extra fields. All of them stay in memory while the archive is open. */
const MAX_LISTING_BYTES = 8 * MiB;
/** Maximum ratio of unpacked to packed size. Deflate can reach 1,032, but real worksheets and documents stay far below 250. */
const MAX_RATIO = 250;
/** Unpacked size above which the ratio is checked. */
const ANY_RATIO_BYTES = 8 * MiB;

/** First bytes of password-protected office files and of office files from before 2007. */
const COMPOUND_FILE = Buffer.from('d0cf11e0a1b11ae1', 'hex');

/**
 * ZIP archive (XLSX, DOCX) in a local file. Only the list of entries is kept in memory. Entries are read one at a time.
 *
 *     const archive = await openArchive(path, { entries: 1_000 });
 *     try {
 *       if (archive.has('xl/workbook.xml')) for await (const chunk of archive.read('xl/workbook.xml', signal)) ...
 *     } finally {
 *       archive.close();
 *     }
 *
 * Entry names are only used for lookups, never as paths on disk. They are compared case-insensitively, and `\\` equals `/`. If
 * several entries have the same name, the last entry wins.
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
   * Yields the unpacked bytes of an entry in chunks of at most 64 KiB. The reader may stop after any chunk.
   *
   * @throws TaskProblem `unreadable` if the entry is missing, broken, encrypted or too large. The size in the entry header is
   *   checked before unpacking
   * @throws the signal's reason
   */
  async *read(name: string, signal?: AbortSignal): AsyncGenerator<Buffer, void, undefined> {
    const entry = this.entries.get(keyOf(name));
    if (entry === undefined) throw unreadable(`The part ${name} of the file is missing`);
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
 * Reads the list of entries without unpacking anything. The caller must close the archive.
 *
 * @throws TaskProblem `unreadable` if the file is not an archive, is encrypted or broken, or exceeds the limits
 */
export async function openArchive(path: string, overrides: Partial<ArchiveLimits> = {}): Promise<Archive> {
  const limits = { ...DEFAULTS, ...overrides };
  if (await isCompoundFile(path))
    throw unreadable('The file is encrypted, or comes from a version of Office before 2007');
  const zip = await openPromise(path, { lazyEntries: true, autoClose: false }).catch(() => {
    throw unreadable('The content of the file does not match its name, or the file is broken');
  });
  // Errors after opening are ignored here, because the failing read also reports them.
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

/** Returns the lookup key of a part name. Equivalent names have the same key. */
const keyOf = (name: string): string => name.replaceAll('\\', '/').toLowerCase();

const unreadable = (sentence: string): TaskProblem => new TaskProblem('unreadable', sentence);
const tooLarge = (name: string): TaskProblem => unreadable(`The part ${name} of the file is too large when unpacked`);
