import type { HighsCallbackMap, Model as SolverModel } from 'highs';
import { MIN_COEFFICIENT } from './model.js';
import { type Highs, type ModelArrays, toModelData } from './highs.js';
import type { SearchWatch } from './watch.js';

/**
 * Status of a run. `stopped` means that the solver reached a limit other than the time limit. `undecided` means that it found
 * no answer.
 */
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
  /** Values of the variables, or undefined if no feasible values were found. */
  values: Float64Array | undefined;
  /** Best possible objective, or NaN if it is unknown. */
  bound: number;
  /** Prices of an optimum. Undefined for models with integer variables. */
  prices: Prices | undefined;
  /** Whether the bound was reached, although a later priority may have made the objective worse within its tolerance. */
  isBest?: boolean;
  /** Priority whose search ended early. */
  unfinished?: number;
}

/** Change in the objective per unit. The sign convention is the same for maximization and minimization. */
export interface Prices {
  /** Change per unit of a row's binding bound. */
  duals: Float64Array;
  /** Change per unit of a variable when its bound is relaxed. */
  reducedCosts: Float64Array;
}

export interface RunLimits {
  seconds: number;
  /** Relative distance to the best possible objective at which the search ends. Default: 0. */
  gap?: number;
  /** Maximum number of branchings. Default: unlimited. */
  nodes?: number;
  /** Feasible values from which the search starts. */
  start?: Float64Array;
  /** Maximum distance of integers to the next whole number. Default: the solver's tolerance of 1e-6. */
  integerTolerance?: number;
}

export const UNDECIDED: Run = { status: 'undecided', values: undefined, bound: NaN, prices: undefined };

/** Code with which the solver marks feasible values and prices. */
const FEASIBLE = 2;
/** Maximum time in seconds between the solver's progress reports, except in phases without reports. */
const REPORT_SECONDS = 0.5;

/** Returns a limit that only searches without progress reach. */
const iterationLimitOf = ({ colCost, rowLower }: ModelArrays): number =>
  1_000 + 20 * (colCost.length + rowLower.length);

/** Runs the solver on a new instance. */
export function runOnce(
  highs: Highs,
  arrays: ModelArrays,
  { seconds, gap = 0, nodes, start, integerTolerance }: RunLimits,
  watch?: SearchWatch,
): Run {
  return highs.withModel((model) => {
    model.options.set({
      output_flag: watch !== undefined,
      log_to_console: false,
      mip_min_logging_interval: REPORT_SECONDS,
      time_limit: Math.max(0, seconds),
      // The solver's default would accept values within 0.01 % of the best possible objective as optimal.
      mip_rel_gap: gap,
      // The solver's default of 1e-9 would drop terms that matter if they are multiplied by large numbers.
      small_matrix_value: MIN_COEFFICIENT,
      ...(nodes !== undefined && { mip_max_nodes: nodes }),
      ...(integerTolerance !== undefined && { mip_feasibility_tolerance: integerTolerance }),
      // The solver's own squares would change the optimum.
      ...(arrays.hessian && { qp_regularization_value: 0, qp_iteration_limit: iterationLimitOf(arrays) }),
    });
    try {
      model.passModel(toModelData(highs, arrays));
      // Only a search with integer variables can start from values. A linear program starts from a basis.
      if (start !== undefined && arrays.isWhole.includes(1)) model.setSolution({ colValue: start });
      model.run(watch && callbacksOf(highs, watch));
    } catch (error) {
      // The solver rejected the model or gave up for numerical reasons. Any other error is a bug in the service.
      if (error instanceof highs.errors.HighsError) return UNDECIDED;
      throw error;
    }
    return readRun(highs, model, arrays);
  });
}

/** Reads the result of the last search of an instance. */
function readRun(highs: Highs, model: SolverModel, { isWhole }: ModelArrays): Run {
  const status = statusOf(highs, model.getModelStatus());
  if (status === 'undecided') return UNDECIDED;
  const solution = model.getSolution();
  const hasWhole = isWhole.includes(1);
  const isPriced = !hasWhole && status === 'optimal' && model.info.get('dual_solution_status') === FEASIBLE;
  return {
    status,
    values: model.info.get('primal_solution_status') === FEASIBLE ? Float64Array.from(solution.colValue) : undefined,
    bound: hasWhole ? Number(model.info.get('mip_dual_bound')) : status === 'optimal' ? model.getObjectiveValue() : NaN,
    prices: isPriced
      ? { duals: Float64Array.from(solution.rowDual), reducedCosts: Float64Array.from(solution.colDual) }
      : undefined,
  };
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
