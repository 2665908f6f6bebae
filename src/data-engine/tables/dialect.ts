import type { TableFormat } from '../tasks.js';
import { SAMPLE_BYTES } from './text-file.js';
import { RecordScanner } from './record-scanner.js';

/** How the cells of a text are told apart; bytes. */
export interface Cells {
  delimiter: string;
  /** Empty: none. */
  quote: string;
  /** Rows before the table: 1 for Excel's `sep=;`. */
  skipped: number;
}

/** In the order in which they are taken when several fit: commas and bars stand in texts and decimals more often than the others. */
const DELIMITERS = ['\t', ';', '|', ','];
const DEFAULT_DELIMITERS = [',', ';', '\t', '|'];
const SAMPLE_ROWS = 1_000;
/** Share of rows with the same number of cells that a delimiter needs to be taken before later ones. */
const STEADY = 0.98;

/** Tells delimiter and quote by the first bytes of a text, in UTF-8. */
export function cellsOf(sample: Buffer, format: TableFormat): Cells {
  const named = /^sep=(.)\r?\n/i.exec(sample.subarray(0, 8).toString('latin1'));
  if (named !== null) return { delimiter: named[1]!, quote: '"', skipped: 1 };
  const quote = quoteOf(sample);
  const tried = DELIMITERS.map((delimiter) => ({ delimiter, ...tryDelimiter(sample, delimiter, quote) }));
  const tab = tried[0]!;
  if (format === 'tsv' && tab.first > 1) return { delimiter: '\t', quote, skipped: 0 };
  const splitting = tried.filter(({ first, usual }) => first > 1 || usual > 1);
  const best =
    splitting.find(({ share, usual, first }) => share >= STEADY && usual > 1 && first === usual) ??
    splitting.toSorted((a, b) => b.share * b.usual - a.share * a.usual).find(({ first }) => first > 1);
  if (best !== undefined) return { delimiter: best.delimiter, quote, skipped: 0 };
  // One column: its texts stay whole when the delimiter does not occur.
  const absent = DEFAULT_DELIMITERS.find((delimiter) => !sample.includes(delimiter));
  return { delimiter: absent ?? (format === 'tsv' ? '\t' : ','), quote, skipped: 0 };
}

/** Cells of the first row, the most frequent number of cells, and the share of rows that have it. */
function tryDelimiter(sample: Buffer, delimiter: string, quote: string) {
  const scanner = new RecordScanner(delimiter.charCodeAt(0), quote.charCodeAt(0));
  const counts = new Map<number, number>();
  let first = 0;
  let rows = 0;
  for (let at = 0; at < sample.length && rows < SAMPLE_ROWS;) {
    try {
      at = scanner.read(sample, at, sample.length, sample.length < SAMPLE_BYTES);
    } catch {
      break;
    }
    if (at < 0) break;
    if (scanner.isBlankLine()) continue;
    if (rows === 0) first = scanner.cells;
    rows += 1;
    // One empty cell at the end is often a delimiter too many.
    const isTrailing = scanner.cells > 1 && scanner.cells === first + 1 && scanner.isEmpty(scanner.cells - 1);
    const cells = isTrailing ? first : scanner.cells;
    counts.set(cells, (counts.get(cells) ?? 0) + 1);
  }
  const [usual, times] = [...counts].toSorted((a, b) => b[1] - a[1])[0] ?? [0, 0];
  return { first, usual, share: rows === 0 ? 0 : times / rows };
}

/** The apostrophe where cells start and end with it and none does with the quotation mark. */
function quoteOf(sample: Buffer): string {
  const text = sample.toString('latin1');
  if (/(?:^|[\r\n,;\t|])"/.test(text)) return '"';
  const opening = text.match(/(?:^|[\r\n,;\t|])'/g)?.length ?? 0;
  const closing = text.match(/'(?=[\r\n,;\t|]|$)/g)?.length ?? 0;
  return opening > 1 && opening === closing ? "'" : '"';
}
