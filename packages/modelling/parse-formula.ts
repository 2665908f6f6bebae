import type {
  Call,
  Comparison,
  Condition,
  End,
  Expression,
  Extremum,
  Factor,
  Formula,
  FormulaProblem,
  Index,
  Key,
  Membership,
  MemberOf,
  Operand,
  Relation,
} from './formula.js';
import { type FunctionName, isFunctionName, takesMany } from './functions.js';
import { Lexer, type Token } from './lexer.js';
import { shortened } from './names.js';
import { TOTALS } from './sentences.js';

/** Maximum length of a formula. It is limited because each change to a canvas may parse all formulas. */
export const MAX_FORMULA_LENGTH = 2_000;
/** Message for chains such as `a >= 12 => b >= 3`, in which `=>` is meant as an implication. */
const MIXED_CHAIN =
  'All relations of a chain must point the same way, as in `0 <= x <= 4`: write other relations on separate lines, and an implication as in `if open = 0 then x <= 0`';
/** Maximum nesting depth of parentheses, sums, choices and `not`. */
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
const COMPARISONS: Record<string, Comparison> = { ...RELATIONS, '<': '<', '>': '>', '<>': '<>', '!=': '<>', '≠': '<>' };

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
const COMBINATIONS = new Map<string, 'sum' | Extremum | undefined>([
  ['sum', 'sum'],
  ['min', 'min'],
  ['max', 'max'],
  ['count', undefined],
]);
const CHOICE_WORDS = ['then', 'else'];
/** Matches formulas that may contain a choice. In other formulas, `if` is an ordinary name. */
const CHOICE = /\b(?:then|else)\b/;
/** Keywords that may follow a name. */
const FOLLOWING_WORDS = [FOR, 'in', 'is', ...CHOICE_WORDS];
const JOINING_WORDS = ['and', 'or'];
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
  ['and', 'or', 'not', 'compare', 'in', 'given'].includes(read.kind);

const FIXED_KEY =
  'Only an index name can have a lag, as in `make[t - 1]` with `for t in weeks where t = last(weeks)` after the formula';
const LATE_CHOICE = 'Write `*` before a choice, as in `2 * (if t = 1 then 3 else 4)`';
const LATE_IF =
  'Write a condition after the index, as in `for t in weeks where t > 2`, a choice, as in `if t > 2 then 5 else 0`, or a condition on a yes-or-no variable first, as in `if open = 0 then x <= 5`';
const TWO_CASES =
  'Write a second constraint for the other case, as in `if open = 1 then x <= 5`, or put a choice of values in parentheses';
const TWO_RELATIONS = 'Write a single relation after `then`, and repeat the condition for each further relation';
const HOW_TO_USE_TIERS = 'Write the column with the rates and an amount in parentheses, as in `tiered(price, use)`';
const ONLY_SQUARES = 'Only squares are possible, as in `x^2`';
const UNREADABLE_KEY = 'Put a key with a lag in parentheses, as in `(t - 1) in weeks`';

const unknownFunction = (name: string): string =>
  `\`${shortened(name)}\` is not a function: use \`min\`, \`max\`, \`abs\`, \`round\`, \`floor\`, \`ceil\` or \`tiered\`, or write members in [ ], as in \`make[p]\``;

/** Words for the state of a cell after `is` or `is not`, and whether they mean that it has a value. */
const STATES = new Map([
  ['given', true],
  ['empty', false],
  ['missing', false],
]);

/** Words for the value of a yes-or-no variable after `is`. */
const ANSWERS = new Map([
  ['0', 0],
  ['no', 0],
  ['false', 0],
  ['1', 1],
  ['yes', 1],
  ['true', 1],
]);

class Parser {
  private readonly lexer: Lexer;
  private token: Token;
  private depth = 0;
  /** Whether the last operand multiplies a name or parenthesis that directly follows it. */
  private canMultiply = false;
  /** Whether the parser is in a condition. */
  private isInCondition = false;
  /** Whether the parser is between `if` and `else`, outside any parentheses. */
  private isInChoice = false;
  /** Whether the parser is in a condition under which a relation must hold. A variable alone then means that it is 1. */
  private isInDecision = false;
  /** Whether the relation must only hold under a condition. */
  private isConditional = false;
  private readonly mayChoose: boolean;

