import { ExpressionReader, type Syntax } from './expressions.js';
import { indexNames, Program } from './program.js';
import { Tokens } from './tokens.js';
import { twoSets } from './two-sets.js';
import {
  type Draft,
  type Index,
  type Item,
  type Known,
  type Membership,
  type Node,
  NO_INDEX,
  number,
  numberIn,
  reference,
  Untranslatable,
} from './tree.js';

/* Reads statements of AMPL. */

const COMPARISONS = new Map([
  ...['=', '==', 'eq'].map((sign): [string, string] => [sign, '=']),
  ...['<>', '!=', 'ne'].map((sign): [string, string] => [sign, '<>']),
  ...['<', '<=', '>', '>='].map((sign): [string, string] => [sign, sign]),
]);
const RELATIONS = new Map([
  ['<=', '<='],
  ['>=', '>='],
  ['=', '='],
  ['==', '='],
]);
/** Statements that say how to work with a model. */
const COMMANDS =
  /^(?:option|solve|display|reset|printf?|check|quit|exit|write|expand|show|include|commands|shell|redeclare|delete|purge)\b/i;

/** Returns the items of statements, which have no comments. */
export function readAmpl(statements: readonly string[], known: Known): Item[] {
  return new Ampl(new Program(known, statements)).read(statements);
}

class Ampl {
  private isInData = false;
  private readonly syntax: Syntax = {
    bracket: '[',
    comparisons: COMPARISONS,
    special: (reader) => this.special(reader),
    name: (tokens) => tokens.name(),
  };

  constructor(private readonly program: Program) {}

  read(statements: readonly string[]): Item[] {
    for (const source of statements) {
      if (/^data$/i.test(source)) this.isInData = true;
      if (/^model$/i.test(source)) this.isInData = false;
      this.program.take(source, () => this.statement(source));
    }
    return this.program.items;
  }

  private statement(source: string): Draft[] {
    if (/^(?:data|model|end)$/i.test(source)) return [{ kind: 'used' }];
    if (COMMANDS.test(source)) return [{ kind: 'idle' }];
    const tokens = new Tokens(source);
    const reader = new ExpressionReader(tokens, this.syntax);
    if (tokens.skip('set')) return this.set(tokens, source);
    if (tokens.skip('param')) return this.param(reader, source);
    if (tokens.skip('var')) return this.variable(reader);
    if (tokens.is('maximize', 'minimize')) return this.objective(reader);
    if (tokens.is('subject', 'subj')) {
      tokens.take();
      tokens.expect('to');
    } else if (tokens.is('s') && tokens.peek(1).text === '.') {
      for (const part of ['s', '.', 't', '.']) tokens.expect(part);
    }
    return this.constraint(reader);
  }

  private set(tokens: Tokens, source: string): Draft[] {
    const name = tokens.name();
    if (tokens.isAtEnd) return [{ kind: 'missing', name, sets: [] }];
    if (!tokens.skip(':=', '='))
      throw new Untranslatable(`write the members as \`${name}: a, b, c\`, or read them from a file`);
    const range = this.rangeIn(tokens);
    if (range !== undefined) return [{ kind: 'set', name, members: range }];
    const list = source.slice(source.indexOf('=') + 1);
    const members = wordsIn(list);
    if (/[()*+/:|[\]]/.test(list) || members.some((one) => /^(?:union|diff|inter|cross|setof|symdiff)$/.test(one)))
      throw new Untranslatable(
        `the members are calculated or have several parts: write them as \`${name}: a, b, c\`, or read them from a file`,
      );
    return [{ kind: 'set', name, members }];
  }

  /** Reads `1..4` and `1..n` to the end of the statement. */
  private rangeIn(tokens: Tokens): { from: number; to: number } | undefined {
    if (tokens.peek(1).text !== '..') return undefined;
    const from = this.program.figure(tokens.take());
    tokens.expect('..');
    const to = this.program.figure(tokens.take());
    if (!tokens.isAtEnd) tokens.fail('a range ends with a number');
    return { from, to };
  }

