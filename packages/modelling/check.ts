import { comparisonWithDates, dateIn } from './date-literals.js';
import type { DateReading } from './dates.js';
import {
  type Choice,
  type Condition,
  type End,
  type Expression,
  type Extremum,
  type Factor,
  type Formula,
  type FormulaProblem,
  type Index,
  isLagged,
  type Key,
  type LaggedMember,
  type Membership,
  type MemberOf,
  type Operand,
  partsOf,
} from './formula.js';
import { decisionsOf } from './decisions.js';
import { isExtremal } from './functions.js';
import { namesInCondition } from './mentions.js';
import { shortened } from './names.js';
import { nearestNames } from './nearest-names.js';
import {
  ambiguousColumn,
  boundWithVariable,
  computedWithVariable,
  conditionOnVariable,
  divisionByVariable,
  endOfPairs,
  formatMember,
  functionOfVariable,
  indexAfterTotal,
  knownDecision,
  lagOfVariable,
  lettersFor,
  missingIndex,
  noDecision,
  productOfThree,
  productOfVariables,
  noTiers,
  notASet,
  penaltyWithVariable,
  reboundIndex,
  textAsNumber,
  textBesideNumber,
  unknownSet,
  wrongArity,
  wrongMembership,
} from './sentences.js';
import {
  type Family,
  isConstant,
  namesOfIndex,
  readingsOfFamily,
  type SetShape,
  type Vocabulary,
} from './vocabulary.js';

/** Purpose of a formula. Constraints are relations. All other formulas are numeric expressions. */
export type Use = 'objective' | 'constraint' | 'kpi' | 'bound' | 'range' | 'penalty' | 'computed';

/** Result of checking a formula without its data. */
export interface FormulaCheck {
  problem?: FormulaProblem;
  /** Distinct names that are not defined on the canvas, in the order of first occurrence. */
  unknown: string[];
  /** First member expression with a lag that may lead beyond the ends of a set, unless a choice handles this. */
  firstLag?: LaggedMember;
  /** Warning about a sum that reuses the name of an outer index over the same set. */
  reboundWarning?: string;
  /** Whether the formula uses a text column in a calculation. */
  hasTexts?: true;
}

type Readings = SetShape['readings'];
/**
 * Set that each index name ranges over, and the format of its dates. `home` is absent if the name is one of several key parts
 * of a member.
 */
type Scope = ReadonlyMap<string, { home?: string; reading: DateReading | undefined }>;

/**
 * Checks the names, key counts, indices, lags, types and linearity of a formula and its index against the canvas. Unknown names
 * are treated as variables.
 */
export function checkFormula(
  formula: Formula,
  index: Index | undefined,
  use: Use,
  vocabulary: Vocabulary,
): FormulaCheck {
  const check = new Check(vocabulary, use);
  try {
    check.run(formula, index, use);
    const { firstLag, reboundWarning } = check;
    return {
      unknown: [...check.unknown],
      ...(firstLag !== undefined && { firstLag }),
      ...(reboundWarning !== undefined && { reboundWarning }),
    };
  } catch (error) {
    if (error instanceof Refusal)
      return { problem: error.reason, unknown: [...check.unknown], ...(check.hasTexts && { hasTexts: true }) };
    throw error;
  }
}

/** Checks an index without a formula. */
export function checkIndex(index: Index, vocabulary: Vocabulary): FormulaProblem | undefined {
  return checkFormula({ sides: [{ kind: 'number', value: 0 }], relations: [] }, index, 'bound', vocabulary).problem;
}

/** Thrown to abort a check. Caught in this file. */
class Refusal extends Error {
  constructor(readonly reason: FormulaProblem) {
    super(reason.problem);
  }
}

function refuse(problem: string, position?: number): never {
  throw new Refusal({ problem, ...(position !== undefined && { position }) });
}

const EMPTY_SCOPE: Scope = new Map();
const RELATION_PROBLEMS: Partial<Record<Use, string>> = {
  objective: 'An objective cannot contain <=, >= or =',
  kpi: 'A KPI cannot contain <=, >= or =',
  bound: 'A bound cannot contain <=, >= or =',
  range: 'A bound cannot contain <=, >= or =',
  penalty: 'A penalty cannot contain <=, >= or =',
  computed: 'A computed number cannot contain <=, >= or =',
};
/** Problems with variables in formulas that must be known before a solve. */
const VARIABLE_PROBLEMS: Partial<Record<Use, (variable: string) => string>> = {
  bound: boundWithVariable,
  range: boundWithVariable,
  penalty: penaltyWithVariable,
  computed: computedWithVariable,
};