  constructor(text: string) {
    this.mayChoose = CHOICE.test(text);
    this.lexer = new Lexer(text);
    this.token = this.lexer.next();
  }

  wholeFormula(): Formula {
    const formula = this.formula();
    if (this.isAtFor()) this.refuse('Put the part after `for` in the index, not in the formula');
    if (formula.when !== undefined && this.isName('else')) this.refuse(TWO_CASES);
    if (formula.when !== undefined && (this.isName('and') || this.isSign(','))) this.refuse(TWO_RELATIONS);
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
    const consequence = this.consequence();
    const when = consequence && { when: consequence.when };
    const sides: Formula['sides'] = [consequence?.side ?? this.sum()];
    const relations: Relation[] = [];
    const strict: number[] = [];
    let isImplied = false;
    for (;;) {
      const { text, position } = this.token;
      const relation = this.relation();
      if (relation === undefined) return { sides, relations, ...when, ...(strict.length > 0 && { strict }) };
      isImplied ||= text === '=>';
      const ways = new Set([...relations, relation].filter((one) => one !== '='));
      if (relations.length > 0 && (isImplied || ways.size > 1)) this.refuseAt(position, MIXED_CHAIN);
      if (text === '<' || text === '>') strict.push(relations.length);
      relations.push(relation);
      sides.push(this.sum());
    }
  }

  /**
   * Parses `if open[w] = 0 then` and the first side of a relation that must hold under this condition. Returns undefined, and
   * parses nothing, if a choice with `else` follows instead.
   */
  private consequence(): { when: Condition; side: Expression } | undefined {
    const { token, isInChoice } = this;
    if (!this.isAtChoice()) return undefined;
    this.isInChoice = true;
    this.isInDecision = true;
    this.advance();
    const when = this.condition('if');
    this.isInDecision = false;
    let side: Expression | undefined;
    if (this.isSign(',') && this.lexer.next(this.token).text === 'then') this.advance();
    if (this.isName('then')) {
      this.advance();
      side = this.sum();
    }
    // Before the end of the formula, `else` stays a keyword, so that a second case is not read as a factor.
    if (side !== undefined && this.token.kind === 'relation') {
      this.isConditional = true;
      return { when, side };
    }
    this.isInChoice = isInChoice;
    this.token = token;
    return undefined;
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
    const first = this.squared(begun ?? this.factor());
    let factors: Factor[] | undefined;
    for (;;) {
      if (this.isAtWordBefore('if')) this.refuse(this.mayChoose ? LATE_CHOICE : LATE_IF);
      let divisor = false;
      let of: Expression;
      if (this.isSign('*', '/')) {
        divisor = this.token.text === '/';
        this.advance();
        of = this.signed(divisor);
      } else if (this.isAtFactor()) {
        of = this.squared(this.factor());
      } else {
        return factors === undefined ? first : { kind: 'product', factors };
      }
      (factors ??= [{ divisor: false, of: first }]).push({ divisor, of });
    }
  }

  /** Whether a factor follows without `*`, as in `2 x` and `3(x + y)`. */
  private isAtFactor(): boolean {
    return this.canMultiply && ((this.token.kind === 'name' && !this.isAtWord()) || this.isSign('('));
  }

  /** Parses a factor after `*` or `/`. The factor may have a sign. */
  private signed(divisor: boolean): Expression {
    const negative = this.signs();
    if (divisor && this.isAtTotal()) this.refuse('Put a sum after `/` in parentheses: `/ (sum ...)`');
    return signedBy(negative, this.squared(this.factor()));
  }

  /** Parses the exponent of a factor. Returns the factor itself if an exponent is missing. */
  private squared(of: Expression): Expression {
    const { kind, text } = this.token;
    if (kind !== 'other' || (text !== '^' && text !== '²')) return of;
    this.advance();
    if (text === '^') {
      if (this.token.text !== '2') this.refuse(ONLY_SQUARES);
      this.advance();
    }
    this.canMultiply = true;
    return { kind: 'product', factors: [{ divisor: false, of, isSquared: true }] };
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
    if (kind === 'name') return this.named();
    if (!this.isSign('(')) this.refuse(kind === 'text' ? this.textAlone() : undefined);
    return this.inParentheses(() => this.sum());
  }