  private param(reader: ExpressionReader, source: string): Draft[] {
    const { tokens } = reader;
    if (tokens.skip(':')) return this.table(tokens);
    const name = tokens.name();
    const index = this.index(tokens);
    const sets = index.over.map(({ set }) => set);
    let fallback: number | undefined;
    while (!tokens.isAtEnd) {
      if (tokens.is(':=', '=')) {
        const isData = tokens.take().text === ':=' && (this.isInData || sets.length === 0);
        return this.values(name, index, reader, source, isData, fallback);
      }
      if (tokens.skip(':')) throw new Untranslatable(twoSets(name, this.program.setsOf(name) ?? []));
      if (tokens.skip('default')) {
        const value = numberIn(reader.expression());
        if (value === undefined) throw new Untranslatable('the default is not a number');
        fallback = value;
      } else if (tokens.skip('integer', 'binary', 'symbolic', ',')) continue;
      else if (COMPARISONS.has(tokens.next.text)) {
        tokens.take();
        reader.sum();
      } else tokens.fail('`:=` is expected');
    }
    this.program.declare(name, sets);
    if (fallback !== undefined && sets.length > 0) this.program.defaults.set(name, fallback);
    if (fallback !== undefined && sets.length === 0) return [{ kind: 'value', name, value: fallback }];
    return [{ kind: 'missing', name, sets }];
  }

  /** Reads what follows the `=` of a parameter: a number, a formula, or figures of members. */
  private values(
    name: string,
    index: Index,
    reader: ExpressionReader,
    source: string,
    isData: boolean,
    fallback?: number,
  ): Draft[] {
    const { tokens } = reader;
    const sets = index.over.map(({ set }) => set);
    if (isData && isPairs(tokens)) {
      const words = wordsIn(source.slice(source.indexOf(':=') + 2));
      return [this.program.cells(name, sets, words, fallback)];
    }
    const value = reader.expression();
    if (!tokens.isAtEnd) tokens.fail('an operator is expected');
    const constant = numberIn(value);
    if (sets.length === 0 && constant !== undefined) return [{ kind: 'value', name, value: constant }];
    this.program.declare(name, sets);
    return [{ kind: 'computed', name, index, of: value }];
  }

  /** Reads `param: price cost := a 1 2 b 3 4`. */
  private table(tokens: Tokens): Draft[] {
    const names: string[] = [];
    if (tokens.peek(1).text === ':') {
      const set = tokens.name();
      tokens.expect(':');
      throw new Untranslatable(`list the members of \`${set}\` and the figures in two statements`);
    }
    while (!tokens.is(':=')) names.push(tokens.name());
    tokens.expect(':=');
    const words = joinedWords(tokens);
    const size = names.length + 1;
    const rows = Array.from({ length: words.length / size }, (_, at) => words.slice(at * size, (at + 1) * size));
    if (words.length === 0 || words.length % size !== 0)
      throw new Untranslatable(`each row needs a member and ${names.length} figures: the last row is not complete`);
    return names.map((name, at) =>
      this.program.cells(
        name,
        [],
        rows.flatMap((row) => [row[0] ?? '', row[at + 1] ?? '']),
      ),
    );
  }

  private variable(reader: ExpressionReader): Draft[] {
    const { tokens } = reader;
    const name = tokens.name();
    const index = this.index(tokens);
    let domain: 'continuous' | 'integer' | 'binary' = 'continuous';
    const bounds: { lower?: Node; upper?: Node } = {};
    const fixed: Node[] = [];
    while (!tokens.isAtEnd) {
      if (tokens.skip(',')) continue;
      if (tokens.is('integer', 'binary')) domain = tokens.take().text.toLowerCase() as 'integer' | 'binary';
      else if (tokens.is('>=', '<=')) {
        const side = tokens.take().text === '>=' ? 'lower' : 'upper';
        if (bounds[side] !== undefined) tokens.fail(`a second ${side} bound follows`);
        bounds[side] = reader.expression();
      } else if (tokens.skip(':=', 'default')) reader.expression();
      else if (tokens.skip('=', '==')) fixed.push(reader.expression());
      else tokens.fail('`>=`, `<=`, `integer` or `binary` is expected');
    }
    this.program.declare(
      name,
      index.over.map(({ set }) => set),
    );
    const variable = { kind: 'variable' as const, name, index, domain, ...bounds };
    const left = reference(
      name,
      index.over.flatMap(({ names }) => names).map((one) => reference(one)),
    );
    const definitions = fixed.map((of) => ({
      kind: 'constraint' as const,
      name: `define_${name}`,
      index,
      sides: [left, of],
      relations: ['='],
    }));
    return [variable, ...definitions];
  }

  private objective(reader: ExpressionReader): Draft[] {
    const { tokens } = reader;
    const sense = tokens.take().text.toLowerCase() === 'maximize' ? 'maximize' : 'minimize';
    const name = tokens.name();
    if (tokens.is('{')) throw new Untranslatable('an objective cannot have an index: write each objective separately');
    tokens.expect(':');
    const of = reader.expression();
    if (!tokens.isAtEnd) tokens.fail('an operator is expected');
    return [{ kind: 'objective', name, sense, of }];
  }

