import {
  type Choice,
  type Comparison,
  type Condition,
  type Expression,
  type Formula,
  type FormulaProblem,
  type Index,
  isLagged,
  isProblem,
  type Key,
  type MemberOf,
  type Operand,
  partsOf,
  partsOfKey,
} from './formula.js';
import { dateIn, withDates } from './date-literals.js';
import type { DateReading } from './dates.js';
import { contradictionIn, TURNED } from './contradictions.js';
import { type KeyPart, KnownValues } from './known-values.js';
import { linearize } from './linear.js';
import { decisionsIn } from './decisions.js';
import { runTrial } from './expansion/trial.js';
import { shortened } from './names.js';
import { misspelledNames } from './nearest-names.js';
import { firstFall } from './text-order.js';
import { firstTexts, listNearest, quotedList, shortText } from './quoted-texts.js';
import { isNever, rangeOf } from './ranges.js';
import { formatKey, missingCell } from './sentences.js';
import type { ColumnShape, Vocabulary } from './vocabulary.js';
import { hasText, type MissingTexts, type Values } from './values.js';

/** Key part of a set to which an index name is bound. */
interface Source extends KeyPart {
  isFiltered: boolean;
  /** Whether index names that were bound earlier exclude some members. */
  isJoined?: boolean;
}
type Scope = ReadonlyMap<string, Source>;

/** Side of a comparison: its known strings or numbers, and its name in messages. */
interface ComparisonSide {
  label: string;
  values?: Values | undefined;
  range?: readonly [number, number] | undefined;
  text?: string;
  figure?: number;
}

/** Maximum number of warnings per formula, and maximum number of characters quoted from a condition. */
const MAX_WARNINGS = 5;
const MAX_CONDITION = 120;

/** Result of comparing a formula with its data. */
export interface CoverageReport {
  warnings: string[];
  /** Reason why no solve can succeed with this data. */
  problem: string | undefined;
  /** Whether a value that a solve needs is missing. */
  lacksData: boolean;
}

/**
 * Warns about keys without a match and about conditions that no member satisfies, based on the known data. Also detects missing
 * values. Sentences have no full stop. Returns undefined if the comparison budget is exhausted.
 *
 * @param hasKnownNames whether all names in the formula are defined on the canvas
 */
export function coverageOf(
  formula: Formula,
  index: Index | undefined,
  vocabulary: Vocabulary,
  hasKnownNames = true,
): CoverageReport | undefined {
  const trial = hasKnownNames ? runTrial(formula, index, vocabulary) : undefined;
  const coverage = new Coverage(vocabulary, trial === undefined || trial.lacksData);
  const scope = index === undefined ? new Map<string, Source>() : coverage.index(index, new Map(), false);
  for (const side of [...formula.sides, ...decisionsIn(formula).map(({ of }) => of)]) coverage.expression(side, scope);
  if (vocabulary.budget?.remaining === 0) return undefined;
  const { problem, lacksData } = trial ?? coverage;
  // The coverage check already explains why no member satisfies a condition. This explanation is more helpful than a warning
  // about an empty index or sum.
  const found = trial?.warnings.filter(({ isOfCondition }) => !isOfCondition || !coverage.hasImpossibleCondition) ?? [];
  return {
    warnings: [...coverage.warnings, ...found.map(({ sentence }) => sentence)].slice(0, MAX_WARNINGS),
    problem,
    lacksData: lacksData || (trial === undefined && problem !== undefined),
  };
}

/** Returns the strings that look like misspelled values. */
function misspelledOf({ texts }: MissingTexts, values: Values | undefined): MissingTexts {
  const misspelled = texts.length === 0 ? [] : [...misspelledNames(texts, values ?? []).keys()];
  return { texts: misspelled, count: misspelled.length };
}

class Coverage {
  readonly warnings = new Set<string>();
  /** Whether a warning already reports a condition that no member satisfies. */
  hasImpossibleCondition = false;
  /** Whether the current condition is an operand of `or`. */
  private isAlternative = false;
  /** Reason why no solve can succeed with this data. */
  problem: string | undefined;
  /** Whether a value that a solve needs is missing. */
  lacksData = false;

  private readonly known: KnownValues;

  /** @param mayLackData whether to report members without a value */
  constructor(
    private readonly vocabulary: Vocabulary,
    private readonly mayLackData: boolean,
  ) {
    this.known = new KnownValues(vocabulary);
  }