  /** Parses a factor that begins with a name or a keyword. */
  private named(): Expression {
    if (this.isAtTotal()) return this.total();
    if (this.isAtChoice()) return this.choice();
    if (this.isAtEnd()) return this.end();
    if (this.isAtFunction('position')) return this.position();
    if (this.isAtFunction('tiered')) return this.tiered();
    const { text: name } = this.token;
    if (isFunctionName(name) && this.isAtFunction(name)) return this.call(name);
    const reference = this.reference();
    if (reference.kind === 'name' && this.isSign('(')) this.refuse(unknownFunction(name));
    if (reference.kind !== 'member' || this.isInChoice || !this.isName('else')) return reference;
    this.advance();
    const negative = this.signs();
    const otherwise = signedBy(negative, this.factor());
    if (this.isAtFactor() || this.isSign('*', '/'))
      this.refuse('Put everything after `else` in parentheses, as in `stock[t - 1] else (2 start)`');
    this.canMultiply = false;
    return { kind: 'choice', when: { kind: 'given', of: reference }, then: reference, otherwise };
  }

  /** Parses `if t = 1 then start else stock[t - 1]`. */
  private choice(): Expression {
    this.enterNesting('`if`');
    const { isInChoice } = this;
    this.isInChoice = true;
    this.advance();
    const when = this.condition('if');
    if (!this.isName('then')) this.refuse('Write `then` after the condition, as in `if t = 1 then start else 0`');
    this.advance();
    const then = this.sum();
    if (this.token.kind === 'relation')
      this.refuse('Write `else` and another value before the relation, as in `(if t = 1 then start else 0) <= 3`');
    if (!this.isName('else')) this.refuse('Write `else` and another value, as in `if t = 1 then start else 0`');
    this.isInChoice = isInChoice;
    this.advance();
    const negative = this.signs();
    const product = this.product();
    if (this.isSign('+', '-'))
      this.refuse('Put the whole choice in parentheses, or everything after `else`: `(if t = 1 then 0 else x[t]) + y`');
    this.depth -= 1;
    this.canMultiply = false;
    return { kind: 'choice', when, then, otherwise: signedBy(negative, product) };
  }

  /** Whether `first(weeks)` or `last(weeks)` begins here. */
  private isAtEnd(): boolean {
    return this.isAtFunction('first') || this.isAtFunction('last');
  }

  private end(): End {
    const { text, position } = this.token;
    const set = this.argument(`Write the name of a set in parentheses, as in \`${text}(weeks)\``);
    return { kind: 'end', which: text === 'first' ? 'first' : 'last', set, position };
  }

  private position(): Expression {
    const { position } = this.token;
    return {
      kind: 'position',
      name: this.argument('Write an index name in parentheses, as in `position(t)`'),
      position,
    };
  }

  private tiered(): Expression {
    const { position } = this.token;
    this.advance();
    const [name, of] = this.inParentheses(() => {
      const { kind, text } = this.token;
      this.advance();
      if (kind !== 'name' || !this.isSign(',')) this.refuse(HOW_TO_USE_TIERS);
      this.advance();
      return [text, this.sum()] as const;
    });
    return { kind: 'tiered', name, of, position };
  }

  /** Parses the only argument of a function, which is a name. */
  private argument(advice: string): string {
    this.advance();
    this.advance();
    const { kind, text: name } = this.token;
    if (kind !== 'name') this.refuse(advice);
    this.advance();
    if (!this.isSign(')')) this.refuse(advice);
    this.advance();
    this.canMultiply = false;
    return name;
  }

  private textAlone(): string {
    return `The text ${shortened(this.token.written)} is not a number: use texts only in conditions or as members in [ ]`;
  }

