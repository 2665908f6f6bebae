import highsModule, { type Highs, type ModelData } from 'highs';
import type { Model } from '../model/model.js';

/** The solver and what a model looks like to it. */
export type { Highs, ModelData };

/** The package declares a CommonJS module, and gives an ES module whose default export is the loader itself. */
const loadHighs = highsModule as unknown as typeof highsModule.default;

/** The part of WebAssembly's memory that is needed here; Node's types do not have it. */
interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

const PAGE_BYTES = 64 * 1024;

/**
 * Loads HiGHS for this thread, which has nothing else to do with WebAssembly: from here on its memory grows to
 * `memoryMiB` at most.
 *
 * @returns the solver, and whether it was refused memory.
 */
export async function loadSolver(memoryMiB: number): Promise<{ highs: Highs; wasRefusedMemory: () => boolean }> {
  let refused = false;
  const { prototype } = (globalThis as unknown as { WebAssembly: { Memory: { prototype: WasmMemory } } }).WebAssembly
    .Memory;
  const grow = Reflect.get<WasmMemory, 'grow'>(prototype, 'grow');
  prototype.grow = function growWithin(this: WasmMemory, pages: number): number {
    if (this.buffer.byteLength + pages * PAGE_BYTES > memoryMiB * 1024 ** 2) {
      refused = true;
      throw new RangeError('The solver may have no more memory');
    }
    return grow.call(this, pages);
  };
  return { highs: await loadHighs(), wasRefusedMemory: () => refused };
}

/** The model as HiGHS takes it: arrays, so that no name of a user is ever read by it. */
export function toModelData(highs: Highs, { sense, objective, constant, variables, rows }: Model): ModelData {
  const colCost = new Float64Array(variables.length);
  for (let at = 0; at < objective.variables.length; at += 1)
    colCost[objective.variables[at]!] = objective.coefficients[at]!;
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
  const { objectiveSense, variableType } = highs.constants;
  return {
    numCols: variables.length,
    numRows: rows.length,
    sense: objectiveSense[sense],
    offset: constant,
    colCost,
    colLower: Float64Array.from(variables, ({ lower }) => lower),
    colUpper: Float64Array.from(variables, ({ upper }) => upper),
    rowLower: Float64Array.from(rows, ({ lower }) => lower),
    rowUpper: Float64Array.from(rows, ({ upper }) => upper),
    matrix: { format: 'csr', numRows: rows.length, numCols: variables.length, starts, indices, values },
    integrality: Int32Array.from(variables, ({ isInteger }) =>
      isInteger ? variableType.integer : variableType.continuous,
    ),
  };
}
