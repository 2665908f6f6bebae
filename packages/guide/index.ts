export { answerTurn } from './guide.js';
export type { Reply } from './steps.js';
export type {
  ScenarioRun,
  ToldComparison,
  ToldConstraint,
  ToldConstraints,
  ToldResult,
  ToldValues,
} from './tool-results.js';
