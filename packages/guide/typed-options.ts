import type { Question } from '../conversation/index.js';
import { typosBetween } from '../modelling/index.js';
import { readStatement } from './grammar.js';
import { figureInWords, figureOf, without } from './words.js';

/* Recognizes answers in which the user types an option instead of selecting it. */

const MAX_LENGTH = 400;
/** Minimum number of letters in a word that may contain a typo. */
const MIN_MISSPELLED = 4;
const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'];
const ORDINAL = /^(?:the )?(?:option |number |answer )?(?:(?<figure>\d{1,2})|(?<word>[a-z]+?))(?: one| option)?$/;
const MARKS = ` "'\`“”‘’«».,;:!()[]*_-`;

/**
 * Returns the labels of the options that text refers to. A label may differ in case, in punctuation or by a single typo.
 * Positions (`2`, `the first`), and the `yes` or `no` at the beginning of a label are also recognized. For a multi-select
 * question, the text may be a list.
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
  const spelled = plain(spelledAsOption(text, question));
  return (
    labels.find((label) => label === text.trim()) ??
    onlyOne(labels.filter((label) => plain(label) === said)) ??
    atPlace(said, question) ??
    onlyOne(labels.filter((label) => /^(?:yes|no)$/.test(said) && /^\w+(?![\w-])/.exec(plain(label))?.[0] === said)) ??
    consented(said, question) ??
    misspelled(text, labels) ??
    begun(said, labels) ??
    onlyOne(labels.filter((label) => plain(label) === spelled)) ??
    begun(spelled, labels) ??
    inOtherWords(text, labels)
  );
}

/** Words that an answer may omit or add, as in `only objective` and `its in the formulas`. */
const FILLER = /\b(?:the|an?|it|is|its|s|they|are|that|this)\b/g;
const withoutFillers = (text: string): string =>
  plain(
    plain(text)
      .replace(/\bjust\b/g, 'only')
      .replace(FILLER, ' '),
  );

/**
 * Returns the only label that differs from the text in filler words, and by a typo at most. Text that is a valid statement is
 * excluded.
 */
function inOtherWords(text: string, labels: readonly string[]): string | undefined {
  const said = withoutFillers(text);
  const label = onlyOne(labels.filter((one) => said === withoutFillers(one) || isOneTypo(said, withoutFillers(one))));
  return label === undefined || !said.includes(' ') || isStatement(text, label) ? undefined : label;
}

/** Returns the option at the position that the text specifies. Returns undefined if the question asks for a number. */
function atPlace(said: string, { id = '', options }: Question): string | undefined {
  const { figure, word = '' } = ORDINAL.exec(said)?.groups ?? {};
  const place =
    figure !== undefined ? Number(figure) - 1 : word === 'last' ? options.length - 1 : ORDINALS.indexOf(word);
  const isOfNumbers = /^set .* (?:weight|penalty|target|quantity|default|lower|upper): |^\S+ = …$/.test(id);
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

/** Returns the only label that differs from the text by a single typo. Text that is a valid statement is excluded. */
function misspelled(text: string, labels: readonly string[]): string | undefined {
  const label = onlyOne(labels.filter((one) => isOneTypo(plain(text), plain(one))));
  return label === undefined || isStatement(text, label) ? undefined : label;
}

/** Whether text is a valid statement. A misspelled word from the label does not count as the name of a variable. */
function isStatement(text: string, label: string): boolean {
  const { statement } = readStatement(text);
  return (
    statement !== undefined &&
    !(statement.kind === 'variables' && statement.names.every((name) => !label.includes(name)))
  );
}

/**
 * Corrects the words of an answer that are almost spelled like an option, but keeps the answer's numbers: `Whole numbrs from 1`
 * becomes `Whole numbers from 1`. Returns other text unchanged.
 */
export function spelledAsOption(text: string, { options }: Question): string {
  if (text.length > MAX_LENGTH) return text;
  const spelled = options.flatMap(({ label }) => {
    const texts = [label, label.split(',')[0] ?? ''].flatMap((one) => spelledAs(one, text) ?? []);
    return texts.length === 0 || isStatement(text, label) ? [] : texts;
  });
  return onlyOne([...new Set(spelled)]) ?? text;
}

/** Returns the label with the numbers from the text. Returns undefined if a word differs by more than a typo. */
function spelledAs(label: string, text: string): string | undefined {
  const [wanted, said] = [label, text].map((one) => one.trim().split(/\s+/));
  if (wanted === undefined || said?.length !== wanted.length || said.length < 2) return undefined;
  const words = said.map((word, at) => {
    const own = wanted[at] ?? '';
    const [number, figure] = [word, own].map((part) => figureInWords(without(part, ',.;')));
    const areNumbers = [number, figure].map((part = '') => figureOf(part) !== undefined);
    if (areNumbers.includes(true))
      return areNumbers.includes(false) ? undefined : own.replace(figure ?? '', number ?? '');
    const [one, other] = [plain(word), plain(own)];
    return one === other || typosBetween(one, other, other.length < MIN_MISSPELLED ? 0 : 1) !== undefined
      ? own
      : undefined;
  });
  return words.includes(undefined) ? undefined : words.join(' ');
}

/** Returns the only label whose part before the comma equals the text: `Amounts from 0` for `Amounts from 0, fractions too`. */
const begun = (said: string, labels: readonly string[]): string | undefined =>
  said.includes(' ') ? onlyOne(labels.filter((label) => plain(label.split(',')[0] ?? '') === said)) : undefined;

/** Removes letters and spaces, which leaves numbers, signs and punctuation. */
const withoutLetters = (text: string): string => text.replace(/[\p{L}\s]+/gu, '');

/**
 * Whether two strings differ by one letter, which may be missing, added, replaced or swapped with the next letter. Different
 * numbers are not typos.
 */
function isOneTypo(one: string, other: string): boolean {
  if (withoutLetters(one) !== withoutLetters(other)) return false;
  return Math.min(one.length, other.length) >= MIN_MISSPELLED && typosBetween(one, other, 1) !== undefined;
}

const onlyOne = (labels: readonly string[]): string | undefined => (labels.length === 1 ? labels[0] : undefined);

/** Converts text to lower case, and removes punctuation at both ends and between words. */
const plain = (text: string): string =>
  without(
    text
      .toLowerCase()
      .replace(/[\s,;:.!"'`“”‘’«»]+/gu, ' ')
      .replace(/\bzero\b/g, '0')
      .replace(/ please ?$/, ''),
    MARKS,
  );