/** Returns factors whose products are replaced with their own factors. */
const flattened = (factors: readonly Factor[]): Factor[] =>
  factors.flatMap((factor) =>
    factor.of.kind === 'product' && !factor.divisor && factor.isSquared !== true
      ? flattened(factor.of.factors)
      : [factor],
  );

const arityOf = (set: string, { sets }: Vocabulary): number => sets.get(set)?.arity ?? 1;

/** Checks that a name is a column with a rate for each tier. */
function checkTiers({ name, position }: Extract<Expression, { kind: 'tiered' }>, vocabulary: Vocabulary): void {
  const [column, other] = vocabulary.columns.get(name) ?? [];
  const isUsable = column?.type === 'number' && arityOf(column.set, vocabulary) === 1;
  if (!isUsable || other !== undefined) refuse(noTiers(name), position);
}

/** Refuses the name of a set, or a name that needs keys. */
function refuseWithoutKeys(name: string, vocabulary: Vocabulary, scope: Scope): void {
  const { families, columns, sets } = vocabulary;
  const family = families.get(name);
  if (family !== undefined) {
    const names = namesOfIndex(family.index);
    refuse(`${name} is indexed by ${listed(names)}: write ${formatMember(name, names)}`);
  }
  const [column] = columns.get(name) ?? [];
  if (column !== undefined) {
    const keys = keysFor(column.set, arityOf(column.set, vocabulary), scope).map((one) => formatMember(name, one));
    refuse(`${name} is a column of ${column.set}: write ${keys.join(' or ')}`);
  }
  if (sets.has(name)) refuse(`${name} is a set: sum over its members, as in \`sum p in ${name}: ...\``);
}

class Check {
  readonly unknown = new Set<string>();
  firstLag: LaggedMember | undefined;
  reboundWarning: string | undefined;
  hasTexts = false;
  /** Index names in the conditions of the current choices, which handle the ends of their sets. */
  private handledNames: ReadonlySet<string> = new Set();
  /** Index names of the sums, minima and maxima that have been checked so far. */
  private readonly closedNames = new Map<string, 'sum' | Extremum>();

  /** Whether variables that are not yes-or-no decisions may be multiplied. */
  private readonly mayMultiply: boolean;

  constructor(
    private readonly vocabulary: Vocabulary,
    use: Use,
  ) {
    this.mayMultiply = use === 'objective' || use === 'kpi';
  }

  run({ sides, relations, when }: Formula, index: Index | undefined, use: Use): void {
    const scope = index === undefined ? EMPTY_SCOPE : this.index(index, EMPTY_SCOPE);
    if (when !== undefined) this.decisions(when, scope);
    const mistaken = RELATION_PROBLEMS[use];
    if (mistaken !== undefined && relations.length > 0) refuse(mistaken);
    if (mistaken === undefined && relations.length === 0) refuse('The formula needs <=, >= or =');
    const describe = VARIABLE_PROBLEMS[use];
    for (const side of sides) {
      const variable = this.expression(side, scope);
      if (describe !== undefined) this.refuseVariable(variable, describe);
    }
  }

  /** Checks the condition under which a relation must hold. */
  private decisions(when: Condition, scope: Scope): void {
    const alternatives = decisionsOf(when);
    if ('problem' in alternatives) refuse(alternatives.problem, alternatives.position);
    for (const { of } of alternatives.flat()) {
      const variable = this.expression(of, scope);
      const position = of.kind === 'member' ? of.position : undefined;
      if (variable === undefined) refuse(knownDecision(of.name), position);
      const isDecision = this.unknown.has(variable) || this.vocabulary.decisions?.has(variable) === true;
      if (!isDecision) refuse(noDecision(variable), position);
    }
  }

