import { type Bounds, impliedBounds, rangeOfExpression } from './bounds.js';
import {
  type Definition,
  type LinearExpression,
  type Model,
  ModelProblem,
  type Row,
  type Terms,
  valueOf,
  type Variable,
} from './model.js';
import { MAX_RELAXATION, whyTooFar, whyUnbounded } from './relaxation.js';

/*
 * Formulas that are not linear use variables with a definition, such as the larger of two amounts. Rows keep each of these
 * variables at its definition. A model may only need some of these rows: if the larger amount is a cost, its variable only has
 * to be at least as large as both amounts.
 */

/** Whether a plan could be too good if a variable were above or below its definition. */
interface Sides {
  above: boolean;
  below: boolean;
}

/**
 * Determines which rows the definitions of a model need.
 *
 * @throws ModelProblem that names a variable without a bound, or with a bound that is too large
 */
export function checkDefinitions({ variables, rows, ...model }: Model): void {
  const sides = new Map<number, Sides>();
  for (const [at, { definition }] of variables.entries())
    if (definition !== undefined) sides.set(at, definition.limits);
  if (sides.size === 0) return;
  /** @param sign whether a larger (1) or smaller (-1) value of the terms makes a plan too good */
  const use = ({ variables: all, coefficients }: Terms, sign: number): void => {
    for (let place = 0; place < all.length; place += 1) {
      const used = sides.get(all[place]!);
      if (used === undefined || coefficients[place] === 0) continue;
      if (sign * coefficients[place]! > 0) used.above = true;
      else used.below = true;
    }
  };
  for (const { sense, objective } of [model, ...(model.priorities?.later ?? [])])
    use(objective, sense === 'maximize' ? 1 : -1);
  for (const { terms, lower, upper } of rows) {
    if (lower !== -Infinity) use(terms, 1);
    if (upper !== Infinity) use(terms, -1);
  }
  // The definition of a variable only contains variables before it.
  for (const [at, { definition }] of [...variables.entries()].toReversed())
    if (definition !== undefined) useInputs(definition, sides.get(at)!, use);
  const bounds = impliedBounds(variables, rows);
  for (const { definition } of variables) if (definition !== undefined) checkBounds(definition, variables, bounds);
}

function useInputs(definition: Definition, { above, below }: Sides, use: (terms: Terms, sign: number) => void): void {
  if (definition.kind === 'largest') {
    for (const { terms } of definition.of) {
      if (above) use(terms, 1);
      if (below) use(terms, -1);
    }
    return;
  }
  const [decision, factor] = definition.of;
  if (above || below) for (const sign of [1, -1]) use(single(decision), sign);
  if (above) use(single(factor), 1);
  if (below) use(single(factor), -1);
}

const single = (variable: number): Terms => ({ variables: [variable], coefficients: [1] });

/** Whether a definition needs finite bounds of its inputs. */
const needsBounds = ({ kind, limits }: Definition): boolean =>
  kind === 'product' ? limits.above || limits.below : kind === 'largest' && limits.above;

const CHOICES = {
  max: 'which value is the largest',
  min: 'which value is the smallest',
  abs: 'which number is negative',
};

function checkBounds(definition: Definition, variables: readonly Variable[], bounds: Bounds): void {
  if (!needsBounds(definition)) return;
  const inputs = definition.kind === 'largest' ? definition.of.map(({ terms }) => terms) : [single(definition.of[1])];
  const reason = (text: string): string =>
    definition.kind === 'largest'
      ? `${definition.place}: the solver must decide ${CHOICES[definition.name]}, and ${text}`
      : `${definition.place}: ${listOf(definition.of, variables)} are multiplied, and ${text}`;
  for (const terms of inputs)
    for (const sign of [1, -1]) {
      const most = sign * rangeOfExpression({ constant: 0, terms }, bounds)[sign === 1 ? 1 : 0];
      if (most === Infinity)
        throw new ModelProblem('incomplete_model', reason(whyUnbounded(variables, terms, bounds, sign)));
      if (most > MAX_RELAXATION)
        throw new ModelProblem('incomplete_model', reason(whyTooFar(variables, terms, bounds, sign)));
    }
}

