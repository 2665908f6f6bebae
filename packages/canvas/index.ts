export { fieldOf, gapsOfShape } from './card-shapes.js';
export { CARD_STATUSES, type CardContent, type Gap, type Judgement, MAX_LABEL_LENGTH } from './card.js';
export { type Checklist, FEASIBILITY_RESULTS, OVERALL_RESULTS } from './checklist.js';
export { MAX_CELLS, MAX_ROWS, withValues } from './column-values.js';
export { type DataContent, fileColumns, isSetOfFile, pathOfSet, readData, withinFileSetLimit } from './data-content.js';
export {
  type DataFile,
  type FactsOfColumn,
  type FileFacts,
  type FileState,
  type FileStates,
  NO_FILES,
  contentKey,
  fileKey,
  nameOf,
  tableOf,
} from './data-file.js';
export { notesOfFile, whyDoubled } from './data-gaps.js';
export {
  type Derived,
  type SolveJudgement,
  derive,
  judgeAndDerive,
  judgeForSolve,
  valuesOf,
  vocabularyOfCards,
} from './derivation.js';
export { describeSyntaxProblem, type IndexedFormula, namesInText, readIndex, relationIn } from './expressions.js';
export { CARD_KINDS, CARD_TYPES, type CardType } from './kinds/card-kinds.js';
export { FILE_FIELDS } from './kinds/data.js';
export { describeRange, type ZeroOrBetween } from './kinds/variable.js';
export { isEased, type LooseVariable, looseVariables } from './loose-variables.js';
export { rangeOf } from './members.js';
export { modelDigest } from './model-digest.js';
export { type Adjustment, type Arithmetic, namesInAdjustment } from './model/adjustments.js';
export { readCanvas } from './model/canvas-reader.js';
export { type ModelCard, type SetTable } from './model/model-card.js';
export { formulaIn, plainVariables, requirementOf } from './requirement.js';
export { applyChanges, withOtherFiles } from './scenarios/apply-changes.js';
export {
  CHANGE_KINDS,
  type Change,
  type ChangeProblem,
  MAX_CHANGES,
  MAX_SCENARIO_NAME_LENGTH,
  problemOfForm,
  sentenceOf,
} from './scenarios/change.js';
export { changedLimit } from './scenarios/changed-limit.js';
export { describeStray, idleVariables, strayVariables } from './stray-variables.js';
export {
  CELLS,
  doubledHeader,
  factsWithCells,
  factsWithoutCells,
  firstMisfitOf,
  HEADERS,
  readingOfHeaders,
  type WideColumn,
  wideColumns,
} from './wide-table.js';
export { wordedLimits } from './worded-limits.js';