  /** @returns the name of a variable in the expression, or undefined if the expression has no variables */
  private expression(expression: Expression, scope: Scope): string | undefined {
    switch (expression.kind) {
      case 'number':
        return undefined;
      case 'name':
        return this.name(expression.name, scope);
      case 'member':
        return this.member(expression, scope);
      case 'sum':
        return this.firstVariable(expression, scope);
      case 'product':
        return this.product(expression.factors, scope);
      case 'call': {
        const variable = this.firstVariable(expression, scope);
        if (isExtremal(expression.name)) return variable;
        return this.refuseVariable(variable, (name) => functionOfVariable(expression.name, name), expression.position);
      }
      case 'total':
        return this.total(expression, scope);
      case 'choice':
        return this.choice(expression, scope);
      case 'end':
        this.end(expression);
        return undefined;
      case 'tiered':
        checkTiers(expression, this.vocabulary);
        return this.expression(expression.of, scope);
      case 'position':
        if (!scope.has(expression.name)) refuse(missingIndex(expression.name), expression.position);
        return undefined;
    }
  }

  /** Returns the first variable in the parts of an expression. Prefers variables that are not yes-or-no decisions. */
  private firstVariable(expression: Expression, scope: Scope): string | undefined {
    const names = partsOf(expression)
      .map((part) => this.expression(part, scope))
      .filter((name) => name !== undefined);
    return names.find((name) => this.isAmount(name)) ?? names[0];
  }

  private isAmount(name: string): boolean {
    return !this.unknown.has(name) && this.vocabulary.decisions?.has(name) !== true;
  }

  private choice(choice: Choice, scope: Scope): string | undefined {
    this.condition(choice.when, scope);
    const { handledNames } = this;
    this.handledNames = new Set([...handledNames, ...namesInCondition(choice.when)]);
    const variable = this.firstVariable(choice, scope);
    this.handledNames = handledNames;
    return variable;
  }

  private end({ set, position }: End): void {
    checkMembership({ names: ['p'], set, position }, this.vocabulary, endOfPairs);
  }

  private product(factors: readonly Factor[], scope: Scope): string | undefined {
    const found: string[] = [];
    for (const { divisor, of, isSquared } of flattened(factors)) {
      const name = this.expression(of, scope);
      if (name === undefined) continue;
      if (divisor && !this.unknown.has(name)) refuse(divisionByVariable(name));
      found.push(name, ...(isSquared === true ? [name] : []));
    }
    // An unknown name may be defined as a number later.
    const [amount, other, third] = found.filter((name) => this.isAmount(name));
    if (other !== undefined && !this.mayMultiply) refuse(productOfVariables(amount!, other));
    if (third !== undefined) refuse(productOfThree);
    return amount ?? found.find((name) => !this.unknown.has(name)) ?? found[0];
  }

  private name(name: string, scope: Scope): string | undefined {
    if (scope.has(name) || isConstant(name, this.vocabulary)) return undefined;
    if (this.vocabulary.variables.has(name)) return name;
    refuseWithoutKeys(name, this.vocabulary, scope);
    this.unknown.add(name);
    return name;
  }

  private member(expression: MemberOf, scope: Scope): string | undefined {
    const { name, keys, position } = expression;
    const { variables, families } = this.vocabulary;
    const family = families.get(name);
    for (const key of keys) this.key(key, scope);
    const lagged = leavingKey(keys, scope, this.vocabulary);
    if (lagged !== undefined && !this.handledNames.has(lagged.name))
      this.firstLag ??= {
        expression,
        isOfPair: family !== undefined && scope.get(lagged.name)?.home === undefined,
      };
    if (family !== undefined) {
      this.keysOfFamily(expression, family);
      return name;
    }
    if (isConstant(name, this.vocabulary) || variables.has(name))
      refuse(`${name} has no index: write it without [ ]`, position);
    const column = this.column(expression);
    if (column === undefined) {
      this.unknown.add(name);
      return name;
    }
    if (column.type === 'text') {
      this.hasTexts = true;
      refuse(column.misfit ?? textAsNumber(name), position);
    }
    return undefined;
  }

  private keysOfFamily(expression: MemberOf, family: Family): void {
    const names = namesOfIndex(family.index);
    checkKeys(expression, names, `indexed by ${listed(names)}`, readingsOfFamily(family, this.vocabulary));
  }

