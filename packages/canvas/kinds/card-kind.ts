import type { Vocabulary } from '../../modelling/index.js';
import type { CardContent, Gap } from '../card.js';
import type { DataContent } from '../data-content.js';
import type { FileState } from '../data-file.js';
import type { CardFormula } from '../expressions.js';
import { type CardField, valueOf } from './fields.js';

export type Data = CardContent['data'];
/** Names of the variables without an index. */
export type Variables = Pick<ReadonlySet<string>, 'has'>;

/** Properties of a kind of card. */
export interface CardKind {
  /** Name in a sentence, such as `production requirement`. */
  noun: string;
  /** Name shown above questions, before labels, and in chat messages. */
  title: string;
  /** Role in the model: `names` defines names for formulas, `plan` determines plans, and `rating` rates plans. */
  role: 'names' | 'plan' | 'rating';
  /** Content of `data` for API clients. */
  description: string;
  /** Content of `data` for language models. */
  toolDescription: string;
  /** Known fields of `data`. Other keys are stored and ignored. */
  fields: readonly CardField[];
  /** Fields shown by the guide, in order, each with the word that precedes it. */
  summaryFields: readonly [field: string, before?: string][];
  /** Label of the card that marks an empty list of this kind. */
  emptyListLabel?: string;
  /** Returns the formulas of a card. */
  formulas: (data: Data, variables: Variables) => Formulas;
  /** Returns the content that a solve reads. The remaining content cannot change the result. */
  solverInput: (data: Data, variables: Variables) => unknown[];
  /** Returns the gaps caused by other cards, including `unknownNames`. Defaults to `unknownNames`. */
  gaps?: (data: Data, surroundings: Surroundings, unknownNames: readonly Gap[]) => Gap[];
  /**
   * Returns gaps for words on the card that plans ignore.
   * @param isLimit whether the words limit a name on the canvas
   */
  wordingGaps?: (data: Data, vocabulary: Vocabulary, isLimit: boolean) => Gap[];
}

export interface Formulas {
  formulas: [field: string, formula: CardFormula][];
  /** Index shared by the formulas, and the field that contains it. */
  index?: { field: string; text: string };
}

/** Facts about the canvas that the gaps of a card depend on. */
export interface Surroundings {
  objectives: number;
  /** Whether several cards define a name. */
  isDuplicate: (name: string) => boolean;
  /** Warning text if the variable's name is probably misspelled. */
  strayWarning: string | undefined;
  /** Warning sentence if the limits of the variable have no effect. */
  looseWarning: string | undefined;
  /** Whether words on the card limit a name on the canvas. */
  isLimit: boolean;
  content: DataContent;
  /** Cached metadata of the file of a data card. */
  state: FileState | undefined;
  /** Whether the values of the card exceed the maximum number for all data cards. */
  exceedsValueLimit: boolean;
  /** Whether the set of the card exceeds the maximum number of sets in files. */
  exceedsFileSetLimit: boolean;
}

/** Returns the `formulas` function for a kind whose formulas are in the given fields. */
export const formulasAt =
  (fields: readonly CardField[], ...uses: readonly [field: string, use: CardFormula['use']][]): CardKind['formulas'] =>
  (data) => {
    const index = valueOf<string>(fields, data, 'index');
    const formulas = uses.flatMap(([field, use]): Formulas['formulas'] => {
      const text = valueOf<unknown>(fields, data, field);
      return typeof text === 'string' ? [[field, { text, index, use }]] : [];
    });
    return { formulas, ...(index !== undefined && { index: { field: 'index', text: index } }) };
  };

/** Returns the fields that are set and their values, for {@link CardKind.solverInput}. */
export function pairsOf(data: Data, names: readonly string[]): unknown[] {
  const present = names.filter((name) => data[name] != null);
  return present.length === 0 ? [] : [present.map((name) => [name, data[name]])];
}
