import type { Arithmetic, IndexedFormula } from '../canvas/index.js';
import type { Formula } from '../modelling/index.js';

export type Domain = 'continuous' | 'integer' | 'binary';
export type Sense = 'maximize' | 'minimize';

/** How a constraint counts. */
export interface Classification {
  classification: 'hard' | 'soft';
  penalty?: number;
}

/** What is said of a variable; absent fields are not spoken of. */
export interface VariableFacts {
  domain?: Domain;
  /** Null where it is taken back; a formula only with an index. */
  lower?: number | string | null;
  upper?: number | string | null;
  /** The bounds that are said with `<` or `>`. */
  strict?: ('lower' | 'upper')[];
  /** Negative amounts count, too; null where it is taken back. */
  free?: true | null;
  unit?: string;
}

/** What is asked of a table; columns as written. */
export type TableComputation =
  { function: 'count' } | { function: 'sum' | 'avg' | 'min' | 'max' | 'count_distinct'; column: string; by?: string };

/** A change of a scenario as it is said; what a name stands for is found out later. */
export type SaidChange =
  | { form: 'figure'; target: string; key?: string[]; where?: string; times?: number; plus?: number; to?: number }
  | { form: 'off'; target: string }
  /** A limit beside all others. */
  | { form: 'relation'; text: string }
  | { form: 'file'; target: string; path: string };

/** One statement of a message, as docs/modelling.md lists them. Names and labels are as written. */
export type Statement =
  /** The text is a formula or, of an objective that has none yet, its label. */
  | { kind: 'objective'; sense?: Sense; label?: string; text: string; weight?: number }
  /** A constraint, a value (`price = 3`), or the bounds of a variable: which one depends on what is known. */
  | { kind: 'relation'; label?: string; text: string; index?: string; formula: Formula; counts?: Classification }
  /** All members of a variable, with what is said of them; or the relation, where the variable is there already. */
  | { kind: 'family'; name: string; index: string; facts: VariableFacts; relation?: StatementOf<'relation'> }
  /** A set, with its members as a list or a range. */
  | { kind: 'members'; set: string; members: string[] | string }
  /** A set whose members stand in a file, by the columns of the key, or as the different values of one column. */
  | {
      kind: 'file_set';
      set: string;
      path: string;
      sheet?: string;
      key?: string[];
      column?: string;
      /** Of figures that are missing. */
      fallback?: number;
    }
  /** What formulas call a column of the file of a set. */
  | { kind: 'column_name'; column: string; set: string; of: string }
  /** A column of figures over a set. */
  | { kind: 'cells'; column: string; set: string; cells: Record<string, number> }
  | { kind: 'variables'; names: string[]; facts: VariableFacts; declares: boolean }
  | { kind: 'several'; statements: Statement[] }
  /** The labels as a list, `all`, or `unclassified`. */
  | { kind: 'classify'; whom: string; counts: Classification }
  | { kind: 'kpi'; label?: string; text: string }
  /** Further: no others than those that are there. */
  | { kind: 'no_kpi'; isFurther?: true }
  | { kind: 'data_file'; path: string }
  | { kind: 'data_in_formulas'; isFurther?: true }
  /** A relation, a quantity of something, or words alone. */
  | {
      kind: 'requirement';
      label?: string;
      text: string;
      relation?: IndexedFormula;
      quantity?: number;
      product?: string;
    }
  | { kind: 'no_requirement'; isFurther?: true }
  | { kind: 'confirm'; whom?: string }
  | { kind: 'remove'; whom: string }
  | { kind: 'set'; whom: string; field: string; value: string }
  | { kind: 'solve' }
  /** The changes are added to those that the scenario has. */
  | { kind: 'scenario'; name: string; changes: SaidChange[] }
  | { kind: 'remove_scenario'; name: string }
  | { kind: 'show_scenarios' }
  /** Without names all of them. */
  | { kind: 'solve_scenarios'; names?: string[] }
  | { kind: 'compare_scenarios' }
  | { kind: 'help' }
  | { kind: 'show' }
  /** A question about a table: what it is, how many rows it has, or something computed of a column. */
  | { kind: 'table'; of: { path: string; sheet?: string }; compute?: TableComputation }
  /** A question about the newest run; bare without a question word, which makes it an answer to an open question first. */
  | { kind: 'question'; about: ResultQuestion; isBare?: true }
  /** Changes to try beside the canvas. */
  | { kind: 'what_if'; changes: (WantedChange | SaidChange)[] }
  /** A question that cannot be read, with the reason. It changes nothing. */
  | { kind: 'unclear_question'; reason: string }
  | { kind: 'undo' }
  /** A question how to give a name its figures. */
  | { kind: 'how_to_give'; name: string; set?: string }
  | { kind: 'later' }
  | { kind: 'courtesy' };

/** The statements of one kind. */
export type StatementOf<Kind extends Statement['kind']> = Extract<Statement, { kind: Kind }>;

/** The value of a family that is asked for. */
export type Aggregate = 'largest' | 'smallest' | 'total' | 'average';

/** What is asked about the newest run. A `subject` is in the user's words. */
export type ResultQuestion =
  | { ask: 'result' | 'binding' | 'slack' | 'kpis' }
  | { ask: 'shadow_price' | 'reduced_cost'; subject?: string }
  | { ask: 'left'; subject: string }
  | { ask: 'value'; subject: string; pick?: Aggregate }
  | { ask: 'why_not'; subject: string; wants: 'more' | 'less' };

/** A change of a what-if question. */
export interface WantedChange extends Arithmetic {
  form: 'wanted';
  /** In the user's words. */
  subject: string;
  /** The side of a variable that is bounded. */
  side?: 'lower' | 'upper';
  /** Words behind the figure. */
  unit?: string;
  /** The name that the figure multiplies, as in `budget = 2 wages`. */
  factor?: string;
  /** Leaves a card out. */
  isOff?: boolean;
  /** `no labour`: either nothing of it is there, or its limit does not count. */
  isNone?: boolean;
}

/** What a line says, or undefined with the reason where one can be given. */
export type Reading = { statement: Statement } | { statement?: undefined; reason?: string };
