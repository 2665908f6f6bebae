import { MODEL_LIMITS, type Place, problemAt } from './model.js';

export type LpTokenKind = 'number' | 'name' | 'relation' | 'sign' | 'colon' | 'section' | 'infinity' | 'free' | 'end';

/** Token. Relations are normalized to `<=`, `>=` or `=`, and section keywords to their name in {@link SECTIONS}. */
export interface LpToken extends Place {
  kind: LpTokenKind;
}

// Repetitions are bounded because a regular expression that matches millions of characters can exhaust its stack.
const NUMBER = /(?:\d{1,400}(?:\.\d{0,400})?|\.\d{1,400})(?:e[+-]?\d{1,400})?/iy;
/**
 * Characters up to white space or a sign with another meaning. Signs such as `/` and `[` can occur in names, but not at the
 * beginning. A match may be one character longer than allowed, so that names that are too long are detected.
 */
const REST = `[^\\s\\p{Cc}+\\-*^<>=:\\\\]{0,${MODEL_LIMITS.name}}`;
const NAME = new RegExp(`[^\\s\\p{Cc}+\\-*/^<>=:[\\]|\\\\]${REST}`, 'uy');
/** Name of a constraint that starts with a digit. */
const DIGITS_LABEL = new RegExp(`[\\d.]${REST}(?=[^\\S\\n]{0,1000}:)`, 'uy');
const COLON_AFTER = /[^\S\n]{0,1000}:/y;
const SPACE = /[^\S\n]{1,1000}/y;
const RELATION = /<=|=<|<|>=|=>|>|=/y;
const CONTINUOUS_AFTER = /-continuous/iy;
const OBJECTIVES_AFTER = /-objectives/iy;

/** Keywords that begin a section wherever they appear. They cannot be variable names. */
const SECTIONS: Record<string, string> = {
  ...of('minimize', 'min', 'minimum', 'minimise'),
  ...of('maximize', 'max', 'maximum', 'maximise'),
  ...of('subject to', 'st', 's.t.', 's.t', 'st.'),
  ...of('bounds', 'bound'),
  ...of('general', 'generals', 'gen', 'integer', 'integers', 'int'),
  ...of('binary', 'binaries', 'bin'),
  ...of('semi-continuous', 'semi', 'semis', 'sec'),
  ...of('sos', 'sos1', 'sos2'),
  ...of('pwlobj'),
  ...of('end'),
};

/**
 * Section keywords of two words, by their first word. The solver enforces lazy constraints like any others, and user cuts do
 * not exclude any plan.
 */
const PAIRS: Record<string, { second: RegExp; section: string }> = {
  subject: { second: /\s{1,1000}to(?![^\s\\])/iy, section: 'subject to' },
  such: { second: /\s{1,1000}that(?![^\s\\])/iy, section: 'subject to' },
  lazy: { second: /[^\S\n]{1,1000}constraints?(?![^\s\\])/iy, section: 'subject to' },
  user: { second: /[^\S\n]{1,1000}cuts?(?![^\s\\])/iy, section: 'subject to' },
  general: { second: /[^\S\n]{1,1000}constraints?(?![^\s\\])/iy, section: 'general constraints' },
};

function of(section: string, ...others: string[]): Record<string, string> {
  return Object.fromEntries([section, ...others].map((word) => [word, section]));
}

/** Splits text in LP format into tokens, in linear time. */
export class LpLexer {
  private position = 0;
  private line = 1;

  constructor(private readonly text: string) {}

  /** @throws ModelProblem if the text at the current position is not a valid token */
  next(): LpToken {
    this.skipSpace();
    const { line } = this;
    const first = this.text[this.position];
    if (first === undefined) return { kind: 'end', text: 'the end of the file', line };
    if (first === '-' && this.text[this.position + 1] === '>') {
      throw problemAt({ text: '->', line }, 'indicator constraints are not supported');
    }
    if (first === '+' || first === '-') return this.take('sign', first);
    if (first === ':') return this.take('colon', first);
    const isDigit = first === '.' || (first >= '0' && first <= '9');
    const label = isDigit ? this.match(DIGITS_LABEL) : undefined;
    if (label !== undefined) return this.name(label, line);
    const number = isDigit ? this.match(NUMBER) : undefined;
    if (number !== undefined) {
      if (number.length >= 400 && /\d/.test(this.text[this.position] ?? '')) {
        throw problemAt({ text: number, line }, 'the number has too many digits');
      }
      return { kind: 'number', text: number, line };
    }
    const relation = first >= '<' && first <= '>' ? this.match(RELATION) : undefined;
    if (relation !== undefined) {
      return { kind: 'relation', text: relation.includes('<') ? '<=' : relation.includes('>') ? '>=' : '=', line };
    }
    const name = this.match(NAME);
    if (name !== undefined) return this.word(name, line);
    throw problemAt(
      { text: first, line },
      first === '[' ? 'quadratic terms are not supported' : 'is not expected here',
    );
  }

  private word(text: string, line: number): LpToken {
    if (this.isFollowedByColon()) return this.name(text, line);
    const word = text.toLowerCase();
    if (word === 'inf' || word === 'infinity') return { kind: 'infinity', text, line };
    if (word === 'free') return { kind: 'free', text, line };
    if (word === 'multi' && this.match(OBJECTIVES_AFTER) !== undefined) {
      throw problemAt({ text: 'multi-objectives', line }, 'several objectives are not supported');
    }
    const pair = Object.hasOwn(PAIRS, word) ? PAIRS[word] : undefined;
    const second = pair && this.match(pair.second);
    if (pair !== undefined && second !== undefined) {
      this.line += second.split('\n').length - 1;
      return { kind: 'section', text: pair.section, line };
    }
    const section = Object.hasOwn(SECTIONS, word) ? SECTIONS[word] : undefined;
    if (section === undefined) return this.name(text, line);
    if (section === 'semi-continuous') this.match(CONTINUOUS_AFTER);
    return { kind: 'section', text: section, line };
  }

  private name(text: string, line: number): LpToken {
    if (text.length <= MODEL_LIMITS.name) return { kind: 'name', text, line };
    throw problemAt({ text, line }, `a name can have at most ${MODEL_LIMITS.name} characters`);
  }

  /** Returns whether the word before the current position is the name of a constraint, which may be a keyword. */
  private isFollowedByColon(): boolean {
    COLON_AFTER.lastIndex = this.position;
    return COLON_AFTER.test(this.text);
  }

  private skipSpace(): void {
    for (;;) {
      const first = this.text[this.position];
      if (first === '\n') {
        this.position += 1;
        this.line += 1;
      } else if (first === '\\') {
        // Skips a comment.
        const end = this.text.indexOf('\n', this.position);
        this.position = end < 0 ? this.text.length : end;
      } else if (first === undefined || !mayBeSpace(first) || this.match(SPACE) === undefined) {
        return;
      }
    }
  }

  private take(kind: LpTokenKind, text: string): LpToken {
    this.position += text.length;
    return { kind, text, line: this.line };
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.position;
    const match = pattern.exec(this.text)?.[0];
    if (match === undefined) return undefined;
    this.position += match.length;
    return match;
  }
}

/** Returns false for most characters, which avoids the slower pattern. */
const mayBeSpace = (character: string): boolean => character <= ' ' || character > '~';
