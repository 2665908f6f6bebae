import { nearestNames, wordsOf } from '../modelling/index.js';
import { columnsOf } from './canvas-columns.js';
import { readStatement } from './grammar.js';
import { type Thing, thingNamed, thingNear, thingsOn } from './named-things.js';
import type { Sketch } from './sketch.js';
import { isUnit, usesAll } from './word-coverage.js';
import { figureOf, NUMBER, without } from './words.js';

/*
 * Proposes the statement that plain text probably means: `make of every plant should not exceed its capacity` becomes
 * `make[p] <= Capacity[p] for p in plants`. The proposal has no effect until the user chooses it.
 */

/** Maximum length, in characters, of text for which proposals are made. */
const MAX_LENGTH = 300;
const BE =
  '(?:(?:is|are|must|should|shall|may|can|has to|have to|to) )?(?:(?:be|stay|remain|be kept|stay kept|fall|go|drop|rise) )?';
const MORE = '(?:more|greater|larger|higher)';
const LESS = '(?:less|fewer|smaller|lower)';
const NOT = String.raw`(?:no|not|never|cannot|can['’]t)(?: (?:be|fall|go|drop|rise))?`;
const words = (alternatives: string): RegExp => new RegExp(String.raw`\b${BE}(?:${alternatives})(?= )`, 'i');
/** Relations expressed in words. Negations come first, because they contain the words for the opposite relation. */
const RELATIONS: [relation: '<=' | '>=' | '<' | '>' | '=', pattern: RegExp][] = [
  [
    '<=',
    words(
      `${NOT} (?:exceed|${MORE} than|above|over)|exceeds? no more than|at most|at maximum|up to|(?:limited|restricted) to|within|(?:below|under|beneath|${LESS} than) or equal to|a maximum of|max(?:imum)?`,
    ),
  ],
  [
    '>=',
    words(
      String.raw`${NOT} (?:${LESS} than|below|under)|at least|(?:above|over|${MORE} than) or equal to|covers?|meets?|satisf(?:y|ies)|a minimum of|min(?:imum)?`,
    ),
  ],
  ['<', words(`below|beneath|under|${LESS} than`)],
  ['>', words(`exceeds?|above|over|${MORE} than`)],
  ['=', words('exactly|equals?(?: to)?|the same as')],
];
const QUANTIFIER =
  /(?:\b(?:of|for|in|at|on|from) )?\b(?:every|each|any|per|all(?: the| of the)?) (?<set>[\p{L}\p{N}_]+)/giu;
/** Label in front of a limit. */
const LABEL = /^[\p{L}\p{N}_]+: /u;
/** Negated subject. In `no product may exceed its cap`, for example, the negation means that every product is limited. */
const NO_MEMBER = /^(?:no|none of the|not a single|no single) (?=(?<set>[\p{L}\p{N}_]+))/iu;
const NEGATIONS: Partial<Record<string, string>> = { '<': '>=', '>': '<=' };
const TOTAL = /\b(?:total|sum|altogether|together|overall|all|in total|combined)\b/i;
const IN_TOTAL = /\b(?:in total|altogether|together|overall|combined)\b/i;
/** Words for which a proposal uses signs. */
const SIGN_WORDS = ['and', 'plus', 'total', 'sum', 'altogether', 'together', 'overall', 'all', 'in', 'combined'];
const PERCENT = new RegExp(String.raw`(?:^| )(?<figure>${NUMBER}) ?(?:%|percent) (?<rest>[^]+)`, 'i');
const HAVE = new RegExp(
  `^(?:we|i|you|there|they)(?: only)? (?:have|has|had|got|is|are)(?: only)? (?<figure>${NUMBER}) (?<rest>.+)$`,
  'i',
);
const AVAILABLE = /(?: available| left| in stock)$/i;
const OF = / (?:of|for) (?:the )?/i;

const FIGURE_OF = new RegExp(`^(?<figure>${NUMBER}) (?<subject>.+)$`, 'i');
const FIGURE_FIRST = new RegExp(`^[$€£]?(?<figure>${NUMBER})(?: .*)?$`, 'i');

/** Index name and its set. */
interface Over {
  set: string;
  names: string[];
}

