import type { Model } from './model.js';

/** What the search has come to so far. */
export interface Search {
  /** The objective of the best plan; null while there is none. */
  incumbent: number | null;
  /** What no plan can be better than; null while that is not known. */
  bound: number | null;
  /** Branchings that were looked at. */
  nodes: number;
}

/** Whoever looks on while the solver searches. */
export interface SearchWatch {
  line: (text: string) => void;
  search: (search: Search) => void;
  /** Values of the variables that are better than all before. */
  plan: (values: Float64Array<ArrayBuffer>) => void;
}

/** Distance between a plan's objective and what none can be better than, relative to the first; null where that is no figure. */
export function gapBetween(objective: number, bound: number): number | null {
  const distance = Math.abs(objective - bound);
  if (distance === 0) return 0;
  return objective === 0 ? null : distance / Math.abs(objective);
}

/** Searches one after the other, neither figure ever worse than before: restarts of the solver forget what they knew. */
export function neverWorse({ sense }: Pick<Model, 'sense'>): (next: Search) => Search {
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
