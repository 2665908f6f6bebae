import { ExpressionReader } from './expressions.js';
import { indexNames, Program } from './program.js';
import { figuresIn, membersIn } from './pyomo-data.js';
import { partsOfList, type Rule, ruleIn } from './pyomo-rules.js';
import { pyomoSyntax } from './pyomo-syntax.js';
import { Tokens } from './tokens.js';
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
  partsOf,
  Untranslatable,
} from './tree.js';

/* Reads statements of Pyomo. A function that returns an expression is a rule, which a component refers to by its name. */

/** Arguments of a component, such as `Var(model.I, bounds=(0, 10))`. */
interface Arguments {
  sets: string[];
  named: Map<string, string>;
}

const RELATIONS = new Map(Object.entries({ '==': '=', '<=': '<=', '>=': '>=' }));
const COMPONENT =
  /^(?:\w+\.)?(?<name>\w+)\s*=\s*(?:\w+\.)?(?<type>Var|Objective|Constraint|ConstraintList|Param|Set|RangeSet|Expression)\s*\((?<list>[^]*)\)$/;
const DECORATED = /^@(?:\w+\.)*(?<type>Constraint|Objective)\s*\((?<list>[^()]*)\)\s*(?<rule>def\s[^]+)$/;
const ADDED = /^(?:\w+\.)?(?<name>\w+)\.add\s*\((?<list>[^]*)\)$/;
const ASSIGNED = /^(?<name>[\p{L}_]\w*)\s*=(?!=)\s*(?<value>[^]+)$/u;
const NO_RULE = 'a rule must consist of a single `return`, apart from `Constraint.Skip`';
const MODEL = /^(?:import|from)\b|\b(?:ConcreteModel|AbstractModel)\s*\(/;
const COMMANDS = /^(?:print|assert|if\s+__name__|#)|\bSolverFactory\s*\(|\.(?:solve|pprint|display|write|load)\s*\(/;
const DOMAINS: Record<string, Pick<Extract<Item, { kind: 'variable' }>, 'domain' | 'lower' | 'upper'>> = {
  Reals: { domain: 'continuous' },
  NonNegativeReals: { domain: 'continuous', lower: number(0) },
  PositiveReals: { domain: 'continuous', lower: number(0) },
  NonPositiveReals: { domain: 'continuous', upper: number(0) },
  Integers: { domain: 'integer' },
  NonNegativeIntegers: { domain: 'integer', lower: number(0) },
  PositiveIntegers: { domain: 'integer', lower: number(1) },
  Binary: { domain: 'binary' },
  Boolean: { domain: 'binary' },
  UnitInterval: { domain: 'continuous', lower: number(0), upper: number(1) },
  PercentFraction: { domain: 'continuous', lower: number(0), upper: number(1) },
};

/** Returns the items of statements, which have no comments. Each function is a single statement. */
export function readPyomo(statements: readonly string[], known: Known): Item[] {
  return new Pyomo(new Program(known, statements)).read(statements);
}

class Pyomo {
  /** Dictionaries that components may refer to. */
  private readonly dictionaries = new Map<string, string>();
  private readonly rules = new Map<string, Rule>();
  private readonly used = new Set<string>();
  private readonly lists = new Map<string, number>();
  private readonly prefixes = new Set(['m', 'model', 'mdl', 'self', 'instance', 'pyo', 'pe', 'aml']);
  private readonly syntax = pyomoSyntax(this.prefixes);

  constructor(private readonly program: Program) {}

  read(statements: readonly string[]): Item[] {
    for (const source of statements) {
      const rule = ruleIn(source);
      if (rule !== undefined) this.rules.set(rule.name, rule);
      const [, prefix] = /^(\w+)\.\w+\s*=/.exec(source) ?? [];
      if (prefix !== undefined) this.prefixes.add(prefix);
    }
    for (const source of statements) {
      const rule = /\brule\s*=\s*(\w+)/.exec(source)?.[1];
      if (rule !== undefined) this.used.add(rule);
    }
    for (const source of statements) this.program.take(source, () => this.statement(source));
    return this.program.items;
  }

  private statement(source: string): Draft[] {
    const decorated = DECORATED.exec(source)?.groups;
    if (decorated !== undefined) return this.decorated(decorated);
    if (/^def\b/.test(source)) return this.rule(source);
    const component = COMPONENT.exec(source)?.groups;
    if (component !== undefined)
      return this.component(
        component['name'] ?? '',
        component['type'] ?? '',
        this.argumentsIn(component['list'] ?? ''),
      );
    if (MODEL.test(source)) return [{ kind: 'used' }];
    if (COMMANDS.test(source)) return [{ kind: 'idle' }];
    const added = ADDED.exec(source)?.groups;
    if (added !== undefined) return this.added(added['name'] ?? '', added['list'] ?? '');
    const assigned = ASSIGNED.exec(source)?.groups;
    if (assigned !== undefined) return this.assigned(assigned['name'] ?? '', assigned['value'] ?? '');
    throw new Untranslatable('it is not a component of a model, such as `model.x = Var(...)`');
  }

  private component(name: string, type: string, { sets, named }: Arguments): Draft[] {
    switch (type) {
      case 'Var':
        return [this.variable(name, sets, named)];
      case 'Set':
        return [this.set(name, named.get('initialize'))];
      case 'RangeSet':
        return [this.range(name, sets)];
      case 'Param':
        return this.param(name, sets, named);
      case 'ConstraintList':
        return [{ kind: 'used' }];
      case 'Objective':
        return [this.objective(name, named)];
      case 'Constraint':
        return [this.constraint(name, sets, named)];
      default:
        throw new Untranslatable('an expression has no counterpart here: write its formula where it is used');
    }
  }

  /** Splits the arguments of a component. */
  private argumentsIn(list: string): Arguments {
    const sets: string[] = [];
    const named = new Map<string, string>();
    for (const part of partsOfList(list)) {
      const [, key, value] = /^(\w+)\s*=(?!=)\s*([^]+)$/.exec(part) ?? [];
      if (key !== undefined && value !== undefined) named.set(key === 'domain' ? 'within' : key, value);
      else sets.push(part.replace(/^\w+\./, ''));
    }
    return { sets, named };
  }

  private variable(name: string, sets: string[], named: Arguments['named']): Draft {
    const within = (named.get('within') ?? 'Reals').replace(/^\w+\./, '');
    const domain = Object.hasOwn(DOMAINS, within) ? DOMAINS[within] : undefined;
    if (domain === undefined)
      throw new Untranslatable(
        `the domain \`${within.slice(0, 40)}\` has no counterpart here: write the domain and the bounds in words`,
      );
    const index = this.indexOver(sets);
    this.program.declare(name, sets);
    const bounds = named.get('bounds');
    if (bounds === undefined) return { kind: 'variable', name, index, ...domain };
    const parts = partsOfList(/^\(([^]*)\)$/.exec(bounds)?.[1] ?? '');
    if (parts.length !== 2)
      throw new Untranslatable(
        'bounds from a rule have no counterpart here: write them as `0 <= x[i] <= cap[i] for i in I`',
      );
    const [lower, upper] = parts.map((part) => (part === 'None' ? undefined : this.wholeExpression(part)));
    const low = tighter(domain.lower, lower, Math.max);
    const high = tighter(domain.upper, upper, Math.min);
    return {
      kind: 'variable',
      name,
      index,
      domain: domain.domain,
      ...(low !== undefined && { lower: low }),
      ...(high !== undefined && { upper: high }),
    };
  }

  private set(name: string, list: string | undefined): Draft {
    if (list === undefined) return { kind: 'missing', name, sets: [] };
    const members = this.listIn(list);
    if (members === undefined)
      throw new Untranslatable(`write the members as \`${name}: a, b, c\`, or read them from a file`);
    return { kind: 'set', name, members };
  }

  /** Returns the members in `['a', 'b']` or `range(1, 5)`, or in a list with this name. */
  private listIn(text: string): string[] | { from: number; to: number } | undefined {
    const range = /^range\s*\(([^()]*)\)$/.exec(text);
    if (range !== null) {
      const ends = partsOfList(range[1] ?? '').map((part) => this.whole(part));
      const [from = 0, to = 0] = ends.length === 1 ? [0, ends[0]] : ends;
      if (ends.length > 2) throw new Untranslatable('a range with steps: list its members');
      return { from, to: to - 1 };
    }
    const known = this.program.items.findLast((item) => item.kind === 'set' && item.name === text);
    if (known?.kind === 'set') return known.members;
    return membersIn(text);
  }

  private range(name: string, ends: readonly string[]): Draft {
    const numbers = ends.map((end) => this.whole(end));
    const [first = NaN, second] = numbers;
    if (ends.length === 0 || ends.length > 2) throw new Untranslatable('a range with steps: list its members');
    return { kind: 'set', name, members: second === undefined ? { from: 1, to: first } : { from: first, to: second } };
  }

  private whole(text: string): number {
    return this.program.figure(new Tokens(text.replace(/^\w+\./, '')).take());
  }

  private param(name: string, sets: string[], named: Arguments['named']): Draft[] {
    this.program.declare(name, sets);
    const fallback = named.has('default') ? numberIn(this.wholeExpression(named.get('default') ?? '')) : undefined;
    const given = named.get('initialize');
    if (given === undefined)
      return [
        fallback !== undefined && sets.length === 0
          ? { kind: 'value', name, value: fallback }
          : { kind: 'missing', name, sets },
      ];
    if (sets.length === 0) {
      const value = numberIn(this.wholeExpression(given));
      if (value === undefined)
        throw new Untranslatable(`the value is calculated: write \`${name} = 3\` with its number`);
      return [{ kind: 'value', name, value }];
    }
    return [this.cells(name, sets, given, fallback)];
  }

  /** Reads the figures in `{'a': 1, 'b': 2}`, or in a dictionary with this name. */
  private cells(name: string, sets: string[], text: string, fallback?: number): Draft {
    const words = figuresIn(this.dictionaries.get(text) ?? text);
    if (words === undefined)
      throw new Untranslatable(
        `write the figures as \`${name} of ${sets[0] ?? 'products'}: a 1, b 2\`, or read them from a file`,
      );
    return this.program.cells(name, sets, words, fallback);
  }

  /** Reads `c = {'a': 1}`, `I = ['a', 'b']` and `n = 4`. */
  private assigned(name: string, value: string): Draft[] {
    if (value.startsWith('{') && value.includes(':')) {
      this.dictionaries.set(name, value);
      // Figures that a component refers to are stated with the component.
      const isUsed = this.program.mentions(`initialize=${name}`);
      return isUsed ? [{ kind: 'used' }] : [this.cells(name, [], value)];
    }
    const members = this.listIn(value);
    if (members !== undefined) return [{ kind: 'set', name, members }];
    const figure = numberIn(this.wholeExpression(value));
    if (figure === undefined) throw new Untranslatable('it is not a number, a list or a dictionary of figures');
    return [{ kind: 'value', name, value: figure }];
  }

  private objective(name: string, named: Arguments['named']): Draft {
    const sense = named.get('sense') ?? 'minimize';
    const isMaximized = /maximize$|^-1$/.test(sense);
    if (!isMaximized && !/minimize$|^1$/.test(sense))
      throw new Untranslatable(`the sense \`${sense.slice(0, 40)}\` is not clear`);
    const text = this.bodyOf(named, []);
    return { kind: 'objective', name, sense: isMaximized ? 'maximize' : 'minimize', of: this.wholeExpression(text) };
  }

  private constraint(name: string, sets: string[], named: Arguments['named']): Draft {
    const rule = this.rules.get(named.get('rule') ?? '');
    const names = rule?.parameters ?? [];
    const [set, ...others] = sets;
    const isOfPairs = set !== undefined && others.length === 0 && names.length > 1;
    if (rule !== undefined && !isOfPairs && names.length !== sets.length)
      throw new Untranslatable('the parameters of its rule do not match its sets');
    const over = isOfPairs ? [{ names, set }] : sets.map((one, at) => ({ names: names.slice(at, at + 1), set: one }));
    const index = { over: indexNames(over, this.program), ...this.conditionOf(rule) };
    return this.relation(name, index, this.bodyOf(named, sets));
  }

  /** Returns the condition of the members that a rule does not skip. */
  private conditionOf(rule: Rule | undefined): Pick<Index, 'where'> {
    if (rule?.skip === undefined) return {};
    const reader = new ExpressionReader(new Tokens(rule.skip), this.syntax);
    const of = reader.condition();
    if (!reader.tokens.isAtEnd) reader.tokens.fail('an operator is expected');
    return { where: { kind: 'not', of } };
  }

  /** Returns the expression of a component, or of its rule. */
  private bodyOf(named: Arguments['named'], sets: readonly string[]): string {
    const expression = named.get('expr');
    if (expression !== undefined) return expression;
    const name = named.get('rule') ?? '';
    const [, parameters, inline] = /^lambda\s([^:]*):([^]+)$/.exec(name) ?? [];
    if (inline !== undefined && partsOfList(parameters ?? '').length === 1 && sets.length === 0) return inline;
    const rule = this.rules.get(name);
    if (rule === undefined)
      throw new Untranslatable(
        `the rule \`${name.slice(0, 40)}\` is missing: paste the lines that start with \`def\`, too`,
      );
    return rule.body;
  }

  private relation(name: string, index: Index, text: string): Extract<Draft, { kind: 'constraint' }> {
    const reader = new ExpressionReader(new Tokens(text.replace(/^\(([^()]*)\)$/, '$1')), this.syntax);
    const relation = reader.relations(RELATIONS, '`<=`, `>=` or `==`', () => reader.sum());
    return { kind: 'constraint', name, index, ...relation };
  }

  private added(name: string, list: string): Draft[] {
    const [text = ''] = partsOfList(list.replace(/^\s*expr\s*=\s*/, ''));
    const count = (this.lists.get(name) ?? 0) + 1;
    this.lists.set(name, count);
    return [this.relation(`${name}_${count}`, NO_INDEX, text)];
  }

  private decorated({ type = '', list = '', rule = '' }: Partial<Record<string, string>>): Draft[] {
    const read = ruleIn(rule);
    if (read === undefined) throw new Untranslatable(NO_RULE);
    this.rules.set(read.name, read);
    const { sets, named } = this.argumentsIn(list);
    return this.component(read.name, type, { sets, named: new Map([...named, ['rule', read.name]]) });
  }

  /** Reads a rule. If no component refers to it, it becomes a constraint over the sets that its variables have. */
  private rule(source: string): Draft[] {
    const rule = ruleIn(source);
    if (rule === undefined) throw new Untranslatable(NO_RULE);
    const { name, parameters } = rule;
    if (this.used.has(name)) return [{ kind: 'used' }];
    const label = name.replace(/_?rule$/, '') || name;
    const relation = this.relation(label, NO_INDEX, rule.body);
    const over = parameters.map((parameter): Membership => {
      const set = setOfKey(parameter, relation.sides, this.program);
      if (set === undefined)
        throw new Untranslatable(
          `the set of \`${parameter}\` is not known: write \`model.${label} = Constraint(model.I, rule=${name})\` with the name of the set`,
        );
      return { names: [parameter], set };
    });
    return [{ ...relation, index: { over, ...this.conditionOf(rule) } }];
  }

  private indexOver(sets: readonly string[]): Index {
    return {
      over: indexNames(
        sets.map((set) => ({ names: [], set })),
        this.program,
      ),
    };
  }

  private wholeExpression(text: string): Node {
    const reader = new ExpressionReader(new Tokens(text), this.syntax);
    const node = reader.expression();
    if (!reader.tokens.isAtEnd) reader.tokens.fail('an operator is expected');
    return node;
  }
}

/** Returns the tighter of two bounds. */
function tighter(
  domain: Node | undefined,
  bound: Node | undefined,
  of: (...bounds: number[]) => number,
): Node | undefined {
  if (domain === undefined || bound === undefined) return bound ?? domain;
  const [one, other] = [numberIn(domain), numberIn(bound)];
  if (one === undefined || other === undefined)
    throw new Untranslatable('it has a domain and a calculated bound on the same side: use the domain `Reals`');
  return number(of(one, other));
}

/** Returns the set that a key runs over, as far as the variables and columns with this key show it. */
function setOfKey(key: string, sides: readonly Node[], program: Program): string | undefined {
  const references = sides.flatMap((side) => Array.from(partsOf(side)).filter((part) => part.kind === 'reference'));
  const sets = references.flatMap(({ name, keys }) => {
    const at = keys.findIndex((one) => one.kind === 'reference' && one.name === key);
    return at < 0 ? [] : (program.setsOf(name)?.[at] ?? []);
  });
  const [only, ...others] = new Set(sets);
  return others.length === 0 ? only : undefined;
}
