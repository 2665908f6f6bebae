import type { Tokens } from './tokens.js';
import { type Node, number, reference, Untranslatable } from './tree.js';

/** Syntax of a language, as far as the languages differ. */
export interface Syntax {
  /** Opening bracket of keys. */
  bracket: '[' | '(';
  /** Signs and words of comparisons, with our signs. */
  comparisons: ReadonlyMap<string, string>;
  /** Reads a sum or another construct that begins with a name. Returns undefined for other names. */
  special: (reader: ExpressionReader) => Node | undefined;
  /** Reads what may follow a factor. */
  suffix?: (factor: Node, reader: ExpressionReader) => Node;
  /** Returns the name of a reference, which may have a prefix. */
  name: (tokens: Tokens) => string;
  /** Returns the name of an index in keys, if it is not the name in the text. */
  index?: (name: string) => string;
}

const MAX_DEPTH = 40;
const FUNCTIONS = new Set(['min', 'max', 'abs', 'round', 'floor', 'ceil']);
const CONDITIONS: ReadonlySet<Node['kind']> = new Set(['compare', 'and', 'or', 'not', 'member', 'tuple']);

/** Reads the arithmetic and the conditions of a statement. */
export class ExpressionReader {
  private depth = 0;

  constructor(
    readonly tokens: Tokens,
    private readonly syntax: Syntax,
  ) {}

  /** Reads an expression. */
  expression(): Node {
    return this.checked(this.sum());
  }

  /** Reads a condition, or an expression if no comparison follows. */
  condition(): Node {
    const left = this.conjunction();
    if (!this.tokens.skip('or', '||')) return left;
    return { kind: 'or', left, right: this.condition() };
  }

  private conjunction(): Node {
    const left = this.negation();
    if (!this.tokens.skip('and', '&&')) return left;
    return { kind: 'and', left, right: this.conjunction() };
  }

  private negation(): Node {
    return this.tokens.skip('not') ? { kind: 'not', of: this.negation() } : this.comparison();
  }

  private comparison(): Node {
    const left = this.sum();
    const { tokens } = this;
    const isNotIn = tokens.is('not') && tokens.peek(1).text === 'in';
    if (isNotIn) tokens.take();
    if (tokens.skip('in')) {
      const member: Node = { kind: 'member', of: left, set: this.syntax.name(tokens) };
      return isNotIn ? { kind: 'not', of: member } : member;
    }
    const sign = tokens.next.kind === 'text' ? undefined : this.syntax.comparisons.get(tokens.next.text.toLowerCase());
    if (sign === undefined) return left;
    tokens.take();
    return { kind: 'compare', sign, left: this.checked(left), right: this.expression() };
  }

  sum(): Node {
    let left = this.product();
    for (;;) {
      const sign = this.tokens.is('+') ? '+' : this.tokens.is('-') ? '-' : undefined;
      if (sign === undefined) return left;
      this.tokens.take();
      left = { kind: 'operation', sign, left: this.checked(left), right: this.checked(this.product()) };
    }
  }

  product(): Node {
    let left = this.factor();
    for (;;) {
      const sign = this.tokens.is('*') ? '*' : this.tokens.is('/') ? '/' : undefined;
      if (sign === undefined) return left;
      this.tokens.take();
      left = { kind: 'operation', sign, left: this.checked(left), right: this.checked(this.factor()) };
    }
  }

  private factor(): Node {
    this.depth += 1;
    if (this.depth > MAX_DEPTH) throw new Untranslatable('it is nested too deeply');
    const factor = this.primary();
    this.depth -= 1;
    if (this.tokens.is('^', '**'))
      throw new Untranslatable('it has a power: only objectives may contain squares here, as in `minimize risk: x^2`');
    return this.syntax.suffix?.(factor, this) ?? factor;
  }

