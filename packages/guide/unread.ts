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
import { isOfValues } from './card-changes.js';
import { isCount } from './counted-things.js';
import { foreignCard } from './foreign-cards.js';
import { whyMisnamed } from './given-names.js';
import { MAX_TEXT_LABEL, unreadFormula, whyNoFormula } from './open-statements.js';
import { splitClass, splitCounts, splitLabel } from './relation-grammar.js';
import { readFacts } from './variable-facts.js';
import { isOfScenario } from './scenario-grammar.js';
import type { Sketch, SketchCard } from './sketch.js';
import type { Statement } from './statement.js';
import { HEADWORDS, KEYWORDS, SMALL_WORDS, tidy, WORD } from './words.js';

/*
 * Turns statements about the model that cannot be parsed into cards that contain their text. The blocking gap of such a card
 * explains the problem and prevents a solve until the statement is repaired or removed.
 */

/** Card that keeps a statement as text. */
export interface UnreadCard {
  type: CardType;
  label: string;
  data: Record<string, unknown>;
}

/** Maximum number of characters kept on a card. It is larger than the maximum length of a formula. */
const MAX_TEXT = 4_000;
const BRACKET = /[[\]{}]/;
const OPERATOR = /[+*^·×÷%]|\s[-−/]\s|[\d)]\/|\/[\d(]/;
const OBJECTIVE = /^(?:objectives?|goals?|max|min|(?:maxim|minim|maksim|maksym|massim)(?!(?:um|al)s?\b)\p{L}+)$/iu;
const PRONOUN = /^(?:it|this|that|these|those|they|all|life|everything)$/i;
/** Maximum number of cards whose labels are compared with a name. */
const MAX_COMPARED = 200;
/** Minimum number of consecutive words in text that counts as prose. */
const MIN_PROSE = 3;
/** Maximum number of words in text that begins with a name of the model and does not count as prose. */
const MAX_SHORT = 4;
const FAMILY = /^(?<name>[\p{L}_][\p{L}\p{M}\p{N}_]*)\[[^[\]]+\] (?<words>[\p{L} -]+)$/u;
const DECLARATION =
  /^(?<prefix>(?:decision )?var(?:iable)?s?:? )?(?<list>[^ ,:]+(?:(?:, ?| and )[^ ,:]+)*)(?: is| are|:)? (?<words>[\p{L}-]+(?: [\p{L}-]+)?)$/iu;

/**
 * Returns the cards that keep the text of a statement that cannot be parsed. Returns an empty list for questions, scenarios,
 * and prose without a limit.
 *
 * @param isLast whether all other statements in the message have been applied. Any of them may declare the domain of a
 *   variable
 */
export function unreadCards(source: string, sketch: Sketch, isLast = true): UnreadCard[] {
  const foreign = foreignCard(source);
  if (foreign !== undefined) return [foreign];
  const text = tidy(source.slice(0, MAX_TEXT)).toWellFormed();
  const isFormula = RELATION.test(source) || BRACKET.test(source);
  if (isOfScenario(text) || (!isFormula && text.endsWith('?'))) return [];
  if (isCount(text, (word) => sketch.mentions(word))) return [];
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

/** Returns a constraint card whose formula is the whole statement. */
export function textCard(source: string): UnreadCard {
  const text = tidy(source.slice(0, MAX_TEXT)).toWellFormed();
  return { type: 'constraint', label: shortened(text, MAX_TEXT_LABEL), data: { expression: text } };
}

/** Returns the constraint card for an invalid relation. */
function formulaCard(source: string, sketch: Sketch): UnreadCard {
  const text = tidy(source.slice(0, MAX_TEXT)).toWellFormed();
  const { label, body } = splitLabel(text);
  const { name, counts: classified } = splitClass(label);
  const { rest, counts = classified } = splitCounts(body);
  const { body: expression, index } = splitIndex(rest) ?? { body: rest };
  // `remove x` must refer to the variable x, even if the invalid statement has the label x.
  const isTaken = sketch.cards.some((card) => card.card_type !== 'constraint' && sameLabel(card.label, name));
  return {
    type: 'constraint',
    label: shortened(isTaken ? text : (name ?? text), MAX_TEXT_LABEL),
    data: { expression: expression === '' ? text : expression, index: index ?? null, ...counts },
  };
}

/**
 * Returns the cards that keep the text of a statement that was parsed but cannot be applied, so that a solve cannot ignore it.
 * Statements that would not change the model are not kept.
 */
export function refusedCards(statement: Statement, source: string, sketch: Sketch): UnreadCard[] {
  const isRelation = statement.kind === 'relation' || (statement.kind === 'family' && statement.relation !== undefined);
  // A card with the text of a declaration would report another problem, because the text is not a formula.
  if (!isRelation && whyMisnamed(statement, sketch) !== undefined) return [];
  switch (statement.kind) {
    case 'objective':
      return unreadCards(source, sketch);
    case 'definition':
    case 'derived_set':
    case 'goal':
      return [textCard(source)];
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
      // A failed `set` statement does not change an existing card.
      if (statement.kind === 'set' && sketch.resolve(statement.whom) !== undefined) return [];
      if (statement.kind === 'remove' && isOfValues(statement.whom)) return [];
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

/** Whether a name equals a card's name or is similar to it. */
export function isNearCard(name: string, sketch: Sketch): boolean {
  const read = sketch.cards.slice(0, MAX_COMPARED).filter((card) => unreadFormula(card) === undefined);
  const names = read.flatMap(({ label, data }) => [label, data['name'], data['set']]);
  const isText = (one: unknown): one is string => typeof one === 'string';
  return nearestNames(name, names.filter(isText), 1).length > 0;
}

const sameLabel = (label: string | undefined, name: string | undefined): boolean =>
  label !== undefined && label.toLowerCase() === name?.toLowerCase();

/**
 * Removes the card of a statement that could not be parsed, if a new statement with the same name replaces it. Declarations and
 * objectives do not replace limits.
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
 * Reads `maximize profit: 3x + * y` or `maximse profit: 3x`. The card keeps an unknown word as its sense. An objective without
 * a name does not replace the formula of another objective.
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

/** Whether text such as `min stock 10` or `goal: at most 5 tables` is a limit rather than an objective. */
function isLimitBehindSense(text: string): boolean {
  const { label, body } = splitLabel(text.slice(firstWord(text).length).replace(/^[ :=]+/, ''));
  if (label !== undefined) return / of /.test(` ${label}`) && /\d/.test(body) && !OPERATOR.test(body);
  return isCompared(body) || (isLimiting(body) && !OPERATOR.test(body) && !BRACKET.test(body));
}

const firstWord = (text: string): string => /^\p{L}+/u.exec(text)?.[0] ?? '';

/** Whether a word introduces an objective. The word may be misspelled. */
const isOfObjective = (word: string): boolean =>
  OBJECTIVE.test(word) || (word.length > 4 && isNearWord(word, ['maximize', 'minimize', 'objective']));

/** Reads `x, y intger` or `make[p] intger for p in products`. The cards keep the unknown words as the domain. */
function unreadVariables(text: string, sketch: Sketch): UnreadCard[] {
  const { body, index } = splitIndex(text) ?? { body: text };
  const { name, words: said = '' } = FAMILY.exec(body)?.groups ?? {};
  if (name !== undefined && index !== undefined) {
    const { facts, rest } = readFacts(said);
    const data = rest === '' ? facts : { domain: said };
    // If the declaration and the index can be parsed, the problem is in the keys of the variable.
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

/** Whether text without relations and brackets is a statement about the model, and not prose. */
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

/** Returns the number of words in the longest run of words that satisfy a condition and are only separated by spaces. */
function longestRun(text: string, meets: (word: string) => boolean): number {
  let [longest, run, end] = [0, 0, 0];
  for (const { 0: word, index } of text.matchAll(WORD)) {
    run = meets(word) ? (/^ *$/.test(text.slice(end, index)) ? run + 1 : 1) : 0;
    longest = Math.max(longest, run);
    end = index + word.length;
  }
  return longest;
}
