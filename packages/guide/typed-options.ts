import type { Question } from '../conversation/index.js';
import { readStatement } from './grammar.js';
import { figureOf, without } from './words.js';

/* Options of a question that are typed instead of chosen. */

const MAX_LENGTH = 400;
const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'];
const ORDINAL = /^(?:the )?(?:option |number |answer )?(?:(?<figure>\d{1,2})|(?<word>[a-z]+?))(?: one| option)?$/;
const MARKS = ` "'\`“”‘’«».,;:!()[]*_-`;

/**
 * Returns the labels of the options that a text means: by their labels with other case or punctuation or with one typo, by their
 * place (`2`, `the first`), or by the `yes` or `no` that one of them begins with. Of a question that takes several, a list of them.
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

/** The option at a place, unless the question is about a number. */
function atPlace(said: string, { id = '', options }: Question): string | undefined {
  const { figure, word = '' } = ORDINAL.exec(said)?.groups ?? {};
  const place =
    figure !== undefined ? Number(figure) - 1 : word === 'last' ? options.length - 1 : ORDINALS.indexOf(word);
  const isOfNumbers = /^set .* (?:weight|penalty|target|quantity|default|lower|upper): /.test(id);
  const areNumbers = isOfNumbers || options.some(({ label }) => figureOf(label) !== undefined);
  return figure !== undefined && areNumbers ? undefined : options[place]?.label;
}

/** The option of `yes, solve it`, and of `yes` to a question whether the guide shall do something. */
function consented(said: string, { question, options }: Question): string | undefined {
  const [, wanted] = /^(?:yes|sure)(?: (.+))?$/.exec(said) ?? [];
  if (wanted !== undefined) return options.find(({ label }) => plain(label) === wanted)?.label;
  if (said === 'no' && / shall i solve the model\?$/i.test(question))
    return options.find(({ description }) => description === 'later')?.label;
  return /^(?:yes|sure)$/.test(said) && question.startsWith('Shall I ') ? options[0]?.label : undefined;
}

/** The one label that differs by a single typo, of a text that says nothing else. */
function misspelled(text: string, labels: readonly string[]): string | undefined {
  const label = onlyOne(labels.filter((one) => isOneTypo(plain(text), plain(one))));
  const { statement } = readStatement(text);
  // A misspelled word of the label can look like the name of a variable.
  const isStatement =
    statement !== undefined &&
    !(statement.kind === 'variables' && statement.names.every((name) => !label?.includes(name)));
  return isStatement ? undefined : label;
}

/** The one label that a text of several words begins, up to a comma: `Amounts from 0` of `Amounts from 0, fractions too`. */
const begun = (said: string, labels: readonly string[]): string | undefined =>
  said.includes(' ') ? onlyOne(labels.filter((label) => plain(label.split(',')[0] ?? '') === said)) : undefined;

/** Everything but letters and spaces: figures, their signs and other marks. */
const withoutLetters = (text: string): string => text.replace(/[\p{L}\s]+/gu, '');

/** Whether two texts differ by one letter that is missing, added, replaced or swapped with the next one. Figures are no typos. */
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

/** A text without case, marks at its ends and marks between its words. */
const plain = (text: string): string =>
  without(
    text
      .toLowerCase()
      .replace(/[\s,;:.!"'`“”‘’«»]+/gu, ' ')
      .replace(/\bzero\b/g, '0')
      .replace(/ please ?$/, ''),
    MARKS,
  );
