import type { Question } from '../conversation/index.js';
import { readStatement } from './grammar.js';
import { figureOf, without } from './words.js';

/* Recognizes answers in which the user types an option instead of selecting it. */

const MAX_LENGTH = 400;
const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'];
const ORDINAL = /^(?:the )?(?:option |number |answer )?(?:(?<figure>\d{1,2})|(?<word>[a-z]+?))(?: one| option)?$/;
const MARKS = ` "'\`“”‘’«».,;:!()[]*_-`;

/**
 * Returns the labels of the options in a text. Matches labels with other case, other punctuation or a single typo, positions
 * (`2`, `the first`), and the `yes` or `no` at the beginning of a label. For a multi-select question the text may be a list.
 */
export function typedOptions(text: string, question: Question): string[] {
  if (text.length > MAX_LENGTH) return [];
  const whole = typedOption(text, question);
  if (whole !== undefined) return [whole];
  if (!question.multi_select) return [];
  const parts = text.split(/[\n,;]| and /).filter((part) => plain(part) !== '');
  const labels = parts.map((part) => typedOption(part, question));
  return labels.every((label) => label !== undefined) ? [...new Set(labels)] : [];
}

function typedOption(text: string, question: Question): string | undefined {
  const labels = question.options.map(({ label }) => label);
  const said = plain(text);
  if (said === '') return undefined;
  return (
    labels.find((label) => label === text.trim()) ??
    onlyOne(labels.filter((label) => plain(label) === said)) ??
    atPlace(said, question) ??
    onlyOne(labels.filter((label) => /^(?:yes|no)$/.test(said) && /^\w+(?![\w-])/.exec(plain(label))?.[0] === said)) ??
    consented(said, question) ??
    misspelled(text, labels) ??
    begun(said, labels)
  );
}

/** Returns the option at a position, unless the question asks for a number. */
function atPlace(said: string, { id = '', options }: Question): string | undefined {
  const { figure, word = '' } = ORDINAL.exec(said)?.groups ?? {};
  const place =
    figure !== undefined ? Number(figure) - 1 : word === 'last' ? options.length - 1 : ORDINALS.indexOf(word);
  const isOfNumbers = /^set .* (?:weight|penalty|target|quantity|default|lower|upper): /.test(id);
  const areNumbers = isOfNumbers || options.some(({ label }) => figureOf(label) !== undefined);
  return figure !== undefined && areNumbers ? undefined : options[place]?.label;
}

/** Returns the option for `yes, solve it`, and for `yes` to a question that begins with "Shall I". */
function consented(said: string, { question, options }: Question): string | undefined {
  const [, wanted] = /^(?:yes|sure)(?: (.+))?$/.exec(said) ?? [];
  if (wanted !== undefined) return options.find(({ label }) => plain(label) === wanted)?.label;
  if (said === 'no' && / shall i solve the model\?$/i.test(question))
    return options.find(({ description }) => description === 'later')?.label;
  return /^(?:yes|sure)$/.test(said) && question.startsWith('Shall I ') ? options[0]?.label : undefined;
}

/** Returns the only label that differs by a single typo. The text must not be a valid statement. */
function misspelled(text: string, labels: readonly string[]): string | undefined {
  const label = onlyOne(labels.filter((one) => isOneTypo(plain(text), plain(one))));
  const { statement } = readStatement(text);
  // A misspelled word of the label may look like the name of a variable.
  const isStatement =
    statement !== undefined &&
    !(statement.kind === 'variables' && statement.names.every((name) => !label?.includes(name)));
  return isStatement ? undefined : label;
}

/** Returns the only label whose part before the comma equals the text: `Amounts from 0` for `Amounts from 0, fractions too`. */
const begun = (said: string, labels: readonly string[]): string | undefined =>
  said.includes(' ') ? onlyOne(labels.filter((label) => plain(label.split(',')[0] ?? '') === said)) : undefined;

/** Removes letters and spaces, which leaves numbers, signs and punctuation. */
const withoutLetters = (text: string): string => text.replace(/[\p{L}\s]+/gu, '');

/**
 * Whether two texts differ by a letter that is missing, added, replaced or swapped with the next letter. Different numbers are
 * not typos.
 */
function isOneTypo(one: string, other: string): boolean {
  if (withoutLetters(one) !== withoutLetters(other)) return false;
  const [shorter, longer] = one.length <= other.length ? [one, other] : [other, one];
  if (shorter.length < 4 || longer.length - shorter.length > 1) return false;
  let begin = 0;
  while (begin < shorter.length && shorter[begin] === longer[begin]) begin += 1;
  const isAdded = shorter.slice(begin) === longer.slice(begin + 1);
  const isReplaced = shorter.slice(begin + 1) === longer.slice(begin + 1);
  const isSwapped =
    shorter[begin] === longer[begin + 1] &&
    shorter[begin + 1] === longer[begin] &&
    shorter.slice(begin + 2) === longer.slice(begin + 2);
  return shorter.length < longer.length ? isAdded : isReplaced || isSwapped;
}

const onlyOne = (labels: readonly string[]): string | undefined => (labels.length === 1 ? labels[0] : undefined);

/** Normalises case, and removes punctuation at both ends and between words. */
const plain = (text: string): string =>
  without(
    text
      .toLowerCase()
      .replace(/[\s,;:.!"'`“”‘’«»]+/gu, ' ')
      .replace(/\bzero\b/g, '0')
      .replace(/ please ?$/, ''),
    MARKS,
  );
