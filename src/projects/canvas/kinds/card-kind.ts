import type { Vocabulary } from '../../../../packages/modelling/index.js';
import type { Card, Gap } from '../card.entity.js';
import type { DataContent } from '../data-content.js';
import type { FileState } from '../data-file.js';
import type { CardFormula } from '../expressions.js';
import { type CardField, valueOf } from './fields.js';

export type Data = Card['data'];
/** Names of the variables without an index. */
export type Variables = Pick<ReadonlySet<string>, 'has'>;

/** Everything that is particular to one kind of card. */
export interface CardKind {
  /** Name in a sentence, such as `production requirement`. */
  noun: string;
  /** Name over a question, before a label, and in chat messages. */
  title: string;
  /** Part in the model: gives names to formulas, is a formula that plans follow, or rates plans. */
  role: 'names' | 'plan' | 'rating';
  /** Content of `data` for API clients. */
  description: string;
  /** Content of `data` for language models. */
  toolDescription: string;
  /** Known fields of `data`. Other keys are stored and ignored. */
  fields: readonly CardField[];
  /** Fields that the guide shows, in order, each with the word before it. */
  shown: readonly [field: string, before?: string][];
  /** Label of the card that says that there is nothing more of the kind. */
  nothingMore?: string;
  /** Returns the formulas of a card. */
  formulas: (data: Data, variables: Variables) => Formulas;
  /** Returns what a solve reads of a card. Nothing else of the card can change the result. */
  solved: (data: Data, variables: Variables) => unknown[];
  /** Returns the gaps that the rest of the canvas causes, those of unknown names in its formulas among them. */
  gaps?: (data: Data, surroundings: Surroundings, unknownNames: readonly Gap[]) => Gap[];
  /** Returns the gaps of words that plans ignore. @param isLimit whether the words limit something on the canvas */
  gapsOfWords?: (data: Data, vocabulary: Vocabulary, isLimit: boolean) => Gap[];
}

export interface Formulas {
  formulas: [field: string, formula: CardFormula][];
  /** The index of the formulas, and its field. */
  index?: { field: string; text: string };
}

/** The rest of the canvas, as far as the gaps of a card depend on it. */
export interface Surroundings {
  objectives: number;
  /** Whether several cards give a name to formulas. */
  isTwice: (name: string) => boolean;
  /** Why the variable is probably a misspelled name. */
  stray: string | undefined;
  /** Why the limits of the variable have no effect. */
  loose: string | undefined;
  /** Whether words of the card limit something on the canvas. */
  isLimit: boolean;
  content: DataContent;
  /** Cached metadata of the file that a data card names. */
  state: FileState | undefined;
  /** Whether the data cards have too many values to include those of the card. */
  isCrowded: boolean;
  /** Whether there are too many sets in files to include that of the card. */
  isBeyond: boolean;
}

/** Makes the `formulas` of a kind from the fields that contain them. */
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

/** Returns the fields that are set with their values, as content of {@link CardKind.solved}. */
export function pairsOf(data: Data, names: readonly string[]): unknown[] {
  const present = names.filter((name) => data[name] != null);
  return present.length === 0 ? [] : [present.map((name) => [name, data[name]])];
}
