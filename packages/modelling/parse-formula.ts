import type {
  Call,
  Comparison,
  Condition,
  Expression,
  Extremum,
  Formula,
  FormulaProblem,
  Index,
  Key,
  Membership,
  Operand,
  Relation,
} from './formula.js';
import { isFunctionName, takesMany } from './functions.js';
import { Lexer, type Token } from './lexer.js';
import { shortened } from './names.js';

/** Maximum length of a formula. It is limited because each change to a canvas may parse all formulas. */
export const MAX_FORMULA_LENGTH = 2_000;
/** Message for chains such as `a >= 12 => b >= 3`, in which `=>` is meant as an implication. */
const MIXED_CHAIN =
  'All relations of a chain must point the same way, as in `0 <= x <= 4`: write other relations on separate lines';
/** Maximum nesting depth of parentheses, sums and `not`. */
const MAX_DEPTH = 50;
/** Maximum lag in either direction. */
const MAX_LAG = 100_000;

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
/** Comparison signs of conditions. Strict comparisons are allowed, because conditions compare data. */
const COMPARISONS: Record<string, Comparison> = { ...RELATIONS, '<': '<', '>': '>', '<>': '<>', '≠': '<>' };

/** Parses a formula in linear time. Returns the first problem if the formula is invalid. */
export const parseFormula = (text: string): Formula | FormulaProblem =>
  parseText(text, (parser) => parser.wholeFormula());

/** Parses an index such as `p in products where demand[p] > 0`. */
export const parseIndex = (text: string): Index | FormulaProblem => parseText(text, (parser) => parser.wholeIndex());

/** Parses a condition in the syntax that follows `where`: `region[p] = "north" and demand[p] > 0`. */
export const parseCondition = (text: string): Condition | FormulaProblem =>
  parseText(text, (parser) => parser.wholeCondition());

const FOR = 'for';
/** Keywords before an index, and how they combine its members. `count` has no expression, it adds up 1 for each member. */
const TOTALS = new Map<string, 'sum' | Extremum | undefined>([
  ['sum', 'sum'],
  ['min', 'min'],
  ['max', 'max'],
  ['count', undefined],
]);
const NAMES = { sum: 'sum', min: 'minimum', max: 'maximum' };
/** Keywords that declare the domain of a variable. */
const DOMAIN = /^(?:binary|continuous|integer)$/i;

function parseText<Read extends object>(text: string, read: (parser: Parser) => Read): Read | FormulaProblem {
  if (text.length > MAX_FORMULA_LENGTH)
    return { problem: `A formula can have at most ${MAX_FORMULA_LENGTH} characters` };
  try {
    return read(new Parser(text));
  } catch (error) {
    if (error instanceof Refusal) return error.reason;
    throw error;
  }
}

/** Thrown to abort parsing. Caught in this file. */
class Refusal extends Error {
  constructor(readonly reason: FormulaProblem) {
    super(reason.problem);
  }
}

type ConditionOrOperand = Condition | Operand;

const isCondition = (read: ConditionOrOperand): read is Condition =>
  read.kind === 'and' || read.kind === 'or' || read.kind === 'not' || read.kind === 'compare';

class Parser {
  private readonly lexer: Lexer;
  private token: Token;
  private depth = 0;
  /** Whether the last operand multiplies a name or parenthesis that directly follows it. */
  private canMultiply = false;
  /** Whether the parser is in the product of an indexed sum, outside any parentheses. */
  private isInTotal = false;
  /** Whether the parser is in a condition. */
  private isInCondition = false;

  constructor(text: string) {
    this.lexer = new Lexer(text);
    this.token = this.lexer.next();
  }

  wholeFormula(): Formula {
    const formula = this.formula();
    if (this.isAtFor()) this.refuse('Put the part after `for` in the index, not in the formula');
    if (this.token.kind !== 'end') this.refuse();
    return formula;
  }

  wholeIndex(): Index {
    const index = this.index();
    if (this.token.kind !== 'end') this.refuse();
    return index;
  }

  wholeCondition(): Condition {
    const condition = this.condition();
    if (this.token.kind !== 'end') this.refuse();
    return condition;
  }

  private formula(): Formula {
    const sides: Formula['sides'] = [this.sum()];
    const relations: Relation[] = [];
    const strict: number[] = [];
    let isImplied = false;
    for (;;) {
      const { text, position } = this.token;
      const relation = this.relation();
      if (relation === undefined) return { sides, relations, ...(strict.length > 0 && { strict }) };
      isImplied ||= text === '=>';
      const ways = new Set([...relations, relation].filter((one) => one !== '='));
      if (relations.length > 0 && (isImplied || ways.size > 1)) this.refuseAt(position, MIXED_CHAIN);
      if (text === '<' || text === '>') strict.push(relations.length);
      relations.push(relation);
      sides.push(this.sum());
    }
  }

