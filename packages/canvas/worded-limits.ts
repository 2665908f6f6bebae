import { hasFigure, isCompared, nearestNames, wordsOf } from '../modelling/index.js';
import type { CardContent } from './card.js';
import { fieldOf } from './card-shapes.js';
import { statesNoRequirement } from './kinds/production-requirement.js';
import { requirementOf } from './requirement.js';

/* Finds limits in the plain text of requirements and KPIs, which plans ignore. */

type Content = Pick<CardContent, 'card_type' | 'label' | 'data'>;

/** Maximum number of names that are compared, and maximum number of words in each text and name. */
const MAX_NAMES = 2_000;
const MAX_WORDS = 60;
const MAX_NAME_WORDS = 3;
/**
 * Maximum number of words in a product name, which may be misspelled, and maximum number of names with which each word is
 * compared.
 */
const MAX_PRODUCT = 5;
const MAX_NEAR = 200;
/** Articles that may also be names. */
const ARTICLES = ['a', 'i'];

/** Returns the cards whose plain text limits a name on the canvas. */
export function wordedLimits<Of extends Content>(
  cards: readonly Of[],
  variables: Pick<ReadonlySet<string>, 'has'>,
): Of[] {
  const wordedCards = cards.filter((card) => isWordedLimit(card, variables));
  if (wordedCards.length === 0) return [];
  const names = new Set(cards.flatMap(definedNames).slice(0, MAX_NAMES).map(normalizedWords));
  for (const article of ARTICLES) names.delete(article);
  return wordedCards.filter((card) => mentionsName(textOf(card), fieldOf<string>(card, 'product') ?? '', names));
}

/** Whether a card has a number or a comparison in plain text but no formula. */
function isWordedLimit(card: Content, variables: Pick<ReadonlySet<string>, 'has'>): boolean {
  const { card_type } = card;
  const isRequirement = card_type === 'production_requirement' && !statesNoRequirement(card.data);
  if ((!isRequirement && card_type !== 'kpi') || card.data['expression'] != null) return false;
  if (isRequirement && requirementOf(card, variables) !== undefined) return false;
  const text = textOf(card);
  return fieldOf(card, 'quantity') !== undefined || hasFigure(text) || isCompared(text);
}

const textOf = (card: Content): string =>
  ['description', 'product'].flatMap((field) => fieldOf<string>(card, field) ?? []).join(' ');

function definedNames(card: Content): string[] {
  if (card.card_type === 'objective' || card.card_type === 'constraint') return [card.label];
  const members = fieldOf<string[] | string>(card, 'members');
  return [
    ...['name', 'set'].flatMap((field) => fieldOf<string>(card, field) ?? []),
    ...(Array.isArray(members) ? members : []),
    ...['values', 'columns', 'computed'].flatMap((field) => Object.keys(fieldOf<object>(card, field) ?? {})),
  ];
}

const normalizedWords = (name: string): string => wordsOf(name).join(' ');

/** Whether text contains a name in any case, in singular or plural. Product names may be misspelled. */
function mentionsName(text: string, product: string, names: ReadonlySet<string>): boolean {
  const words = wordsOf(text).slice(0, MAX_WORDS);
  const isName = (_: string, from: number): boolean =>
    Array.from({ length: MAX_NAME_WORDS }, (__, more) => words.slice(from, from + more + 1).join(' ')).some((one) =>
      names.has(one),
    );
  const near = [...names].slice(0, MAX_NEAR);
  return (
    words.some(isName) ||
    wordsOf(product)
      .slice(0, MAX_PRODUCT)
      .some((word) => nearestNames(word, near, 1).length > 0)
  );
}
