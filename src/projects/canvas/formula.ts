import { shortened } from './names.js';

/**
 * Linear formulas and relations as people write them: `3x + 2*y`, `price * x - 5 (y + 1) / 2`, `x + 2 <= 3y - 1`,
 * `0 <= x <= 4`.
 *
 * - Numbers: `3`, `.5`, `2e3`. Names: letters of any script, digits and `_`, a digit never first.
 * - `+ - * /` and parentheses; a number or a closing parenthesis multiplies what stands right after it (`2x`, `2 x`,
 *   `3(x + y)`). `*` and `/` go from left to right: `1/2 x` is half of x. `·`, `×`, `÷` and `−` are as good.
 * - Relations: `<=`, `≤`, `=<`, `>=`, `≥`, `=>`, `=`, `==`. `<` and `>` mean `<=` and `>=`: a solver knows no strict
 *   ones. Relations can be chained.
 */

/** Most characters of a formula: each change of a canvas may read all of them. */
export const MAX_FORMULA_LENGTH = 2_000;
/** Most parentheses inside of each other. */
const MAX_DEPTH = 50;

export type Relation = '<=' | '>=' | '=';

/** One side of a formula. Numbers are never negative; sums have a minus or at least two parts, products two factors. */
export type Expression =
  | { kind: 'number'; value: number }
  | { kind: 'name'; name: string }
  | { kind: 'sum'; parts: { negative: boolean; of: Expression }[] }
  /** From left to right; the first factor is never a divisor. */
  | { kind: 'product'; factors: { divisor: boolean; of: Expression }[] };

/** Sides with a relation between each two; a single side is an expression without a relation. */
export interface Formula {
  sides: [Expression, ...Expression[]];
  relations: Relation[];
}

/** Why a text is no formula, or a formula is not linear. */
export interface FormulaProblem {
  /** A sentence without a full stop. */
  problem: string;
  /** Where it was noticed, in UTF-16 units from 0; absent of what concerns the formula as a whole. */
  position?: number;
  /** What stands there, as it was written; empty at the end. */
  token?: string;
}

