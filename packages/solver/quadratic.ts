import { sizeOfHelpers } from './helpers.js';
import type { ModelArrays } from './highs.js';
import { type Goal, type LinearExpression, type Model, ModelProblem, type Terms, type Variable } from './model.js';

/** Second derivatives of an objective: the lower triangle of their matrix, compressed by column. */
export interface Hessian {
  /** Index of the first value of each column, followed by the total number of values. */
  starts: Int32Array<ArrayBuffer>;
  /** Row of each value. */
  indices: Int32Array<ArrayBuffer>;
  values: Float64Array<ArrayBuffer>;
}

/** Product of two variables in an objective, with its coefficient. */
interface Product {
  /** Indexes of the variables. `row` is not smaller than `column`. */
  row: number;
  column: number;
  coefficient: number;
}

function productsOf({ objective }: Pick<Goal, 'objective'>, variables: readonly Variable[]): Product[] {
  return Array.from(objective.variables, (at, place): Product | undefined => {
    const { definition } = variables[at]!;
    if (definition?.kind !== 'quadratic' || objective.coefficients[place] === 0) return undefined;
    const [one, other] = definition.of;
    return { row: Math.max(one, other), column: Math.min(one, other), coefficient: objective.coefficients[place]! };
  }).filter((product) => product !== undefined);
}

/** Second derivative of a product with respect to its two variables. */
const derivativeOf = ({ row, column, coefficient }: Product): number => (row === column ? 2 : 1) * coefficient;

/** Returns the second derivatives of the objective of a model, or undefined if it is linear. */
export function hessianOf(model: Model): Hessian | undefined {
  const products = productsOf(model, model.variables);
  if (products.length === 0) return undefined;
  const columns = countWithoutProducts(model);
  products.sort((one, other) => one.column - other.column || one.row - other.row);
  const starts = new Int32Array(columns + 1);
  for (const { column } of products) starts[column + 1]! += 1;
  for (let column = 0; column < columns; column += 1) starts[column + 1]! += starts[column]!;
  return {
    starts,
    indices: Int32Array.from(products, ({ row }) => row),
    values: Float64Array.from(products, derivativeOf),
  };
}

/** Returns a model without the products of variables in its objective. */
export function withoutProducts(arrays: ModelArrays): ModelArrays {
  const linear = { ...arrays };
  delete linear.hessian;
  return linear;
}

/** Returns the size of the largest second derivative. */
export const largestValue = ({ values }: Hessian): number =>
  values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);

type Objective = Pick<ModelArrays, 'offset' | 'colCost' | 'hessian'>;

/** Returns the gradient of an objective at a plan. */
export function gradientOf({ colCost, hessian }: Objective, values: ArrayLike<number>): Float64Array<ArrayBuffer> {
  const gradient = colCost.slice();
  for (let column = 0; column < colCost.length; column += 1)
    for (let at = hessian!.starts[column]!; at < hessian!.starts[column + 1]!; at += 1) {
      const row = hessian!.indices[at]!;
      gradient[row]! += hessian!.values[at]! * values[column]!;
      if (row !== column) gradient[column]! += hessian!.values[at]! * values[row]!;
    }
  return gradient;
}

/** Returns the value of an objective at a plan. */
export function valueAt(objective: Objective, values: ArrayLike<number>): number {
  const gradient = gradientOf(objective, values);
  return objective.colCost.reduce(
    (sum, cost, at) => sum + ((cost + gradient[at]!) / 2) * values[at]!,
    objective.offset,
  );
}

/** Number of variables that the solver needs. The products of an objective come after them. */
export function countWithoutProducts({ variables }: Pick<Model, 'variables'>): number {
  let count = variables.length;
  while (count > 0 && variables[count - 1]!.definition?.kind === 'quadratic') count -= 1;
  return count;
}

/** Moves products of variables behind all other variables, because the solver takes them as second derivatives. */
export function moveProducts(model: Model): void {
  const { variables, rows, priorities, kpis } = model;
  const isProduct = ({ definition }: Variable): boolean => definition?.kind === 'quadratic';
  if (!variables.some(isProduct)) return;
  const order = [...variables.keys()].sort(
    (one, other) => Number(isProduct(variables[one]!)) - Number(isProduct(variables[other]!)),
  );
  const places = new Int32Array(variables.length);
  for (const [place, at] of order.entries()) places[at] = place;
  const moved = (terms: Terms): Terms => ({ ...terms, variables: Array.from(terms.variables, (at) => places[at]!) });
  const movedExpression = (one: LinearExpression): LinearExpression => ({ ...one, terms: moved(one.terms) });
  model.variables = order.map((at) => {
    const { definition, ...variable } = variables[at]!;
    if (definition === undefined) return variable;
    if (definition.kind === 'largest')
      return { ...variable, definition: { ...definition, of: definition.of.map(movedExpression) } };
    const [one, other] = definition.of;
    return { ...variable, definition: { ...definition, of: [places[one]!, places[other]!] } };
  });
  for (const goal of [model, ...(priorities?.later ?? [])]) goal.objective = moved(goal.objective);
  for (const stated of priorities?.stated ?? []) stated.figure = movedExpression(stated.figure);
  for (const row of rows) {
    row.terms = moved(row.terms);
    if (row.when !== undefined)
      row.when.variables = moved({ variables: row.when.variables, coefficients: [] }).variables;
  }
  for (const kpi of kpis) if (kpi.figure !== undefined) kpi.figure = movedExpression(kpi.figure);
}

