import type { Question } from '../ask-user-question.js';
import type { CompletenessResponse } from '../../projects/canvas/canvas.dto.js';

type Checkable = Exclude<keyof CompletenessResponse, 'overall'>;

interface Item {
  key: Checkable;
  /** What holds when the item is met. */
  statement: string;
  question: string;
  header: string;
  options: string[];
  /** Whether more than one option may hold. */
  several?: boolean;
}

/** The checklist in the order in which a model is built. */
const ITEMS: readonly Item[] = [
  {
    key: 'objective_drafted',
    statement: 'An objective is drafted',
    header: 'Objective',
    question: 'What should the plan make as good as possible?',
    options: ['Lowest cost', 'Highest profit', 'Shortest time', 'Highest output'],
  },
  {
    key: 'objectives_defined',
    statement: 'The objectives are defined',
    header: 'Objectives',
    question: 'How is the objective made up?',
    options: ['One figure alone', 'A weighted sum of several figures', 'Several figures, one after the other'],
  },
  {
    key: 'all_variables_provided',
    statement: 'All variables are provided',
    header: 'Variables',
    question: 'What is to be decided?',
    options: ['Quantities', 'Yes-or-no choices', 'An order of jobs', 'Assignments to people or machines'],
    several: true,
  },
  {
    key: 'all_constraints_classified',
    statement: 'All constraints are classified as hard or soft',
    header: 'Constraints',
    question: 'Which limits may never be broken?',
    options: ['All of them', 'Some of them', 'None, breaking one only costs something'],
  },
  {
    key: 'kpis_defined',
    statement: 'The figures that judge a plan are defined',
    header: 'KPIs',
    question: 'Which figures show whether a plan is good?',
    options: ['Total cost', 'Delivery on time', 'Use of capacity', 'Stock level'],
    several: true,
  },
  {
    key: 'data_available',
    statement: 'The data is available',
    header: 'Data',
    question: 'Where does the data come from?',
    options: ['A file that is in the workspace', 'A file that I upload next', 'I type it into the chat'],
  },
  {
    key: 'production_requirements_defined',
    statement: 'The production requirements are defined',
    header: 'Requirements',
    question: 'How will the finished model be used?',
    options: ['Once', 'Every day', 'Every week', 'Whenever the data changes'],
  },
  {
    key: 'feasibility_result',
    statement: 'A solve found the model feasible',
    header: 'Feasibility',
    question: 'The model has no feasible solve yet. What should come first?',
    options: ['Complete the model', 'Solve with the data there is'],
  },
];

export interface ChecklistItem {
  key: string;
  statement: string;
  met: boolean;
  /** What to ask while the item is not met. */
  question: Question;
}

/** Every item of the checklist with whether it is met. */
export function readChecklist(checklist: CompletenessResponse): ChecklistItem[] {
  return ITEMS.map(({ key, statement, question, header, options, several = false }) => ({
    key,
    statement,
    met: checklist[key] === true || checklist[key] === 'pass',
    question: { id: key, question, header, options: options.map((label) => ({ label })), multi_select: several },
  }));
}