const NAME_TEXT = String.raw`[\p{L}_][\p{L}\p{M}\p{N}_]*`;
const NAME = new RegExp(`^${NAME_TEXT}$`, 'u');
const NAME_HERE = new RegExp(NAME_TEXT, 'uy');
/** Names that need no knowledge of Unicode, which takes most of the time. */
const PLAIN_NAME_HERE = /[a-z_]\w*(?![\w\x80-\uffff])/iy;
const NUMBER_HERE = /(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?/iy;
const RELATION_HERE = /[<>]=?|==?[<>]?|[≤≥]/y;
const SPACE_HERE = /\s+/y;
const RELATIONS: Record<string, Relation> = {
  '<': '<=',
  '<=': '<=',
  '=<': '<=',
  '≤': '<=',
  '>': '>=',
  '>=': '>=',
  '=>': '>=',
  '≥': '>=',
  '=': '=',
  '==': '=',
};
const SIGNS = new Map([
  ...['+', '-', '*', '/', '(', ')'].map((sign) => [sign, sign] as const),
  ['−', '-'],
  ['·', '*'],
  ['×', '*'],
  ['÷', '/'],
]);

interface Token {
  kind: 'number' | 'name' | 'relation' | 'sign' | 'other' | 'end';
  /** Signs as `+ - * / ( )`, everything else as written. */
  text: string;
  position: number;
  written: string;
}

const isPrintable = (code: number): boolean => code > 0x20 && code < 0x7f;

const PATTERNS = [
  ['name', PLAIN_NAME_HERE],
  ['name', NAME_HERE],
  ['number', NUMBER_HERE],
  ['relation', RELATION_HERE],
] as const;

/** Whether a text can be a name in formulas. */
export const isName = (text: string): boolean => NAME.test(text);

export const isProblem = (value: object): value is FormulaProblem => 'problem' in value;

/** The formula that a text is, or where it stops being one. Takes time in proportion to the text. */
export function parseFormula(text: string): Formula | FormulaProblem {
  if (text.length > MAX_FORMULA_LENGTH) return { problem: `A formula has at most ${MAX_FORMULA_LENGTH} characters` };
  try {
    return new Parser(text).formula();
  } catch (error) {
    if (error instanceof Refusal) return error.reason;
    throw error;
  }
}

/** The names in a formula, each once, in the order of their first place. */
export function namesIn({ sides }: Formula): string[] {
  const names = new Set<string>();
  const visit = (expression: Expression): void => {
    if (expression.kind === 'name') names.add(expression.name);
    else if (expression.kind === 'sum') for (const { of } of expression.parts) visit(of);
    else if (expression.kind === 'product') for (const { of } of expression.factors) visit(of);
  };
  for (const side of sides) visit(side);
  return [...names];
}

/** Ends the reading of a text; never leaves this file. */
class Refusal extends Error {
  constructor(readonly reason: FormulaProblem) {
    super(reason.problem);
  }
}

class Parser {
  private token: Token;
  private depth = 0;

  constructor(private readonly text: string) {
    this.token = this.read(0);
  }

  formula(): Formula {
    const sides: Formula['sides'] = [this.sum()];
    const relations: Relation[] = [];
    for (let relation = this.relation(); relation !== undefined; relation = this.relation()) {
      relations.push(relation);
      sides.push(this.sum());
    }
    if (this.token.kind !== 'end') this.refuse();
    return { sides, relations };
  }

  private relation(): Relation | undefined {
    const relation = this.token.kind === 'relation' ? RELATIONS[this.token.text] : undefined;
    if (relation !== undefined) this.advance();
    return relation;
  }

  private sum(): Expression {
    const parts = [{ negative: this.signs(), of: this.product() }];
    while (this.isSign('+', '-')) parts.push({ negative: this.signs(), of: this.product() });
    const [first] = parts;
    return parts.length === 1 && first?.negative === false ? first.of : { kind: 'sum', parts };
  }

  private product(): Expression {
    const first = this.factor();
    let factors: Extract<Expression, { kind: 'product' }>['factors'] | undefined;
    for (;;) {
      let divisor = false;
      let of: Expression;
      if (this.isSign('*', '/')) {
        divisor = this.token.text === '/';
        this.advance();
        of = this.signed();
      } else if (this.canMultiply && (this.token.kind === 'name' || this.isSign('('))) {
        of = this.factor();
      } else {
        return factors === undefined ? first : { kind: 'product', factors };
      }
      (factors ??= [{ divisor: false, of: first }]).push({ divisor, of });
    }
  }

  /** A factor after `*` or `/`, which can have a sign of its own. */
  private signed(): Expression {
    const negative = this.signs();
    const of = this.factor();
    return negative ? { kind: 'sum', parts: [{ negative, of }] } : of;
  }

  /** Whether what was read last multiplies what stands right after it. */
  private canMultiply = false;

  private factor(): Expression {
    const { kind, text } = this.token;
    if (kind === 'number') {
      const value = Number(text);
      if (!Number.isFinite(value)) this.refuse(`${shortened(text)} is too large a number`);
      this.advance();
      this.canMultiply = true;
      return { kind, value };
    }
    if (kind === 'name') {
      this.advance();
      this.canMultiply = false;
      return { kind, name: text };
    }
    if (!this.isSign('(')) this.refuse();
    this.depth += 1;
    if (this.depth > MAX_DEPTH) this.refuse(`More than ${MAX_DEPTH} parentheses are inside of each other`);
    this.advance();
    const inner = this.sum();
    if (!this.isSign(')')) this.refuse(this.token.kind === 'end' ? 'A closing parenthesis is missing' : undefined);
    this.depth -= 1;
    this.advance();
    this.canMultiply = true;
    return inner;
  }

  /** Skips signs; whether they make a minus. */
  private signs(): boolean {
    let negative = false;
    while (this.isSign('+', '-')) {
      negative = negative !== (this.token.text === '-');
      this.advance();
    }
    return negative;
  }

  private isSign(sign: string, other?: string): boolean {
    return this.token.kind === 'sign' && (this.token.text === sign || this.token.text === other);
  }

  private advance(): void {
    this.token = this.read(this.token.position + this.token.written.length);
  }

  private read(from: number): Token {
    let position = from;
    while (this.text[position] === ' ') position += 1;
    // What is no ASCII may be a space as well.
    if (!isPrintable(this.text.charCodeAt(position))) position += this.match(SPACE_HERE, position).length;
    const first = this.text[position];
    if (first === undefined) return { kind: 'end', text: '', written: '', position };
    const sign = SIGNS.get(first);
    if (sign !== undefined) return { kind: 'sign', text: sign, written: first, position };
    for (const [kind, pattern] of PATTERNS) {
      const written = this.match(pattern, position);
      if (written !== '') return { kind, text: written, written, position };
    }
    const written = String.fromCodePoint(this.text.codePointAt(position) ?? 0);
    return { kind: 'other', text: written, written, position };
  }

  /** What of a pattern stands at a place; empty for nothing. */
  private match(pattern: RegExp, position: number): string {
    pattern.lastIndex = position;
    return pattern.test(this.text) ? this.text.slice(position, pattern.lastIndex) : '';
  }

  private refuse(problem?: string): never {
    const { kind, written, position } = this.token;
    const place = `\`${shortened(written)}\` at character ${position + 1}`;
    const reason = kind === 'end' ? 'The formula ends too early' : `${place} does not fit into a formula`;
    throw new Refusal({ problem: problem ?? reason, position, token: written });
  }
}
