import type { SolveResult } from '../solver/index.js';

/* Results of the tools that the guide calls. */

/** Newest run of the canvas, as `read_result` returns it. */
export interface RunResult extends Partial<
  Pick<SolveResult, 'objective_value' | 'message' | 'conflict' | 'objectives' | 'notes' | 'kpis' | 'families'>
> {
  execution_id: string;
  status: string;
  ended_at: Date | null;
  error?: string;
  /** Absent if the run has no result. */
  outcome?: SolveResult['status'];
  /** Values of the first variables. For a family, this is the total. */
  variables?: Record<string, number>;
  variable_count?: number;
  /** Constraints with the least slack. A family is represented by its tightest member. */
  constraints?: SolveResult['constraints'];
  constraint_count?: number;
  is_integer: boolean;
  /** Labels of the cards, and paths of the files, that changed since the run. */
  changed_since: string[];
}

/** Value of a variable or of one of its members. */
export interface MemberValue {
  /** Key parts of the member. Empty for a variable without an index. */
  keys: string[];
  value: number;
  /** Null unless the model is a linear program. */
  reduced_cost: number | null;
}

/** Page of values, as `read_values` returns it. */
export interface ValuesPage {
  variable: string;
  values: MemberValue[];
  /** Number of matching members. */
  count: number;
  /** Sum of the values of all matching members. */
  sum: number;
  /** Number of members in the variable. */
  size: number;
}

/** Member of a constraint, as `read_constraints` returns it. */
export interface ConstraintValue {
  name: string;
  keys: string;
  activity: number;
  slack: number;
  dual: number | null;
}

/** Page of constraints, as `read_constraints` returns it. */
export interface ConstraintsPage {
  constraints: ConstraintValue[];
  total: number;
}

/** Run, as `solve_scenarios` returns it. */
export interface ScenarioRun {
  /** Null for the plan of the canvas without a scenario. */
  scenario: string | null;
  execution_id: string;
  status: string;
  /** Absent if the run has no result. */
  outcome?: string;
  objective_value?: number | null;
  /** Difference from the objective value of the canvas, if both runs have one. */
  difference?: number;
  kpis?: KpiValue[];
  conflict?: string[];
  error?: string;
}

/** KPI in a run. */
export interface KpiValue {
  label: string;
  value: number | null;
}

/** Canvas and scenarios, as `compare_scenarios` returns them. */
export interface ComparisonResult {
  /** Null if the canvas was never solved. */
  base: ComparedPlan<KpiValue> | null;
  scenarios: (ComparedPlan<KpiValue & { difference: number | null }> & { name: string; difference: number | null })[];
  /** Values by scenario name. The name is null for the canvas. */
  differing: { variable: string; keys: string[]; values: { scenario: string | null; value: number }[] }[];
}

/** Newest run of the canvas or of a scenario. */
export interface ComparedPlan<Kpi> {
  /** Null if a scenario was never solved. */
  status: string | null;
  objective_value: number | null;
  kpis: Kpi[];
}