const listOf = (of: readonly number[], variables: readonly Variable[]): string =>
  of.map((at) => nameOf(at, variables)).join(' and ');

/** Returns the name of a variable. A product has the names of its factors. */
function nameOf(at: number, variables: readonly Variable[]): string {
  const { name, definition } = variables[at]!;
  if (definition === undefined) return name;
  if (definition.kind === 'largest') return `\`${definition.name}\``;
  return definition.of.map((factor) => nameOf(factor, variables)).join(' * ');
}

/** Returns the largest range of a decision in the definitions of a model. An inexact decision may be wrong by this range. */
export function largestRange({ variables, rows }: Pick<Model, 'variables' | 'rows'>): number {
  if (!variables.some(({ definition }) => definition !== undefined && needsBounds(definition))) return 0;
  const bounds = impliedBounds(variables, rows);
  return variables.reduce((largest, { definition }) => {
    if (definition === undefined || !needsBounds(definition)) return largest;
    return Math.max(largest, rangeOfDecision(definition, bounds));
  }, 0);
}

function rangeOfDecision({ kind, of }: Definition, bounds: Bounds): number {
  const ranges =
    kind === 'largest'
      ? relaxationsOf(of, bounds)
      : rangeOfExpression({ constant: 0, terms: single(of[1]) }, bounds).map(Math.abs);
  return ranges.reduce<number>((largest, range) => Math.max(largest, range ?? 0), 0);
}

/** Returns how far each value may be below the largest value. Returns undefined for values that are never the largest. */
function relaxationsOf(of: readonly LinearExpression[], bounds: Bounds): (number | undefined)[] {
  const ranges = of.map((one) => rangeOfExpression(one, bounds));
  const floor = ranges.reduce((top, [least]) => Math.max(top, least), -Infinity);
  const most = ranges.reduce((top, [, end]) => Math.max(top, end), -Infinity);
  return ranges.map(([least, end]) => (end < floor ? undefined : Math.max(0, most - least)));
}

/** Replaces the values of variables that have a definition with the exact values of their definitions. */
export function withDefinedValues(variables: readonly Variable[], values: Float64Array): Float64Array {
  if (!variables.some(({ definition }) => definition !== undefined)) return values;
  const exact = new Float64Array(variables.length);
  exact.set(values.subarray(0, variables.length));
  for (const [at, { definition }] of variables.entries())
    if (definition !== undefined) exact[at] = definedValue(definition, exact);
  return exact;
}

function definedValue(definition: Definition, values: ArrayLike<number>): number {
  if (definition.kind !== 'largest') return definition.of.reduce((product, at) => product * values[at]!, 1);
  return definition.of.reduce((most, one) => Math.max(most, valueOfExpression(one, values)), -Infinity);
}

const valueOfExpression = ({ constant, terms }: LinearExpression, values: ArrayLike<number>): number =>
  constant + valueOf(terms, values);

/** Rounds integers, and replaces the values of variables that have a definition with the exact values of their definitions. */
export function withExactValues(variables: readonly Variable[], values: Float64Array): Float64Array {
  if (!variables.some(({ definition }) => definition !== undefined)) return values;
  const whole = values.map((value, at) => (variables[at]?.isInteger === true ? Math.round(value) : value));
  return withDefinedValues(variables, whole);
}

/** Maximum distance of a variable to its definition, relative to its value. */
const TOLERANCE = 1e-7;

/** Whether no variable is on the wrong side of its definition because of the tolerances of a search with decisions. */
export function matchesDefinitions(variables: readonly Variable[], values: Float64Array): boolean {
  const exact = withExactValues(variables, values);
  return variables.every(({ definition }, at) => {
    if (definition === undefined || definition.kind === 'quadratic') return true;
    const { above, below } = definition.limits;
    const difference = values[at]! - exact[at]!;
    const tolerance = TOLERANCE * Math.max(1, Math.abs(exact[at]!));
    return (!above || difference <= tolerance) && (!below || difference >= -tolerance);
  });
}

/** Returns a variable whose definition is decided as in a plan. */
export function withDecidedDefinition(variable: Variable, values: Float64Array): Variable {
  const { definition } = variable;
  if (definition?.kind !== 'largest' || !definition.limits.above) return variable;
  const all = definition.of.map((one) => valueOfExpression(one, values));
  return { ...variable, definition: { ...definition, decided: all.indexOf(Math.max(...all)) } };
}

