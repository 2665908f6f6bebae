import { MAX_COLUMNS } from '../limits.js';
import type { DialectOptions, TableFormat } from '../tasks.js';
import { type GridCell, type GridRow, isComment, isFilled, isText, textOf } from './grid.js';
import { numberForms } from './number-forms.js';
import { RecordScanner } from './record-scanner.js';
import { usualCount } from './table-start.js';
import { SAMPLE_BYTES } from './text-file.js';

/** First rows of a text file, with the delimiter and the quote as single bytes. */
export interface Cells {
  delimiter: string;
  /** Empty if the file has no quotes. */
  quote: string;
  /** Number of lines before the table, such as 1 for Excel's `sep=;` line. */
  skipped: number;
  /** First rows of the file. Blank lines are left out. */
  rows: SizedRow[];
  /** Number of cells in most rows, without the empty cell after a trailing delimiter. */
  usual: number;
  /** Whether all rows but the header end with a delimiter. */
  hasTrailing: boolean;
  isUncertain: boolean;
}

export interface SizedRow extends GridRow {
  /** Number of cells, including empty cells. */
  size: number;
}

const LF = 0x0a;
/**
 * Delimiters in order of preference if several fit. Commas come last because they are frequent in prose and decimals.
 */
const DELIMITERS = ['\t', ';', '|', ','];
const DEFAULT_DELIMITERS = [',', ';', '\t', '|'];
/** Characters that are rare as delimiters but common in prose. */
const RARE_DELIMITERS = ['^', ':', ' ', '~', '#', '/', '&', '*', '=', '@', '!', '\\'];
const SAMPLE_ROWS = 1_000;
/**
 * Minimum share of rows with the same number of cells for a delimiter to be chosen before the following delimiters are
 * considered.
 */
const STEADY = 0.98;
/** Minimum share of rows for a delimiter that does not occur in the first row. */
const STEADY_BELOW_TITLE = 0.6;

/** First bytes of a text file. */
interface Sample {
  bytes: Buffer;
  isWhole: boolean;
  /** Number of lines that precede the bytes in the file. */
  skipped: number;
}

/** Detects the delimiter and the quote from the first bytes of a UTF-8 text. */
export function cellsOf(start: Buffer, format: TableFormat, options: DialectOptions = {}): Cells {
  const declaration = /^sep=(.)\r?\n/i.exec(start.subarray(0, 8).toString('latin1'));
  const skipped = declaration === null ? 0 : 1;
  const sample = { bytes: start.subarray(declaration?.[0].length ?? 0), isWhole: start.length < SAMPLE_BYTES, skipped };
  const quote = options.quote ?? (declaration === null ? quoteOf(sample.bytes) : '"');
  const delimiter = options.delimiter ?? declaration?.[1];
  if (delimiter !== undefined) return { ...trySplit(sample, delimiter, quote), skipped, isUncertain: false };
  const tried = DELIMITERS.map((delimiterCandidate) => trySplit(sample, delimiterCandidate, quote));
  const tab = tried[0]!;
  if (format === 'tsv' && tab.usual > 1) return { ...tab, skipped, isUncertain: false };
  const isSteady = ({ share, usual }: Split): boolean => share >= STEADY && usual > 1;
  const below = tried.filter(splitsBelowTitle).toSorted((a, b) => a.from - b.from);
  const steady = [...tried.filter((split) => isSteady(split) && split.from === 0), ...below.filter(isSteady)];
  const unsteady = [...below, ...tried.filter(({ first }) => first > 1)];
  const best = steady[0] ?? unsteady.toSorted((a, b) => b.share * b.usual - a.share * a.usual)[0];
  if (best !== undefined) {
    const rivals = (steady.length > 0 ? steady : unsteady).filter(({ from }) => from === best.from);
    return { ...best, skipped, isUncertain: new Set(rivals).size > 1 || mayBeOneColumn(best) };
  }
  // Splitting at a delimiter that does not occur in the sample leaves the values of a single column intact.
  const absent = DEFAULT_DELIMITERS.find((one) => !sample.bytes.includes(one)) ?? (format === 'tsv' ? '\t' : ',');
  const isUncertain =
    tried.some(({ usual }) => usual > 1) || RARE_DELIMITERS.some((one) => splitsAll(trySplit(sample, one, quote)));
  const singleColumn = trySplit(sample, absent, quote);
  return { ...singleColumn, skipped, isUncertain: isUncertain || areAligned(singleColumn.rows) };
}

/**
 * Returns true if a delimiter splits all rows into the same number of cells. If there are only two columns, some cells must
 * also contain numbers or other values that are not text.
 */
function splitsAll({ rows, usual, from, share }: Split): boolean {
  if (rows.length < 2 || usual < 2 || from > 0 || share < 1) return false;
  return usual > 2 || rows.slice(1).some(({ cells }) => cells.some((cell) => isFilled(cell) && !isText(cell)));
}

/** Number of characters per line that are searched for aligned columns. */
const ALIGNED_CHARACTERS = 1_000;

