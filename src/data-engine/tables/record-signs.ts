import type { RecordScanner } from './record-scanner.js';
import { hasTotalAt, isTotalAt } from './total-labels.js';

const BLANK = 0x20;
const NUMBER_SIGN = 0x23;
const NINE = 0x39;

/** Signs that a record may not be data. */
export interface RecordSigns {
  /** Whether it may be a total, a comment or an empty row, at which a table may end. */
  mayEnd: boolean;
  /** Whether one of its cells names a total. */
  mayBeTotal: boolean;
}

/** Looks for signs in the bytes of the first cells of a record, because this runs for each record. */
export function signsOf(scanner: RecordScanner, width: number): RecordSigns {
  const { bytes } = scanner;
  const signs = { mayEnd: false, mayBeTotal: false };
  let isEmpty = true;
  let hasText = false;
  for (let cell = 0; cell < Math.min(scanner.cells, width); cell += 1) {
    let start = scanner.start(cell);
    let end = scanner.end(cell);
    while (start < end && bytes[start]! === BLANK) start += 1;
    while (start < end && bytes[end - 1]! === BLANK) end -= 1;
    if (start === end) continue;
    const byte = bytes[start]!;
    signs.mayEnd ||= isEmpty && byte === NUMBER_SIGN;
    isEmpty = false;
    if (byte <= NINE) continue;
    signs.mayBeTotal ||= hasTotalAt(bytes, start, end);
    signs.mayEnd ||= !hasText && isTotalAt(bytes, start, end);
    hasText = true;
  }
  signs.mayEnd ||= isEmpty;
  return signs;
}