  private constraint(reader: ExpressionReader): Draft[] {
    const { tokens } = reader;
    const name = tokens.name();
    const index = this.index(tokens);
    tokens.expect(':');
    const relation = reader.relations(RELATIONS, '`<=`, `>=` or `=`', () => reader.expression());
    return [{ kind: 'constraint', name, index, ...relation }];
  }

  /** Reads `{p in PROD, s in STAGE: price[p] > 3}`. Returns an index without sets if no `{` follows. */
  private index(tokens: Tokens): Index {
    if (!tokens.skip('{')) return NO_INDEX;
    const over: Membership[] = [];
    const reader = new ExpressionReader(tokens, this.syntax);
    do over.push(this.membership(tokens));
    while (tokens.skip(','));
    const where = tokens.skip(':') ? reader.condition() : undefined;
    tokens.expect('}');
    const named = indexNames(over, this.program);
    return { over: named, ...(where !== undefined && { where }) };
  }

  private membership(tokens: Tokens): Membership {
    let names: string[] = [];
    if (tokens.skip('(')) {
      do names.push(tokens.name());
      while (tokens.skip(','));
      tokens.expect(')');
      tokens.expect('in');
    } else if (tokens.peek(1).text === 'in') {
      names = [tokens.name()];
      tokens.expect('in');
    }
    if (tokens.next.kind === 'number' || tokens.peek(1).text === '..') {
      const from = this.program.figure(tokens.take());
      tokens.expect('..');
      const to = this.program.figure(tokens.take());
      return { names, set: this.program.range(from, to, names[0] ?? 'number') };
    }
    const set = tokens.name();
    if (!tokens.is(',', ':', '}'))
      throw new Untranslatable(
        'write only the name of a set in `{ }`, as in `{p in PROD}`: calculated sets have no counterpart here',
      );
    return { names, set };
  }

  private special(reader: ExpressionReader): Node | undefined {
    const { tokens } = reader;
    const follows = tokens.peek(1).text;
    if (tokens.is('sum', 'min', 'max') && follows === '{') {
      const combine = tokens.take().text.toLowerCase() as 'sum' | 'min' | 'max';
      const index = this.index(tokens);
      return { kind: 'total', combine, index, of: reader.product() };
    }
    if (tokens.is('prod', 'exists', 'forall') && follows === '{')
      throw new Untranslatable(`\`${tokens.next.text}\` has no counterpart here`);
    if (tokens.is('if')) {
      tokens.take();
      const when = reader.condition();
      tokens.expect('then');
      const then = reader.expression();
      const otherwise = tokens.skip('else') ? reader.product() : number(0);
      return { kind: 'choice', when, then, otherwise };
    }
    if (follows !== '(' || !tokens.is('ord', 'card', 'first', 'last', 'prev', 'next')) return undefined;
    return this.ofSet(reader);
  }

  /** Reads a function of a set or of a member. */
  private ofSet({ tokens }: ExpressionReader): Node {
    const word = tokens.take().text.toLowerCase();
    tokens.expect('(');
    const name = tokens.name();
    if (!tokens.skip(')')) throw new Untranslatable(`\`${word}\` with several arguments has no counterpart here`);
    if (word === 'ord') return { kind: 'position', index: name };
    if (word === 'card') return { kind: 'count', set: name };
    if (word === 'first' || word === 'last') return { kind: word, set: name };
    return { kind: 'lag', index: name, by: word === 'prev' ? -1 : 1, isCyclic: false };
  }
}

/** Whether figures of members follow, and not an expression. */
function isPairs(tokens: Tokens): boolean {
  const [first, second, third, fourth] = [0, 1, 2, 3].map((distance) => tokens.peek(distance));
  if (first?.text === '[') return true;
  if (first?.kind === 'sign' || second === undefined) return false;
  if (second.kind === 'number' || second.kind === 'name') return true;
  // `a -1` is a figure, and `a - 1` at the end, too, because `:=` in data has no formulas.
  return second.text === '-' && third?.kind === 'number' && fourth?.kind !== 'sign';
}

/** Splits data into words. Quoted words may contain spaces. */
export const wordsIn = (text: string): string[] =>
  Array.from(text.matchAll(/"([^"]*)"|'([^']*)'|[^\s,;"'{}]+/g), ([word, one, other]) => one ?? other ?? word);

function joinedWords(tokens: Tokens): string[] {
  const words: string[] = [];
  let isNegative = false;
  for (const { kind, text } of tokens.rest()) {
    if (kind === 'sign' && text === ',') continue;
    if (kind === 'sign' && text === '-') isNegative = true;
    else if (kind === 'sign')
      throw new Untranslatable(`the sign \`${text}\` in a table is not supported: put the table into a file`);
    else {
      words.push(isNegative ? `-${text}` : text);
      isNegative = false;
    }
  }
  return words;
}
