export { checkFormula, checkIndex, type Use } from './check.js';
export {
  changeableInputs,
  type Computed,
  computationOrder,
  type Definition,
  definitionsIn,
  inputsOf,
  readComputed,
} from './computed.js';
export { alternativesIn, decisionsIn, mayHaveCondition } from './decisions.js';
export { coverageOf } from './coverage.js';
export { type DerivedSet, type DerivedSetProblem, indexOfSubset, readDerivedSet } from './derived-set.js';
export { type DateReading, isoDate, literalOf } from './dates.js';
export { Evaluator } from './expansion/evaluator.js';
export type { Frame } from './expansion/frame.js';
export { compute } from './expansion/compute.js';
export { deriveSet } from './expansion/derive-set.js';
export { KeyTable } from './expansion/key-table.js';
export { evaluateFigures, figuresOf } from './expansion/evaluate-figures.js';
export type { DefinedVariables, LinearSum } from './expansion/defined-variables.js';
export { ExpansionRefusal, refuse } from './expansion/refusal.js';
export { limitedRows } from './expansion/limited-rows.js';
export { type RowDecision, type Rows, rowsOf } from './expansion/relations.js';
export { type Column, type ColumnData, type Members, Space } from './expansion/space.js';
export {
  type Condition,
  type Expression,
  type Formula,
  type FormulaProblem,
  type Index,
  isPlain,
  isProblem,
  type Key,
  type MemberOf,
  type Membership,
  namesIn,
  type Operand,
  partsOf,
  partsOfKey,
  type Relation,
} from './formula.js';
export { isName, Lexer, type Token, withoutPowers } from './lexer.js';
export { COMPARISON, FIGURE_WORD, hasFigure, isCompared, isLimiting, RELATION_SIGN } from './limit-words.js';
export type { Extremal } from './functions.js';
export { linearize, linearRows } from './linear.js';
export { freeNamesOf, mentionsOf, namesInCondition } from './mentions.js';
export { listFirst, listNames, shortened } from './names.js';
export { nearestNames, typosBetween, wordsOf } from './nearest-names.js';
export { MAX_FORMULA_LENGTH, parseCondition, parseFormula, parseIndex } from './parse-formula.js';
export {
  ambiguousColumn,
  combinedArity,
  emptyLimit,
  formatKey,
  lagBeyondEnds,
  noDecision,
  penaltyNotAbove0,
  productOfThree,
  productOfVariables,
  unknownSet,
} from './sentences.js';
export { NO_LIMIT, optionalSides, setWithEmptyCells, withOptionalLimits } from './optional-limits.js';
export { notesOnPoints } from './points.js';
export { splitIndex } from './split-index.js';
export { noteOnStrict } from './strict.js';
export { quotedList } from './quoted-texts.js';
export { type ComparisonBudget, identityOf, textsMissingIn, type Values } from './values.js';
export {
  type Cells,
  type ColumnShape,
  type Family,
  isConstant,
  namesOfIndex,
  readingsOfFamily,
  type SetShape,
  type Vocabulary,
} from './vocabulary.js';
