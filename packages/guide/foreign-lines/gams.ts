import { ExpressionReader, type Syntax } from './expressions.js';
import { Program } from './program.js';
import { objectivesIn } from './gams-objective.js';
import { Tokens } from './tokens.js';
import {
  type Draft,
  type Index,
  type Item,
  type Known,
  type Membership,
  type Node,
  number,
  numberIn,
  reference,
  Untranslatable,
} from './tree.js';
import { twoSets } from './two-sets.js';

/* Reads statements of GAMS. Names of sets are also the names of indices, and case does not matter. */

type Variable = Extract<Item, { kind: 'variable' }>;
type VariableKind = keyof typeof KINDS;

const COMPARISONS = new Map(
  Object.entries({
    '=': '=',
    eq: '=',
    '<>': '<>',
    ne: '<>',
    '<': '<',
    lt: '<',
    '<=': '<=',
    le: '<=',
    '>': '>',
    gt: '>',
    '>=': '>=',
    ge: '>=',
  }),
);
const RELATIONS = new Map(Object.entries({ '=e=': '=', '=l=': '<=', '=g=': '>=' }));
const DECLARED = /^(?:model|equations?)\b/i;
const COMMANDS = /^(?:display|options?|file|put\w*|execute\w*|\$\w+|acronym)\b/i;
const KINDS = {
  positive: { domain: 'continuous', lower: number(0) },
  nonnegative: { domain: 'continuous', lower: number(0) },
  negative: { domain: 'continuous', upper: number(0) },
  binary: { domain: 'binary' },
  integer: { domain: 'integer', lower: number(0) },
  free: { domain: 'continuous' },
} as const;
const SUFFIXES = ['up', 'lo', 'fx', 'l', 'm', 'scale', 'prior'];
/** Returns the items of statements, which have no comments. */
export function readGams(statements: readonly string[], known: Known): Item[] {
  return new Gams(new Program(known, statements)).read(statements);
}

class Gams {
  private readonly variables = new Map<string, Variable>();
  private readonly spellings = new Map<string, string>();
  private readonly sets = new Map<string, string>();
  /** Memberships by the name of the set in the text, in lower case. */
  private readonly memberships = new Map<string, Membership>();
  /** Sets of pairs, and of other members with several parts. */
  private readonly relations = new Set<string>();
  private readonly syntax: Syntax = {
    bracket: '(',
    comparisons: COMPARISONS,
    special: (reader) => this.special(reader),
    suffix: (factor, reader) => this.conditional(factor, reader),
    name: (tokens) => this.spelled(tokens.name()),
    index: (name) => this.indexOf(name),
  };

  constructor(private readonly program: Program) {}

  read(statements: readonly string[]): Item[] {
    for (const source of statements) this.program.take(source, () => this.statement(source));
    // Bounds may follow the declaration of a variable.
    const items = [...this.program.items.filter(({ kind }) => kind !== 'variable'), ...this.variables.values()];
    const order = new Map(statements.map((source, at) => [source, at]));
    items.sort((one, other) => (order.get(one.source) ?? -1) - (order.get(other.source) ?? -1));
    return objectivesIn(items, statements, (name) => this.spelled(name));
  }