  expression(expression: Expression, scope: Scope): void {
    if (expression.kind === 'member') this.member(expression, scope);
    const inner =
      expression.kind === 'total'
        ? this.index(expression.over, scope, true)
        : expression.kind === 'choice'
          ? this.chosen(expression, scope)
          : scope;
    for (const part of partsOf(expression)) this.expression(part, inner);
  }

  /** Returns the scope of the branches of a choice, which exclude some members. */
  private chosen({ when }: Choice, scope: Scope): Scope {
    this.condition(this.dated(when, scope), scope);
    return new Map(Array.from(scope, ([name, source]) => [name, { ...source, isFiltered: true }]));
  }

  /** @param isSum whether the index belongs to a sum */
  index({ over, where }: Index, outer: Scope, isSum: boolean): Scope {
    const scope = new Map(outer);
    for (const { names, set } of over) {
      const isJoined = names.some((name) => scope.has(name));
      for (const [part, name] of names.entries()) {
        const here = { set, part, isFiltered: where !== undefined, isJoined };
        const bound = scope.get(name);
        if (bound === undefined) scope.set(name, here);
        else this.filter(bound, here, isSum);
      }
    }
    if (where === undefined) return scope;
    const dated = this.dated(where, scope);
    this.condition(dated, scope);
    const contradiction = contradictionIn(dated, (operand) => this.sideOf(operand, scope)?.figure);
    if (contradiction !== undefined) this.warnOfCondition(`${shortened(contradiction, MAX_CONDITION)} can never hold`);
    return scope;
  }

  private dated(condition: Condition, scope: Scope): Condition {
    return withDates(condition, (operand) => this.readingOf(operand, scope), this.misfit);
  }

  /**
   * Compares the members bound to an index name with the members of another set. The set is filtered because its membership
   * reuses the name.
   */
  private filter(bound: Source, here: Source, isSum: boolean): void {
    const [unused, unmatched] = this.known.missingBetweenParts(here, bound);
    if (unused === undefined || unmatched === undefined) return;
    if (unused.count > 0) {
      const [matches, are] = unused.count === 1 ? ['matches', 'it is'] : ['match', 'they are'];
      this.warn(
        `${this.known.quoted(unused, bound, unmatched)} of ${here.set} ${matches} no member of ${bound.set}, so ${are} left out`,
      );
    }
    // For example, a node without incoming arcs may have outgoing arcs, so its sum over incoming arcs is intentionally empty.
    const isElsewhere = this.known.besides(here).some((values) => unmatched.texts.every((text) => values.has(text)));
    if (unmatched.count === 0 || (isElsewhere && unused.count === 0)) return;
    const [matches, sums, are] =
      unmatched.count === 1 ? ['matches', 'its sum is', 'it is'] : ['match', 'their sums are', 'they are'];
    const effect = isSum ? `${sums} empty` : `${are} left out`;
    this.warn(
      `${this.known.quoted(unmatched, here, unused)} of ${bound.set} ${matches} nothing in ${here.set}, so ${effect}`,
    );
  }

  /** Compares the keys that a formula uses for a column or variable with the existing members. */
  private member({ name, keys }: MemberOf, scope: Scope): void {
    const { columns, families } = this.vocabulary;
    const [column] = columns.get(name) ?? [];
    const isFamily = families.has(name);
    if (column !== undefined && !isFamily) this.figures(name, column, keys, scope);
    const parts = isFamily
      ? this.known.partsOfFamily(name)
      : keys.map((_, part) => column && { set: column.set, part });
    for (const [at, key] of keys.entries()) {
      this.lag(key, scope);
      const part = parts[at];
      if (part === undefined) continue;
      const here = { ...part, isFiltered: false };
      if (key.kind === 'text') {
        this.textKey(key, name, here);
        continue;
      }
      const bound = key.kind === 'index' ? scope.get(key.name) : undefined;
      if (bound === undefined || isFamily) continue;
      const [unused, unmatched] = this.known.missingBetweenParts(here, bound);
      if (unused === undefined || unmatched === undefined) continue;
      if (column?.fallback !== undefined) {
        // With a default, a file may contain more members than the set in use, so only likely typos are reported.
        const doubtful = unmatched.count === 0 ? misspelledOf(unused, this.known.of(bound)) : unused;
        if (doubtful.count === 0) continue;
        const [matches, their] = doubtful.count === 1 ? ['matches', 'its'] : ['match', 'their'];
        this.warn(
          `${this.known.quoted(doubtful, bound, unmatched)} of ${here.set} ${matches} no member of ${bound.set}, so ${their} ${name} is not used`,
        );
      } else if (unmatched.count > 0 && !bound.isFiltered && this.mayLackData) {
        const has = unmatched.count === 1 ? 'has' : 'have';
        this.warn(`${this.known.quoted(unmatched, here, unused)} of ${bound.set} ${has} no ${name} in ${here.set}`);
        this.lacksData ||= !isLagged(key) && bound.isJoined !== true;
      }
    }
  }

