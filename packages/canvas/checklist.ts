export const FEASIBILITY_RESULTS = ['pass', 'fail', 'unchecked'] as const;
export const OVERALL_RESULTS = ['incomplete', 'complete'] as const;

/** Checklist items that depend only on the cards. */
export interface DerivedItems {
  all_constraints_classified: boolean;
  all_variables_provided: boolean;
  data_available: boolean;
  kpis_defined: boolean;
  objective_drafted: boolean;
  objectives_defined: boolean;
  production_requirements_defined: boolean;
}

/** Checklist for a model. */
export interface Checklist extends DerivedItems {
  feasibility_result: (typeof FEASIBILITY_RESULTS)[number];
  overall: (typeof OVERALL_RESULTS)[number];
}