  private statement(source: string): Draft[] {
    const [, kind = '', word = '', rest = ''] =
      /^(?:(\w+)\s+)?(sets?|parameters?|scalars?|table|variables?|alias|solve)\b\s*(.*)$/is.exec(source) ?? [];
    if (kind === '' && /^sets?$/i.test(word)) return entriesOf(rest).map((entry) => this.set(entry));
    if (kind === '' && /^(?:parameters?|scalars?)$/i.test(word))
      return entriesOf(rest).map((entry) => this.parameter(entry));
    if (kind === '' && /^table$/i.test(word)) return [this.table(rest)];
    if (kind === '' && /^alias$/i.test(word)) return this.alias(rest);
    if (kind === '' && /^solve$/i.test(word)) return [{ kind: 'used' }];
    if (/^variables?$/i.test(word)) {
      const known = kind === '' ? 'free' : kind.toLowerCase();
      if (!Object.hasOwn(KINDS, known))
        throw new Untranslatable(`the kind \`${kind}\` of variables has no counterpart here`);
      for (const entry of entriesOf(rest)) this.declare(entry, known as VariableKind, source);
      return [];
    }
    if (DECLARED.test(source)) return [{ kind: 'used' }];
    if (COMMANDS.test(source)) return [{ kind: 'idle' }];
    const tokens = new Tokens(source);
    const suffix = tokens.peek(1).text === '.' && tokens.next.kind === 'name' ? tokens.peek(2).text.toLowerCase() : '';
    if (SUFFIXES.includes(suffix)) return this.bound(new ExpressionReader(tokens, this.syntax));
    return this.equation(new ExpressionReader(tokens, this.syntax));
  }

  /** Returns the first spelling of a name. */
  private spelled(name: string): string {
    const key = name.toLowerCase();
    const spelling = this.spellings.get(key) ?? this.program.known.spelling(name) ?? name;
    this.spellings.set(key, spelling);
    return spelling;
  }

  /** Returns the name of the set that an index runs over. A set with a short name is written in capitals. */
  private setOf(index: string): string {
    const key = index.toLowerCase();
    const set = this.sets.get(key) ?? (key.length <= 2 ? key.toUpperCase() : this.spelled(index));
    this.sets.set(key, set);
    return set;
  }

  private indexOf(index: string): string {
    return this.membership(index).names.join();
  }

  /** Returns an index over the set with this name. A short name stays the name of the index. */
  private membership(index: string): Membership {
    const key = index.toLowerCase();
    const old = this.memberships.get(key);
    if (old !== undefined) return old;
    const taken = new Set(Array.from(this.memberships.values(), ({ names }) => names.join()));
    const begins =
      key.length <= 2
        ? [key]
        : Array.from(key, (_, at) => key.slice(0, at + 1)).filter((one) => this.program.unused(one) === one);
    const name = begins.find((one) => !taken.has(one)) ?? this.program.unused(`${key}_`);
    const membership = { names: [name], set: this.setOf(index) };
    this.memberships.set(key, membership);
    return membership;
  }

  private set(entry: string): Draft {
    const { name = '', sets, data } = entryIn(entry);
    if (name === '')
      throw new Untranslatable(`\`${entry.slice(0, 40)}\` is not a set with its members: write \`products: a, b, c\``);
    const set = this.setOf(name);
    if ((sets?.split(',').length ?? 1) > 1) this.relations.add(name.toLowerCase());
    if (data === undefined) return { kind: 'missing', name: set, sets: [] };
    if ((sets?.split(',').length ?? 1) > 1)
      throw new Untranslatable(`pairs are read from a file: write \`${set} from ${set}.csv key from, to\``);
    const range = /^\s*(\d+)\s*\*\s*(\d+)\s*$/.exec(data);
    if (range !== null) return { kind: 'set', name: set, members: { from: Number(range[1]), to: Number(range[2]) } };
    return { kind: 'set', name: set, members: listIn(data) };
  }

  private parameter(entry: string): Draft {
    const { name = '', sets, data } = entryIn(entry);
    if (name === '') throw new Untranslatable(`\`${entry.slice(0, 40)}\` is not a name with its figures`);
    const over = indicesIn(sets).map((one) => this.setOf(one));
    const spelled = this.spelled(name);
    this.program.declare(spelled, over);
    if (data === undefined) return { kind: 'missing', name: spelled, sets: over };
    const words = data.split(/[\s,=]+/).filter((word) => word !== '');
    if (over.length > 0 || words.length > 1) return this.program.cells(spelled, over, unquoted(data));
    const value = Number(words[0]);
    if (!Number.isFinite(value)) throw new Untranslatable(`\`${data.trim().slice(0, 40)}\` is not a number`);
    return { kind: 'value', name: spelled, value };
  }

