import { decoderOf } from '../code-pages.js';

/*
 * Distinguishes the encodings of alphabetic scripts by letter pairs. The statistics are based on the runtime's localized names
 * of countries, languages and currencies.
 */

const [CENTRAL, RUSSIAN] = ['pl cs sk hu ro hr sl bs'.split(' '), 'ru uk be bg'.split(' ')];
const MACINTOSH = 'de fr es pt it sv da nb fi nl'.split(' ');
const WESTERN = [...MACINTOSH, 'is', 'ca', 'et'];

/** Languages written in each encoding, and the additional evidence, in bits, that a rare encoding needs. */
const ENCODINGS: Readonly<Record<string, readonly [languages: readonly string[], rarity: number]>> = {
  'windows-1252': [WESTERN, 0],
  'windows-1250': [CENTRAL, 4],
  'windows-1251': [[...RUSSIAN, 'sr', 'mk'], 4],
  'windows-1253': [['el'], 4],
  'windows-1254': [['tr', 'az'], 4],
  'windows-1255': [['he'], 6],
  'windows-1256': [['ar', 'fa'], 6],
  'windows-1257': [['lt', 'lv', 'et'], 5],
  'windows-874': [['th'], 6],
  'iso-8859-2': [CENTRAL, 8],
  'koi8-r': [['ru', 'bg'], 8],
  'koi8-u': [['uk', 'be'], 8],
  ibm866: [RUSSIAN, 8],
  'iso-8859-5': [RUSSIAN, 12],
  'x-mac-cyrillic': [RUSSIAN, 20],
  macintosh: [MACINTOSH, 8],
  'iso-8859-15': [WESTERN, 6],
  'iso-8859-7': [['el'], 6],
  'iso-8859-6': [['ar', 'fa'], 12],
  'iso-8859-13': [['lt', 'lv', 'et', 'pl'], 9],
  'iso-8859-4': [['lt', 'lv', 'et'], 10],
  'iso-8859-10': [['is', 'nb', 'lt', 'lv', 'et'], 14],
  'iso-8859-3': [['mt', 'eo'], 12],
  'iso-8859-14': [['cy', 'ga'], 12],
  'iso-8859-16': [['ro', 'pl', 'hu', 'hr'], 18],
  'windows-1258': [['vi'], 8],
  cp850: [MACINTOSH, 14],
  cp852: [CENTRAL, 15],
  cp857: [['tr'], 18],
  cp437: [MACINTOSH, 18],
};

/** Maximum number of distinct words to compare. More words would not change the result. */
const MAX_WORDS = 2_000;
/**
 * Evidence, in bits, that rules out another encoding, and the maximum evidence per word. The evidence per word is limited
 * because a single foreign word proves nothing.
 */
