/** Most of what a model may hold; larger ones are refused before anything is solved. */
export const MODEL_LIMITS = {
  /** Of a model file, in bytes. */
  bytes: 8 * 1024 ** 2,
  variables: 100_000,
  rows: 100_000,
  /** Of all rows and the objective together. */
  terms: 1_000_000,
  /** Of a name in a model file, in UTF-16 units. */
  name: 255,
} as const;

/** Coefficients from here on are not computed with: the solver's own limit. */
export const MAX_COEFFICIENT = 1e15;
/** Coefficients of constraints up to here count as 0: the solver's own limit. */
export const MIN_COEFFICIENT = 1e-12;
/** Bounds from here on are none: the solver's own limit. */
const INFINITE_BOUND = 1e20;

/** A number as a bound: one that is beyond {@link INFINITE_BOUND} is none. */
export const toBound = (value: number): number =>
  Math.abs(value) >= INFINITE_BOUND ? Math.sign(value) * Infinity : value;

/** A linear expression: the sum of `coefficients[k]` times the variable of index `variables[k]`, each variable once. */
export interface Terms {
  variables: ArrayLike<number>;
  coefficients: ArrayLike<number>;
}

export interface Variable {
  name: string;
  isInteger: boolean;
  /** -Infinity for none. */
  lower: number;
  /** Infinity for none. */
  upper: number;
  /** Made to let a soft constraint be broken; never shown. */
  isSlack?: true;
}

/** The bounds of a binary variable that has others besides: one that is fixed stays so. */
export const withinBinary = ({
  lower,
  upper,
}: Pick<Variable, 'lower' | 'upper'>): Pick<Variable, 'lower' | 'upper'> => ({
  lower: Math.max(0, lower),
  upper: Math.min(1, upper),
});

/** `lower <= terms <= upper`; an infinite bound is none, equal ones are an equation. */
export interface Row {
  name: string;
  terms: Terms;
  lower: number;
  upper: number;
}

/** Variables or rows that one card makes, one for each member of its index, one after the other. */
export interface Family {
  /** Of the variable, or the label of the constraint. */
  name: string;
  /** What the parts of a member are called. */
  keys: readonly string[];
  /** The parts of members: a list for each of the keys. */
  members: readonly (readonly string[])[];
  /** The place of the first one in the model. */
  from: number;
  size: number;
}

/**
 * A linear or mixed-integer problem, wherever it comes from. A variable is known by its place: names are unique in a model
 * file and among cards, but not among the members of a family whose texts have commas, which may both be `make[a, b, c]`;
 * and variables that are never shown have none.
 */
export interface Model {
  sense: 'minimize' | 'maximize';
  objective: Terms;
  /** Added to the objective whatever the variables are. */
  constant: number;
  variables: Variable[];
  rows: Row[];
  families: { variables: Family[]; rows: Family[] };
  /** Figures that a plan is rated by. */
  kpis: Kpi[];
}

/** A key figure of a plan. */
export interface Kpi {
  label: string;
  unit: string | null;
  target: number | null;
  /** Absent where its formula cannot be computed. */
  figure?: { constant: number; terms: Terms };
}

export type ModelProblemCode = 'invalid_model' | 'incomplete_model' | 'empty_model' | 'model_too_large';

/** Why there is no model to solve, in a sentence for users. */
export class ModelProblem extends Error {
  constructor(
    readonly code: ModelProblemCode,
    message: string,
  ) {
    super(message);
  }
}

/** @throws ModelProblem for a number that is too large or no number at all */
export function checkCoefficient(value: number, place: string): void {
  if (Number.isNaN(value) || Math.abs(value) >= MAX_COEFFICIENT) {
    throw new ModelProblem('invalid_model', `${place}: the number must be smaller than 1e15`);
  }
}

/** @throws ModelProblem for a model without variables or with more than {@link MODEL_LIMITS} */
export function checkSize({ variables, rows, objective }: Model): void {
  if (variables.length === 0) throw new ModelProblem('empty_model', 'The model has no variables');
  assertWithin('variables', variables.length);
  assertWithin('rows', rows.length);
  assertWithin(
    'terms',
    rows.reduce((sum, { terms }) => sum + terms.variables.length, objective.variables.length),
  );
}

/** How large a model is; what is made beside it, so that soft constraints can be broken, is not counted. */
export interface ModelSize {
  variables: number;
  /** Those of them that are whole. */
  integer_variables: number;
  constraints: number;
  /** Of the constraints. */
  terms: number;
}

/** How large a model is, as people are told. */
export function sizeOf({ variables, rows }: Model): ModelSize {
  const own = variables.filter(({ isSlack }) => isSlack !== true);
  const isOwn = (at: number): boolean => variables[at]?.isSlack !== true;
  return {
    variables: own.length,
    integer_variables: own.filter(({ isInteger }) => isInteger).length,
    constraints: rows.length,
    terms: rows.reduce((sum, { terms }) => sum + ownTerms(terms, isOwn), 0),
  };
}

/** Those of a slack stand at the end. */
function ownTerms({ variables }: Terms, isOwn: (at: number) => boolean): number {
  let count = variables.length;
  while (count > 0 && !isOwn(variables[count - 1]!)) count -= 1;
  return count;
}

/** @throws ModelProblem */
export function assertWithin(what: 'variables' | 'rows' | 'terms', count: number): void {
  if (count <= MODEL_LIMITS[what]) return;
  const noun = what === 'rows' ? 'constraints' : what;
  throw new ModelProblem('model_too_large', `A model has at most ${MODEL_LIMITS[what]} ${noun}`);
}

/** The value of an expression. */
export function valueOf({ variables, coefficients }: Terms, values: ArrayLike<number>): number {
  let sum = 0;
  for (let at = 0; at < variables.length; at += 1) sum += coefficients[at]! * (values[variables[at]!] ?? 0);
  return sum;
}