  private table(rest: string): Draft {
    const [, name = '', sets = ''] = /^(\w+)\s*\(([^()]*)\)/.exec(rest) ?? [];
    throw new Untranslatable(
      twoSets(
        this.spelled(name || 'cost'),
        indicesIn(sets).map((one) => this.setOf(one)),
      ),
    );
  }

  private alias(rest: string): Draft[] {
    const names = indicesIn(/^\(([^()]*)\)/.exec(rest)?.[1]);
    const [first, ...others] = names;
    if (first === undefined || others.length === 0) throw new Untranslatable('it has the form `alias(i, j)`');
    for (const other of others) this.sets.set(other.toLowerCase(), this.setOf(first));
    return [{ kind: 'used' }];
  }

  private declare(entry: string, kind: VariableKind, source: string): void {
    const { name = '', sets, data } = entryIn(entry);
    if (name === '' || data !== undefined)
      throw new Untranslatable(`\`${entry.slice(0, 40)}\` is not the name of a variable`);
    const spelled = this.spelled(name);
    const old = this.variables.get(spelled);
    const over =
      sets === undefined
        ? (old?.index.over ?? (kind === 'free' ? [] : this.knownIndex(spelled)))
        : indicesIn(sets).map((one) => this.membership(one));
    const { domain, ...bounds } = KINDS[kind];
    this.variables.set(spelled, {
      source: old?.source ?? source,
      kind: 'variable',
      name: spelled,
      index: { over },
      domain,
      ...bounds,
    });
  }

  /** Returns the index of a variable on the canvas. */
  private knownIndex(name: string): Membership[] {
    return (this.program.known.setsOf(name) ?? []).map((set, at) => ({ names: [`i${at + 1}`], set }));
  }

  /** Reads `x.up(i) = 3`. */
  private bound(reader: ExpressionReader): Draft[] {
    const { tokens } = reader;
    const name = this.spelled(tokens.name());
    tokens.expect('.');
    const suffix = tokens.name().toLowerCase();
    const keys = tokens.skip('(') ? reader.list(')', () => reader.key()) : [];
    if (!['up', 'lo', 'fx'].includes(suffix)) return [{ kind: 'idle' }];
    const where = tokens.skip('$') ? this.dollar(reader) : undefined;
    tokens.expect('=');
    const of = reader.expression();
    if (!tokens.isAtEnd) tokens.fail('an operator is expected');
    const index = this.indexIn(keys, where);
    const isAll = where === undefined && index.over.length === keys.length;
    const old = this.variables.get(name);
    const value = numberIn(of);
    if (isAll && old !== undefined && (keys.length > 0 || value !== undefined)) {
      const bounds = suffix === 'up' ? { upper: of } : suffix === 'lo' ? { lower: of } : { lower: of, upper: of };
      const names = old.index.over.flatMap((one) => one.names).join();
      if (names === index.over.flatMap((one) => one.names).join()) {
        if (old.domain === 'binary')
          throw new Untranslatable('a bound of a binary variable is a constraint: write `fixed: x = 1`');
        this.variables.set(name, { ...old, ...bounds });
        return [];
      }
    }
    const relation = suffix === 'up' ? '<=' : suffix === 'lo' ? '>=' : '=';
    const label = this.program.unused(`${name}_${suffix}`);
    const count = this.program.items.filter((item) => item.kind === 'constraint' && item.name.startsWith(label)).length;
    const sides = [reference(name, keys), of];
    return [
      { kind: 'constraint', name: count === 0 ? label : `${label}${count + 1}`, index, sides, relations: [relation] },
    ];
  }

