import { TextDecoder } from 'node:util';

/** Non-ASCII letters of the languages that use Windows-1252. */
const ALPHABETS = [
  'äöüß',
  'àâæçéèêëîïôœùûüÿ',
  'áéíóúñüçàèòï',
  'áâãàçéêíóôúü',
  'àèéìíîòóùú',
  'åäöæøéàüòôê',
  'äöåõüšž',
  'áðéíóúýþæö',
  'ëïéèêöü',
].map((letters) => new RegExp(letters.includes('õ') ? `^[a-z${letters}]+$` : `^(?:[a-z${letters}]|õ(?=e))+$`));
const [ESTONIAN, ICELANDIC] = [ALPHABETS[6]!, ALPHABETS[7]!];
const LETTER = 'A-Za-zÀ-ÖØ-öø-ÿŠšŽžŒœŸ';
const CAPITAL = 'À-ÖØ-ÞŠŽŒŸ';
/** Symbols that never occur next to an accented letter or next to each other. */
const SIGN = '¢¤¦¨¬¯°±²³´¶·¸¹¼½¾×÷';

/** Patterns that do not occur in words encoded as Windows-1252. */
const ODD = [
  `[${SIGN}]{2}|[${SIGN}](?=[À-ÖØ-öø-ÿ])|[À-ÖØ-öø-ÿ][${SIGN}]`,
  // Symbols between letters, except for apostrophes, dashes, blanks, and exponents as in m² and m³.
  `[${LETTER}](?:(?<!m)[²³]|[^${LETTER}²³’‘´·–—…•×\\u00ad\\u00a0])(?=[${LETTER}])`,
  // Opening quotes, inverted question marks and inverted exclamation marks at the end of a word.
  `[${LETTER}][¿¡‚„]`,
  // Capitals between small letters.
  `[a-zß-öø-ÿ][${CAPITAL}]|[${LETTER}][${CAPITAL}](?=[a-zß-öø-ÿ])`,
  '[À-ÖØ-öø-ÿ]{4}',
].map((pattern) => new RegExp(pattern));

const LETTERS = new RegExp(`[${LETTER}]+`, 'g');

/**
 * Letters that occur in a single language. If only few words fit that language, the text has another encoding. For example, `õ`
 * in a text that is not Estonian may be a Hungarian `ő`.
 */
const MARKS = [
  { mark: /õ(?!e)/, alphabet: ESTONIAN },
  { mark: /[ýþ]/, alphabet: ICELANDIC },
];
/**
 * Letters that no language uses together. In Windows-1250, the bytes of `è`, `æ` and `ð` are letters of Slavic languages that
 * also have `š` and `ž`.
 */
const SIBILANT = /[šž]/;
const SLAVIC = /[èæðìø]/;
/** Maximum share of odd words. Names, codes and misspelled words can be odd in any text. */
const MAX_ODD_SHARE = 0.05;
const MIN_MARK_SHARE = 0.6;
const MAX_MIXED_SHARE = 0.1;

/** Words with letters beyond ASCII, decoded as Windows-1252. */
export class WesternWords {
  private readonly decoder = new TextDecoder('windows-1252');
  private words = 0;
  private oddWords = 0;
  private isDefined = true;
  private readonly marked = MARKS.map(() => 0);
  private readonly fitting = MARKS.map(() => 0);
  private sibilants = 0;
  private slavic = 0;

  add(bytes: Uint8Array): void {
    this.words += 1;
    this.isDefined &&= !bytes.some((byte) => UNDEFINED.has(byte));
    // Node 20 decodes Windows-1252 as ISO-8859-1 unless the input is streamed.
    const word = this.decoder.decode(bytes, { stream: true });
    if (isOdd(word)) {
      this.oddWords += 1;
      return;
    }
    const small = word.toLowerCase();
    const parts = small.match(LETTERS) ?? [];
    for (const [index, { mark, alphabet }] of MARKS.entries()) {
      if (mark.test(small)) this.marked[index]! += 1;
      if (parts.every((part) => alphabet.test(part))) this.fitting[index]! += 1;
    }
    if (SIBILANT.test(small)) this.sibilants += 1;
    if (SLAVIC.test(small)) this.slavic += 1;
  }

  /** Whether all bytes are defined in Windows-1252, and nearly all words may be Western European. */
  get arePlausible(): boolean {
    const { words } = this;
    const strange = this.marked.filter((_, index) => this.fitting[index]! < MIN_MARK_SHARE * words);
    const odd = strange.reduce((sum, count) => sum + count, this.oddWords);
    const isMixed = Math.min(this.sibilants, this.slavic) > MAX_MIXED_SHARE * words;
    return this.isDefined && !isMixed && odd <= MAX_ODD_SHARE * words;
  }
}

const UNDEFINED = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d]);

function isOdd(word: string): boolean {
  if (ODD.some((pattern) => pattern.test(word))) return true;
  const parts = word.toLowerCase().match(LETTERS) ?? [];
  return !parts.every((part) => ALPHABETS.some((alphabet) => alphabet.test(part)));
}
