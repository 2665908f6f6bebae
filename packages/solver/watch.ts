import type { Model } from './model.js';

/**
 * Tolerance within which an objective counts as equal to its bound. It is relative for objectives above 1. The solver uses the
 * same tolerance.
 */
export const BOUND_TOLERANCE = 1e-6;

/** Progress of a search. */
export interface Search {
  /** Objective of the best plan, or null before the first plan. */
  incumbent: number | null;
  /** Best possible objective, or null if it is not known yet. */
  bound: number | null;
  /** Number of explored branches. */
  nodes: number;
}

/** Observer of a search. */
export interface SearchWatch {
  line: (text: string) => void;
  search: (search: Search) => void;
  /** Receives the values of a plan that is better than all earlier plans. */
  plan: (values: Float64Array<ArrayBuffer>) => void;
}

/**
 * Returns the distance between a plan's objective and the best possible objective, relative to the plan's objective. Returns
 * null if the result is not a number.
 */
export function gapBetween(objective: number, bound: number): number | null {
  const distance = Math.abs(objective - bound);
  if (distance === 0) return 0;
  return objective === 0 ? null : distance / Math.abs(objective);
}

/** Returns whether an objective counts as equal to its bound. Within the solver's tolerances, it may even seem better. */
export function reachesBound(objective: number, bound: number, sense: Model['sense']): boolean {
  const distance = sense === 'maximize' ? bound - objective : objective - bound;
  return distance <= BOUND_TOLERANCE * Math.max(1, Math.abs(objective));
}

/**
 * Returns a function that merges each progress report with the best incumbent and bound so far. The solver forgets them when it
 * restarts.
 */
export function monotonicProgress({ sense }: Pick<Model, 'sense'>): (next: Search) => Search {
  const [better, worse] = sense === 'maximize' ? [Math.max, Math.min] : [Math.min, Math.max];
  let last: Search = { incumbent: null, bound: null, nodes: 0 };
  return ({ incumbent, bound, nodes }) => {
    last = {
      incumbent: pick(better, last.incumbent, incumbent),
      bound: pick(worse, last.bound, bound),
      nodes: Math.max(last.nodes, nodes),
    };
    return last;
  };
}

const pick = (choose: (one: number, other: number) => number, one: number | null, other: number | null) =>
  one === null ? other : other === null ? one : choose(one, other);