  private inParentheses<Read>(read: () => Read): Read {
    this.enterNesting('parentheses');
    const { isInChoice } = this;
    this.isInChoice = false;
    this.advance();
    const inner = read();
    if (!this.isSign(')')) this.refuse(this.token.kind === 'end' ? 'A closing parenthesis is missing' : undefined);
    this.depth -= 1;
    this.isInChoice = isInChoice;
    this.advance();
    this.canMultiply = true;
    return inner;
  }

  /** Parses `x` or `make[p]`. */
  private reference(): MemberOf | { kind: 'name'; name: string } {
    const { text: name, position } = this.token;
    this.advance();
    this.canMultiply = false;
    if (!this.isSign('[')) return { kind: 'name', name };
    this.advance();
    if (this.isSign(']')) this.refuse('Write a member in [ ], as in `make[p]`');
    const keys = this.keys();
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

  private keys(): [Key, ...Key[]] {
    const keys: [Key, ...Key[]] = [this.key()];
    while (this.isSign(',')) {
      this.advance();
      keys.push(this.key());
    }
    return keys;
  }

  /** Parses a key: `p`, `t - 1`, `t -- 1`, `t - lead[p]`, `"oak chair"`, `3`, `product[o]` or `first(weeks)`. */
  private key(): Key {
    const { kind, text, position } = this.token;
    if (kind === 'text' || kind === 'number') {
      this.advance();
      return { kind: 'text', text: text.trim(), position };
    }
    if (kind !== 'name') this.refuse();
    if (this.isAtEnd()) return this.fixed(this.end());
    const reference = this.reference();
    if (reference.kind === 'member') return this.fixed({ kind: 'label', of: reference, position });
    if (!this.isSign('+', '-')) return { kind: 'index', name: text, lag: 0, position };
    return this.lagged(text, position);
  }

  /** Returns a key that cannot have a lag. */
  private fixed(key: Key): Key {
    if (this.isSign('+', '-')) this.refuse(FIXED_KEY);
    return key;
  }

  /** Parses the lag after an index name. */
  private lagged(name: string, position: number): Key {
    const { text: sign, position: at } = this.token;
    const negative = sign === '-';
    this.advance();
    const isCyclic = this.isSign(sign) && this.token.position === at + 1;
    if (isCyclic) this.advance();
    const cyclic = isCyclic ? { isCyclic: true as const } : {};
    if (this.token.kind === 'number') {
      const places = Number(this.token.text);
      if (!Number.isInteger(places) || places > MAX_LAG) this.refuse('A lag must be a whole number, as in `t - 1`');
      this.advance();
      this.refuseLongLag();
      return { kind: 'index', name, lag: negative ? 0 - places : places, ...cyclic, position };
    }
    if (this.token.kind !== 'name' && !this.isSign('(')) this.refuse('A lag must be a whole number, as in `t - 1`');
    const of = this.factor();
    this.refuseLongLag();
    this.canMultiply = false;
    return { kind: 'shift', name, by: signedBy(negative, of), ...cyclic, position };
  }

  private refuseLongLag(): void {
    if (this.isSign('+', '-') || this.isSign('*', '/'))
      this.refuse('Put a calculated lag in parentheses, as in `t - (lead[t] + 1)`');
  }

  /** Whether an indexed sum, minimum, maximum or count begins here. Otherwise the keyword is an ordinary name. */
  private isAtTotal(): boolean {
    const { text } = this.token;
    if (!COMBINATIONS.has(text) || !this.isAtWordBefore(text)) return false;
    const following = this.lexer.next(this.token);
    if (following.text === '(' && text !== 'sum') return this.isPair(following);
    // In `x <= sum for p in products` and `a > sum and b > 1`, `sum` is a name.
    if (this.isInChoice && CHOICE_WORDS.includes(following.text)) return false;
    if (FOLLOWING_WORDS.includes(following.text)) {
      const before = this.lexer.next(following);
      // In `if max in in then 1 else 2`, `max` is an index name and `in` a set.
      const set = this.lexer.next(before);
      const isEnd = this.isInCondition && [...CHOICE_WORDS, ...JOINING_WORDS].includes(set.text);
      return before.text === 'in' && set.kind === 'name' && !isEnd;
    }
    return !this.isInCondition || !JOINING_WORDS.includes(following.text);
  }

  /** Whether a choice begins here. Otherwise `if` is an ordinary name. */
  private isAtChoice(): boolean {
    if (!this.mayChoose || !this.isName('if')) return false;
    const { kind, text } = this.lexer.next(this.token);
    if (kind === 'name') return !JOINING_WORDS.includes(text);
    return kind === 'text' || kind === 'number' || ['(', '+', '-'].includes(text);
  }

  /** Whether a parenthesis begins the keys of a member, as in `(o, d) in lanes`. */
  private isPair(parenthesis: Token): boolean {
    let token = parenthesis;
    let depth = 0;
    do {
      if (token.kind === 'sign') depth += token.text === '(' ? 1 : token.text === ')' ? -1 : 0;
      token = this.lexer.next(token);
    } while (depth > 0 && token.kind !== 'end');
    return token.text === 'in' || (token.text === 'not' && this.lexer.next(token).text === 'in');
  }

  private isAtFunction(name: string): boolean {
    return this.isName(name) && this.lexer.next(this.token).text === '(';
  }

  /** Parses `max(a, b)`. */
  private call(name: FunctionName): Expression {
    const { position } = this.token;
    this.advance();
    const of = this.inParentheses(() => {
      if (this.isSign(')')) this.refuse(`Write a value in the parentheses, as in \`${name}(price)\``);
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
    if (this.isInChoice && (this.isName('then') || this.isName('else'))) return true;
    if (this.isConditional && this.isName('and')) return true;
    if (!this.isInCondition) return this.isAtFor();
    return this.isName('and') || this.isName('or') || this.isAtMembership();
  }

  private isName(word: string): boolean {
    return this.token.kind === 'name' && this.token.text === word;
  }

  /** Parses `sum p in products: price[p] * make[p]`. */
  private total(): Expression {
    const { text: word, position } = this.token;
    this.enterNesting('sums');
    this.advance();
    const over = this.index();
    const by = COMBINATIONS.get(word);
    if (by === undefined) {
      if (this.isSign(':') && !this.isInCondition)
        this.refuse('A count has no expression after its index: use `sum` to add up values');
      this.depth -= 1;
      this.canMultiply = false;
      return { kind: 'total', by: 'sum', over, of: { kind: 'number', value: 1 }, position };
    }
    const example = `\`${word} p in products: make[p]\``;
    if (!this.isSign(':')) this.refuse(`Write \`:\` after the index of a ${TOTALS[by]}, as in ${example}`);
    this.advance();
    if (this.token.kind === 'end' || this.token.kind === 'relation')
      this.refuse(`Write an expression after the \`:\` of a ${TOTALS[by]}, as in ${example}`);
    const negative = this.signs();
    const product = this.product();
    this.canMultiply = false;
    this.depth -= 1;
    return { kind: 'total', by, over, of: signedBy(negative, product), position };
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
    return { names: names as Membership['names'], set: this.setName(), position };
  }

  private setName(): string {
    const { kind, text } = this.token;
    if (kind !== 'name') this.refuse('Write the name of a set, as in `p in products`');
    this.advance();
    return text;
  }

  private indexName(): string {
    const { kind, text } = this.token;
    if (kind !== 'name') this.refuse('Write a name for the members, as in `p in products`');
    this.advance();
    return text;
  }

  /** Parses the condition after `where` or `if`. */
  private condition(word: 'where' | 'if' = 'where'): Condition {
    const { isInCondition } = this;
    this.isInCondition = true;
    const { position } = this.token;
    if (this.token.kind === 'end' || this.isSign(':'))
      this.refuse(`Write a condition after \`${word}\`, as in \`${word} demand[p] > 0\``);
    const read = this.disjunction();
    const condition = isCondition(read) ? read : this.decision(read, position);
    if (condition === undefined) this.refuseAt(position, 'A condition must compare two values, as in `demand[p] > 0`');
    this.isInCondition = isInCondition;
    return condition;
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
    if (isCondition(read)) return read;
    return (
      this.decision(read, position) ?? this.refuseAt(position, 'Compare this with something, as in `demand[p] > 0`')
    );
  }

  /** Returns the condition that a yes-or-no variable has a value. */
  private decision(of: Operand, position: number, value = 1): Condition | undefined {
    return this.isInDecision && (of.kind === 'name' || of.kind === 'member')
      ? { kind: 'compare', left: of, comparison: '=', right: { kind: 'number', value }, position }
      : undefined;
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
    const begin = this.token;
    const { position: start } = begin;
    if (this.isSign('(') && this.isPair(this.token)) return this.membershipOf(this.pair(), start);
    const left = this.operand();
    if (isCondition(left)) return left;
    if (this.isName('in') || this.isAtMembership())
      return this.membershipOf([keyOf(left, begin) ?? this.refuseAt(start, UNREADABLE_KEY)], start);
    if (this.isName('is')) return this.state(left);
    const { position } = this.token;
    const comparison = this.comparisonSign();
    if (comparison === undefined) return left;
    const at = this.token.position;
    const right = this.operand();
    if (isCondition(right)) this.refuseAt(at, 'Expected a text or a number here, not a condition');
    if (this.token.kind === 'relation') this.refuse('Compare two values at a time and join the comparisons with `and`');
    return { kind: 'compare', left, comparison, right, position };
  }

  /** Parses the keys in `(o, d - 1) in lanes`. */
  private pair(): [Key, ...Key[]] {
    this.advance();
    const keys = this.keys();
    if (!this.isSign(')')) this.refuse();
    this.advance();
    return keys;
  }

  /** Whether `in` or `not in` follows the left side of a condition. */
  private isAtMembership(): boolean {
    if (this.isAtWordBefore('in')) return true;
    return this.isName('not') && this.lexer.next(this.token).text === 'in';
  }

  private membershipOf(keys: [Key, ...Key[]], position: number): Condition {
    const isNot = this.isName('not');
    if (isNot) this.advance();
    if (!this.isName('in')) this.refuse('Write `in` and the name of a set, as in `p in products`');
    this.advance();
    const of: Condition = { kind: 'in', keys, set: this.setName(), position };
    return isNot ? { kind: 'not', of } : of;
  }

  /** Parses `is given`, `is not given`, `is empty` or `is missing` after a column. */
  private state(of: Operand): Condition {
    if (of.kind !== 'member' && of.kind !== 'name')
      this.refuse('Write a column before `is`, as in `limit[p] is given`');
    this.advance();
    const isNot = this.isName('not');
    if (isNot) this.advance();
    const { position, text } = this.token;
    const decided = ANSWERS.has(text) ? this.decision(of, position, ANSWERS.get(text)) : undefined;
    if (decided !== undefined) {
      this.advance();
      return isNot ? { kind: 'not', of: decided } : decided;
    }
    const isGiven = this.token.kind === 'name' ? STATES.get(this.token.text) : undefined;
    if (isGiven === undefined) this.refuse('Write `is given` or `is empty`, as in `limit[p] is given`');
    this.advance();
    const given: Condition = { kind: 'given', of };
    return isGiven === isNot ? { kind: 'not', of: given } : given;
  }

  private comparisonSign(): Comparison | undefined {
    const { kind, text, position } = this.token;
    const following = this.lexer.next(this.token);
    const isUnequal = text === '<' && following.text === '>' && following.position === position + 1;
    const comparison = COMPARISONS[isUnequal ? '<>' : ['relation', 'other'].includes(kind) ? text : ''];
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

const signedBy = (negative: boolean, of: Expression): Expression =>
  negative ? { kind: 'sum', parts: [{ negative, of }] } : of;

/** Converts the left side of `... in products` to a key. Returns undefined for a calculation. */
function keyOf(operand: Operand, { kind, text, position }: Token): Key | undefined {
  switch (operand.kind) {
    case 'text':
    case 'end':
      return operand;
    case 'number':
      // Members such as `01` keep their spelling.
      return { kind: 'text', text: kind === 'number' ? text : String(operand.value), position };
    case 'name':
      return { kind: 'index', name: operand.name, lag: 0, position };
    case 'member':
      return { kind: 'label', of: operand, position };
    default:
      return undefined;
  }
}