/** Maximum number of variables in products of an objective. */
const MAX_VARIABLES = 1_000;

/**
 * Checks that the solver can find the best plan although an objective contains products of variables.
 *
 * @throws ModelProblem
 */
export function checkQuadratic(model: Model): void {
  const { variables, priorities } = model;
  const goals: Goal[] = [model, ...(priorities?.later ?? [])];
  const last = goals.at(-1)!;
  for (const goal of goals) {
    const products = productsOf(goal, variables);
    const [first] = products;
    if (first === undefined) continue;
    const [one, other] = [first.row, first.column].map((at) => variables[at]!.name);
    const multiplied = one === other ? `${one} is squared` : `${other} and ${one} are multiplied`;
    const refuse = (reason: string): never => {
      throw new ModelProblem('incomplete_model', `In the objective, ${multiplied}, ${reason}`);
    };
    if (goal !== last) refuse('so it must have the last priority');
    const whole = variables.find(({ isInteger, zeroOr }) => isInteger || zeroOr !== undefined);
    if (whole !== undefined)
      refuse(
        whole.name === ''
          ? 'so no other formula may need yes-or-no decisions'
          : `so all variables must be amounts, but ${whole.name} is ${whole.isInteger ? 'a whole number' : '0 or in a range'}`,
      );
    if (sizeOfHelpers(model).variables > 0)
      refuse('so no constraint may need yes-or-no decisions, as `max`, `min` and `abs` do here');
    const used = [...new Set(products.flatMap(({ row, column }) => [row, column]))];
    if (used.length > MAX_VARIABLES) refuse(`and only ${MAX_VARIABLES} variables can be multiplied`);
    const wrong = wrongCurve(products, used, goal.sense === 'minimize' ? 1 : -1);
    if (wrong === undefined) continue;
    const [ask, curve, example] =
      goal.sense === 'minimize'
        ? ['minimize', 'downward', 'as with a sum of squares']
        : ['maximize', 'upward', 'as with a sum of squares after a minus'];
    refuse(
      `but the solver can ${ask} only what never curves ${curve}, ${example}. This curves ${curve} with ${variables[wrong]!.name}`,
    );
  }
}

/** Rounding error of a pivot, relative to the largest second derivative. Covariances from data are not exact. */
const PIVOT_TOLERANCE = 1e-8;
/** The same for values in the column of a pivot that counts as 0. */
const COLUMN_TOLERANCE = 1e-4;

/**
 * Returns a variable whose direction curves the wrong way, or undefined if the objective never does. Uses the `LDL` decomposition
 * of the second derivatives.
 */
function wrongCurve(products: readonly Product[], used: readonly number[], sign: number): number | undefined {
  const places = new Map(used.map((variable, place) => [variable, place]));
  const matrix = used.map(() => new Float64Array(used.length));
  for (const product of products) {
    const [row, column] = [places.get(product.row)!, places.get(product.column)!];
    matrix[row]![column] = matrix[column]![row] = sign * derivativeOf(product);
  }
  const scale = matrix.reduce((most, row) => row.reduce((size, value) => Math.max(size, Math.abs(value)), most), 0);
  for (const [at, pivots] of matrix.entries()) {
    const pivot = pivots[at]!;
    if (pivot < -PIVOT_TOLERANCE * scale) return used[at];
    if (pivot <= PIVOT_TOLERANCE * scale) {
      for (let row = at + 1; row < used.length; row += 1)
        if (Math.abs(matrix[row]![at]!) > COLUMN_TOLERANCE * scale) return used[at];
      continue;
    }
    for (let row = at + 1; row < used.length; row += 1) {
      const values = matrix[row]!;
      const factor = values[at]! / pivot;
      if (factor === 0) continue;
      for (let column = at + 1; column < used.length; column += 1) values[column]! -= factor * pivots[column]!;
    }
  }
  return undefined;
}