  /** Reads a number, a reference, a function, or parentheses. */
  primary(): Node {
    const { tokens } = this;
    const { kind, text } = tokens.next;
    if (tokens.skip('-')) return { kind: 'negative', of: this.checked(this.factor()) };
    if (tokens.skip('+')) return this.factor();
    if (kind === 'number') {
      tokens.take();
      if (tokens.next.kind === 'name' && !WORDS.has(tokens.next.text.toLowerCase()))
        tokens.fail('an operator is expected');
      return number(Number(text));
    }
    if (kind === 'text') {
      tokens.take();
      return { kind: 'text', text };
    }
    if (tokens.skip('(')) {
      const parts = this.list(')', () => this.condition());
      const [only] = parts;
      return parts.length === 1 && only !== undefined ? only : { kind: 'tuple', parts };
    }
    if (kind !== 'name') tokens.fail('an expression is expected');
    return this.syntax.special(this) ?? this.named();
  }

  private named(): Node {
    const { tokens, syntax } = this;
    const isCall = tokens.peek(1).text === '(' && tokens.next.kind === 'name';
    const { text } = tokens.next;
    if (isCall && FUNCTIONS.has(text.toLowerCase())) {
      tokens.take();
      tokens.take();
      return { kind: 'call', name: text.toLowerCase(), parts: this.list(')', () => this.expression()) };
    }
    const name = syntax.name(tokens);
    if (tokens.is('(') && syntax.bracket !== '(')
      throw new Untranslatable(`the function \`${name}\` has no counterpart here`);
    if (!tokens.skip(syntax.bracket)) return reference(name);
    return reference(
      name,
      this.list(syntax.bracket === '[' ? ']' : ')', () => this.key()),
    );
  }

  /** Reads a key such as `t`, `t - 1`, `t ++ 1` or `"a"`. */
  key(): Node {
    const { tokens } = this;
    const { kind, text } = tokens.next;
    const sign = tokens.peek(1).text;
    const by = tokens.peek(2);
    if (kind === 'name' && ['+', '-', '++', '--'].includes(sign) && by.kind === 'number') {
      for (let count = 0; count < 3; count += 1) tokens.take();
      if (!tokens.is(',', ')', ']')) tokens.fail('a key with a lag has the form `t - 1`, and another sign follows');
      const distance = Number(by.text);
      return {
        kind: 'lag',
        index: this.syntax.index?.(text) ?? text,
        by: sign.startsWith('-') ? -distance : distance,
        isCyclic: sign.length === 2,
      };
    }
    if (kind === 'name' && this.syntax.index !== undefined && [',', ')', ']'].includes(sign))
      return reference(this.syntax.index(tokens.take().text));
    return this.expression();
  }

  /**
   * Reads a chain of relations to the end of the statement.
   *
   * @param signs our signs by the signs of the language
   * @param expected lists the signs of the language for messages
   */
  relations(
    signs: ReadonlyMap<string, string>,
    expected: string,
    side: () => Node,
  ): { sides: Node[]; relations: string[] } {
    const { tokens } = this;
    const sides = [side()];
    const relations: string[] = [];
    while (!tokens.isAtEnd) {
      const relation = signs.get(tokens.next.text.toLowerCase());
      if (relation === undefined) return tokens.fail(`${expected} is expected`);
      tokens.take();
      relations.push(relation);
      sides.push(side());
    }
    if (relations.length === 0) throw new Untranslatable(`it needs ${expected}`);
    return { sides, relations };
  }

  /** Reads items between commas, and the closing bracket. */
  list<Read>(end: string, read: () => Read): Read[] {
    const items = [read()];
    while (this.tokens.skip(',')) items.push(read());
    this.tokens.expect(end);
    return items;
  }

  private checked(node: Node): Node {
    if (CONDITIONS.has(node.kind)) this.tokens.fail('a condition cannot be part of a calculation');
    return node;
  }
}

/** Words that may follow a number. */
const WORDS = new Set([
  ...[
    'and',
    'or',
    'not',
    'in',
    'if',
    'else',
    'then',
    'for',
    'eq',
    'ne',
    'lt',
    'le',
    'gt',
    'ge',
    'by',
    'integer',
    'binary',
  ],
  ...['default', 'union', 'diff', 'inter', 'cross', 'less'],
]);
