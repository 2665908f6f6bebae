import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { LetterStatistics } from './letter-statistics.js';
import { WesternWords } from './western-words.js';

/*
 * Detects the encoding of text that is not UTF-8, by invalid bytes and by the letters in its words. If text fits Windows-1252
 * and other encodings, the most likely encoding is used and the others are reported.
 */

/** Result of {@link surveyEncoding}. */
export interface EncodingSurvey {
  /** Undefined if the encoding cannot be determined reliably. */
  encoding: string | undefined;
  /** Other encodings that fit but give different letters. */
  others: string[];
  /** Whether the text is UTF-8 except for a few invalid bytes. */
  isBrokenUtf8: boolean;
  /** First position with invalid UTF-8: its one-based line number, and the surrounding text. */
  line: number;
  excerpt: string;
}

/** Encoding that is assumed for non-UTF-8 text if it fits. */
const WESTERN = 'windows-1252';
const CHUNK_BYTES = 4 * 1024 ** 2;
/** Maximum line length in bytes. Ordinary text does not have longer lines, so longer lines are ignored. */
const MAX_LINE_BYTES = 1024 ** 2;
const EXCERPT_BYTES = 24;
/** Maximum number of encodings in an error message. */
const MAX_CANDIDATES = 5;

/** Surveys a whole file. */
export async function surveyEncoding(path: string, signal?: AbortSignal): Promise<EncodingSurvey> {
  const survey = new Survey();
  const stream = createReadStream(path, { highWaterMark: CHUNK_BYTES, ...(signal !== undefined && { signal }) });
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const bytes = Buffer.concat([rest, chunk]);
    const end = bytes.lastIndexOf(0x0a) + 1;
    survey.add(bytes.subarray(0, end));
    rest = bytes.subarray(end);
    if (rest.length > MAX_LINE_BYTES) {
      survey.add(rest);
      rest = Buffer.alloc(0);
    }
  }
  survey.add(rest);
  return survey.result();
}

/**
 * Defines an encoding with up to two bytes per character. `characters` matches the common characters, and `proof` matches
 * characters that only this encoding has. An encoding without kana also needs a minimum number of words, because a few words
 * fit many encodings. If the proof may also be a rare character in another encoding, a minimum share of lines must contain it.
 */
const eastAsian = (encoding: string, minWords: number, characters: string, proof: string, minShare = 0) => ({
  encoding,
  minWords,
  minShare,
  line: new RegExp(`^(?:[\\0-\\x7f]|${characters})*$`),
  proof: new RegExp(`^(?:[\\0-\\x7f]|${characters})*?(?:${proof})`),
});

/** Frequent Korean syllables. Chinese and Japanese text may fit EUC-KR but rarely has these bytes. */
const COMMON_SYLLABLES = [
  String.raw`\xb0[\xa1\xed\xf8]|\xb1[\xb8\xe2]|\xb4[\xc2\xd9\xeb]|\xb5[\xb5\xbf]|\xb7\xce|\xb8\xae|\xba[\xb8\xce\xf1]`,
  String.raw`\xbb[\xe7\xf3]|\xbc[\xad\xba\xd2\xf6]|\xbd[\xba\xc3\xc5]|\xbe[\xc6\xee]|\xbf[\xa1\xf8]`,
  String.raw`\xc0[\xbb\xc7\xcc\xce\xcf\xda\xe5\xfc]|\xc1[\xa4\xa6\xb6\xd6\xf6]|\xc7[\xcf\xd8]`,
].join('|');

const EAST_ASIAN = [
  eastAsian(
    'shift_jis',
    1,
    String.raw`[\xa1-\xdf]|\x81[\x40-\xac]|\x82[\x4f-\xf1]|\x83[\x40-\xd6]|[\x88-\x9f\xe0-\xea][\x40-\x7e\x80-\xfc]`,
    String.raw`(?:\x82[\x9f-\xf1]|\x83[\x40-\x96]){2}`,
  ),
  eastAsian(
    'euc-jp',
    1,
    String.raw`\x8e[\xa1-\xdf]|[\xa1-\xa5\xb0-\xf4][\xa1-\xfe]`,
    String.raw`(?:\xa4[\xa1-\xf3]|\xa5[\xa1-\xf6]){2}`,
  ),
  eastAsian(
    'big5',
    4,
    String.raw`[\xa1-\xc6][\x40-\x7e\xa1-\xfe]`,
    String.raw`[\xa4-\xc6][\xa1-\xfe][\xa4-\xc6][\x40-\x7e]|[\xa4-\xc6][\x40-\x7e][\xa4-\xc6]`,
  ),
  // Japanese characters with the same bytes are rare.
  eastAsian('gb18030', 6, String.raw`[\xa1-\xa3\xb0-\xd7][\xa1-\xfe]`, String.raw`[\xd0-\xd7][\xa1-\xfe]`, 0.1),
  eastAsian('euc-kr', 6, String.raw`[\xa1-\xa3\xb0-\xc8][\xa1-\xfe]`, COMMON_SYLLABLES, 0.5),
];

