import type { ModelArrays } from './highs.js';
import { type Hessian, largestValue, withoutProducts } from './quadratic.js';

interface Pair {
  lower: Float64Array<ArrayBuffer>;
  upper: Float64Array<ArrayBuffer>;
}

/**
 * Returns a linear program that finds the steepest direction without a limit: no constraint, bound or square limits the objective
 * of a model without integers along this direction. The objective of the program is 0 if every direction has a limit.
 */
export function directionsOf(arrays: ModelArrays): ModelArrays {
  const { hessian } = arrays;
  const pair = (lower: Float64Array, upper: Float64Array, edge: number): Pair => ({
    lower: Float64Array.from(lower, (bound) => (Number.isFinite(bound) ? 0 : -edge)),
    upper: Float64Array.from(upper, (bound) => (Number.isFinite(bound) ? 0 : edge)),
  });
  const columns = pair(arrays.colLower, arrays.colUpper, 1);
  const rows = pair(arrays.rowLower, arrays.rowUpper, Infinity);
  const gradients = hessian === undefined ? [] : rowsOf(hessian);
  let next = arrays.indices.length;
  const starts = gradients.map(({ length }) => (next += length));
  const none = gradients.map(() => 0);
  return {
    ...withoutProducts(arrays),
    offset: 0,
    isWhole: new Uint8Array(arrays.isWhole.length),
    colLower: columns.lower,
    colUpper: columns.upper,
    rowLower: Float64Array.from([...rows.lower, ...none]),
    rowUpper: Float64Array.from([...rows.upper, ...none]),
    starts: Int32Array.from([...arrays.starts, ...starts]),
    indices: Int32Array.from([...arrays.indices, ...gradients.flat().map(([column]) => column)]),
    values: Float64Array.from([...arrays.values, ...gradients.flat().map(([, value]) => value)]),
  };
}

/** Returns the rows of a matrix of second derivatives, with values of at most 1. */
function rowsOf(hessian: Hessian): [column: number, value: number][][] {
  const scale = largestValue(hessian);
  const rows = new Map<number, [number, number][]>();
  const add = (row: number, column: number, value: number): void => {
    const entries = rows.get(row) ?? [];
    rows.set(row, entries);
    entries.push([column, value / scale]);
  };
  for (let column = 0; column < hessian.starts.length - 1; column += 1)
    for (let at = hessian.starts[column]!; at < hessian.starts[column + 1]!; at += 1) {
      const row = hessian.indices[at]!;
      add(row, column, hessian.values[at]!);
      if (row !== column) add(column, row, hessian.values[at]!);
    }
  return [...rows.values()];
}