/**
 * Returns true if the columns seem to be aligned with blanks. All lines must have a blank at the same position between words,
 * and at least one line must have several blanks there.
 */
function areAligned(rows: readonly SizedRow[]): boolean {
  const lines = rows.map(({ cells: [cell] }) => (typeof cell === 'string' ? cell : '').slice(0, ALIGNED_CHARACTERS));
  const places = lines.map((line) => ({
    line,
    start: line.length - line.trimStart().length,
    end: line.trimEnd().length,
  }));
  const wide = places.find(({ line, start, end }) => line.slice(start, end).includes('  '))?.line ?? '';
  const isGap = (at: number): boolean =>
    places.every(({ line, start, end }) => line[at] === ' ' && at > start && at < end);
  return lines.length > 1 && [...wide.matchAll(/ (?= )|(?<= ) /g)].some(({ index }) => isGap(index));
}

interface Split extends Pick<Cells, 'delimiter' | 'quote' | 'rows' | 'usual' | 'hasTrailing'> {
  /** Number of cells in the first row. */
  first: number;
  /** Index of the first row with the usual number of cells. */
  from: number;
  /** Share of rows with the usual number of cells, counted from the first of these rows. */
  share: number;
}

/** Splits the first rows at a delimiter. */
function trySplit(sample: Sample, delimiter: string, quote: string): Split {
  const rows = readRows(sample, delimiter, quote);
  const counted = rows.filter((row) => !isComment(row));
  let usual = usualCount(counted.map(({ size }) => size));
  const start = counted.findIndex(({ size }) => size === usual);
  const hasTrailing =
    usual > 1 &&
    counted[start - 1]?.size === usual - 1 &&
    counted.every(({ size, cells }) => size !== usual || cells[usual - 1] === undefined);
  if (hasTrailing) usual -= 1;
  const isUsual = ({ size }: SizedRow): boolean => size === usual || (hasTrailing && size === usual + 1);
  const from = Math.max(0, counted.findIndex(isUsual));
  const share = counted.filter(isUsual).length / Math.max(1, counted.length - from);
  return { delimiter, quote, rows, usual, hasTrailing, first: counted[0]?.size ?? 0, from, share };
}

function readRows({ bytes, isWhole, skipped }: Sample, delimiter: string, quote: string): SizedRow[] {
  const scanner = new RecordScanner(delimiter.charCodeAt(0), quote === '' ? 0 : quote.charCodeAt(0));
  const rows: SizedRow[] = [];
  let number = skipped;
  let comments = 0;
  for (let at = 0; at < bytes.length && rows.length - comments < SAMPLE_ROWS;) {
    number += 1;
    if (bytes[at] === LF) {
      at += 1;
      continue;
    }
    try {
      at = scanner.read(bytes, at, bytes.length, isWhole);
    } catch {
      break;
    }
    if (at < 0) break;
    if (scanner.isBlankLine()) continue;
    const cells = Array.from({ length: Math.min(scanner.cells, MAX_COLUMNS) }, (_, cell) =>
      scanner.isEmpty(cell) ? undefined : scanner.content(cell).toString(),
    );
    const row = { number, cells, size: scanner.cells };
    rows.push(row);
    if (isComment(row)) comments += 1;
  }
  return rows;
}

/**
 * Returns true if a delimiter that does not occur in the first row splits the rows below it. Returns false for prose (a blank
 * follows each comma) and for decimals below a single column name.
 */
function splitsBelowTitle({ delimiter, rows, usual, share, from }: Split): boolean {
  if (usual < 2 || from === 0 || share < STEADY_BELOW_TITLE) return false;
  const split = rows.filter(({ size }) => size === usual);
  const isProse = split.every(({ cells }) => cells.slice(1).every((cell) => isText(cell) && textStartsBlank(cell)));
  const isDecimal = split.every(({ cells }) => {
    const line = Buffer.from(cells.map(textOf).join(delimiter));
    return numberForms(line, 0, line.length) !== 0;
  });
  return !isProse && !isDecimal;
}

/** Returns true if the two columns directly below a title may really be one column whose values contain the delimiter. */
function mayBeOneColumn({ rows, from, usual }: Split): boolean {
  const [title, first] = [rows[from - 1], rows[from]];
  return usual === 2 && title !== undefined && title.size === 1 && title.number + 1 === first?.number;
}

const textStartsBlank = (cell: GridCell): boolean => typeof cell === 'string' && cell.startsWith(' ');

/** Returns the apostrophe if cells are enclosed in apostrophes and no cell is enclosed in quotation marks. */
function quoteOf(sample: Buffer): string {
  const text = sample.toString('latin1');
  if (/(?:^|[\r\n,;\t|])"/.test(text)) return '"';
  const opening = text.match(/(?:^|[\r\n,;\t|])'/g)?.length ?? 0;
  const closing = text.match(/'(?=[\r\n,;\t|]|$)/g)?.length ?? 0;
  return opening > 1 && opening === closing ? "'" : '"';
}