const PROOF_BITS = 10;
const MAX_WORD_BITS = 6;
/** Maximum number of other encodings that are listed in addition to the best encoding. */
const MAX_OTHERS = 4;
/** Encodings that are too rare to be used unless the caller specifies them. They can still rule out other encodings. */
const STATED_ENCODINGS = ['macintosh', 'x-mac-cyrillic', 'cp850', 'cp852', 'cp857', 'cp437'];
/** Minimum number of letter pairs needed to distinguish a language from random bytes. */
const MIN_PAIRS = 8;
/** Maximum bits per letter pair for words that look like a language. */
const MAX_BITS = 6.7;
/** Maximum bits per letter pair for words that may belong to a language. */
const MAX_POSSIBLE_BITS = 8;
const UNSEEN = 0.05;
const ALPHABET_SIZE = 60;
/** Cost in bits of a character that is neither a letter nor a typographic sign. */
const STRANGE_BITS = 16;
/** Cost in bits of a capital letter after a small letter. */
const CAPITAL_BITS = 8;
const TYPOGRAPHIC = /[\s'´’‘“”„‚«»‹›–—…•·°€№§©®™\u00a0\u00ad\u200e\u200f]/;
/** Symbols for units, prices and fractions, which do not occur within words. */
const SIGNS = '²³±×÷½¼¾µ£¥¢§¿¡ªº';
const SIGN_BITS = 8;
/** Symbols between letters, except for apostrophes, dashes and dots. */
const SIGN_IN_WORD = /\p{L}[^\p{L}\p{M}\s'´’–—·\u00ad]+(?=\p{L})/gu;
const EDGE = ' ';

/** Letter-pair statistics for a language. */
class LetterPairs {
  private readonly pairs = new Map<string, number>();
  private readonly firsts = new Map<string, number>();

  constructor(locale: string) {
    for (const name of namesIn(locale))
      for (const word of name.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? []) {
        this.add(word);
        // Older Romanian encodings have letters with cedillas instead of commas.
        if (locale === 'ro') this.add(word.replaceAll('ș', 'ş').replaceAll('ț', 'ţ'));
      }
  }

  /** Returns the code length, in bits, of a word in the language. */
  bitsOf(word: string): number {
    let bits = 0;
    let before = EDGE;
    for (const letter of `${word}${EDGE}`) {
      const all = (this.firsts.get(before) ?? 0) + UNSEEN * ALPHABET_SIZE;
      bits -= Math.log2(((this.pairs.get(before + letter) ?? 0) + UNSEEN) / all);
      before = letter;
    }
    return bits;
  }

  private add(word: string): void {
    let before = EDGE;
    for (const letter of `${word}${EDGE}`) {
      this.pairs.set(before + letter, (this.pairs.get(before + letter) ?? 0) + 1);
      this.firsts.set(before, (this.firsts.get(before) ?? 0) + 1);
      before = letter;
    }
  }
}

const LETTERS = Array.from({ length: 26 }, (_, at) => String.fromCharCode(97 + at));
const CODES = LETTERS.flatMap((first) => LETTERS.map((second) => first + second));

function* namesIn(locale: string): Generator<string> {
  const codes = {
    region: CODES.map((code) => code.toUpperCase()),
    language: CODES,
    currency: Intl.supportedValuesOf('currency'),
  };
  for (const type of ['region', 'language', 'currency'] as const) {
    const names = new Intl.DisplayNames([locale], { type, fallback: 'none' });
    for (const code of codes[type]) yield names.of(code) ?? '';
  }
}

const statistics = new Map<string, LetterPairs>();

function pairsOf(locale: string): LetterPairs {
  let pairs = statistics.get(locale);
  if (pairs === undefined) {
    pairs = new LetterPairs(locale);
    statistics.set(locale, pairs);
  }
  return pairs;
}

/** Score of an encoding: the total code length of the words, in bits. */
interface Score {
  encoding: string;
  rarity: number;
  bits: number;
  bitsOfWords: number[];
  /** Number of letter pairs. */
  pairs: number;
  text: string;
}

export interface LikelyEncodings {
  /** Most likely encoding. */
  best: string;
  /** Other likely encodings that cannot be ruled out and give different letters. */
  others: string[];
  /** Whether the words may belong to a language. */
  isPossible: boolean;
  /** Whether the words look like a language. */
  isPlausible: boolean;
  /** Whether the words are implausible in every other encoding. Ignores encodings in which letters become symbols. */
  isProven: boolean;
  /** Whether the words have the same letters in Windows-1252, except that some letters become symbols. */
  isBetterThanWestern: boolean;
}

/** Distinct words with letters beyond ASCII. Each byte is stored as a character of ISO-8859-1. */
export class LetterStatistics {
  private readonly words = new Set<string>();

  add(word: string): void {
    if (this.words.size < MAX_WORDS) this.words.add(word);
  }

  /** Compares all encodings except the excluded encoding. */
  likely(excluded?: string): LikelyEncodings {
    const scores = Object.entries(ENCODINGS)
      .filter(([encoding]) => encoding !== excluded)
      .map(([encoding, [languages, rarity]]) => this.scoreOf(encoding, languages, rarity));
    const least = scores.toSorted((a, b) => a.bits - b.bits)[0]!;
    // Many encodings give the same letters. The first of them in the list is the most common.
    const best = scores.find(({ text }) => text === least.text)!;
    const different = scores.filter(({ text }, at) => scores.findIndex((other) => other.text === text) === at);
    const others = different.filter((score) => score.text !== best.text && evidence(best, score) < PROOF_BITS);
    const [western] = scores.filter(({ encoding }) => encoding === 'windows-1252');
    const isPlausible = least.pairs >= MIN_PAIRS && least.bits <= MAX_BITS * least.pairs;
    return {
      best: best.encoding,
      others: others
        .toSorted((a, b) => a.bits - b.bits)
        .slice(0, MAX_OTHERS)
        .map(({ encoding }) => encoding),
      isPossible: least.bits <= MAX_POSSIBLE_BITS * least.pairs,
      isPlausible,
      isBetterThanWestern: western !== undefined && hasSignsForLetters(western, best),
      isProven:
        isPlausible &&
        others.every((other) => hasSignsForLetters(other, best)) &&
        !STATED_ENCODINGS.includes(best.encoding),
    };
  }

  /** Scores an encoding. Each language is weighted by the share of words that it explains best. */
  private scoreOf(encoding: string, locales: readonly string[], rarity: number): Score {
    const decoder = decoderOf(encoding);
    // Node 20 decodes Windows-1252 as ISO-8859-1 unless `stream` is set.
    const texts = [...this.words].map((word) => decoder.decode(Buffer.from(word, 'latin1'), { stream: true }));
    const bits = texts.map((text) => locales.map((locale) => bitsOf(text, pairsOf(locale))));
    const shares = locales.map(() => 0.5);
    for (const ofWord of bits) shares[ofWord.indexOf(Math.min(...ofWord))]! += 1;
    const all = shares.reduce((sum, share) => sum + share, 0);
    const bitsOfWords = bits.map((ofWord) => {
      const least = Math.min(...ofWord);
      const likelihood = ofWord.reduce((part, one, at) => part + (shares[at]! / all) * 2 ** (least - one), 0);
      return least - Math.log2(likelihood);
    });
    const sum = bitsOfWords.reduce((total, ofWord) => total + ofWord, rarity);
    const pairs = texts.reduce((count, text) => count + text.length + 1, 0);
    return { encoding, rarity, bits: sum, bitsOfWords, pairs, text: texts.join('\n') };
  }
}

/** Returns true if two strings are equal except for symbols in place of letters, such as `¦akki` for `Šakki`. */
function hasSignsForLetters({ text }: Score, best: Score): boolean {
  const [signs, letters] = [[...text], [...best.text]];
  const isSame = (sign: string, at: number): boolean =>
    sign === letters[at] || (!/\p{L}/u.test(sign) && /[\p{L}€]/u.test(letters[at] ?? ''));
  return text !== best.text && signs.length === letters.length && signs.every(isSame);
}

/** Returns the evidence for one encoding over another, in bits. */
function evidence(best: Score, other: Score): number {
  const ofWord = (at: number): number => other.bitsOfWords[at]! - best.bitsOfWords[at]!;
  return best.bitsOfWords.reduce(
    (sum, _, at) => sum + Math.max(-MAX_WORD_BITS, Math.min(MAX_WORD_BITS, ofWord(at))),
    other.rarity - best.rarity,
  );
}

/** Returns the code length, in bits, of a string of letters and symbols. */
function bitsOf(text: string, pairs: LetterPairs): number {
  let bits = 0;
  for (const sign of text.replace(/[\p{L}\p{M}]/gu, ''))
    bits += TYPOGRAPHIC.test(sign) || SIGNS.includes(sign) ? SIGN_BITS : STRANGE_BITS;
  bits += STRANGE_BITS * (text.match(SIGN_IN_WORD)?.length ?? 0);
  bits += CAPITAL_BITS * (text.match(/\p{Ll}(?=\p{Lu})/gu)?.length ?? 0);
  for (const word of text.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? []) bits += pairs.bitsOf(word);
  return bits;
}