class Survey {
  private readonly western = new WesternWords();
  private readonly letters = new LetterStatistics();
  private candidates = EAST_ASIAN;
  /** Number of lines that contain the proof of each encoding. */
  private readonly proofs = new Map<string, number>();
  /** Number of lines with non-ASCII bytes. */
  private otherLines = 0;
  private lines = 0;
  private first: { line: number; excerpt: string } | undefined;
  private utf8Words = 0;
  private otherWords = 0;
  /** Number of words that begin with a lower-case ASCII letter, as most European but few East Asian words do. */
  private latinWords = 0;
  /** Number of words next to ASCII characters, which are rare in East Asian text. */
  private asciiWords = 0;

  /** Adds complete lines. */
  add(bytes: Buffer): void {
    const text = bytes.toString('latin1');
    let counted = 0;
    for (const match of text.matchAll(/[^\r\n]+/g)) {
      if (!BEYOND_ASCII.test(match[0])) continue;
      const lineOf = (): number => {
        this.lines += countLines(text, counted, match.index);
        counted = match.index;
        return this.lines + 1;
      };
      this.addLine(match[0], lineOf);
    }
    this.lines += countLines(text, counted, text.length);
  }

  result(): EncodingSurvey {
    const { utf8Words, otherWords, latinWords, first, candidates } = this;
    const { line, excerpt } = first ?? { line: 1, excerpt: '' };
    const isBrokenUtf8 = utf8Words >= otherWords;
    const isWestern = utf8Words === 0 && this.western.arePlausible;
    const fitting = candidates.filter(({ encoding, minWords, minShare }) => {
      const proofs = this.proofs.get(encoding) ?? 0;
      return otherWords >= minWords && proofs > 0 && proofs >= minShare * this.otherLines;
    });
    const isEastAsian = !isBrokenUtf8 && latinWords * 3 <= otherWords;
    const place = { isBrokenUtf8, line, excerpt };
    if (isWestern) {
      const { best, others, isProven, isBetterThanWestern } = this.letters.likely();
      if (isProven || best === WESTERN || isBetterThanWestern) return { encoding: best, others, ...place };
      return { encoding: WESTERN, others: [best, ...others.filter((other) => other !== WESTERN)], ...place };
    }
    if (isEastAsian && fitting.length === 1) return { encoding: fitting[0]!.encoding, others: [], ...place };
    const likely = this.letters.likely(WESTERN);
    if (likely.isProven && !isBrokenUtf8) return { encoding: likely.best, others: likely.others, ...place };
    const { best, others, isPossible, isPlausible } = this.letters.likely();
    const alphabets = isPossible ? [best, ...others] : [];
    const scripts = isEastAsian && this.asciiWords * 3 <= otherWords ? candidates.map(({ encoding }) => encoding) : [];
    const possible = isPlausible ? [...alphabets, ...scripts] : [...scripts, ...alphabets];
    return { encoding: undefined, others: possible.slice(0, MAX_CANDIDATES), ...place };
  }

  private addLine(line: string, lineNumber: () => number): void {
    this.candidates = this.candidates.filter((candidate) => line.length <= MAX_LINE_BYTES && candidate.line.test(line));
    this.otherLines += 1;
    for (const { encoding, proof } of this.candidates)
      if (proof.test(line)) this.proofs.set(encoding, (this.proofs.get(encoding) ?? 0) + 1);
    for (const match of line.matchAll(/[A-Za-z\x80-\xff]+/g)) {
      if (!BEYOND_ASCII.test(match[0])) continue;
      const bytes = Buffer.from(match[0], 'latin1');
      if (isUtf8(bytes)) {
        this.utf8Words += 1;
        continue;
      }
      this.first ??= { line: lineNumber(), excerpt: excerptOf(line, match.index) };
      this.otherWords += 1;
      if (/^[a-z]/.test(match[0])) this.latinWords += 1;
      if (/[A-Za-z]{2}/.test(match[0])) this.asciiWords += 1;
      this.western.add(bytes);
      this.letters.add(match[0]);
    }
  }
}

const BEYOND_ASCII = /[\x80-\xff]/;

/** Counts line ends between two positions: LF, CRLF and CR. */
function countLines(text: string, from: number, to: number): number {
  let lines = 0;
  for (let at = from; at < to; at += 1) {
    const isEnd = text[at] === '\n' || (text[at] === '\r' && text[at + 1] !== '\n');
    if (isEnd) lines += 1;
  }
  return lines;
}

const excerptOf = (line: string, at: number): string =>
  Buffer.from(line.slice(Math.max(0, at - EXCERPT_BYTES), at + EXCERPT_BYTES), 'latin1').toString();
