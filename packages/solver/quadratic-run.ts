import { directionsOf } from './directions.js';
import type { Highs, ModelArrays } from './highs.js';
import { gradientOf, largestValue, valueAt, withoutProducts } from './quadratic.js';
import { type Run, runOnce, type RunLimits, UNDECIDED } from './run.js';
import type { SearchWatch } from './watch.js';

/*
 * The solver is less reliable for squares than for linear programs. It may stop at a plan that is not the best, miss a limit, or
 * never end. Each of its answers is therefore checked with a linear program.
 */

/** Maximum distance to the best possible objective, relative to its size. */
const TOLERANCE = 1e-6;
/** Minimum improvement per step in a direction without a limit. */
const MIN_SLOPE = 1e-6;
/** Factors of the squares that are added to the objective, relative to its largest square. */
const ADDED_SQUARES = [1e-7, 1e-4, 1e-2];
/** Maximum number of runs with the same added squares. */
const MAX_RUNS = 10;

/**
 * Searches a plan that is proven to be the best, for a model with products of variables in its objective. Squares of the distance
 * to the last plan are added to the objective, because the solver fails for many objectives that do not curve in all directions.
 *
 * @throws RuntimeError if the solver accesses memory that does not exist, which its code for squares sometimes does
 */
export function runQuadratic(highs: Highs, original: ModelArrays, limits: RunLimits, watch?: SearchWatch): Run {
  const deadline = performance.now() + limits.seconds * 1000;
  const remaining = (): number => Math.max(0, deadline - performance.now()) / 1000;
  const scale = scaleOf(original);
  const arrays = scaled(original, 1 / scale);
  const direction = runOnce(highs, directionsOf(arrays), { seconds: remaining() });
  if (direction.status === 'optimal' && Math.abs(direction.bound) > MIN_SLOPE)
    return { ...UNDECIDED, status: 'unbounded_or_infeasible' };
  const sign = arrays.sense === 'maximize' ? -1 : 1;
  /** Run whose plan is proven to be the best. Another run makes its values more exact. */
  let proven: Run | undefined;
  let best: { run: Run & { values: Float64Array }; value: number } | undefined;
  for (const added of ADDED_SQUARES)
    for (let count = 0; count < MAX_RUNS && remaining() > 0; count += 1) {
      const near = best?.run.values ?? new Float64Array(arrays.colCost.length);
      const run = runOnce(highs, withSquares(arrays, sign * added, near), { ...limits, seconds: remaining() }, watch);
      if (run.status === 'infeasible' && proven === undefined) return run;
      if (run.values === undefined || !run.values.every(Number.isFinite)) break;
      const value = valueAt(arrays, run.values);
      const isBetter = best === undefined || sign * (best.value - value) > 0;
      if (isBetter) best = { run: { ...run, values: run.values }, value };
      const bound = boundAt(highs, arrays, run.values, remaining());
      const isBest = bound !== undefined && Math.abs(bound - value) <= TOLERANCE * Math.max(1, Math.abs(value));
      const isProven = isBest && run.status === 'optimal';
      if (proven !== undefined) return unscaled(isProven ? run : proven, scale, original);
      if (isProven) proven = run;
      else if (!isBetter) break;
    }
  if (proven !== undefined) return unscaled(proven, scale, original);
  if (remaining() > 0 || best === undefined) return UNDECIDED;
  return { ...best.run, status: 'time_limit', bound: NaN, prices: undefined };
}

/** Adds squares of the distance to a plan to the objective of a model. */
function withSquares(arrays: ModelArrays, factor: number, plan: Float64Array): ModelArrays {
  const { starts, indices, values } = arrays.hessian!;
  const [rows, derivatives]: [number[], number[]] = [[], []];
  const ends = Array.from(plan, (_, column) => {
    const [from, to] = [starts[column]!, starts[column + 1]!];
    const hasSquare = from < to && indices[from] === column;
    rows.push(column);
    derivatives.push(factor + (hasSquare ? values[from]! : 0));
    for (let at = hasSquare ? from + 1 : from; at < to; at += 1) {
      rows.push(indices[at]!);
      derivatives.push(values[at]!);
    }
    return rows.length;
  });
  return {
    ...arrays,
    colCost: arrays.colCost.map((cost, at) => cost - factor * plan[at]!),
    hessian: {
      starts: Int32Array.from([0, ...ends]),
      indices: Int32Array.from(rows),
      values: Float64Array.from(derivatives),
    },
  };
}

/** Returns a power of 2 close to the largest second derivative. */
const scaleOf = ({ hessian }: ModelArrays): number => 2 ** Math.round(Math.log2(largestValue(hessian!)));

/** Returns a model whose objective is multiplied by a factor. */
function scaled(arrays: ModelArrays, factor: number): ModelArrays {
  const hessian = arrays.hessian!;
  return {
    ...arrays,
    offset: factor * arrays.offset,
    colCost: arrays.colCost.map((cost) => factor * cost),
    hessian: { ...hessian, values: hessian.values.map((value) => factor * value) },
  };
}

const unscaled = ({ prices, ...run }: Run, scale: number, original: ModelArrays): Run => ({
  ...run,
  bound: valueAt(original, run.values!),
  prices: prices && {
    duals: prices.duals.map((dual) => scale * dual),
    reducedCosts: prices.reducedCosts.map((cost) => scale * cost),
  },
});

/** Distance from a plan within which better plans are searched, relative to the largest value of the plan. */
const NEIGHBOURHOOD = 10;

/**
 * Returns the best value of the objective near a plan if it did not curve from there on. No plan near it is better than this
 * bound. Without the limits for unbounded variables, tiny rounding errors of a slope would have infinite effects.
 */
function boundAt(highs: Highs, arrays: ModelArrays, values: Float64Array, seconds: number): number | undefined {
  const colCost = gradientOf(arrays, values);
  const offset = valueAt(arrays, values) - colCost.reduce((sum, cost, at) => sum + cost * values[at]!, 0);
  const distance = NEIGHBOURHOOD * values.reduce((most, value) => Math.max(most, Math.abs(value)), 1);
  const near = {
    colLower: arrays.colLower.map((bound, at) => (Number.isFinite(bound) ? bound : values[at]! - distance)),
    colUpper: arrays.colUpper.map((bound, at) => (Number.isFinite(bound) ? bound : values[at]! + distance)),
  };
  const run = runOnce(highs, { ...withoutProducts(arrays), ...near, colCost, offset }, { seconds });
  return run.status === 'optimal' ? run.bound : undefined;
}
