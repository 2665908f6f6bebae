import type { RecordScanner } from './record-scanner.js';
import { hasTotalAt, isTotalAt, partInsideSigns } from './total-labels.js';

const BLANK = 0x20;
const NUMBER_SIGN = 0x23;
const NINE = 0x39;

/** Indications that a record may not be data. */
export interface RecordSigns {
  /** Whether a table may end at the record: a total, a comment, a note, a drawn line or an empty row. */
  mayEnd: boolean;
  /** Whether a blank follows each delimiter. */
  isSpaced: boolean;
  /** Whether a cell may be the label of a total. */
  mayBeTotal: boolean;
}

/** Inspects the first cells of a record. Works on bytes because it runs for every record. */
export function signsOf(scanner: RecordScanner, width: number): RecordSigns {
  const { bytes } = scanner;
  const signs = { mayEnd: false, mayBeTotal: false, isSpaced: scanner.cells > 1 };
  let filled = 0;
  let hasText = false;
  let hasSignsAlone = false;
  for (let cell = 0; cell < Math.min(scanner.cells, width); cell += 1) {
    const [first, last] = [scanner.start(cell), scanner.end(cell)];
    let at = first;
    while (at < last && bytes[at]! === BLANK) at += 1;
    signs.isSpaced &&= cell === 0 || bytes[first] === BLANK;
    if (at === last) continue;
    signs.mayEnd ||= filled === 0 && bytes[at] === NUMBER_SIGN;
    filled += 1;
    const { start, end } = partInsideSigns(bytes, at, last);
    hasSignsAlone ||= start === end && filled === 1;
    if (start === end || bytes[start]! <= NINE) continue;
    signs.mayBeTotal ||= hasTotalAt(bytes, start, end);
    signs.mayEnd ||= !hasText && isTotalAt(bytes, start, end);
    hasText = true;
  }
  // A row with a single filled cell may be a note.
  signs.mayEnd ||= filled < 2 || hasSignsAlone;
  return signs;
}
