import type { Arithmetic, IndexedFormula, ZeroOrBetween } from '../canvas/index.js';
import type { Formula } from '../modelling/index.js';
import type { Role } from './foreign-lines/index.js';

export type Domain = 'continuous' | 'integer' | 'binary';
export type Sense = 'maximize' | 'minimize';

/** Class of a constraint. */
export interface Classification {
  classification: 'hard' | 'soft';
  /** Number, or formula for the members of an index. */
  penalty?: number | string;
}

/** Importance of an objective. Absent fields were not stated. */
export interface Ranking {
  weight?: number;
  /** 1 is the most important. */
  priority?: number;
  /** Less important objectives may worsen this objective by this amount or percentage. Only one of the two is present. */
  tolerance?: number;
  tolerance_percent?: number;
}

/** Facts about a variable. Absent fields were not stated. */
export interface VariableFacts {
  domain?: Domain;
  /** Null removes the bound. A formula is only allowed with an index. */
  lower?: number | string | null;
  upper?: number | string | null;
  /** Bounds written with `<` or `>`. */
  strict?: ('lower' | 'upper')[];
  /** Whether negative amounts are allowed. Null removes this setting. */
  free?: true | null;
  /** Range of the amounts other than 0. */
  zero_or_between?: ZeroOrBetween;
  unit?: string;
}

/** Computation over a table. Column names are as written by the user. */
export type TableComputation =
  { function: 'count' } | { function: 'sum' | 'avg' | 'min' | 'max' | 'count_distinct'; column: string; by?: string };

/** Scenario change as written by the user. Names are resolved later. */
export type SaidChange =
  | { form: 'figure'; target: string; key?: string[]; where?: string; times?: number; plus?: number; to?: number }
  | { form: 'off'; target: string }
  /** Limit in addition to all other limits. */
  | { form: 'relation'; text: string }
  | { form: 'file'; target: string; path: string };

/** Statement in a message. docs/modelling.md lists all statements. Names and labels are as written by the user. */
export type Statement =
  /** The text is a formula, or the label of an objective without a formula. */
  | ({ kind: 'objective'; sense?: Sense; label?: string; text: string } & Ranking)
  /** Constraint, value (`price = 3`), or bounds of a variable. The canvas determines which. */
  | { kind: 'relation'; label?: string; text: string; index?: string; formula: Formula; counts?: Classification }
  /** Facts about all members of a variable. If the variable already exists, `relation` applies instead. */
  | { kind: 'family'; name: string; index: string; facts: VariableFacts; relation?: StatementOf<'relation'> }
  /** Number, or column over an index, that a formula defines. `names` lists the names in the formula except index names. */
  | { kind: 'definition'; name: string; expression: string; index?: string; names: string[] }
  /** Set with its members as a list or a range. */
  | { kind: 'members'; set: string; members: string[] | string; isCyclic?: true }
  /** Set with the members of other sets that meet a condition, or that are not in the sets `without`. */
  | { kind: 'derived_set'; set: string; of: string | string[]; where?: string; without?: string[] }
  /** Set whose members are in a file. Members are identified by key columns, or are the distinct values of a column. */
  | {
      kind: 'file_set';
      set: string;
      path: string;
      sheet?: string;
      key?: string[];
      column?: string;
      /** Set that the other columns of a wide table form. */
      columnsAs?: string;
      /** Default for missing values. */
      fallback?: number;
    }
  /** Formula name of a column in the file of a set. */
  | { kind: 'column_name'; column: string; set: string; of: string }
  /** Column of numbers over a set. */
  | { kind: 'cells'; column: string; set: string; cells: Record<string, number> }
  | { kind: 'variables'; names: string[]; facts: VariableFacts; declares: boolean }
  | { kind: 'several'; statements: Statement[] }
  /** Labels as a list, `all`, or `unclassified`. */
  | { kind: 'classify'; whom: string; counts: Classification }
  /** Soft equation: the subject is a formula or the name of a KPI, and a miss in either direction has a price. */
  | { kind: 'goal'; label?: string; subject: string; target: string; index?: string; penalty?: number | string }
  | { kind: 'kpi'; label?: string; text: string }
  /** `isFurther` means that there are no cards other than the existing cards. */
  | { kind: 'no_kpi'; isFurther?: true }
  | { kind: 'data_file'; path: string }
  | { kind: 'data_in_formulas'; isFurther?: true }
  /** Relation, quantity of a product, or plain text. */
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
  /** Changes to append to a scenario. */
  | { kind: 'scenario'; name: string; changes: SaidChange[] }
  | { kind: 'remove_scenario'; name: string }
  | { kind: 'show_scenarios' }
  /** Solves all scenarios if `names` is absent. */
  | { kind: 'solve_scenarios'; names?: string[] }
  | { kind: 'compare_scenarios' }
  /** Help for the current canvas, or the list of all statements. */
  | { kind: 'help'; isAll?: true }
  | { kind: 'show' }
  /** Question about a table: its content, its number of rows, or a computation on a column. */
  | { kind: 'table'; of: { path: string; sheet?: string }; compute?: TableComputation }
  /** Question about the newest run. If it has no question word (`isBare`), it may instead be the answer to an open question. */
  | { kind: 'question'; about: ResultQuestion; isBare?: true }
  /** Changes to try without changing the canvas. */
  | { kind: 'what_if'; changes: (WantedChange | SaidChange)[] }
  /** Question that cannot be parsed, with the reason. It has no effect. */
  | { kind: 'unclear_question'; reason: string }
  | { kind: 'undo' }
  /** States the lines of another language that a card keeps. `role` decides about a formula that may be an objective. */
  | { kind: 'translate'; whom: string; role?: Role }
  /** Question about how to enter the values for a name. */
  | { kind: 'how_to_give'; name: string; set?: string }
  | { kind: 'later' }
  | { kind: 'courtesy' };

/** Statements of a single kind. */
export type StatementOf<Kind extends Statement['kind']> = Extract<Statement, { kind: Kind }>;

/** Requested aggregate of a family. */
export type Aggregate = 'largest' | 'smallest' | 'total' | 'average';

/** Question about the newest run. `subject` is in the user's words. */
export type ResultQuestion =
  | { ask: 'result' | 'binding' | 'slack' | 'kpis' }
  | { ask: 'shadow_price' | 'reduced_cost'; subject?: string }
  | { ask: 'left'; subject: string }
  | { ask: 'value'; subject: string; pick?: Aggregate }
  | { ask: 'why_not'; subject: string; wants: 'more' | 'less' };

/** Change in a what-if question. */
export interface WantedChange extends Arithmetic {
  form: 'wanted';
  /** The user's original words. */
  subject: string;
  /** Whether the number precedes its subject: `200 hours`, `10 more hours`. */
  isAmount?: boolean;
  /** Side on which a variable is bounded. */
  side?: 'lower' | 'upper';
  /** Words after the number. */
  unit?: string;
  /** Name that the number is multiplied by, as in `budget = 2 wages`. */
  factor?: string;
  /** Whether to disable the card. */
  isOff?: boolean;
  /** Whether the change is like `no labour`. This means either that nothing is available or that the limit does not apply. */
  isNone?: boolean;
}

/** Result of parsing a line. If the line cannot be parsed, `reason` may explain why. */
export type Reading = { statement: Statement } | { statement?: undefined; reason?: string };