  /** Reads `supply(i)$(ord(i) > 1) .. sum(j, x(i,j)) =l= a(i)`, and an assignment such as `c(i,j) = f * d(i,j)`. */
  private equation(reader: ExpressionReader): Draft[] {
    const { tokens } = reader;
    const name = this.spelled(tokens.name());
    const keys = tokens.skip('(') ? reader.list(')', () => reader.key()) : [];
    const where = tokens.skip('$') ? this.dollar(reader) : undefined;
    const index = this.indexIn(keys, where);
    if (index.over.length < keys.length)
      throw new Untranslatable('it is for single members only: write it as a constraint with a name of its own');
    if (tokens.skip('=')) {
      const of = reader.expression();
      if (!tokens.isAtEnd) tokens.fail('an operator is expected');
      const value = numberIn(of);
      if (keys.length === 0 && value !== undefined) return [{ kind: 'value', name, value }];
      this.program.declare(
        name,
        index.over.map(({ set }) => set),
      );
      return [{ kind: 'computed', name, index, of }];
    }
    tokens.expect('..');
    const relation = reader.relations(RELATIONS, '`=e=`, `=l=` or `=g=`', () => reader.expression());
    return [{ kind: 'constraint', name, index, ...relation }];
  }

  /** Returns the index over the keys that are names of sets. The other keys are single members. */
  private indexIn(keys: readonly Node[], where: Node | undefined): Index {
    const memberships = [...this.memberships.values()];
    const over = keys.flatMap((key) => {
      const name = key.kind === 'reference' && key.keys.length === 0 ? key.name : undefined;
      return memberships.find(({ names }) => names.join() === name) ?? [];
    });
    if (new Set(over).size < over.length) throw new Untranslatable('the same index appears twice');
    return { over, ...(where !== undefined && { where }) };
  }

  private special(reader: ExpressionReader): Node | undefined {
    const { tokens } = reader;
    const isCalled = tokens.peek(1).text === '(';
    if (isCalled && tokens.is('sum', 'smin', 'smax')) {
      const word = tokens.take().text.toLowerCase();
      tokens.expect('(');
      const indices = tokens.skip('(') ? reader.list(')', () => tokens.name()) : [tokens.name()];
      if (tokens.is('('))
        throw new Untranslatable('it has a sum over a set of pairs: write it as `sum (i, j) in arcs: x[i, j]`');
      const where = tokens.skip('$') ? this.dollar(reader) : undefined;
      tokens.expect(',');
      const of = reader.expression();
      tokens.expect(')');
      const index = { over: indices.map((one) => this.membership(one)), ...(where !== undefined && { where }) };
      return { kind: 'total', combine: word === 'sum' ? 'sum' : word === 'smin' ? 'min' : 'max', index, of };
    }
    if (isCalled && tokens.is('prod', 'sqr', 'power', 'exp', 'log', 'sqrt', 'mod', 'ifthen', 'uniform'))
      throw new Untranslatable(`\`${tokens.next.text}\` has no counterpart here`);
    if (isCalled && tokens.is('ord', 'card')) {
      const isOrder = tokens.take().text.toLowerCase() === 'ord';
      tokens.expect('(');
      const name = tokens.name();
      tokens.expect(')');
      return isOrder ? { kind: 'position', index: this.indexOf(name) } : { kind: 'count', set: this.setOf(name) };
    }
    return undefined;
  }

  /** Reads `x(i)$(a(i) > 0)`, which is 0 for the other members. */
  private conditional(factor: Node, reader: ExpressionReader): Node {
    if (!reader.tokens.skip('$')) return factor;
    return { kind: 'choice', when: this.dollar(reader), then: factor, otherwise: number(0) };
  }

  /** Reads the condition after `$`. A figure alone is a condition if it is not 0. */
  private dollar(reader: ExpressionReader): Node {
    return this.asCondition(reader.primary());
  }

