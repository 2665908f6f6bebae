import type { Definition, LinearExpression, Row, Terms, Variable } from './model.js';

/** Number of passes over the rows that derive bounds of variables. */
const PASSES = 3;

/** Bounds of the variables of a model, by index. */
export interface Bounds {
  lower: Float64Array;
  upper: Float64Array;
}

export interface Extreme {
  /** Contribution of a term to the largest (or smallest) value of its row. */
  amount: number;
  /** Variable, and whether its upper bound determines the contribution. */
  bound: [at: number, isUpper: boolean];
}

export function extremesOf({ variables, coefficients }: Terms, { lower, upper }: Bounds, sign: number): Extreme[] {
  return Array.from(variables, (at, place) => {
    const coefficient = sign * coefficients[place]!;
    const isUpper = coefficient > 0;
    const amount = coefficient === 0 ? 0 : coefficient * (isUpper ? upper : lower)[at]!;
    return { amount, bound: [at, isUpper] };
  });
}

/** Returns the smallest and the largest value of terms. */
export const rangeOfTerms = (terms: Terms, bounds: Bounds): [least: number, most: number] => [
  0 - extremesOf(terms, bounds, -1).reduce((sum, { amount }) => sum + amount, 0),
  extremesOf(terms, bounds, 1).reduce((sum, { amount }) => sum + amount, 0),
];

/** Returns the smallest and the largest value of a linear expression. */
export function rangeOfExpression(
  { constant, terms }: LinearExpression,
  bounds: Bounds,
): [least: number, most: number] {
  const [least, most] = rangeOfTerms(terms, bounds);
  return [constant + least, constant + most];
}

/** Returns the bounds of the variables, and tighter bounds that follow from unconditional rows and from definitions. */
export function impliedBounds(variables: readonly Variable[], rows: readonly Row[]): Bounds {
  const bounds = {
    lower: Float64Array.from(variables, ({ lower, zeroOr }) => (zeroOr === undefined ? lower : Math.max(0, lower))),
    upper: Float64Array.from(variables, ({ upper, zeroOr }) => Math.min(upper, zeroOr?.upper ?? Infinity)),
  };
  const isDefined = variables.some(({ definition }) => definition !== undefined);
  for (let pass = 0; pass < PASSES; pass += 1) {
    if (isDefined) tightenDefined(bounds, variables);
    for (const { terms, lower, upper, when } of rows) {
      if (when !== undefined) continue;
      tighten(bounds, terms, upper, 1);
      tighten(bounds, terms, -lower, -1);
    }
  }
  return bounds;
}

function tightenDefined(bounds: Bounds, variables: readonly Variable[]): void {
  for (const [at, { definition }] of variables.entries()) {
    if (definition === undefined) continue;
    const [least, most] = rangeOfDefinition(definition, bounds);
    bounds.lower[at] = Math.max(bounds.lower[at]!, least);
    bounds.upper[at] = Math.min(bounds.upper[at]!, most);
  }
}

/** Returns the smallest and the largest value that a definition can have. */
function rangeOfDefinition(definition: Definition, bounds: Bounds): [least: number, most: number] {
  switch (definition.kind) {
    case 'product': {
      const [, factor] = definition.of;
      return [Math.min(0, bounds.lower[factor]!), Math.max(0, bounds.upper[factor]!)];
    }
    case 'largest': {
      const ranges = definition.of.map((one) => rangeOfExpression(one, bounds));
      return [
        ranges.reduce((most, [least]) => Math.max(most, least), -Infinity),
        ranges.reduce((highest, [, most]) => Math.max(highest, most), -Infinity),
      ];
    }
    case 'quadratic':
      return [-Infinity, Infinity];
  }
}

/** Tightens bounds by `sign * terms <= limit`. */
function tighten({ lower, upper }: Bounds, { variables, coefficients }: Terms, limit: number, sign: number): void {
  if (!Number.isFinite(limit)) return;
  let [least, unlimited] = [0, 0];
  const leastOf = (place: number): number => {
    const coefficient = sign * coefficients[place]!;
    return coefficient === 0 ? 0 : coefficient * (coefficient > 0 ? lower : upper)[variables[place]!]!;
  };
  for (let place = 0; place < variables.length; place += 1) {
    const amount = leastOf(place);
    if (amount === -Infinity) unlimited += 1;
    else least += amount;
  }
  if (unlimited > 1) return;
  for (let place = 0; place < variables.length; place += 1) {
    const coefficient = sign * coefficients[place]!;
    const amount = leastOf(place);
    if (coefficient === 0 || (unlimited === 1 && amount !== -Infinity)) continue;
    const most = (limit - (unlimited === 1 ? least : least - amount)) / coefficient;
    const at = variables[place]!;
    if (coefficient > 0) upper[at] = Math.min(upper[at]!, most);
    else lower[at] = Math.max(lower[at]!, most);
  }
}
