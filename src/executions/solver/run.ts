import { SMALLEST_COEFFICIENT } from '../model/model.js';
import type { Highs, ModelData } from './highs.js';

export interface Run {
  /** One of `highs.constants.modelStatus`. */
  status: number;
  /** Of the variables; undefined when none were found that satisfy everything. */
  values: Float64Array | undefined;
  /** Relative distance to the best possible objective. */
  gap: number;
}

/** Only values that satisfy everything are of use. */
const FEASIBLE = 2;

/**
 * One run of the solver on a fresh instance.
 *
 * @param nodes most branchings; absent: as many as it takes
 */
export function runWithin(highs: Highs, data: ModelData, seconds: number, nodes?: number): Run {
  return highs.withModel((model) => {
    model.options.set({
      output_flag: false,
      time_limit: Math.max(0, seconds),
      // Without a gap of its own the solver calls values 0.01 % away from the best possible ones optimal.
      mip_rel_gap: 0,
      // Its own limit, 1e-9, would drop terms that count where numbers are large.
      small_matrix_value: SMALLEST_COEFFICIENT,
      ...(nodes !== undefined && { mip_max_nodes: nodes }),
    });
    model.passModel(data);
    model.run();
    const isFeasible = model.info.get('primal_solution_status') === FEASIBLE;
    return {
      status: model.getModelStatus(),
      values: isFeasible ? Float64Array.from(model.getSolution().colValue) : undefined,
      gap: Number(model.info.get('mip_gap')),
    };
  });
}