  /** @param name name of the column or variable, or of the set in a condition */
  private textKey(key: Extract<Key, { kind: 'text' }>, name: string, { set, part }: KeyPart): void {
    const values = this.known.of({ set, part });
    const text = dateIn(key, name, this.vocabulary.sets.get(set)?.readings?.[part], this.misfit);
    if (values !== undefined && !hasText(values, text))
      this.warn(`${set} has no member "${shortText(text)}": its members are ${listNearest(values, text)}`);
  }

  /** Warns about a lag over a set whose members are numbered but not in ascending order. */
  private lag(key: Key, scope: Scope): void {
    const source = isLagged(key) ? scope.get(key.name) : undefined;
    const values = source && this.known.of(source);
    const fall = values && firstFall(values);
    if (source === undefined || fall === undefined) return;
    const [before, after] = fall.map(shortText);
    this.warn(
      `${formatKey(key)} follows the order of ${source.set}, in which "${after}" comes after "${before}": sort the rows of the file, or write the members in ascending order, as in \`${source.set}: 1 to 4\``,
    );
  }

  /** Reports a missing value that a solve needs. */
  private figures(name: string, column: ColumnShape, keys: readonly Key[], scope: Scope): void {
    const shape = this.vocabulary.sets.get(column.set);
    if (column.type === 'text' || column.fallback !== undefined || column.isComputed === true) return;
    const sources = keys.map((key) => (key.kind === 'index' && key.lag === 0 ? scope.get(key.name) : undefined));
    const isWhole = sources.every((source) => source?.isFiltered === false && source.isJoined !== true);
    if (!isWhole) return;
    const isOwn = sources.every((source, part) => source?.set === column.set && source.part === part);
    const values = sources.map((source) => source && this.known.of(source));
    const names = new Set(keys.map((key) => (key.kind === 'index' ? key.name : '')));
    const isProduct =
      names.size === keys.length && sources.every((source) => this.vocabulary.sets.get(source!.set)?.arity === 1);
    const { empty } = column;
    if (empty !== undefined && (isOwn || (isProduct && empty.every((text, part) => values[part]?.has(text) === true))))
      this.problem ??= missingCell(name, empty.map((text) => `"${shortText(text)}"`).join(', '), column.set, true);
    const count = isProduct && !isOwn ? values.reduce((product, one) => product * (one?.size ?? 0), 1) : 0;
    if (shape?.size !== undefined && count > shape.size)
      this.problem ??= `${name} is needed for ${count} members, but ${column.set} has only ${shape.size}: add the missing rows, or give the data card of ${column.set} a \`default\``;
  }

  private condition(condition: Condition, scope: Scope): void {
    if (condition.kind === 'not') this.condition(condition.of, scope);
    else if (condition.kind === 'in') {
      this.contained(condition, scope);
    } else if (condition.kind === 'given') {
      // A condition may ask for members that do not exist.
      return;
    } else if (condition.kind !== 'compare') {
      const { isAlternative } = this;
      this.isAlternative ||= condition.kind === 'or';
      for (const one of condition.of) this.condition(one, scope);
      this.isAlternative = isAlternative;
    } else {
      for (const operand of [condition.left, condition.right])
        if (operand.kind !== 'text') this.expression(operand, scope);
      const [left, right] = [this.sideOf(condition.left, scope), this.sideOf(condition.right, scope)];
      if (left === undefined || right === undefined) return;
      const { comparison } = condition;
      this.comparison(left, comparison, right);
      this.comparison(right, TURNED[comparison], left);
      if (comparison === '=') this.equality(left, right);
    }
  }

  /**
   * Compares the keys of a condition with the members of its set. Reports only likely typos, because the condition may exclude
   * members on purpose.
   */
  private contained({ keys, set }: Extract<Condition, { kind: 'in' }>, scope: Scope): void {
    for (const [part, key] of keys.entries()) {
      for (const inner of partsOfKey(key)) this.expression(inner, scope);
      const values = this.known.of({ set, part });
      if (values === undefined) continue;
      if (key.kind === 'text') this.textKey(key, set, { set, part });
      const isName = key.kind === 'index' && key.lag === 0;
      const operand = isName ? ({ kind: 'name', name: key.name } as const) : key.kind === 'label' ? key.of : undefined;
      const side = operand && this.sideOf(operand, scope);
      if (side !== undefined) this.misspelled(side, { label: `member of ${set}`, values });
    }
  }

