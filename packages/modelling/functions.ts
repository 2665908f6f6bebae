/** Functions of values in formulas. */
const FUNCTIONS = {
  min: (values: readonly number[]): number => Math.min(...values),
  max: (values: readonly number[]): number => Math.max(...values),
  abs: ([value = NaN]: readonly number[]): number => Math.abs(value),
  round: ([value = NaN]: readonly number[]): number => Math.sign(value) * Math.floor(snapped(Math.abs(value) + 0.5)),
  floor: ([value = NaN]: readonly number[]): number => Math.floor(snapped(value)),
  ceil: ([value = NaN]: readonly number[]): number => Math.ceil(snapped(value)),
};

export type FunctionName = keyof typeof FUNCTIONS;

/** Functions that may contain variables. */
export type Extremal = Extract<FunctionName, 'min' | 'max' | 'abs'>;

/** Tolerances within which a number counts as whole: 0.29 * 100 is 28.999999999999996 but means 29. */
const RELATIVE_TOLERANCE = 1e-9;
const MAX_TOLERANCE = 1e-6;
/** Rounding error of a few operations, relative to the number. */
const ROUNDING_ERROR = 2 ** -50;

export const isFunctionName = (name: string): name is FunctionName => Object.hasOwn(FUNCTIONS, name);

/** Whether a function takes any number of values. The other functions take a single value. */
export const takesMany = (name: FunctionName): boolean => name === 'min' || name === 'max';

export const isExtremal = (name: FunctionName): name is Extremal => takesMany(name) || name === 'abs';

/** Applies a function. `round` rounds half away from 0. */
export const applied = (name: FunctionName, values: readonly number[]): number => FUNCTIONS[name](values) + 0;

/** Returns the nearest whole number if it is within the tolerance, otherwise the number itself. */
function snapped(value: number): number {
  return isNearWhole(value) ? Math.round(value) : value;
}

/**
 * Whether a number is whole except for rounding errors.
 * @param tolerance rounding error relative to the number
 */
export function isNearWhole(value: number, tolerance = RELATIVE_TOLERANCE): boolean {
  const size = Math.abs(value);
  const error = Math.max(ROUNDING_ERROR * size, Math.min(MAX_TOLERANCE, tolerance * Math.max(1, size)));
  return Math.abs(value - Math.round(value)) <= error;
}
