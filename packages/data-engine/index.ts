export { decoderOf } from './code-pages.js';
export type { TaskResult, EngineConnection } from './engine-connection.js';
export { MAX_ANSWER_ROWS, MAX_COLUMNS, MAX_SQL, MAX_TABLES } from './limits.js';
export { outputPath, partialPath } from './messages.js';
export { EngineUnavailable, ProcessPool } from './process-pool.js';
export { identifier } from './sql-text.js';
export {
  type Aggregate,
  AGGREGATE_FUNCTIONS,
  type Answers,
  type Cell,
  COLUMN_TYPES,
  type ColumnCells,
  type ColumnsAnswer,
  type ColumnsTask,
  type ColumnType,
  DATE_ORDERS,
  type DateOrder,
  type Dialect,
  type DialectOptions,
  type Filter,
  FILTER_OPERATORS,
  type KeysAnswer,
  LEFT_OUT_KINDS,
  LEFT_OUT_PLACES,
  type LeftOut,
  TransientProblem,
  type QueryAnswer,
  type ReadAnswer,
  type StructuredQuery,
  SUBTOTAL_CHOICES,
  type SubtotalChoice,
  type TableColumn,
  type TableDescription,
  type TableFormat,
  type Task,
  TaskProblem,
  type TextAnswer,
  type TextTask,
  UNCERTAIN_FIELDS,
  type UncertainField,
} from './tasks.js';
export {
  DECIMALS,
  DIALECT_FIELDS,
  MAX_ROW,
  QUOTES,
  THOUSANDS,
  contradictionIn,
  delimiterProblem,
  dialectOf,
  encodingProblem,
  isDialect,
} from './dialect-options.js';
export { isTotalLabel } from './tables/total-labels.js';
export { GUESSES_OF_VALUES, describeGuesses, describeLeftOut, readingNotes } from './reading-notes.js';
export {
  TABLE_ENDINGS,
  rowInFile,
  savedFormat,
  savedPathProblem,
  tableFormat,
  tableNameProblem,
} from './table-format.js';