  /** Checks whether the known values of one side can satisfy a comparison with a string or a number. */
  private comparison(
    { label, values, range: given }: ComparisonSide,
    comparison: Comparison,
    { text, figure }: ComparisonSide,
  ): void {
    const isEquality = comparison === '=' || comparison === '<>';
    if (isEquality && text !== undefined && values !== undefined && !hasText(values, text)) {
      const reason = `No ${label} is "${shortText(text)}"`;
      const present = `: the values are ${listNearest(values, text)}`;
      if (comparison === '=') this.warnOfCondition(reason, present);
      else this.warn(`${reason}, so everything meets this condition${present}`);
    }
    const range = given ?? (figure === undefined || values === undefined ? undefined : rangeOf(values));
    if (figure === undefined || range === undefined || !isNever(range, comparison, figure)) return;
    const relation = comparison === '=' ? `${figure}` : `${comparison} ${figure}`;
    this.warnOfCondition(`No ${label} is ${relation}`, `: the values range from ${range.join(' to ')}`);
  }

  /** Checks whether two text columns that must be equal have values in common. */
  private equality(left: ComparisonSide, right: ComparisonSide): void {
    if (left.values === undefined || right.values === undefined || left.values === right.values) return;
    const [first, second] = this.known.missingBetween(left.values, right.values);
    if (first === undefined || second === undefined) return;
    if (first.count > 0 && second.count > 0) {
      this.unequal(first, second.texts, left, right);
      return;
    }
    this.misspelled(left, right);
  }

  /** Warns about values of either side that look like misspelled values of the other side. */
  private misspelled(left: ComparisonSide, right: ComparisonSide): void {
    if (left.values === undefined || right.values === undefined) return;
    const [first, second] = this.known.missingBetween(left.values, right.values);
    if (first === undefined || second === undefined) return;
    for (const [one, other, missing] of [[left, right, first] as const, [right, left, second] as const])
      this.unequal(misspelledOf(missing, other.values), firstTexts(other.values ?? []), one, other);
  }

  private unequal(missing: MissingTexts, near: readonly string[], one: ComparisonSide, other: ComparisonSide): void {
    const matches = missing.count === 1 ? 'matches' : 'match';
    if (missing.count > 0) this.warn(`${one.label} ${quotedList(missing, near)} ${matches} no ${other.label}`);
  }

  /** Returns the known values of an operand, or undefined if none are known. */
  private sideOf(operand: Operand, scope: Scope): ComparisonSide | undefined {
    if (operand.kind === 'text') return { label: `"${shortText(operand.text)}"`, text: operand.text };
    if (operand.kind === 'member') {
      const [column, other] = this.vocabulary.columns.get(operand.name) ?? [];
      if (column === undefined || other !== undefined) return undefined;
      return { label: operand.name, values: column.values, range: this.known.rangeOf(column) };
    }
    const source = operand.kind === 'name' ? scope.get(operand.name) : undefined;
    if (source !== undefined) return { label: `member of ${source.set}`, values: this.known.of(source) };
    const linear = linearize(operand, this.vocabulary.values);
    return isProblem(linear) || linear.terms.size > 0
      ? undefined
      : { label: String(linear.constant), figure: linear.constant };
  }

  private readingOf(operand: Operand, scope: Scope): DateReading | undefined {
    if (operand.kind === 'member') return this.vocabulary.columns.get(operand.name)?.[0]?.reading;
    const source = operand.kind === 'name' ? scope.get(operand.name) : undefined;
    return source && this.vocabulary.sets.get(source.set)?.readings?.[source.part];
  }

  private readonly misfit = ({ problem }: FormulaProblem, text: string): string => {
    this.problem ??= problem;
    return text;
  };

  private warnOfCondition(reason: string, present = ''): void {
    if (this.isAlternative) {
      this.warn(`${reason}, so nothing meets this part of the condition${present}`);
      return;
    }
    this.hasImpossibleCondition = true;
    this.warn(`${reason}, so nothing meets this condition${present}`);
  }

  private warn(sentence: string): void {
    if (this.warnings.size < MAX_WARNINGS) this.warnings.add(sentence);
  }
}
