import { nearestNames, wordsOf } from '../modelling/index.js';
import { NUMBER } from './words.js';

/*
 * Finds the words in a sentence that its interpretation does not contain. If a word or a number is missing, the interpretation
 * does not have the same meaning as the sentence.
 */

/** Words that do not change the meaning of a sentence. */
const FILLERS = new Set(
  wordsOf(
    'a an the of for we i you they it our my its their there this that is are was were be been being must should shall will would can may ' +
      'have has had get make made produce produced build built do does only always also just now units number amount quantity',
  ),
);
/** Words that change an amount. They are never treated as misspelled names. */
const QUANTITIES = new Set(
  wordsOf(
    'more less fewer extra additional other than as or and not no never without except minus plus times twice double triple half third quarter ' +
      'dozen hundred thousand million percent per each every any some pair average mean between until before after instead',
  ),
);
const FIGURE = new RegExp(String.raw`(?<![\p{L}\p{N}_])(?<figure>${NUMBER})(?<percent> ?(?:%|percent\b))?`, 'giu');
const UNIT = new RegExp(String.raw`(?<figure>(?<![\p{L}\p{N}_])${NUMBER}) (?<unit>\p{L}+)(?= of\b|[ .]*$)`, 'giu');
const OPERATOR = /[*/×÷^−]|(?<!\p{L})-/u;

/**
 * Returns the words in the text that carry meaning and do not occur in `names`.
 *
 * @param names strings whose words are already covered, such as a formula or the name of a variable
 * @param others other words that carry no meaning in this context
 */
export function unusedWords(text: string, names: readonly string[], others: readonly string[] = []): string[] {
  const used = new Set([...names, ...others].flatMap(wordsOf));
  const spelled = new Set(names.map((name) => wordsOf(name).join('')));
  if (spelled.has(wordsOf(text).join(''))) return [];
  return Array.from(text.matchAll(/[\p{L}\p{N}\p{M}]+/gu), ([word]) => word).filter((word) =>
    wordsOf(word).some((one) => {
      if (used.has(one) || spelled.has(one) || FILLERS.has(one)) return false;
      return QUANTITIES.has(one) || /^\p{N}/u.test(one) || nearestNames(one, used, 1).length === 0;
    }),
  );
}

/** Whether a word after a number may be its unit. */
export const isUnit = (word: string): boolean =>
  !wordsOf(word).some((one) => QUANTITIES.has(one) || FILLERS.has(one)) && /^\p{L}/u.test(word);

/** Whether a statement contains every word and number of the text. A unit after a number may be missing. */
export function usesAll(text: string, statement: string, others: readonly string[]): boolean {
  const figures = Array.from(statement.matchAll(FIGURE), ({ groups }) => Number(groups?.['figure']));
  for (const { groups } of text.matchAll(FIGURE)) {
    const written = Number(groups?.['figure']);
    const value = groups?.['percent'] === undefined ? written : Number((written / 100).toPrecision(12));
    const at = figures.indexOf(value);
    if (at < 0) return false;
    figures.splice(at, 1);
  }
  const words = text
    .replace(UNIT, (whole: string, figure: string, unit: string) => (isUnit(unit) ? figure : whole))
    .replace(FIGURE, ' ');
  return !OPERATOR.test(words) && unusedWords(words, [statement], others).length === 0;
}
