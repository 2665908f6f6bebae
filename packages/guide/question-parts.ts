import type { Question } from '../conversation/index.js';
import type { Choice } from './column-choices.js';
import type { Sketch, SketchCard } from './sketch.js';

/* Building blocks for questions. */

export const LATER: Choice = ['Later', 'later'];
export const EXAMPLE: Choice = ['Show me an example', 'help'];

const MAX_REFERENCE_LENGTH = 60;
const MAX_LABEL = 150;
/** Maximum length of the statements in the description of an option. */
const MAX_STATEMENTS = 1_000;
const MAX_OPTIONS = 6;

/** @param id statement pattern into which a free-text answer is inserted */
export function ask(
  id: string | undefined,
  header: string,
  question: string,
  choices: readonly Choice[],
  isMulti = false,
): Question {
  const options = choices
    .filter(([, statements]) => statements.length <= MAX_STATEMENTS)
    .map(([label, description]) => ({ label: label.slice(0, MAX_LABEL), description }));
  return {
    ...(id !== undefined && { id }),
    header,
    question,
    options: distinct(options).slice(0, MAX_OPTIONS),
    multi_select: isMulti,
  };
}

const distinct = (options: Question['options']): Question['options'] =>
  options.filter(({ label }, index) => options.findIndex((other) => other.label === label) === index);

/** Returns the label of a card, or its id if the label cannot be used in statements. */
export function referTo({ label, id }: SketchCard, sketch: Sketch): string {
  const isPlain = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_ './%-]*$/u.test(label) && label.length <= MAX_REFERENCE_LENGTH;
  const isOnly = sketch.resolve(label)?.id === id && !/^(?:all|they|everything|the|other|remaining)\b/i.test(label);
  return (isPlain && isOnly) || id === undefined ? label : id;
}

export const plainLabel = ({ label }: SketchCard): string =>
  label.replace(/\s+/gu, ' ').trim().slice(0, MAX_REFERENCE_LENGTH) || 'it';
