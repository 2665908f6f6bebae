import {
  isCompared,
  isLimiting,
  isName,
  isProblem,
  nearestNames,
  RELATION_SIGN as RELATION,
  shortened,
  splitIndex,
} from '../modelling/index.js';
import { type CardType, fieldOf, readIndex } from '../canvas/index.js';
import { MAX_NAMES } from './apply.js';
import { whyMisnamed } from './given-names.js';
import { unreadFormula, whyNoFormula } from './open-statements.js';
import { splitClass, splitCounts, splitLabel } from './relation-grammar.js';
import { readFacts } from './variable-facts.js';
import { isOfScenario } from './scenario-grammar.js';
import type { Sketch, SketchCard } from './sketch.js';
import type { Statement } from './statement.js';
import { HEADWORDS, KEYWORDS, SMALL_WORDS, tidy, WORD } from './words.js';

/*
 * Statements about the model that cannot be read. Each becomes a card with its text. The blocking gap of that card says what does
 * not fit, and keeps the model from being solved until the statement is repaired or removed.
 */

/** Card that keeps the text of a statement. */
export interface UnreadCard {
  type: CardType;
  label: string;
  data: Record<string, unknown>;
}

const MAX_TEXT_LABEL = 60;
/** Characters that a card keeps: more than a formula may have. */
const MAX_TEXT = 4_000;
const BRACKET = /[[\]{}]/;
const OPERATOR = /[+*^·×÷%]|\s[-−/]\s|[\d)]\/|\/[\d(]/;
const OBJECTIVE = /^(?:objectives?|goals?|max|min|(?:maxim|minim|maksim|maksym|massim)(?!(?:um|al)s?\b)\p{L}+)$/iu;
const PRONOUN = /^(?:it|this|that|these|those|they|all|life|everything)$/i;
/** Cards whose labels a name is compared with. */
const MAX_COMPARED = 200;
/** Words without anything between them that make a text prose. */
const MIN_PROSE = 3;
/** Words of a text that begins with a name of the model and is no prose. */
const MAX_SHORT = 4;
const FAMILY = /^(?<name>[\p{L}_][\p{L}\p{M}\p{N}_]*)\[[^[\]]+\] (?<words>[\p{L} -]+)$/u;
const DECLARATION =
  /^(?<prefix>(?:decision )?var(?:iable)?s?:? )?(?<list>[^ ,:]+(?:(?:, ?| and )[^ ,:]+)*)(?: is| are|:)? (?<words>[\p{L}-]+(?: [\p{L}-]+)?)$/iu;

/**
 * Returns the cards that keep a statement which cannot be read; none for questions, scenarios and prose that limits nothing.
 *
 * @param isLast whether all other statements of the message are on the canvas: they can say which values a variable takes
 */
export function unreadCards(source: string, sketch: Sketch, isLast = true): UnreadCard[] {
  const text = tidy(source.slice(0, MAX_TEXT)).toWellFormed();
  const isFormula = RELATION.test(source) || BRACKET.test(source);
  if (isOfScenario(text) || (!isFormula && text.endsWith('?'))) return [];
  if (whyNoFormula(text) !== undefined) return [textCard(source)];
  const objective = unreadObjective(text, sketch);
  if (objective !== undefined) return [objective];
  const variables = RELATION.test(source) ? [] : unreadVariables(text, sketch);
  if (variables.length > 0) return isLast ? variables : [];
  if (isFormula || isAboutModel(text, sketch)) return [formulaCard(source, sketch)];
  const { facts, rest } = readFacts(text);
  const isOfDomain = facts.domain !== undefined && rest.split(' ').length < MIN_PROSE;
  return isOfDomain || isLimiting(text) ? [textCard(source)] : [];
}

/** Returns the constraint card that keeps a whole statement as its formula. */
export function textCard(source: string): UnreadCard {
  const text = tidy(source.slice(0, MAX_TEXT)).toWellFormed();
  return { type: 'constraint', label: shortened(text, MAX_TEXT_LABEL), data: { expression: text } };
}

/** Returns the constraint card of a relation that cannot be read. */
function formulaCard(source: string, sketch: Sketch): UnreadCard {
  const text = tidy(source.slice(0, MAX_TEXT)).toWellFormed();
  const { label, body } = splitLabel(text);
  const { name, counts: classified } = splitClass(label);
  const { rest, counts = classified } = splitCounts(body);
  const { body: expression, index } = splitIndex(rest) ?? { body: rest };
  // `remove x` is about the variable x, whatever else was said under its name.
  const isTaken = sketch.cards.some((card) => card.card_type !== 'constraint' && sameLabel(card.label, name));
  return {
    type: 'constraint',
    label: shortened(isTaken ? text : (name ?? text), MAX_TEXT_LABEL),
    data: { expression: expression === '' ? text : expression, index: index ?? null, ...counts },
  };
}

/**
 * Returns the cards that keep a statement which is read and cannot be done, so that no solve leaves it out. What is about nothing
 * on the canvas is not kept: the model is the same without it.
 */
export function refusedCards(statement: Statement, source: string, sketch: Sketch): UnreadCard[] {
  const isRelation = statement.kind === 'relation' || (statement.kind === 'family' && statement.relation !== undefined);
  // The text of a declaration would have another fault as a formula.
  if (!isRelation && whyMisnamed(statement, sketch) !== undefined) return [];
  switch (statement.kind) {
    case 'objective':
      return unreadCards(source, sketch);
    case 'several':
    case 'relation':
    case 'family':
      return [formulaCard(source, sketch)];
    case 'variables': {
      const isMeant = (name: string): boolean => isNearCard(name, sketch) || isNearWord(name, HEADWORDS);
      if (statement.names.length > MAX_NAMES) return [];
      return statement.declares || statement.names.some(isMeant) ? [textCard(source)] : [];
    }
    case 'classify': {
      const isLabel = isName(statement.whom) && !PRONOUN.test(statement.whom);
      return isLabel || isNearCard(statement.whom, sketch) ? [textCard(source)] : [];
    }
    case 'set':
    case 'confirm':
    case 'remove':
      // The name of a card that is there is right, and nothing else of the statement changes a plan.
      if (statement.kind === 'set' && sketch.resolve(statement.whom) !== undefined) return [];
      return isNearCard(statement.whom ?? '', sketch) ? [textCard(source)] : [];
    case 'file_set':
    case 'cells':
    case 'column_name': {
      const label = 'column' in statement && statement.kind !== 'file_set' ? {} : { label: statement.set };
      return isNearCard(statement.set, sketch) ? [{ ...textCard(source), ...label }] : [];
    }
    case 'data_file':
      return (statement.path.match(WORD) ?? []).some((word) => isNearWord(word)) ? [textCard(source)] : [];
    default:
      return [];
  }
}

/** Whether a name is that of a card, or one that is spelled like it. */
export function isNearCard(name: string, sketch: Sketch): boolean {
  const read = sketch.cards.slice(0, MAX_COMPARED).filter((card) => unreadFormula(card) === undefined);
  const names = read.flatMap(({ label, data }) => [label, data['name'], data['set']]);
  const isText = (one: unknown): one is string => typeof one === 'string';
  return nearestNames(name, names.filter(isText), 1).length > 0;
}

const sameLabel = (label: string | undefined, name: string | undefined): boolean =>
  label !== undefined && label.toLowerCase() === name?.toLowerCase();

/**
 * Removes the card of a statement that could not be read and that another statement of the same name replaces. A limit is not
 * replaced by a declaration or by an objective.
 */
export function replaceUnread(statement: Statement, source: string, sketch: Sketch): void {
  const names = [
    splitLabel(tidy(source)).label,
    ...('label' in statement ? [statement.label] : []),
    ...('names' in statement ? (statement.names ?? []) : []),
    ...('set' in statement ? [statement.set] : []),
  ];
  for (const card of [...sketch.cards]) {
    const isOfSense = statement.kind === 'objective' && isOfObjective(firstWord(card.label));
    const isKept =
      (statement.kind === 'variables' && isLimiting(String(card.data['expression']))) ||
      (isOfSense && (card.causes.length > 0 || isLimitBehindSense(card.label)));
    const isNamed =
      !isKept &&
      (isOfSense || names.some((name) => sameLabel(card.label, name) || sameLabel(card.label.split(':')[0], name)));
    const isReplaced = isNamed && !card.causes.includes(source);
    if (isReplaced && unreadFormula(card) !== undefined && !RELATION.test(String(card.data['expression'])))
      sketch.remove(card);
  }
}

/**
 * `maximize profit: 3x + * y`, `maximse profit: 3x`: the card keeps a word that is not understood as its sense. Without a name it
 * takes no formula from an objective.
 */
function unreadObjective(text: string, sketch: Sketch): UnreadCard | undefined {
  const word = firstWord(text);
  const { label, body } = splitLabel(text.slice(word.length).replace(/^[ :=]+/, ''));
  // `max load: x + y <= 4` and `max(x, y) <= 4` are constraints.
  const isConstraint = /^m(?:ax|in)$/i.test(word) && RELATION.test(body);
  if (!isOfObjective(word) || isConstraint) return undefined;
  const isFormula = label !== undefined || /[\d[\]]/.test(body) || RELATION.test(body) || OPERATOR.test(body);
  if (isLimitBehindSense(text)) return textCard(text);
  const [only, ...others] = sketch.of('objective');
  if (label === undefined && isFormula && only?.data['expression'] !== undefined) return textCard(text);
  const name = label ?? (isFormula ? (others.length === 0 ? only?.label : undefined) : body);
  if (name === '') return undefined;
  const sense = /^max(?:imi[sz]e)?$/i.test(word) ? 'maximize' : /^min(?:imi[sz]e)?$/i.test(word) ? 'minimize' : word;
  return {
    type: 'objective',
    label: shortened(name ?? 'Objective', MAX_TEXT_LABEL),
    data: {
      ...(!/^(?:objective|goal)s?$/i.test(word) && { sense }),
      ...(isFormula && { expression: body }),
      confirmed: null,
    },
  };
}

/** `min stock 10`, `goal: at most 5 tables`: rather a limit than an objective. */
function isLimitBehindSense(text: string): boolean {
  const { label, body } = splitLabel(text.slice(firstWord(text).length).replace(/^[ :=]+/, ''));
  if (label !== undefined) return / of /.test(` ${label}`) && /\d/.test(body) && !OPERATOR.test(body);
  return isCompared(body) || (isLimiting(body) && !OPERATOR.test(body) && !BRACKET.test(body));
}

const firstWord = (text: string): string => /^\p{L}+/u.exec(text)?.[0] ?? '';

/** Whether an objective begins with a word, which may be misspelled. */
const isOfObjective = (word: string): boolean =>
  OBJECTIVE.test(word) || (word.length > 4 && isNearWord(word, ['maximize', 'minimize', 'objective']));

/** `x, y intger`, `make[p] intger for p in products`: the cards keep the words as the domain. */
function unreadVariables(text: string, sketch: Sketch): UnreadCard[] {
  const { body, index } = splitIndex(text) ?? { body: text };
  const { name, words: said = '' } = FAMILY.exec(body)?.groups ?? {};
  if (name !== undefined && index !== undefined) {
    const { facts, rest } = readFacts(said);
    const data = rest === '' ? facts : { domain: said };
    // Other faults than that of a word or of the index are those of the keys.
    return rest === '' && !isProblem(readIndex(index)) ? [] : [variableCard(name, { index, ...data })];
  }
  const { prefix, list = '', words = '' } = DECLARATION.exec(text)?.groups ?? {};
  const names = list.split(/, ?(?:and )?| and /);
  const isOpen = (one: string): boolean => {
    const card = sketch.variable(one);
    const isMeant = prefix !== undefined || card !== undefined || sketch.uses(one);
    return isName(one) && isMeant && fieldOf(card ?? NO_VARIABLE, 'domain') === undefined;
  };
  return words !== '' && names.every(isOpen) ? names.map((one) => variableCard(one, { domain: words })) : [];
}

const NO_VARIABLE: Pick<SketchCard, 'card_type' | 'data'> = { card_type: 'variable', data: {} };

const variableCard = (name: string, data: UnreadCard['data']): UnreadCard => ({
  type: 'variable',
  label: name,
  data: { name, ...data },
});

/** Whether a text without relations and brackets is about the model, and not prose beside it. */
function isAboutModel(text: string, sketch: Sketch): boolean {
  const { label, body } = splitLabel(text);
  const isKnown = (word: string): boolean => sketch.mentions(word);
  const isStrange = (word: string): boolean => !isKnown(word) && !isWordOfLanguage(word);
  const words = text.match(WORD) ?? [];
  const isNamed = words.some(isKnown);
  if (longestRun(text, isStrange) >= MIN_PROSE) return false;
  if (OPERATOR.test(text) && (isNamed || label !== undefined || /\d/.test(text))) return true;
  if (label !== undefined && (isKnown(label) || isNearWord(label, HEADWORDS))) return true;
  if (label !== undefined && isLimiting(body) && (body.match(WORD) ?? []).some(isKnown)) return true;
  const [first = ''] = words;
  if (/^set /i.test(text) && isNamed) return true;
  const strange = words.filter(isStrange);
  if (words.length < 2) return false;
  const isAbout = isKnown(first) || (isStrange(first) && first.length > 3 && isNearCard(first, sketch));
  if (text.startsWith(first) && isAbout && words.length <= MAX_SHORT) return true;
  return strange.length <= 1 && (isNamed || (words.length > 2 && strange.some((word) => isNearWord(word))));
}

const isWordOfLanguage = (word: string): boolean =>
  SMALL_WORDS.has(word.toLowerCase()) || KEYWORDS.includes(word.toLowerCase());
const isNearWord = (word: string, words = KEYWORDS): boolean => nearestNames(word, words, 1).length > 0;

/** Returns how many words that meet a condition follow one another with only spaces between them. */
function longestRun(text: string, meets: (word: string) => boolean): number {
  let [longest, run, end] = [0, 0, 0];
  for (const { 0: word, index } of text.matchAll(WORD)) {
    run = meets(word) ? (/^ *$/.test(text.slice(end, index)) ? run + 1 : 1) : 0;
    longest = Math.max(longest, run);
    end = index + word.length;
  }
  return longest;
}
