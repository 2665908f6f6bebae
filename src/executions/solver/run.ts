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

/** One run of the solver on a fresh instance. */
export function runWithin(highs: Highs, data: ModelData, seconds: number): Run {
  return highs.withModel(data, (model) => {
    // Without a gap of its own the solver calls values 0.01 % away from the best possible ones optimal.
    model.options.set({ output_flag: false, time_limit: Math.max(0, seconds), mip_rel_gap: 0 });
    model.run();
    const isFeasible = model.info.get('primal_solution_status') === FEASIBLE;
    return {
      status: model.getModelStatus(),
      values: isFeasible ? Float64Array.from(model.getSolution().colValue) : undefined,
      gap: Number(model.info.get('mip_gap')),
    };
  });
}