  private relation(): Relation | undefined {
    const relation = this.token.kind === 'relation' ? RELATIONS[this.token.text] : undefined;
    if (relation !== undefined) this.advance();
    return relation;
  }

  /** @param begun the first factor, if it has already been read */
  private sum(begun?: Expression): Expression {
    const parts = [{ negative: begun === undefined && this.signs(), of: this.product(begun) }];
    while (this.isSign('+', '-')) parts.push({ negative: this.signs(), of: this.product() });
    const [first] = parts;
    return parts.length === 1 && first?.negative === false ? first.of : { kind: 'sum', parts };
  }

  private product(begun?: Expression): Expression {
    const first = begun ?? this.factor();
    let factors: Extract<Expression, { kind: 'product' }>['factors'] | undefined;
    for (;;) {
      let divisor = false;
      let of: Expression;
      if (this.isSign('*', '/')) {
        divisor = this.token.text === '/';
        this.advance();
        of = this.signed(divisor);
      } else if (this.canMultiply && ((this.token.kind === 'name' && !this.isAtWord()) || this.isSign('('))) {
        of = this.factor();
      } else {
        return factors === undefined ? first : { kind: 'product', factors };
      }
      (factors ??= [{ divisor: false, of: first }]).push({ divisor, of });
    }
  }

  /** Parses a factor after `*` or `/`. The factor may have a sign. */
  private signed(divisor: boolean): Expression {
    const negative = this.signs();
    if (divisor && this.isAtTotal()) this.refuse('Put a sum after `/` in parentheses: `/ (sum ...)`');
    const of = this.factor();
    return negative ? { kind: 'sum', parts: [{ negative, of }] } : of;
  }

  private factor(): Expression {
    const { kind, text } = this.token;
    if (kind === 'number') {
      const value = Number(text);
      if (!Number.isFinite(value)) this.refuse(`The number ${shortened(text)} is too large`);
      this.advance();
      this.canMultiply = true;
      return { kind, value };
    }
    if (kind === 'name') return this.isAtTotal() ? this.total() : this.isAtCall() ? this.call() : this.reference();
    if (!this.isSign('(')) this.refuse(kind === 'text' ? this.textAlone() : undefined);
    return this.inParentheses(() => this.sum());
  }

  private textAlone(): string {
    return `The text ${shortened(this.token.written)} is not a number: use texts only in conditions or as members in [ ]`;
  }

  private inParentheses<Read>(read: () => Read): Read {
    this.enterNesting('parentheses');
    const { isInTotal } = this;
    this.isInTotal = false;
    this.advance();
    const inner = read();
    if (!this.isSign(')')) this.refuse(this.token.kind === 'end' ? 'A closing parenthesis is missing' : undefined);
    this.depth -= 1;
    this.isInTotal = isInTotal;
    this.advance();
    this.canMultiply = true;
    return inner;
  }

  /** Parses `x` or `make[p]`. */
  private reference(): Expression {
    const { text: name, position } = this.token;
    this.advance();
    this.canMultiply = false;
    if (!this.isSign('[')) return { kind: 'name', name };
    this.advance();
    if (this.isSign(']')) this.refuse('Write a member in [ ], as in `make[p]`');
    const keys: [Key, ...Key[]] = [this.key()];
    while (this.isSign(',')) {
      this.advance();
      keys.push(this.key());
    }
    if (!this.isSign(']')) this.refuse(this.unclosed());
    this.advance();
    return { kind: 'member', name, keys, position };
  }

  /** Returns a specific message if a bracket is not closed, otherwise undefined. */
  private unclosed(): string | undefined {
    const { kind, written } = this.token;
    if (kind === 'relation') return `A closing ] is missing before \`${written}\``;
    return kind === 'end' ? 'A closing ] is missing' : undefined;
  }

  /** Parses a key: `p`, `t - 1`, `"oak chair"` or `3`. */
  private key(): Key {
    const { kind, text, position } = this.token;
    if (kind === 'text' || kind === 'number') {
      this.advance();
      return { kind: 'text', text: text.trim(), position };
    }
    if (kind !== 'name') this.refuse();
    this.advance();
    if (!this.isSign('+', '-')) return { kind: 'index', name: text, lag: 0, position };
    const sign = this.token.text === '-' ? -1 : 1;
    this.advance();
    const places = this.token.kind === 'number' ? Number(this.token.text) : NaN;
    if (!Number.isInteger(places) || places > MAX_LAG) this.refuse('A lag must be a whole number, as in `t - 1`');
    this.advance();
    return { kind: 'index', name: text, lag: sign * places, position };
  }