  /** Returns the column that an expression refers to, or undefined if no column has this name. */
  private column(expression: MemberOf) {
    const { name, position } = expression;
    const candidates = this.vocabulary.columns.get(name) ?? [];
    const [column, other] = candidates;
    if (column === undefined) return undefined;
    if (other !== undefined) refuse(ambiguousColumn(name, column, other), position);
    const readings = this.vocabulary.sets.get(column.set)?.readings;
    checkKeys(expression, lettersFor(arityOf(column.set, this.vocabulary)), `a column of ${column.set}`, readings);
    return column;
  }

  /** Refuses a variable where a known value is needed. An unknown name is returned, because it may be defined later. */
  private refuseVariable(
    variable: string | undefined,
    describe: (variable: string) => string,
    position?: number,
  ): string | undefined {
    if (variable !== undefined && !this.unknown.has(variable)) refuse(describe(variable), position);
    return variable;
  }

  private total({ by, over, of }: Extract<Expression, { kind: 'total' }>, scope: Scope): string | undefined {
    const membership = over.over.find(
      ({ names: [name, ...others], set }) => others.length === 0 && scope.get(name)?.home === set,
    );
    if (membership !== undefined) this.reboundWarning ??= reboundIndex(membership.names[0], membership.set);
    const inner = this.index(over, scope);
    const variable = this.expression(of, inner);
    for (const name of inner.keys()) if (!scope.has(name)) this.closedNames.set(name, by);
    return variable;
  }

  private key(key: Key, scope: Scope): void {
    if (key.kind === 'text') return;
    if (key.kind === 'end') {
      this.end(key);
    } else if (key.kind === 'label') {
      this.label(key.of, scope);
    } else {
      const { name, position } = key;
      if (!scope.has(name)) {
        const closed = this.closedNames.get(name);
        refuse(closed === undefined ? missingIndex(name) : indexAfterTotal(name, closed), position);
      }
      if (key.kind === 'index') return;
      this.refuseVariable(this.expression(key.by, scope), lagOfVariable, position);
    }
  }

  /** Checks a column whose cells are names of members. */
  private label(of: MemberOf, scope: Scope): void {
    const { name, keys, position } = of;
    for (const key of keys) this.key(key, scope);
    const { families, variables } = this.vocabulary;
    if (families.has(name) || variables.has(name) || isConstant(name, this.vocabulary))
      refuse(`${shortened(name)} is not a column with names of members`, position);
    if (this.column(of) === undefined) this.unknown.add(name);
  }

  private index({ over, where }: Index, outer: Scope): Scope {
    const scope = new Map(outer);
    for (const membership of over) {
      checkMembership(membership, this.vocabulary);
      const { names, set } = membership;
      const readings = this.vocabulary.sets.get(set)?.readings;
      for (const [part, name] of names.entries())
        if (!scope.has(name)) scope.set(name, { ...(names.length === 1 && { home: set }), reading: readings?.[part] });
    }
    if (where !== undefined) this.condition(where, scope);
    return scope;
  }

  private condition(condition: Condition, scope: Scope): void {
    switch (condition.kind) {
      case 'and':
      case 'or':
        for (const one of condition.of) this.condition(one, scope);
        break;
      case 'not':
        this.condition(condition.of, scope);
        break;
      case 'compare':
        this.comparison(condition, scope);
        break;
      case 'in':
        for (const key of condition.keys) this.key(key, scope);
        checkMembership({ ...condition, names: condition.keys }, this.vocabulary);
        break;
      case 'given':
        this.given(condition.of, scope);
    }
  }

  /** Checks an expression whose existence is a condition. Unlike in a calculation, it may be a text. */
  private given(of: Extract<Condition, { kind: 'given' }>['of'], scope: Scope): void {
    const { families, columns } = this.vocabulary;
    const family = families.get(of.name);
    if (of.kind === 'member' && family !== undefined) {
      for (const key of of.keys) this.key(key, scope);
      this.keysOfFamily(of, family);
    } else if (of.kind === 'member' && columns.has(of.name)) this.label(of, scope);
    else this.expression(of, scope);
  }

