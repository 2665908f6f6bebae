import type { Schemas } from '@project-workspace/client';

type Completeness = Schemas['CompletenessResponse'];

/** Requirements for a model, in the order in which the agent asks about them. */
const REQUIREMENTS: readonly [sentence: string, isMet: (completeness: Completeness) => boolean | undefined][] = [
  ['An objective is drafted', ({ objective_drafted }) => objective_drafted],
  ['The objectives are defined', ({ objectives_defined }) => objectives_defined],
  ['All variables are provided', ({ all_variables_provided }) => all_variables_provided],
  ['All constraints are classified as hard or soft', ({ all_constraints_classified }) => all_constraints_classified],
  ['The KPIs are defined', ({ kpis_defined }) => kpis_defined],
  ['The data is available', ({ data_available }) => data_available],
  ['The production requirements are defined', ({ production_requirements_defined }) => production_requirements_defined],
  ['A solve has shown that the model is feasible', ({ feasibility_result }) => feasibility_result === 'pass'],
];

/** Returns the requirements for a model, and whether they are met. */
export const checklistOf = (completeness: Completeness): { sentence: string; isMet: boolean }[] =>
  REQUIREMENTS.map(([sentence, isMet]) => ({ sentence, isMet: isMet(completeness) === true }));
