import { Untranslatable } from './tree.js';

export interface Token {
  kind: 'name' | 'number' | 'text' | 'sign' | 'end';
  text: string;
}

const SPACE = /\s+/y;
const NAME = /[\p{L}_][\p{L}\p{M}\p{N}_]*/uy;
/** The point of `1..4` does not belong to the number. */
const NUMBER = /(?:\d+(?:\.(?!\.)\d*)?|\.\d+)(?:e[+-]?\d+)?/iy;
const TEXT = /"([^"]*)"|'([^']*)'/y;
const SIGN = /=[elgn]=|:=|\.\.|\*\*|<=|>=|==|!=|<>|&&|\|\||\+\+|--|[^\s]/iy;
const END: Token = { kind: 'end', text: '' };

/** Tokens of a statement. Reading them takes linear time. */
export class Tokens {
  private at = 0;
  private readonly tokens: Token[];

  constructor(text: string) {
    this.tokens = tokensIn(text);
  }

  get next(): Token {
    return this.tokens[this.at] ?? END;
  }

  /** Returns a later token. 1 is the token after the next. */
  peek(distance: number): Token {
    return this.tokens[this.at + distance] ?? END;
  }

  take(): Token {
    const { next } = this;
    this.at += 1;
    return next;
  }

  is(...texts: readonly string[]): boolean {
    const { kind, text } = this.next;
    return kind !== 'text' && kind !== 'end' && texts.includes(text.toLowerCase());
  }

  /** Takes the next token if it is one of these texts. */
  skip(...texts: readonly string[]): boolean {
    const isNext = this.is(...texts);
    if (isNext) this.at += 1;
    return isNext;
  }

  expect(text: string): void {
    if (!this.skip(text)) this.fail(`\`${text}\` is expected`);
  }

  name(): string {
    if (this.next.kind !== 'name') this.fail('a name is expected');
    return this.take().text;
  }

  get isAtEnd(): boolean {
    return this.next.kind === 'end';
  }

  /** Returns the text up to the end, token by token. */
  rest(): Token[] {
    const rest = this.tokens.slice(this.at);
    this.at = this.tokens.length;
    return rest;
  }

  fail(problem: string): never {
    const { kind, text } = this.next;
    throw new Untranslatable(kind === 'end' ? `${problem} at the end` : `${problem} at \`${text.slice(0, 40)}\``);
  }
}

function tokensIn(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found !== null) at = pattern.lastIndex;
    return found;
  };
  while (at < text.length) {
    if (match(SPACE) !== null) continue;
    const name = match(NAME);
    const number = name ?? match(NUMBER);
    const quoted = number ?? match(TEXT);
    if (name !== null) tokens.push({ kind: 'name', text: name[0] });
    else if (number !== null) tokens.push({ kind: 'number', text: number[0] });
    else if (quoted !== null) tokens.push({ kind: 'text', text: quoted[1] ?? quoted[2] ?? '' });
    else tokens.push({ kind: 'sign', text: match(SIGN)?.[0] ?? text.charAt(at++) });
  }
  return tokens;
}
