import type { Vocabulary } from '../../modelling/index.js';
import type { CardContent, Gap } from '../card.js';
import type { DataContent } from '../data-content.js';
import type { FileState } from '../data-file.js';
import type { ColumnSet } from '../data-gaps.js';
import type { CardFormula, CardIndex } from '../expressions.js';
import { type CardField, valueOf } from './fields.js';

export type Data = CardContent['data'];
/** Names of the variables without an index. */
export type Variables = Pick<ReadonlySet<string>, 'has'>;

/** Properties of a card type. */
export interface CardKind {
  /** Name for use in a sentence, such as `production requirement`. */
  noun: string;
  /** Name shown above questions, before labels, and in chat messages. */
  title: string;
  /** Role in the model: `names` defines names for formulas, `plan` determines the plan, and `rating` rates it. */
  role: 'names' | 'plan' | 'rating';
  /** Description of `data` for API clients. */
  description: string;
  /** Description of `data` for language models. */
  toolDescription: string;
  /** Known fields of `data`. Other keys are stored and ignored. */
  fields: readonly CardField[];
  /** Fields shown by the guide, in order, each with the word that precedes it, and the format of values other than texts. */
  summaryFields: readonly [field: string, before?: string, format?: (value: unknown) => string][];
  /** Label of the card that marks a list of this type as empty. */
  emptyListLabel?: string;
  /** Returns the formulas of a card. */
  formulas: (data: Data, variables: Variables) => Formulas;
  /** Returns the content that a solve reads. All other content cannot change the result. */
  solverInput: (data: Data, variables: Variables) => unknown[];
  /** Returns the gaps caused by other cards, including `unknownNames`. Defaults to `unknownNames`. */
  gaps?: (data: Data, surroundings: Surroundings, unknownNames: readonly Gap[]) => Gap[];
  /**
   * Returns gaps for a card's free text if the text has no effect on a plan.
   * @param isLimit whether the text limits a name on the canvas
   */
  wordingGaps?: (data: Data, vocabulary: Vocabulary, isLimit: boolean) => Gap[];
}

export interface Formulas {
  formulas: [field: string, formula: CardFormula][];
  /** Index shared by the formulas. */
  index?: CardIndex;
}

/** Properties of the canvas that affect the gaps of a card. */
export interface Surroundings {
  /** Priorities of all objectives, undefined for objectives without one. */
  priorities: readonly (number | undefined)[];
  /** Whether several cards define a name. */
  isDuplicate: (name: string) => boolean;
  /** Warning if the variable's name is probably misspelled. */
  strayWarning: string | undefined;
  /** Warning if the limits that contain the variable have no effect. */
  looseWarning: string | undefined;
  /** Whether plain text on the card limits a name on the canvas. */
  isLimit: boolean;
  content: DataContent;
  /** Cached metadata of the file of a data card. */
  state: FileState | undefined;
  /** Set on the canvas whose members the columns of a wide table should match. */
  columnSet: ColumnSet | undefined;
  /** Shapes of all sets. */
  sets: Vocabulary['sets'];
  /** Whether a computed number or a derived set depends on itself. */
  isCyclic: (name: string) => boolean;
  /** Whether a computed number has the name of a column. */
  isColumn: (name: string) => boolean;
  /** Whether the canvas has more computed numbers than allowed, up to this card. */
  exceedsComputedLimit: boolean;
  /** Whether the values of the card exceed the maximum number for all data cards. */
  exceedsValueLimit: boolean;
  /** Whether the set of the card exceeds the maximum number of sets in files. */
  exceedsFileSetLimit: boolean;
}

/** Returns the `formulas` function for a card type whose formulas are in the given fields. Their values may be lists. */
export const formulasAt =
  (fields: readonly CardField[], ...uses: readonly [field: string, use: CardFormula['use']][]): CardKind['formulas'] =>
  (data) => {
    const index = valueOf<string>(fields, data, 'index');
    const formulas = uses.flatMap(([field, use]): Formulas['formulas'] => {
      const texts = [valueOf<unknown>(fields, data, field)].flat();
      return texts.flatMap((text) => (typeof text === 'string' ? [[field, { text, index, use }]] : []));
    });
    return { formulas, ...(index !== undefined && { index: { field: 'index', text: index } }) };
  };

/** Returns the names and values of the fields that are set, for {@link CardKind.solverInput}. */
export function pairsOf(data: Data, names: readonly string[]): unknown[] {
  const present = names.filter((name) => data[name] != null);
  return present.length === 0 ? [] : [present.map((name) => [name, data[name]])];
}
