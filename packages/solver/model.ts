import type { RowCondition } from './conditional-rows.js';

/** Maximum sizes of a model. Larger models are rejected before solving. */
export const MODEL_LIMITS = {
  /** Maximum size of a model file in bytes. */
  bytes: 8 * 1024 ** 2,
  /** Maximum size of an unpacked model file in bytes. */
  unzippedBytes: 64 * 1024 ** 2,
  /** Maximum ratio of the unpacked size to the compressed size. Most model files reach 5 to 30. */
  unzippedRatio: 200,
  variables: 100_000,
  rows: 100_000,
  /** Maximum number of terms in the objective and all rows. */
  terms: 1_000_000,
  /**
   * Maximum upper end of a range in which a variable is unless it is 0. The solver cannot distinguish the smallest amount from 0
   * in a longer range.
   */
  rangeEnd: 1_000_000,
  /** Maximum length of a name in a model file, in UTF-16 units. */
  name: 255,
} as const;

/** Upper limit of the solver for absolute coefficients. Coefficients must be smaller. */
export const MAX_COEFFICIENT = 1e15;
/** Lower limit of the solver for absolute constraint coefficients. Smaller coefficients count as 0. */
export const MIN_COEFFICIENT = 1e-12;
/** Limit of the solver for absolute bounds. Bounds of at least this size count as infinite. */
const INFINITE_BOUND = 1e20;

/** Returns a number as a bound. Numbers of at least {@link INFINITE_BOUND} become infinite. */
export const toBound = (value: number): number =>
  Math.abs(value) >= INFINITE_BOUND ? Math.sign(value) * Infinity : value;

/** Linear expression: the sum of `coefficients[k]` times the variable with index `variables[k]`. Each variable occurs once. */
export interface Terms {
  variables: ArrayLike<number>;
  coefficients: ArrayLike<number>;
}

/** Sum of linear terms and a constant. */
export interface LinearExpression {
  constant: number;
  terms: Terms;
}

/**
 * Function of other variables that is not linear. The other variables come before the defined variable. A `product` is a
 * yes-or-no variable times another variable. A `quadratic` is a product of any two variables, which only objectives may contain.
 */
export type Definition = {
  /** Card that contains the formula, for messages. */
  place: string;
  /** Whether a plan could be too good if the variable were above or below its definition. Set by `checkDefinitions`. */
  limits: { above: boolean; below: boolean };
} & (
  | { kind: 'product'; of: readonly [decision: number, factor: number] }
  | { kind: 'quadratic'; of: readonly [number, number] }
  | {
      kind: 'largest';
      of: readonly LinearExpression[];
      /** Function in the formula. The values of `min` are negated. */
      name: 'max' | 'min' | 'abs';
      /** Index of the largest expression, if it is already decided. */
      decided?: number;
    }
);

export interface Variable {
  name: string;
  isInteger: boolean;
  /** Lower bound, or -Infinity. */
  lower: number;
  /** Upper bound, or Infinity. */
  upper: number;
  /** Range of the values other than 0. The bounds apply in addition. */
  zeroOr?: { lower: number; upper: number };
  /** Set for slack variables, which allow a soft constraint to be violated. They are never shown to users. */
  isSlack?: true;
  /** Set for variables whose value a formula defines. They are never shown to users. */
  definition?: Definition;
}

/** Whether a variable is a yes-or-no decision. */
export const isDecision = ({ isInteger, lower, upper }: Variable): boolean => isInteger && lower >= 0 && upper <= 1;

/** Returns the bounds of a binary variable for which the model also specifies bounds. A fixed variable stays fixed. */
export const withinBinary = ({
  lower,
  upper,
}: Pick<Variable, 'lower' | 'upper'>): Pick<Variable, 'lower' | 'upper'> => ({
  lower: Math.max(0, lower),
  upper: Math.min(1, upper),
});

/** Constraint `lower <= terms <= upper`. Infinity means that there is no bound, and equal bounds make an equation. */
export interface Row {
  name: string;
  terms: Terms;
  lower: number;
  upper: number;
  /** Decisions under which the constraint must hold. Absent if it must always hold. */
  when?: RowCondition;
}

