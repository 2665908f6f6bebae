import {
  type Condition,
  decisionsIn,
  type Expression,
  type Formula,
  formatKey,
  type Index,
  indexOfSubset,
  isProblem,
  type Key,
  type MemberOf,
  type Membership,
  parseFormula,
  partsOf,
  partsOfKey,
} from '../modelling/index.js';
import { fieldOf, formulaIn, readIndex } from '../canvas/index.js';
import { computedOn } from './computed-numbers.js';
import type { Sketch, SketchCard } from './sketch.js';

/** Name that formulas use but that is not defined on the canvas. */
export interface UnknownName {
  name: string;
  /** Whether formulas use the name as a number, such as a coefficient, limit, bound or part of a condition. */
  isFigure: boolean;
  /** Whether only computed numbers use the name. */
  isInput: boolean;
  /** Number of keys. Absent if formulas use the name without keys. */
  keys?: number;
  /** Membership to which each key belongs. Absent unless every key is an index name. */
  over?: Membership[];
  /**
   * Member expression and index of a family with this name, such as `make[p, t]` and `p in products, t in weeks`. Absent if the
   * index is unknown.
   */
  family?: { member: string; index: string };
}

/** Role of a name in a formula. */
type Place = 'decision' | 'limit' | 'coefficient' | 'input';
type Scope = ReadonlyMap<string, Membership>;

/** Formula on a card, with its index. */
export interface Written {
  card: SketchCard;
  field: 'expression' | 'lower' | 'upper' | 'zero_or_between' | 'penalty' | 'computed' | 'where';
  text: string;
  index?: string | undefined;
  /** Name that the formula defines. Only present for a computed number. */
  name?: string;
}

/** Returns the formulas on a canvas that a solve reads, objectives first. */
export function writtenFormulas(sketch: Sketch): Written[] {
  const written = sketch.withFormulas().flatMap((card): Written[] => {
    const { expression: text, index } = formulaIn(card) ?? {};
    return text === undefined ? [] : [{ card, field: 'expression', text, index }];
  });
  const bounds = [...sketch.of('constraint'), ...sketch.of('variable')].flatMap((card) =>
    (card.card_type === 'constraint'
      ? (['penalty'] as const)
      : (['lower', 'upper', 'zero_or_between'] as const)
    ).flatMap((field) =>
      [card.data[field]]
        .flat()
        .flatMap((text): Written[] =>
          typeof text === 'string' ? [{ card, field, text, index: fieldOf<string>(card, 'index') }] : [],
        ),
    ),
  );
  const computed = sketch.of('data').flatMap((card) =>
    computedOn(card).map(({ name, expression, index }): Written => ({
      card,
      field: 'computed',
      text: expression,
      index,
      name,
    })),
  );
  const conditions = sketch.of('data').flatMap((card): Written[] => {
    const [of, where] = [fieldOf<string | string[]>(card, 'of'), fieldOf<string>(card, 'where')];
    const subset = of === undefined || where === undefined ? undefined : indexOfSubset(of, where);
    const isRead = subset !== undefined && where !== undefined && !('problem' in subset);
    return isRead ? [{ card, field: 'where', text: where, index: subset.text }] : [];
  });
  return [...written, ...bounds, ...computed, ...conditions];
}

/** Unknown names whose role is known. */
export interface AssumedNames {
  figures?: ReadonlySet<string>;
  decisions?: ReadonlySet<string>;
}

/** Returns the unknown names in formulas, in the order of first occurrence. */
export function unknownNames(sketch: Sketch, assumed: AssumedNames = {}): UnknownName[] {
  const reading = new Reading(sketch, assumed);
  for (const written of writtenFormulas(sketch)) reading.read(written);
  return reading.names();
}

interface Found {
  keys?: number;
  over?: Membership[];
  family?: { member: string; index: string };
  places: Set<Place>;
}

class Reading {
  private readonly found = new Map<string, Found>();
  private readonly decisions: ReadonlySet<string>;
  private readonly vocabulary;

  constructor(
    private readonly sketch: Sketch,
    private readonly assumed: AssumedNames,
  ) {
    this.vocabulary = sketch.vocabulary;
    const variables = sketch.of('variable').flatMap((card) => fieldOf<string>(card, 'name') ?? []);
    this.decisions = new Set([...variables, ...(assumed.decisions ?? [])]);
  }

  names(): UnknownName[] {
    // A name with keys cannot refer to an objective or a constraint.
    const unknown = [...this.found].filter(
      ([name, { keys }]) => keys !== undefined || this.sketch.namedCard(name) === undefined,
    );
    return unknown.map(([name, { places, ...rest }]) => {
      // A name that appears both as a limit and in the objective is a decision, as in `minimize peak`.
      const isFigure = places.has('coefficient') || !places.has('decision');
      const isInput = places.size === 1 && places.has('input');
      return { name, isFigure, isInput, ...rest };
    });
  }

  read({ field, text, index: over = '' }: Written): void {
    // The condition of a subset is part of its index.
    const formula = parseFormula(field === 'where' ? '0' : text);
    if (isProblem(formula)) return;
    const index = over === '' ? undefined : readIndex(over);
    const scope = index === undefined || isProblem(index) ? new Map<string, Membership>() : within(index, new Map());
    if (index !== undefined && !isProblem(index)) this.readCondition(index.where, scope);
    const places = field === 'expression' ? this.placesOf(formula) : [];
    const other = field === 'computed' ? 'input' : 'limit';
    for (const { of } of decisionsIn(formula)) this.visit(of, scope, 'decision');
    for (const [at, side] of formula.sides.entries()) this.visit(side, scope, places[at] ?? other);
  }

