import { BadRequest, TooLarge } from '../../common/errors/errors.js';
import { MAX_PARTS, MIN_PART_SIZE, type PartName, type StoredPart } from '../../storage/object-store.js';

/** Number of URLs returned initially for an upload of unknown size. */
const PARTS_OF_UNKNOWN_SIZE = 10;
/** Maximum number of URLs in a response. */
const MAX_PARTS_AT_ONCE = 1000;
const MiB = 1024 ** 2;

/** Division of a file into parts, with the number of initial URLs. All parts except the last have `part_size` bytes. */
export interface PartPlan {
  part_size: number;
  parts: number;
}

/**
 * Plans parts of 5 MiB for `size` bytes, or larger parts so that 1,000 are enough. Without a size, it plans for `maxBytes` and
 * returns URLs for the first few parts only.
 */
export function planParts(size: number | null, maxBytes: number): PartPlan {
  if (size === null) return { part_size: partSize(maxBytes, MAX_PARTS), parts: PARTS_OF_UNKNOWN_SIZE };
  const part_size = partSize(size, MAX_PARTS_AT_ONCE);
  return { part_size, parts: Math.max(Math.ceil(size / part_size), 1) };
}

/**
 * Returns the maximum size of a part in bytes. Without a declared size, clients may split the file differently and send larger
 * parts than planned.
 */
export function partLimit({ size, part_size }: { size: number | null; part_size: number }): number {
  return size === null ? 2 * part_size : Math.min(size, part_size);
}

function partSize(bytes: number, parts: number): number {
  return Math.max(MIN_PART_SIZE, Math.ceil(bytes / parts / MiB) * MiB);
}

/** Parts of a file in order, with their total size in bytes. */
export interface ChosenParts {
  parts: StoredPart[];
  size: number;
}

/**
 * Returns the parts that make up the file: the named parts, or all parts if none are named.
 *
 * @throws BadRequest if a named part was not received with this etag, a part other than the last is too small, or the size
 * differs from the declared size
 * @throws TooLarge if the size exceeds `maxBytes`
 */
export function chooseParts(
  received: readonly StoredPart[],
  requested: readonly PartName[],
  { size: declared, maxBytes }: { size: number | null; maxBytes: number },
): ChosenParts {
  const byPart = new Map(received.map((part) => [part.part_number, part]));
  const parts =
    requested.length === 0 ? [...received] : sortedByNumber(requested).map((part) => receivedAs(part, byPart));
  const small = parts.slice(0, -1).find(({ size }) => size < MIN_PART_SIZE);
  if (small !== undefined) {
    throw new BadRequest(
      'part_too_small',
      `Part ${small.part_number} is too small: every part except the last must have at least ${MIN_PART_SIZE} bytes; send it again`,
    );
  }
  const size = parts.reduce((sum, part) => sum + part.size, 0);
  if (declared !== null && size !== declared) {
    throw new BadRequest(
      'size_mismatch',
      `The parts have ${size} bytes in total, but ${declared} were declared; send the missing bytes or abort the upload`,
    );
  }
  if (size > maxBytes) throw new TooLarge('file_too_large', `A file must not exceed ${maxBytes} bytes`);
  return { parts, size };
}

function sortedByNumber(requested: readonly PartName[]): PartName[] {
  const parts = [...requested].sort((a, b) => a.part_number - b.part_number);
  const twice = parts.find(({ part_number }, index) => part_number === parts[index + 1]?.part_number);
  if (twice !== undefined)
    throw new BadRequest('part_repeated', `Part ${twice.part_number} is listed twice; list each part once`);
  return parts;
}

function receivedAs({ part_number, etag }: PartName, received: ReadonlyMap<number, StoredPart>): StoredPart {
  const part = received.get(part_number);
  if (part === undefined)
    throw new BadRequest('part_missing', `Part ${part_number} was not received; send it to its URL first`);
  if (part.etag !== unquoted(etag)) {
    throw new BadRequest(
      'etag_mismatch',
      `The etag of part ${part_number} does not match the stored part; send the part again`,
    );
  }
  return part;
}

const unquoted = (etag: string): string => etag.replace(/^"(.*)"$/, '$1');