/** Size of the rows that keep a variable at its definition, and number of yes-or-no variables in them. */
export function sizeOfDefinition(definition: Definition): { variables: number; rows: number; terms: number } {
  const { above, below } = definition.limits;
  if (definition.kind === 'quadratic') return { variables: 0, rows: 0, terms: 0 };
  if (definition.kind === 'product') {
    const sides = Number(above) + Number(below);
    return { variables: 0, rows: 2 * sides, terms: 5 * sides };
  }
  const count = definition.of.length;
  const terms = definition.of.reduce((sum, one) => sum + 1 + one.terms.variables.length, 0);
  const choices = above && count > 1 && definition.decided === undefined ? count : 0;
  return {
    variables: choices,
    rows: (below ? count : 0) + (above ? count + 1 : 0),
    terms: (below ? terms : 0) + (above ? terms + 2 * choices : 0),
  };
}

const row = (variables: number[], coefficients: number[], lower: number, upper: number): Row => ({
  name: '',
  terms: { variables, coefficients },
  lower,
  upper,
});

const limited = (bound: number): number => Math.max(-MAX_RELAXATION, Math.min(MAX_RELAXATION, bound));

/** Maximum relaxation of a value that is not the largest. The range of each value ends at {@link MAX_RELAXATION} at most. */
const MAX_DIFFERENCE = 4 * MAX_RELAXATION;

/**
 * Returns the rows that keep a variable at its definition.
 *
 * @param at index of the variable
 * @param choices index of the first of the yes-or-no variables that choose the largest value
 */
export function rowsOfDefinition(at: number, definition: Definition, choices: number, bounds: Bounds): Row[] {
  if (definition.kind === 'quadratic') return [];
  return definition.kind === 'product'
    ? rowsOfProduct(at, definition, bounds)
    : rowsOfLargest(at, definition, choices, bounds);
}

function rowsOfProduct(
  at: number,
  { of: [decision, factor], limits }: Extract<Definition, { kind: 'product' }>,
  { lower, upper }: Bounds,
): Row[] {
  const [least, most] = [limited(lower[factor]!), limited(upper[factor]!)];
  return [
    ...(limits.below
      ? [row([at, decision], [1, -least], 0, Infinity), row([at, factor, decision], [1, -1, -most], -most, Infinity)]
      : []),
    ...(limits.above
      ? [row([at, decision], [1, -most], -Infinity, 0), row([at, factor, decision], [1, -1, -least], -Infinity, -least)]
      : []),
  ];
}

function rowsOfLargest(
  at: number,
  { of, limits, decided }: Extract<Definition, { kind: 'largest' }>,
  choices: number,
  bounds: Bounds,
): Row[] {
  const difference = ({ terms }: LinearExpression): Terms => ({
    variables: [at, ...Array.from(terms.variables)],
    coefficients: [1, ...Array.from(terms.coefficients, (coefficient) => -coefficient)],
  });
  const atLeast = limits.below
    ? of.map((one): Row => ({ name: '', terms: difference(one), lower: one.constant, upper: Infinity }))
    : [];
  if (!limits.above) return atLeast;
  const atMost = (one: LinearExpression): Row => ({
    name: '',
    terms: difference(one),
    lower: -Infinity,
    upper: one.constant,
  });
  const only = of.length === 1 ? 0 : decided;
  if (only !== undefined) return [...atLeast, atMost(of[only]!)];
  const isChosen: number[] = [];
  const chosen = relaxationsOf(of, bounds).flatMap((range, place) => {
    if (range === undefined) return [];
    const { terms, upper } = atMost(of[place]!);
    const relaxation = Math.min(MAX_DIFFERENCE, range);
    isChosen.push(choices + place);
    const variables = [...Array.from(terms.variables), choices + place];
    return [row(variables, [...Array.from(terms.coefficients), relaxation], -Infinity, upper + relaxation)];
  });
  return [
    ...atLeast,
    ...chosen,
    row(
      isChosen,
      isChosen.map(() => 1),
      1,
      1,
    ),
  ];
}
