import { LRUCache } from 'lru-cache';
import { isProblem, mentionsOf, nearestNames, parseFormula, shortened } from '../modelling/index.js';
import type { CardContent } from './card.js';
import { fieldOf } from './card-shapes.js';
import { CARD_KINDS } from './kinds/card-kinds.js';
import { formulaIn } from './requirement.js';

type Content = Pick<CardContent, 'card_type' | 'data'>;

/** Unused variable that has limits and whose name is similar to a used variable. */
export interface StrayVariable<Of extends Content> {
  card: Of;
  name: string;
  /** Variable name that was probably meant. */
  suggestion: string;
}

/** Unused variable that has limits. */
type UnusedVariable<Of extends Content> = Omit<StrayVariable<Of>, 'suggestion'> &
  Partial<Pick<StrayVariable<Of>, 'suggestion'>>;

/** Maximum number of unused variables whose names are compared with the names of used variables. */
const MAX_COMPARED = 50;
/** Maximum number of formulas whose names are cached. */
const MAX_FORMULAS = 1_500;
const namesByFormula = new LRUCache<string, readonly string[]>({ max: MAX_FORMULAS });

/** Returns the unused variables whose names are probably misspelled. */
export const strayVariables = <Of extends Content>(cards: readonly Of[]): StrayVariable<Of>[] =>
  unusedVariables(cards).flatMap(({ suggestion, ...variable }) =>
    suggestion === undefined ? [] : [{ ...variable, suggestion }],
  );

/**
 * Returns the unused variables whose names do not resemble any used variable. Returns an empty list if the model has no
 * objective.
 */
export const idleVariables = <Of extends Content>(cards: readonly Of[]): UnusedVariable<Of>[] =>
  cards.some((card) => card.card_type === 'objective' && formulaIn(card) !== undefined)
    ? unusedVariables(cards).filter(({ suggestion }) => suggestion === undefined)
    : [];

/**
 * Returns variables with limits that the model does not use. A variable with a domain was declared on purpose and is not
 * returned.
 */
function unusedVariables<Of extends Content>(cards: readonly Of[]): UnusedVariable<Of>[] {
  const variables = cards.flatMap((card) => {
    const name = card.card_type === 'variable' ? fieldOf<string>(card, 'name') : undefined;
    return name === undefined ? [] : [{ card, name }];
  });
  const limited = variables.filter(({ card }) => hasOnlyLimits(card));
  if (limited.length === 0) return [];
  const names = new Set(variables.map(({ name }) => name));
  const used = new Set(cards.flatMap((card) => variablesOfModel(card, names)));
  return limited
    .filter(({ name }) => !used.has(name))
    .slice(0, MAX_COMPARED)
    .map(({ card, name }) => {
      const [suggestion] = nearestNames(name, used, 1);
      return { card, name, ...(suggestion !== undefined && { suggestion }) };
    });
}

export const describeStray = ({ name, suggestion }: Pick<StrayVariable<Content>, 'name' | 'suggestion'>): string =>
  `No objective and no other variable depends on ${shortened(name)}. Did you mean ${shortened(suggestion)}?`;

function hasOnlyLimits({ data: { domain, lower, upper, zero_or_between } }: Content): boolean {
  return domain == null && (upper != null || zero_or_between != null || (lower != null && lower !== 0));
}

/**
 * Returns the variables in an objective, or in a relation between several variables. A relation with a single variable is a
 * limit on the variable.
 */
function variablesOfModel(card: Content, names: ReadonlySet<string>): string[] {
  if (CARD_KINDS[card.card_type].role !== 'plan') return [];
  const mentions = namesOf(formulaIn(card)?.expression ?? '').filter((name) => names.has(name));
  return card.card_type === 'objective' || mentions.length > 1 ? mentions : [];
}

function namesOf(text: string): readonly string[] {
  const cached = namesByFormula.get(text);
  if (cached !== undefined) return cached;
  const formula = parseFormula(text);
  const names = isProblem(formula) ? [] : mentionsOf(formula, undefined);
  namesByFormula.set(text, names);
  return names;
}