  private asCondition(node: Node): Node {
    switch (node.kind) {
      case 'and':
      case 'or':
        return { ...node, left: this.asCondition(node.left), right: this.asCondition(node.right) };
      case 'not':
        return { ...node, of: this.asCondition(node.of) };
      case 'reference': {
        const { name, keys } = node;
        if (this.relations.has(name.toLowerCase()))
          return {
            kind: 'member',
            of: keys.length === 1 ? keys[0]! : { kind: 'tuple', parts: keys },
            set: this.setOf(name),
          };
        if (this.program.setsOf(name) === undefined)
          throw new Untranslatable(
            `\`${name}\` is a set or a column: write the condition as \`where (i, j) in ${name}\` or \`where ${name}[i, j] <> 0\``,
          );
        return { kind: 'compare', sign: '<>', left: node, right: number(0) };
      }
      default:
        return node;
    }
  }
}

/** Reads a name with its sets and its data. The text between them explains the name. */
function entryIn(text: string): { name?: string; sets?: string; data?: string } {
  const [name] = /^[\p{L}_][\p{L}\p{N}_]*/u.exec(text) ?? [];
  if (name === undefined) return {};
  const rest = text.slice(name.length).trim();
  const end = rest.startsWith('(') ? rest.indexOf(')') : -1;
  const [begin, last] = [rest.indexOf('/'), rest.lastIndexOf('/')];
  if (begin >= 0 && (last !== rest.length - 1 || last === begin)) return {};
  return {
    name,
    ...(end > 0 && { sets: rest.slice(1, end) }),
    ...(begin >= 0 && { data: rest.slice(begin + 1, last) }),
  };
}

/** Splits a declaration at its line breaks and commas, except in parentheses, in quotes and between slashes. */
function entriesOf(text: string): string[] {
  const entries: string[] = [];
  let [entry, depth, isInData] = ['', 0, false];
  for (const [part] of text.matchAll(/"[^"]*"|'[^']*'|[^]/g)) {
    if (part === '/') isInData = !isInData;
    if (part === '(') depth += 1;
    if (part === ')') depth -= 1;
    const isEnd = !isInData && depth <= 0 && (part === ',' || part === '\n');
    if (isEnd) entries.push(entry);
    entry = isEnd ? '' : entry + part;
  }
  return joinedData([...entries, entry].map((one) => one.trim()).filter((one) => one !== ''));
}

/** Joins figures on a separate line with the name on the line before. */
const joinedData = (entries: readonly string[]): string[] =>
  entries.reduce<string[]>(
    (all, entry) =>
      entry.startsWith('/') && all.length > 0 ? [...all.slice(0, -1), `${all.at(-1)} ${entry}`] : [...all, entry],
    [],
  );

const indicesIn = (text = ''): string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');

const unquoted = (text: string): string[] =>
  Array.from(text.matchAll(/"([^"]*)"|'([^']*)'|[^\s,="']+/g), ([word, one, other]) => one ?? other ?? word);

/** Returns the members in a list. Expands `t1*t4`. */
function listIn(data: string): string[] {
  const entries = data
    .split(/[,\n]/)
    .map((one) => one.trim())
    .filter((one) => one !== '');
  return entries.flatMap((entry) => {
    const [first = '', ...others] = unquoted(entry);
    const [, text, begin, end] =
      /^(\D*)(\d{1,9})\*\D*(\d{1,9})$/.exec(
        entry
          .split('*')
          .map((one) => one.trim())
          .join('*'),
      ) ?? [];
    if (text !== undefined) {
      const [from, to] = [Number(begin), Number(end)];
      if (to < from || to - from > MAX_MEMBERS)
        throw new Untranslatable(`the range \`${entry.slice(0, 40)}\` is too long`);
      return Array.from(
        { length: to - from + 1 },
        (_, at) => `${text}${String(from + at).padStart(begin?.startsWith('0') === true ? begin.length : 0, '0')}`,
      );
    }
    if (/[*()]/.test(first) || (first.includes('.') && others.length === 0 && !/^[\d.]+$/.test(first)))
      throw new Untranslatable(`\`${entry.slice(0, 40)}\` is not a single member`);
    return [first];
  });
}

const MAX_MEMBERS = 1_000;
