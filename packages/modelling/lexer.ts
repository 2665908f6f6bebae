/** Token in a formula. */
export interface Token {
  kind: 'number' | 'name' | 'text' | 'relation' | 'sign' | 'other' | 'end';
  /** Normalized token: one of `+ - * / ( ) [ ] , :`, a string without its quotation marks, or the original spelling. */
  text: string;
  /** Zero-based offset in UTF-16 units. */
  position: number;
  written: string;
}

/** Superscript digits and letters. They are exponents, so `x²` is not a name. */
const RAISED = String.raw`²³¹ʰ-ʸˠ-ˤᴬ-ᵡᵸᶛ-ᶿ⁰-ⁿ`;
const POWER = new RegExp(`[${RAISED}]`, 'gu');
const NAME_TEXT = String.raw`(?![${RAISED}])[\p{L}_](?:(?![${RAISED}])[\p{L}\p{M}\p{N}_])*`;
const NAME = new RegExp(`^${NAME_TEXT}$`, 'u');
/** ASCII names. Most names match this pattern, so it is tested before the slower Unicode patterns. */
const PLAIN_NAME = /^[a-z_]\w*$/i;
const NAME_HERE = new RegExp(NAME_TEXT, 'uy');
const PLAIN_NAME_HERE = /[a-z_]\w*(?![\w\x80-\uffff])/iy;
const NUMBER_HERE = /(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?/iy;
const RELATION_HERE = /[<>]=?|==?[<>]?|[≤≥]/y;
const UNEQUAL_HERE = /!=/y;
const SPACE_HERE = /\s+/y;
/** String in quotation marks. A quotation mark inside the string is doubled. */
const TEXT_HERE = /"[^"]*"(?:"[^"]*")*|“[^“”]*”/y;
const SIGNS = new Map([
  ...['+', '-', '*', '/', '(', ')', '[', ']', ',', ':'].map((sign) => [sign, sign] as const),
  ['−', '-'],
  ['·', '*'],
  ['×', '*'],
  ['÷', '/'],
]);

const isPrintable = (code: number): boolean => code > 0x20 && code < 0x7f;

const PATTERNS = [
  ['name', PLAIN_NAME_HERE],
  ['name', NAME_HERE],
  ['number', NUMBER_HERE],
  ['relation', RELATION_HERE],
  ['text', TEXT_HERE],
  ['other', UNEQUAL_HERE],
] as const;

/** Whether a string is a valid name in formulas. */
export const isName = (text: string): boolean => PLAIN_NAME.test(text) || NAME.test(text);

/** Replaces superscript exponents with plain digits and letters: `m²` becomes `m2`. */
export const withoutPowers = (text: string): string => text.replace(POWER, (sign) => sign.normalize('NFKC'));

/** Splits text into tokens, in linear time. */
export class Lexer {
  constructor(private readonly text: string) {}

  /** Returns the token after `token`, or the first token if `token` is absent. */
  next(token?: Token): Token {
    let position = token === undefined ? 0 : token.position + token.written.length;
    while (this.text[position] === ' ') position += 1;
    // Unicode has more spaces than ASCII.
    if (!isPrintable(this.text.charCodeAt(position))) position += this.match(SPACE_HERE, position).length;
    const first = this.text[position];
    if (first === undefined) return { kind: 'end', text: '', written: '', position };
    const sign = SIGNS.get(first);
    if (sign !== undefined) return { kind: 'sign', text: sign, written: first, position };
    for (const [kind, pattern] of PATTERNS) {
      const written = this.match(pattern, position);
      if (written !== '') return { kind, text: kind === 'text' ? withoutQuotes(written) : written, written, position };
    }
    const written = String.fromCodePoint(this.text.codePointAt(position) ?? 0);
    return { kind: 'other', text: written, written, position };
  }

  /** Returns the match of a pattern at a position, or an empty string. */
  private match(pattern: RegExp, position: number): string {
    pattern.lastIndex = position;
    return pattern.test(this.text) ? this.text.slice(position, pattern.lastIndex) : '';
  }
}

const withoutQuotes = (written: string): string => written.slice(1, -1).replaceAll('""', '"');
