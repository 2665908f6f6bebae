export { answerTurn } from './guide.js';
export type { Reply } from './steps.js';
export type {
  ScenarioRun,
  ComparisonResult,
  ConstraintValue,
  ConstraintsPage,
  RunResult,
  ValuesPage,
} from './tool-results.js';