/** Consecutive variables or rows that a card generates for the members of its index. */
export interface Family {
  /** Name of the variable, or label of the constraint. */
  name: string;
  /** Names of the key parts. */
  keys: readonly string[];
  /** Key parts of the members, as a list for each key. */
  members: readonly (readonly string[])[];
  /** Index of the first variable or row in the model. */
  from: number;
  size: number;
}

/** Objective function of all objectives with the same priority. */
export interface Goal {
  sense: 'minimize' | 'maximize';
  objective: Terms;
  /** Constant term of the objective. */
  constant: number;
}

/** Objective of a card with its priority. 1 is the most important. */
export interface StatedObjective {
  label: string;
  sense: Goal['sense'];
  priority: number;
  /** Factor of the objective in the {@link Goal} of its priority. */
  weight: number;
  figure: LinearExpression;
  /** Amount by which later priorities may make the objective worse, and the same as a share of its value. */
  tolerance: number;
  toleranceShare: number;
}

/** Objectives that are optimized one after the other. A later one only decides between plans that are best for earlier ones. */
export interface Priorities {
  /** Goals of the priorities after the first, whose goal is the objective of the model. */
  later: (Goal & { priority: number })[];
  /** Objectives of the cards, most important first. */
  stated: StatedObjective[];
}

/**
 * Linear or mixed-integer problem from a model file or from cards. Variables are identified by their index. Their names are
 * unique in a model file and among cards, but not among the members of a family: if keys contain commas, two members may both
 * be called `make[a, b, c]`. Variables that are never shown to users do not have a name.
 */
export interface Model extends Goal {
  /** Absent if objectives have no priorities. The objective is then the only one. */
  priorities?: Priorities;
  variables: Variable[];
  rows: Row[];
  families: { variables: Family[]; rows: Family[] };
  kpis: Kpi[];
}

export const emptyModel = (): Model => ({
  sense: 'minimize',
  objective: { variables: [], coefficients: [] },
  constant: 0,
  variables: [],
  rows: [],
  families: { variables: [], rows: [] },
  kpis: [],
});

/** KPI of a plan. */
export interface Kpi {
  label: string;
  unit: string | null;
  target: number | null;
  /** Absent if its formula cannot be computed. */
  figure?: LinearExpression;
}

export type ModelProblemCode = 'invalid_model' | 'incomplete_model' | 'empty_model' | 'model_too_large';

/** Thrown if a model cannot be solved. The message is for users. */
export class ModelProblem extends Error {
  constructor(
    readonly code: ModelProblemCode,
    message: string,
  ) {
    super(message);
  }
}

/** Place in a model file. */
export interface Place {
  /** Text at this place, such as a token or a field. */
  text: string;
  /** One-based line number. */
  line: number;
}

const MAX_EXCERPT_LENGTH = 40;

/** Creates a problem whose message quotes a place and its line number. */
export function problemAt({ text, line }: Place, reason: string): ModelProblem {
  const beginning = [...text.slice(0, 2 * MAX_EXCERPT_LENGTH)].slice(0, MAX_EXCERPT_LENGTH).join('');
  const excerpt = beginning.length < text.length ? `${beginning}...` : text;
  return new ModelProblem('invalid_model', `Line ${line}, \`${excerpt}\`: ${reason}`);
}

/** @throws ModelProblem if the number is NaN or too large */
export function checkCoefficient(value: number, place: string): void {
  if (Number.isNaN(value) || Math.abs(value) >= MAX_COEFFICIENT) {
    throw new ModelProblem('invalid_model', `${place}: the number must be smaller than 1e15`);
  }
}

/** @throws ModelProblem */
export function assertWithin(quantity: 'variables' | 'rows' | 'terms', count: number): void {
  if (count <= MODEL_LIMITS[quantity]) return;
  const noun = quantity === 'rows' ? 'constraints' : quantity;
  throw new ModelProblem('model_too_large', `A model can have at most ${MODEL_LIMITS[quantity]} ${noun}`);
}

/** Evaluates a linear expression. Variables without a value count as 0. */
export function valueOf({ variables, coefficients }: Terms, values: ArrayLike<number>): number {
  let sum = 0;
  for (let at = 0; at < variables.length; at += 1) sum += coefficients[at]! * (values[variables[at]!] ?? 0);
  return sum;
}
