import type { Checklist } from '../canvas/index.js';

type Checkable = Exclude<keyof Checklist, 'overall'>;

/** Checklist items in the order of model building. Each has the statement shown when it is met, and a short name. */
const ITEMS: readonly [Checkable, string, string][] = [
  ['objective_drafted', 'An objective is drafted', 'an objective'],
  ['objectives_defined', 'The objectives are defined', 'the formula of the objective'],
  ['all_variables_provided', 'All variables are provided', 'the variables'],
  ['all_constraints_classified', 'All constraints are classified as hard or soft', 'constraints that are hard or soft'],
  ['kpis_defined', 'The KPIs are defined', 'KPIs'],
  ['data_available', 'The data is available', 'data'],
  ['production_requirements_defined', 'The production requirements are defined', 'production requirements'],
  ['feasibility_result', 'A solve has shown that the model is feasible', 'a feasible solve'],
];

export interface ChecklistItem {
  key: Checkable;
  statement: string;
  short: string;
  met: boolean;
}

/** Returns every item of the checklist and whether it is met. */
export const readChecklist = (checklist: Partial<Checklist>): ChecklistItem[] =>
  ITEMS.map(([key, statement, short]) => ({
    key,
    statement,
    short,
    met: checklist[key] === true || checklist[key] === 'pass',
  }));