  private comparison(condition: Extract<Condition, { kind: 'compare' }>, scope: Scope): void {
    comparisonWithDates(condition, (operand) => this.readingOf(operand, scope), refuseMisfit);
    const { left, right, position } = condition;
    const kinds = [left, right].map((operand) => this.operand(operand, scope));
    if (!kinds.includes('text') || !kinds.includes('figure')) return;
    // Comparing a text column with a number counts as using it in a calculation.
    this.hasTexts ||= [left, right].some((operand) => operand.kind === 'member');
    const bare = [left, right].find((operand) => operand.kind === 'name' && this.unknown.has(operand.name));
    refuse(textBesideNumber(bare?.kind === 'name' ? bare.name : undefined), position);
  }

  private readingOf(operand: Operand, scope: Scope): DateReading | undefined {
    if (operand.kind === 'name') return scope.get(operand.name)?.reading;
    return operand.kind === 'member' ? this.vocabulary.columns.get(operand.name)?.[0]?.reading : undefined;
  }

  /**
   * Returns the type of an operand. A member can be compared with strings, and also with numbers if the member's name is a
   * number.
   */
  private operand(operand: Operand, scope: Scope): 'text' | 'figure' | 'member' {
    if (operand.kind === 'text') return 'text';
    if (operand.kind === 'end') this.end(operand);
    if (operand.kind === 'end' || (operand.kind === 'name' && scope.has(operand.name))) return 'member';
    if (operand.kind === 'member') {
      for (const key of operand.keys) this.key(key, scope);
      if (this.column(operand)?.type === 'text') return 'text';
    }
    const position = operand.kind === 'member' ? operand.position : undefined;
    this.refuseVariable(this.expression(operand, scope), conditionOnVariable, position);
    return 'figure';
  }
}

function checkMembership(
  { names, set, position }: Omit<Membership, 'names'> & { names: readonly unknown[] },
  vocabulary: Vocabulary,
  describe = wrongMembership,
): void {
  const shape = vocabulary.sets.get(set);
  if (shape === undefined) refuse(whyNoSet(set, vocabulary), position);
  if (shape.arity !== names.length) refuse(describe(set, shape.arity), position);
}

function checkKeys(
  { name, keys, position }: MemberOf,
  expected: string[],
  kind: string,
  readings: Readings = [],
): void {
  if (keys.length !== expected.length) refuse(wrongArity(name, kind, expected), position);
  for (const [at, key] of keys.entries()) if (key.kind === 'text') dateIn(key, name, readings[at], refuseMisfit);
}

/**
 * Returns the keys to suggest for a column over the given set: matching index names, or placeholder letters if no name matches.
 */
function keysFor(set: string, arity: number, scope: Scope): string[][] {
  const names = arity === 1 ? [...scope] : [];
  const over = names.filter(([, { home }]) => home === set);
  // Names of single key parts may also fit, because a key part does not identify a set.
  const fitting = over.length > 0 ? over : names.filter(([, { home }]) => home === undefined);
  return fitting.length > 0 ? fitting.map(([name]) => [name]) : [lettersFor(arity)];
}

/** Explains why a name is not a set. */
function whyNoSet(name: string, vocabulary: Vocabulary): string {
  const { sets, variables, families, columns } = vocabulary;
  const [column] = columns.get(name) ?? [];
  if (column !== undefined) return notASet(name, `a column of ${column.set}`);
  if (variables.has(name) || families.has(name)) return notASet(name, 'a variable');
  return isConstant(name, vocabulary) ? notASet(name, 'a value') : unknownSet(name, nearestNames(name, sets.keys(), 1));
}

/** Returns the first key, also within labels, whose lag may lead beyond the ends of a set. */
function leavingKey(
  keys: readonly Key[],
  scope: Scope,
  vocabulary: Pick<Vocabulary, 'sets'>,
): Extract<Key, { kind: 'index' | 'shift' }> | undefined {
  const isInCycle = (name: string): boolean => vocabulary.sets.get(scope.get(name)?.home ?? '')?.isCyclic === true;
  for (const key of keys) {
    if (isLagged(key) && key.isCyclic !== true && !isInCycle(key.name)) return key;
    const inner = key.kind === 'label' ? leavingKey(key.of.keys, scope, vocabulary) : undefined;
    if (inner !== undefined) return inner;
  }
  return undefined;
}

const refuseMisfit = ({ problem, position }: FormulaProblem): never => refuse(problem, position);

const listed = (names: string[]): string => names.join(', ');
