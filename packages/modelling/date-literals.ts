import { dateProblem, type DateReading, literalOf } from './dates.js';
import type { Condition, FormulaProblem, Operand } from './formula.js';

type Compare = Extract<Condition, { kind: 'compare' }>;
/** Returns the date or time format of an operand, or undefined if the operand contains other values. */
type ReadingOf = (operand: Operand) => DateReading | undefined;
/** Handles a string that is not a date. Returns the string to compare instead. */
type HandleMisfit = (problem: FormulaProblem, text: string) => string;

/** Converts the strings in a condition to the format of the dates and times with which they are compared. */
export function withDates(condition: Condition, readingOf: ReadingOf, misfit: HandleMisfit): Condition {
  switch (condition.kind) {
    case 'and':
    case 'or': {
      const [first, second, ...rest] = condition.of.map((one) => withDates(one, readingOf, misfit));
      return { ...condition, of: [first!, second!, ...rest] };
    }
    case 'not':
      return { ...condition, of: withDates(condition.of, readingOf, misfit) };
    case 'compare':
      return comparisonWithDates(condition, readingOf, misfit);
    case 'in':
    case 'given':
      return condition;
  }
}

export function comparisonWithDates(condition: Compare, readingOf: ReadingOf, misfit: HandleMisfit): Compare {
  const { left, right } = condition;
  const read = (operand: Operand, beside: Operand): Operand => {
    const reading = operand.kind === 'text' ? readingOf(beside) : undefined;
    return operand.kind !== 'text' || reading === undefined
      ? operand
      : { ...operand, text: dateIn(operand, nameOf(beside), reading, misfit) };
  };
  return { ...condition, left: read(left, right), right: read(right, left) };
}

/**
 * Converts a date or time to the format of the cells or members with which it is compared.
 * @param columnName name of the column or index
 */
export function dateIn(
  { text, position }: { text: string; position: number },
  columnName: string,
  reading: DateReading | undefined,
  misfit: HandleMisfit,
): string {
  if (reading === undefined) return text;
  return literalOf(text, reading) ?? misfit({ problem: dateProblem(text, columnName, reading), position }, text);
}

const nameOf = (operand: Operand): string => ('name' in operand ? operand.name : '');