/** Permission such as `tables may exceed 5`. It is not a limit. */
const PERMISSION =
  /\b(?:may|can|could|might|(?:is|are) (?:allowed|permitted|able|free) to)\b(?! ?(?:not\b|never\b|no\b|only\b|at most\b|['’]t))/i;
const DENIED = /^(?:[^:]*: ?)?(?:no|none|not a single|only)\b/i;
const UPPER = /\b(?:up to|at most|be (?:less|fewer|lower|smaller)|below|under|within|limited)\b/i;
const isPermission = (text: string): boolean => PERMISSION.test(text) && !DENIED.test(text) && !UPPER.test(text);

/** Returns the statements that text probably means, most likely first. Returns an empty list if there are no proposals. */
export function proposalsFor(source: string, sketch: Sketch): string[] {
  if (source.length > MAX_LENGTH || isPermission(source)) return [];
  const colon = source.indexOf(':');
  const label = colon > 0 && colon <= 60 && !/[<>=[]/.test(source.slice(0, colon)) ? source.slice(0, colon).trim() : '';
  const text = source
    .slice(label === '' ? 0 : colon + 1)
    .replace(/(?<=\d),(?=\d{3}(?!\d))/g, '')
    .trim();
  const proposals = [...new Proposer(sketch).read(without(text, ' .!'))].map((statement) =>
    label === '' ? statement : `${label}: ${statement}`,
  );
  return proposals.filter((one) => one !== source && readStatement(one).statement !== undefined).slice(0, 3);
}

/**
 * Returns a constraint with names from the canvas as an example of the syntax. Returns undefined if the canvas has no suitable
 * names.
 */
export function exampleFor(sketch: Sketch): string | undefined {
  const proposer = new Proposer(sketch);
  const column = columnsOf(sketch).find(({ type, set }) => type === 'number' && proposer.familyOver(set) !== undefined);
  const family = column && proposer.familyOver(column.set);
  if (column !== undefined && family !== undefined) return [...proposer.read(`${family} at most ${column.name}`)][0];
  const [first, second] = sketch.vocabulary.variables;
  if (first === undefined) return undefined;
  return `limit: ${second === undefined ? first : `${first} + ${second}`} <= 40`;
}

class Proposer {
  private readonly things: readonly Thing[];

  constructor(private readonly sketch: Sketch) {
    this.things = thingsOn(sketch);
  }

  *read(text: string): Generator<string> {
    const { figure, rest: amount = '' } = HAVE.exec(text)?.groups ?? {};
    // The unit in `40 hours of labour` can be omitted.
    if (figure !== undefined) {
      const said = `${figure} ${amount.replace(AVAILABLE, '')}`;
      yield* complete(this.amount(figure, amount.replace(AVAILABLE, '').split(OF).at(-1) ?? ''), said);
    }
    const noSet = this.setNamed(NO_MEMBER.exec(text)?.groups?.['set'] ?? '');
    const { rest, sets } = this.withoutQuantifiers(noSet === undefined ? text : text.replace(NO_MEMBER, 'every '));
    for (const [relation, pattern] of RELATIONS) {
      const match = pattern.exec(rest);
      if (match === null) continue;
      const [before, after] = [rest.slice(0, match.index).trim(), rest.slice(match.index + match[0].length).trim()];
      const meant = noSet === undefined ? relation : NEGATIONS[relation];
      if (meant !== undefined) yield* complete(this.relation(before, meant, after, sets), `${before} ${after}`);
      return;
    }
  }

  /** Returns the name of a variable that is indexed only over the set. */
  familyOver(set: string): string | undefined {
    return Array.from(this.sketch.vocabulary.families).find(
      ([, { index }]) => index.over.length === 1 && index.over[0].set === set,
    )?.[0];
  }

  /** Reads `we have 40 hours of labour` as a limit on the total labour, or as a value. */
  private *amount(figure: string, subject: string): Generator<string> {
    if (!wordsOf(subject).every(isUnit)) return;
    const name = subject.trim().replace(/[^\p{L}\p{N}]+/gu, '_');
    const column = columnsOf(this.sketch).find(
      ({ type, name: called, column: title }) => type === 'number' && nearestNames(subject, [called, title]).length > 0,
    );
    const family = column && this.familyOver(column.set);
    if (column !== undefined && family !== undefined) {
      const [over] = this.sketch.vocabulary.families.get(family)?.index.over ?? [];
      const keys = over?.names.join(', ') ?? '';
      const names = over?.names.length === 1 ? keys : `(${keys})`;
      yield `${name}: sum ${names} in ${column.set}: ${column.name}[${keys}] * ${family}[${keys}] <= ${figure}`;
    }
    if (name !== '') yield `${name} = ${figure}`;
  }

  private *relation(before: string, relation: string, after: string, sets: ReadonlySet<string>): Generator<string> {
    // In `at most 10 chairs`, the limited variable follows the number.
    const ofFigure = FIGURE_OF.exec(after)?.groups;
    const named = this.thing(before) ?? this.onlyVariable(sets);
    const behind = ofFigure === undefined ? undefined : thingNamed(ofFigure['subject'] ?? '', this.things);
    const isBehind = this.thing(before) === undefined && behind !== undefined && isVariable(behind);
    const left = isBehind ? behind : named;
    // A limit on figures alone does not limit a plan.
    if (left === undefined || left.kind === 'column') return;
    const right = isBehind ? (ofFigure?.['figure'] ?? '') : after;
    const isTotal = TOTAL.test(before) || IN_TOTAL.test(after);
    const modes = isTotal || sets.size > 0 ? [isTotal] : [false, true];
    const found = new Set<string>();
    for (const total of modes) {
      const overs = total && sets.size === 0 ? [] : this.oversOf(left, sets);
      const sides = [this.sum(isBehind ? left.name : before, left, overs), this.side(right, overs)];
      if (sides.includes(undefined)) continue;
      const index = overs.map(
        ({ set, names }) => `${names.length === 1 ? names.join('') : `(${names.join(', ')})`} in ${set}`,
      );
      found.add(`${sides[0]} ${relation} ${sides[1]}${index.length === 0 ? '' : ` for ${index.join(', ')}`}`);
    }
    yield* found;
  }

  /** Returns the sum of the names in `x and y` or `x plus y`. */
  private sum(text: string, first: Thing, overs: readonly Over[]): string | undefined {
    const parts = text.split(/ and | plus | \+ /i).map((part) => this.thing(part));
    const things = parts.length > 1 && !parts.includes(undefined) ? parts : [first];
    const terms = things.map((thing) => thing && this.reference(thing, overs));
    return terms.includes(undefined) ? undefined : terms.join(' + ');
  }

  private side(text: string, overs: readonly Over[]): string | undefined {
    const percent = PERCENT.exec(text)?.groups;
    if (percent !== undefined) {
      const of = this.side((percent['rest'] ?? '').replace(/^of /i, ''), overs);
      return (
        of && `${Number((Number(percent['figure']) / 100).toPrecision(12))} * ${/ [+-] /.test(of) ? `(${of})` : of}`
      );
    }
    const figure = FIGURE_FIRST.exec(text)?.groups?.['figure'];
    if (figure !== undefined && figureOf(figure) !== undefined) return figure;
    const thing = this.thing(text);
    return thing && this.sum(text, thing, overs);
  }

  private thing(text: string): Thing | undefined {
    const chosen = this.things.filter(({ kind }) => ['variable', 'family', 'value', 'column'].includes(kind));
    return (
      thingNamed(text, chosen) ??
      (text === '' ? undefined : thingNear(text.replace(/^(?:its|their|the|our) /i, ''), chosen))
    );
  }

  /** Returns the only variable in the model, or else the only variable over exactly these sets. */
  private onlyVariable(sets: ReadonlySet<string>): Thing | undefined {
    const all = this.things.filter(isVariable);
    const variables = all.length === 1 ? all : all.filter(({ name }) => this.isOver(name, sets));
    return variables.length === 1 ? variables[0] : undefined;
  }

  private isOver(family: string, sets: ReadonlySet<string>): boolean {
    const over = this.sketch.vocabulary.families.get(family)?.index.over.map(({ set }) => set) ?? [];
    return over.length > 0 && new Set(over).size === sets.size && over.every((set) => sets.has(set));
  }

  /** Returns the memberships of a variable in the named sets, or all its memberships if no set is named. */
  private oversOf({ kind, name }: Thing, sets: ReadonlySet<string>): Over[] {
    const family = kind === 'family' ? this.sketch.vocabulary.families.get(name) : undefined;
    const all = family?.index.over.map(({ set, names }) => ({ set, names: [...names] })) ?? [];
    return sets.size === 0 ? all : all.filter(({ set }) => sets.has(set));
  }

  /** Formats a name for a formula. If its sets are missing in the index of the formula, formats a sum over them. */
  private reference({ kind, name }: Thing, overs: readonly Over[]): string | undefined {
    if (kind === 'variable' || kind === 'value') return name;
    const { families, columns, sets } = this.sketch.vocabulary;
    if (kind === 'family') {
      const all = families.get(name)?.index.over ?? [];
      const summed = all.filter(({ set }) => !overs.some((over) => over.set === set));
      const member = `${name}[${all.flatMap(({ names }) => names).join(', ')}]`;
      const index = summed.map(
        ({ set, names }) => `${names.length === 1 ? names[0] : `(${names.join(', ')})`} in ${set}`,
      );
      return summed.length === 0 ? member : `sum ${index.join(', ')}: ${member}`;
    }
    const [shape] = columns.get(name) ?? [];
    if (shape === undefined) return undefined;
    const over = overs.find(({ set }) => set === shape.set);
    if (over !== undefined) return `${name}[${over.names.join(', ')}]`;
    return sets.get(shape.set)?.arity === 1 ? `sum i in ${shape.set}: ${name}[i]` : undefined;
  }

  private setNamed(word: string): string | undefined {
    const spelling = wordsOf(word).join(' ');
    return Array.from(this.sketch.vocabulary.sets.keys()).find((one) => wordsOf(one).join(' ') === spelling);
  }

  /** Removes phrases such as `of every plant`. Returns the remaining text, and the sets named in the phrases. */
  private withoutQuantifiers(text: string): { rest: string; sets: ReadonlySet<string> } {
    const sets = new Set<string>();
    const rest = text.replace(QUANTIFIER, (phrase: string, word: string) => {
      const set = this.setNamed(word);
      if (set !== undefined) sets.add(set);
      return set === undefined ? phrase : ' ';
    });
    return { rest: ` ${rest} `.replace(/\s+/g, ' '), sets };
  }
}

const isVariable = ({ kind }: Thing): boolean => kind === 'variable' || kind === 'family';

/** Drops statements in which a word or a number of the original text is missing. */
function* complete(statements: Iterable<string>, text: string): Generator<string> {
  for (const statement of statements) if (usesAll(text, statement.replace(LABEL, ''), SIGN_WORDS)) yield statement;
}
