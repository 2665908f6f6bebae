import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import highsModule, { type Highs, type ModelData } from 'highs';
import { withHelpers } from './helpers.js';
import type { Model } from './model.js';
import { countWithoutProducts, type Hessian, hessianOf } from './quadratic.js';

export type { Highs };

/** The package's types declare a CommonJS module, but the package is an ES module whose default export is the loader. */
const loadHighs = highsModule as unknown as typeof highsModule.default;

declare const COMPILED: unique symbol;

/** HiGHS as compiled WebAssembly, which all threads of the process can share. */
export interface CompiledSolver {
  readonly [COMPILED]: true;
}

interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** Parts of the WebAssembly API that are missing in Node's types. */
const wasm = (
  globalThis as unknown as {
    WebAssembly: { compile(bytes: Uint8Array): Promise<CompiledSolver>; Memory: { prototype: WasmMemory } };
  }
).WebAssembly;

const PAGE_BYTES = 64 * 1024;

/** Compiles HiGHS once for all threads. */
export const compileSolver = async (): Promise<CompiledSolver> =>
  await wasm.compile(await readFile(fileURLToPath(import.meta.resolve('highs/runtime'))));

/**
 * Loads HiGHS for this thread, which must not use WebAssembly for anything else. After this call, WebAssembly memory can grow
 * to at most `memoryMiB`.
 *
 * @param compiled compiled solver. If absent, it is compiled for this thread only
 * @returns the solver, and a function that reports whether the solver was denied memory
 */
export async function loadSolver(
  memoryMiB: number,
  compiled?: CompiledSolver,
): Promise<{ highs: Highs; ranOutOfMemory: () => boolean }> {
  let refused = false;
  const { prototype } = wasm.Memory;
  const grow = Reflect.get<WasmMemory, 'grow'>(prototype, 'grow');
  prototype.grow = function growWithin(this: WasmMemory, pages: number): number {
    if (this.buffer.byteLength + pages * PAGE_BYTES > memoryMiB * 1024 ** 2) {
      refused = true;
      throw new RangeError('The solver has reached its memory limit');
    }
    return grow.call(this, pages);
  };
  const highs = await loadHighs(compiled && { wasmModule: compiled });
  return { highs, ranOutOfMemory: () => refused };
}

/**
 * Model with its helpers as arrays, with terms grouped by row and variables identified by index. The solver therefore never
 * parses user-defined names.
 */
export interface ModelArrays {
  sense: Model['sense'];
  offset: number;
  colCost: Float64Array<ArrayBuffer>;
  colLower: Float64Array<ArrayBuffer>;
  colUpper: Float64Array<ArrayBuffer>;
  /** 1 for integer variables, 0 for others. */
  isWhole: Uint8Array<ArrayBuffer>;
  rowLower: Float64Array<ArrayBuffer>;
  rowUpper: Float64Array<ArrayBuffer>;
  /** Index of the first term of each row, followed by the total number of terms. */
  starts: Int32Array<ArrayBuffer>;
  indices: Int32Array<ArrayBuffer>;
  values: Float64Array<ArrayBuffer>;
  /** Second derivatives of the objective. Absent for linear objectives. */
  hessian?: Hessian;
}

/** Converts a model to arrays. */
export function toArrays(model: Model): ModelArrays {
  const { sense, objective, constant } = model;
  const hessian = hessianOf(model);
  const { rows, ...all } = withHelpers(model);
  // A model with products in its objective has no helpers, see `checkQuadratic`.
  const variables = hessian === undefined ? all.variables : all.variables.slice(0, countWithoutProducts(model));
  const colCost = new Float64Array(variables.length);
  for (let at = 0; at < objective.variables.length; at += 1) {
    const variable = objective.variables[at]!;
    if (variable < colCost.length) colCost[variable] = objective.coefficients[at]!;
  }
  const starts = new Int32Array(rows.length + 1);
  rows.forEach(({ terms }, index) => {
    starts[index + 1] = (starts[index] ?? 0) + terms.variables.length;
  });
  const count = starts[rows.length] ?? 0;
  const indices = new Int32Array(count);
  const values = new Float64Array(count);
  rows.forEach(({ terms }, index) => {
    indices.set(terms.variables, starts[index]);
    values.set(terms.coefficients, starts[index]);
  });
  return {
    sense,
    offset: constant,
    colCost,
    ...boundArraysOf({ variables, rows }),
    isWhole: Uint8Array.from(variables, ({ isInteger }) => (isInteger ? 1 : 0)),
    starts,
    indices,
    values,
    ...(hessian && { hessian }),
  };
}

/** Returns the bounds of variables and rows as arrays. */
export const boundArraysOf = ({ variables, rows }: Pick<Model, 'variables' | 'rows'>) => ({
  colLower: Float64Array.from(variables, ({ lower }) => lower),
  colUpper: Float64Array.from(variables, ({ upper }) => upper),
  rowLower: Float64Array.from(rows, ({ lower }) => lower),
  rowUpper: Float64Array.from(rows, ({ upper }) => upper),
});

/** Converts the arrays to the input of HiGHS. */
export function toModelData(
  { constants: { objectiveSense, variableType } }: Highs,
  {
    sense,
    offset,
    colCost,
    colLower,
    colUpper,
    isWhole,
    rowLower,
    rowUpper,
    starts,
    indices,
    values,
    hessian,
  }: ModelArrays,
): ModelData {
  const [numCols, numRows] = [colCost.length, rowLower.length];
  return {
    offset,
    colCost,
    colLower,
    colUpper,
    rowLower,
    rowUpper,
    numCols,
    numRows,
    sense: objectiveSense[sense],
    matrix: { format: 'csr', numRows, numCols, starts, indices, values },
    ...(hessian && { hessian: { format: 'triangular', dimension: numCols, ...hessian } }),
    integrality: Int32Array.from(isWhole, (whole) => (whole === 1 ? variableType.integer : variableType.continuous)),
  };
}