  /** Whether an indexed sum, minimum, maximum or count begins here. Otherwise the keyword is an ordinary name. */
  private isAtTotal(): boolean {
    const { text } = this.token;
    if (!TOTALS.has(text) || !this.isAtWordBefore(text)) return false;
    const following = this.lexer.next(this.token);
    if (following.text === '(' && text !== 'sum') return this.isPair(following);
    // In `x <= sum for p in products` and `a > sum and b > 1`, `sum` is a name.
    if (following.text === FOR) return this.lexer.next(following).text === 'in';
    return !this.isInCondition || (following.text !== 'and' && following.text !== 'or');
  }

  /** Whether a parenthesis begins the names of an index, as in `max (o, d) in lanes: cost[o, d]`. */
  private isPair(parenthesis: Token): boolean {
    let token = this.lexer.next(parenthesis);
    while (token.kind === 'name' || token.text === ',') token = this.lexer.next(token);
    return token.text === ')' && this.lexer.next(token).text === 'in';
  }

  private isAtCall(): boolean {
    return isFunctionName(this.token.text) && this.lexer.next(this.token).text === '(';
  }

  /** Parses `max(a, b)`. */
  private call(): Expression {
    const { text: name, position } = this.token;
    if (!isFunctionName(name)) this.refuse();
    this.advance();
    const of = this.inParentheses(() => {
      const values: Call['of'] = [this.sum()];
      while (this.isSign(',')) {
        if (!takesMany(name)) this.refuse(`\`${name}\` takes a single value`);
        this.advance();
        values.push(this.sum());
      }
      return values;
    });
    return { kind: 'call', name, of, position };
  }

  private isAtFor(): boolean {
    return this.isAtWordBefore(FOR);
  }

  /**
   * Whether the current token is the given keyword. A keyword is followed by a name or a parenthesis, neither of which can
   * directly follow a name.
   */
  private isAtWordBefore(word: string): boolean {
    if (this.token.kind !== 'name' || this.token.text !== word) return false;
    const { kind, text } = this.lexer.next(this.token);
    return kind === 'name' || text === '(';
  }

  /** Whether the current token is a keyword that ends the preceding expression. */
  private isAtWord(): boolean {
    return this.isInCondition ? this.isName('and') || this.isName('or') : this.isAtFor();
  }

  private isName(word: string): boolean {
    return this.token.kind === 'name' && this.token.text === word;
  }

  /** Parses `sum p in products: price[p] * make[p]`. */
  private total(): Expression {
    const { text: word, position } = this.token;
    if (this.isInTotal) this.refuse('Put a sum inside another sum in parentheses');
    this.enterNesting('sums');
    this.advance();
    const over = this.index();
    const by = TOTALS.get(word);
    if (by === undefined) {
      if (this.isSign(':') && !this.isInCondition)
        this.refuse('A count has no expression after its index: use `sum` to add up values');
      this.depth -= 1;
      this.canMultiply = false;
      return { kind: 'total', by: 'sum', over, of: { kind: 'number', value: 1 }, position };
    }
    const example = `\`${word} p in products: make[p]\``;
    if (!this.isSign(':')) this.refuse(`Write \`:\` after the index of a ${NAMES[by]}, as in ${example}`);
    this.advance();
    if (this.token.kind === 'end' || this.token.kind === 'relation')
      this.refuse(`Write an expression after the \`:\` of a ${NAMES[by]}, as in ${example}`);
    this.isInTotal = true;
    const negative = this.signs();
    const product = this.product();
    this.isInTotal = false;
    this.canMultiply = false;
    this.depth -= 1;
    const of: Expression = negative ? { kind: 'sum', parts: [{ negative, of: product }] } : product;
    return { kind: 'total', by, over, of, position };
  }

  private index(): Index {
    if (this.isAtFor() && this.lexer.next(this.token).text !== 'in')
      this.refuse('Write an index without `for`, as in `p in products`');
    const over: Index['over'] = [this.membership()];
    while (this.isSign(',')) {
      this.advance();
      over.push(this.membership());
    }
    if (!this.isName('where')) return { over };
    this.advance();
    return { over, where: this.condition() };
  }

  private membership(): Membership {
    const { position } = this.token;
    const names: string[] = [];
    if (this.isSign('(')) {
      do {
        this.advance();
        names.push(this.indexName());
      } while (this.isSign(','));
      if (!this.isSign(')')) this.refuse();
      this.advance();
    } else {
      names.push(this.indexName());
    }
    if (!this.isName('in')) this.refuse('Write `in` and the name of a set, as in `p in products`');
    this.advance();
    if (this.token.kind !== 'name') this.refuse('Write the name of a set, as in `p in products`');
    const { text: set } = this.token;
    this.advance();
    return { names: names as Membership['names'], set, position };
  }