  /** Returns the role of the names on each side. Sides without decisions limit the other sides. */
  private placesOf({ sides, relations }: Formula): Place[] {
    if (relations.length === 0) return sides.map(() => 'decision');
    const decides = sides.map((side) => this.has(side, (name) => this.isDecision(name)));
    // If no side contains a known decision, the names on the first side with an unknown name are decisions.
    const first = sides.findIndex((side) => this.has(side, (name) => !this.isKnown(name)));
    return sides.map((_, at) =>
      decides[at] === true || (!decides.includes(true) && at === first) ? 'decision' : 'limit',
    );
  }

  private visit(expression: Expression, scope: Scope, place: Place): void {
    if (expression.kind === 'name' && !scope.has(expression.name)) this.note(expression.name, place);
    if (expression.kind === 'member') this.noteMember(expression, scope, place);
    const inner = expression.kind === 'total' ? within(expression.over, scope) : scope;
    if (expression.kind === 'total') this.readCondition(expression.over.where, inner);
    if (expression.kind === 'choice') this.readCondition(expression.when, scope);
    const factor = expression.kind === 'product' ? this.decidingFactor(expression) : undefined;
    const isKnown = (part: Expression): boolean =>
      expression.kind === 'member' || (factor !== undefined && part !== factor);
    for (const part of partsOf(expression))
      this.visit(part, inner, isKnown(part) && place !== 'input' ? 'coefficient' : place);
  }

  /** Returns the factor that contains a known decision. Without such a factor, returns the last factor with an unknown name. */
  private decidingFactor({ factors }: Extract<Expression, { kind: 'product' }>): Expression | undefined {
    const candidates = factors.filter(({ divisor }) => !divisor).map(({ of }) => of);
    return (
      candidates.find((one) => this.has(one, (name) => this.isDecision(name))) ??
      candidates.findLast((one) => this.has(one, (name) => !this.isKnown(name)))
    );
  }

  /** Reads the names in a condition as numbers, because conditions are evaluated before the solve. */
  private readCondition(condition: Condition | undefined, scope: Scope): void {
    if (condition === undefined) return;
    if (condition.kind === 'compare') {
      for (const operand of [condition.left, condition.right])
        if (operand.kind !== 'text' && !this.isSet(operand)) this.visit(operand, scope, 'coefficient');
    } else if (condition.kind === 'in') {
      for (const part of condition.keys.flatMap(partsOfKey)) this.visit(part, scope, 'coefficient');
    } else if (condition.kind === 'given')
      for (const part of partsOf(condition.of)) this.visit(part, scope, 'coefficient');
    else for (const part of [condition.of].flat()) this.readCondition(part, scope);
  }

  private isSet(operand: Expression): boolean {
    return operand.kind === 'name' && this.vocabulary.sets.has(operand.name);
  }

  private noteMember({ name, keys }: MemberOf, scope: Scope, place: Place): void {
    if (this.isKnown(name)) return;
    const found = this.note(name, place);
    const over = keys.map((key) => (key.kind === 'index' ? scope.get(key.name) : undefined));
    found.keys ??= keys.length;
    const known = over.filter((one) => one !== undefined);
    if (known.length === keys.length) found.over ??= known;
    const index = indexOf(keys, scope);
    if (index !== undefined) found.family ??= { member: `${name}[${keys.map(textOf).join(', ')}]`, index };
  }

  private note(name: string, place: Place): Found {
    const found = this.found.get(name) ?? { places: new Set<Place>() };
    if (this.isKnown(name)) return found;
    this.found.set(name, found);
    found.places.add(place);
    return found;
  }

  private has(expression: Expression, isMeant: (name: string) => boolean): boolean {
    if (expression.kind === 'name' || expression.kind === 'member') return isMeant(expression.name);
    return partsOf(expression).some((part) => this.has(part, isMeant));
  }

  /** Whether the plan chooses the value of a name. The names in objectives are decisions, and objectives are read first. */
  private isDecision(name: string): boolean {
    return this.decisions.has(name) || this.found.get(name)?.places.has('decision') === true;
  }

  private isKnown(name: string): boolean {
    const { columns, values, computed } = this.vocabulary;
    const isFigure = this.assumed.figures?.has(name) === true || computed?.has(name) === true;
    return (
      isFigure || this.decisions.has(name) || columns.has(name) || values.has(name) || this.sketch.values.has(name)
    );
  }
}

function within(index: Index, scope: Scope): Map<string, Membership> {
  const inner = new Map(scope);
  for (const membership of index.over) for (const name of membership.names) inner.set(name, membership);
  return inner;
}

/**
 * Returns the index that consists of the memberships of the keys. The keys must be distinct index names and include all names
 * of each membership. Otherwise returns undefined.
 */
function indexOf(keys: readonly Key[], scope: Scope): string | undefined {
  const parts: string[] = [];
  for (let at = 0; at < keys.length;) {
    const membership = scope.get(textOf(keys[at]!));
    const { names = [], set = '' } = membership ?? {};
    const isWhole = names.every(
      (name, place) => keys[at + place]?.kind === 'index' && textOf(keys[at + place]!) === name,
    );
    if (names.length === 0 || !isWhole) return undefined;
    parts.push(names.length === 1 ? `${names[0]} in ${set}` : `(${names.join(', ')}) in ${set}`);
    at += names.length;
  }
  return new Set(parts).size < parts.length ? undefined : parts.join(', ');
}

const textOf = (key: Key): string => (key.kind === 'index' ? key.name : formatKey(key));
