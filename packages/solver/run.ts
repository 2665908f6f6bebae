import type { HighsCallbackMap } from 'highs';
import { MIN_COEFFICIENT } from './model.js';
import { type Highs, type ModelArrays, toModelData } from './highs.js';
import type { SearchWatch } from './watch.js';

/** End of a run. `stopped`: at a limit other than the time. `undecided`: without any answer. */
export type RunStatus =
  'optimal' | 'time_limit' | 'infeasible' | 'unbounded' | 'unbounded_or_infeasible' | 'stopped' | 'undecided';

const STATUSES: Record<keyof Highs['constants']['modelStatus'], RunStatus> = {
  optimal: 'optimal',
  timeLimit: 'time_limit',
  infeasible: 'infeasible',
  unbounded: 'unbounded',
  unboundedOrInfeasible: 'unbounded_or_infeasible',
  iterationLimit: 'stopped',
  solutionLimit: 'stopped',
  objectiveBound: 'stopped',
  objectiveTarget: 'stopped',
  interrupted: 'stopped',
  notSet: 'undecided',
  loadError: 'undecided',
  modelError: 'undecided',
  presolveError: 'undecided',
  solveError: 'undecided',
  postsolveError: 'undecided',
  empty: 'undecided',
  unknown: 'undecided',
};

export interface Run {
  status: RunStatus;
  /** Of the variables; undefined when none were found that satisfy everything. */
  values: Float64Array | undefined;
  /** What no values can be better than; NaN when that is not known. */
  bound: number;
  /** Prices of an optimum, of a model without whole numbers. */
  prices: Prices | undefined;
}

/** How the objective changes, whether it is maximized or minimized, for each unit more of ... */
export interface Prices {
  /** ... what bounds a row. */
  duals: Float64Array;
  /** ... a variable, when what bounds it gives way. */
  reducedCosts: Float64Array;
}

export interface RunLimits {
  seconds: number;
  /** Relative distance to the best possible objective that ends the search; 0 when absent. */
  gap?: number;
  /** Most branchings; absent: as many as it takes. */
  nodes?: number;
}

const UNDECIDED: Run = { status: 'undecided', values: undefined, bound: NaN, prices: undefined };

/** Only values and prices that satisfy everything are of use. */
const FEASIBLE = 2;
/** The solver tells at least so often how far it is, in seconds, where it can. */
const TELLING_SECONDS = 0.5;

/** One run of the solver on a fresh instance. */
export function runWithin(
  highs: Highs,
  arrays: ModelArrays,
  { seconds, gap = 0, nodes }: RunLimits,
  watch?: SearchWatch,
): Run {
  return highs.withModel((model) => {
    model.options.set({
      output_flag: watch !== undefined,
      log_to_console: false,
      mip_min_logging_interval: TELLING_SECONDS,
      time_limit: Math.max(0, seconds),
      // Without a gap of its own the solver calls values 0.01 % away from the best possible ones optimal.
      mip_rel_gap: gap,
      // Its own limit, 1e-9, would drop terms that count where numbers are large.
      small_matrix_value: MIN_COEFFICIENT,
      ...(nodes !== undefined && { mip_max_nodes: nodes }),
    });
    try {
      model.passModel(toModelData(highs, arrays));
      model.run(watch && callbacksOf(highs, watch));
    } catch (error) {
      // The solver rejects a model, or gives up on its numbers. Any other error is a fault of the service.
      if (error instanceof highs.errors.HighsError) return UNDECIDED;
      throw error;
    }
    const status = statusOf(highs, model.getModelStatus());
    if (status === 'undecided') return UNDECIDED;
    const solution = model.getSolution();
    const isWhole = arrays.isWhole.includes(1);
    const isPriced = !isWhole && status === 'optimal' && model.info.get('dual_solution_status') === FEASIBLE;
    return {
      status,
      values: model.info.get('primal_solution_status') === FEASIBLE ? Float64Array.from(solution.colValue) : undefined,
      bound: isWhole
        ? Number(model.info.get('mip_dual_bound'))
        : status === 'optimal'
          ? model.getObjectiveValue()
          : NaN,
      prices: isPriced
        ? { duals: Float64Array.from(solution.rowDual), reducedCosts: Float64Array.from(solution.colDual) }
        : undefined,
    };
  });
}

export function statusOf({ constants: { modelStatus } }: Pick<Highs, 'constants'>, code: number): RunStatus {
  const names = Object.keys(STATUSES) as (keyof typeof STATUSES)[];
  const name = names.find((one) => modelStatus[one] === code);
  return name === undefined ? 'undecided' : STATUSES[name];
}

function callbacksOf({ constants: { callbackType } }: Highs, { line, search, plan }: SearchWatch): HighsCallbackMap {
  return {
    [callbackType.logging]: ({ message }) => {
      for (const text of message.split('\n')) if (text.trim() !== '') line(text.trimEnd());
      return undefined;
    },
    [callbackType.mipLogging]: ({ data: { mip_primal_bound, mip_dual_bound, mip_node_count } }) => {
      const [incumbent, bound] = [mip_primal_bound, mip_dual_bound].map((figure) =>
        figure === undefined || !Number.isFinite(figure) ? null : figure,
      ) as [number | null, number | null];
      search({ incumbent, bound, nodes: Number(mip_node_count ?? 0) });
      return undefined;
    },
    [callbackType.mipImprovingSolution]: ({ data: { mip_solution } }) => {
      if (mip_solution !== undefined) plan(Float64Array.from(mip_solution));
      return undefined;
    },
  };
}