  private indexName(): string {
    const { kind, text } = this.token;
    if (kind !== 'name') this.refuse('Write a name for the members, as in `p in products`');
    this.advance();
    return text;
  }

  /** Parses the condition after `where`. */
  private condition(): Condition {
    const { isInCondition, isInTotal } = this;
    this.isInCondition = true;
    this.isInTotal = false;
    const { position } = this.token;
    if (this.token.kind === 'end' || this.isSign(':'))
      this.refuse('Write a condition after `where`, as in `where demand[p] > 0`');
    const read = this.disjunction();
    if (!isCondition(read)) this.refuseAt(position, 'A condition must compare two values, as in `demand[p] > 0`');
    this.isInCondition = isInCondition;
    this.isInTotal = isInTotal;
    return read;
  }

  private disjunction(): ConditionOrOperand {
    return this.joined('or', () => this.joined('and', () => this.negation()));
  }

  private joined(word: 'and' | 'or', read: () => ConditionOrOperand): ConditionOrOperand {
    const { position } = this.token;
    const first = read();
    if (!this.isName(word)) return first;
    const of: Condition[] = [this.asCondition(first, position)];
    while (this.isName(word)) {
      this.advance();
      const { position: next } = this.token;
      of.push(this.asCondition(read(), next));
    }
    return { kind: word, of: of as Extract<Condition, { kind: 'and' }>['of'] };
  }

  private asCondition(read: ConditionOrOperand, position: number): Condition {
    return isCondition(read) ? read : this.refuseAt(position, 'Compare this with something, as in `demand[p] > 0`');
  }

  private negation(): ConditionOrOperand {
    if (!this.isName('not')) return this.comparison();
    const following = this.lexer.next(this.token);
    // In `not > 3`, `not` is a name.
    if (following.kind === 'relation' || (following.kind === 'sign' && !['(', '-', '+'].includes(following.text)))
      return this.comparison();
    this.advance();
    this.enterNesting('`not`');
    const { position } = this.token;
    const of = this.asCondition(this.negation(), position);
    this.depth -= 1;
    return { kind: 'not', of };
  }

  private comparison(): ConditionOrOperand {
    const left = this.operand();
    if (isCondition(left)) return left;
    const { position } = this.token;
    const comparison = this.comparisonSign();
    if (comparison === undefined) return left;
    const at = this.token.position;
    const right = this.operand();
    if (isCondition(right)) this.refuseAt(at, 'Expected a text or a number here, not a condition');
    if (this.token.kind === 'relation') this.refuse('Compare two values at a time and join the comparisons with `and`');
    return { kind: 'compare', left, comparison, right, position };
  }

  private comparisonSign(): Comparison | undefined {
    const { kind, text, position } = this.token;
    const following = this.lexer.next(this.token);
    const isUnequal = text === '<' && following.text === '>' && following.position === position + 1;
    const comparison = COMPARISONS[isUnequal ? '<>' : kind === 'relation' || text === '≠' ? text : ''];
    if (comparison === undefined) return undefined;
    this.advance();
    if (isUnequal) this.advance();
    return comparison;
  }

  /** Parses a string, a number, or a condition in parentheses. */
  private operand(): ConditionOrOperand {
    const { kind, text, position } = this.token;
    if (kind === 'text') {
      this.advance();
      return { kind, text: text.trim(), position };
    }
    if (!this.isSign('(')) return this.sum();
    const inner = this.inParentheses(() => this.disjunction());
    if (isCondition(inner) || inner.kind === 'text') return inner;
    return this.sum(inner);
  }

  /** Consumes leading `+` and `-` signs. Returns true if they negate the term. */
  private signs(): boolean {
    let negative = false;
    while (this.isSign('+', '-')) {
      negative = negative !== (this.token.text === '-');
      this.advance();
    }
    return negative;
  }

  private enterNesting(what: string): void {
    this.depth += 1;
    if (this.depth > MAX_DEPTH) this.refuse(`More than ${MAX_DEPTH} ${what} are nested`);
  }

  private isSign(sign: string, other?: string): boolean {
    return this.token.kind === 'sign' && (this.token.text === sign || this.token.text === other);
  }

  private advance(): void {
    this.token = this.lexer.next(this.token);
  }

  private refuse(problem?: string): never {
    const { kind, written, position } = this.token;
    const place = `\`${shortened(written)}\` at character ${position + 1}`;
    const fault = DOMAIN.test(written)
      ? 'declares a variable, which is not allowed in a formula'
      : 'is not expected here';
    const reason = kind === 'end' ? 'The formula ends too early' : `${place} ${fault}`;
    throw new Refusal({ problem: problem ?? reason, position, token: written });
  }

  private refuseAt(position: number, problem: string): never {
    throw new Refusal({ problem, position, token: '' });
  }
}
