import { LRUCache } from 'lru-cache';
import {
  type Expression,
  type Formula,
  isProblem,
  listFirst,
  parseFormula,
  partsOf,
  type Relation,
  shortened,
} from '../modelling/index.js';
import type { CardContent } from './card.js';
import { fieldOf } from './card-shapes.js';
import { CARD_KINDS } from './kinds/card-kinds.js';
import { formulaIn } from './requirement.js';

type Content = Pick<CardContent, 'card_type' | 'label' | 'data'>;

/** Variable without an upper bound that can grow to satisfy a limit at no cost. */
export interface LooseVariable<Of extends Content> {
  card: Of;
  name: string;
  /** Labels of the limits that have no effect because of the variable. */
  limits: string[];
}

const MAX_LISTED_LIMITS = 5;
const MAX_LABEL = 60;
/** Maximum number of formulas whose effects are cached. */
const MAX_FORMULAS = 1_500;
/**
 * Change in a name's value that makes every relation in a formula easier to satisfy: 1 for an increase, -1 for a decrease, 0 if
 * neither does.
 */
type Direction = 1 | -1 | 0;
const effectsByFormula = new LRUCache<string, ReadonlyMap<string, Direction>>({ max: MAX_FORMULAS });

/**
 * Returns variables without an upper bound that do not occur in any objective and make all of their limits easier to satisfy.
 * These limits have no effect.
 */
export function looseVariables<Of extends Content>(cards: readonly Of[]): LooseVariable<Of>[] {
  if (!cards.some(({ card_type }) => card_type === 'objective')) return [];
  const variables = new Map<string, LooseVariable<Of>[]>();
  for (const card of cards) {
    const name = card.card_type === 'variable' ? fieldOf<string>(card, 'name') : undefined;
    const isBounded =
      ['upper', 'zero_or_between'].some((field) => card.data[field] != null) || card.data['domain'] === 'binary';
    if (name === undefined || isBounded || card.data['confirmed'] === true) continue;
    variables.set(name, [...(variables.get(name) ?? []), { card, name, limits: [] }]);
  }
  for (const card of cards.filter(({ card_type }) => CARD_KINDS[card_type].role === 'plan'))
    for (const [name, direction] of effectsOf(formulaIn(card)?.expression ?? ''))
      if (direction !== 1) variables.delete(name);
      else for (const { limits } of variables.get(name) ?? []) limits.push(card.label);
  return [...variables.values()].flat().filter(({ limits }) => limits.length > 0);
}

/** Returns a warning, without a full stop, about a variable whose limits have no effect. */
export function describeLoose({ limits }: Pick<LooseVariable<Content>, 'limits'>): string {
  const limitLabels = limits.map((label) => shortened(label, MAX_LABEL));
  return `It is only used to loosen a limit (${listFirst(limitLabels, MAX_LISTED_LIMITS)}) and costs nothing, so the limit has no effect: give it an upper bound or a cost, or set \`confirmed\` if this is intended`;
}

/** Sign of a change in the left side that makes the relation easier to satisfy. */
const EASIER: Record<Relation, number> = { '<=': -1, '>=': 1, '=': NaN };

/**
 * Whether a change in a name's value makes every relation in a formula easier to satisfy. Constants are assumed to be positive.
 */
export const isEased = (text: string, name: string, direction: 1 | -1): boolean =>
  effectsOf(text).get(name) === direction;

/**
 * Returns, for each name, the change that makes every relation in a formula easier to satisfy. It is always 0 for a formula
 * without relations.
 */
function effectsOf(text: string): ReadonlyMap<string, Direction> {
  const cached = effectsByFormula.get(text);
  if (cached !== undefined) return cached;
  const formula = parseFormula(text);
  const effects = new Map<string, Direction>();
  if (!isProblem(formula)) readEffects(formula, effects);
  effectsByFormula.set(text, effects);
  return effects;
}

function readEffects({ sides, relations }: Formula, effects: Map<string, Direction>): void {
  for (const [at, side] of sides.entries()) {
    const [before, behind] = [relations[at - 1], relations[at]];
    const isEasier = (sign: number): boolean =>
      relations.length > 0 &&
      (before === undefined || -sign === EASIER[before]) &&
      (behind === undefined || sign === EASIER[behind]);
    const note = (name: string, sign: number): void => {
      const direction = isEasier(sign) ? 1 : isEasier(-sign) ? -1 : 0;
      effects.set(name, (effects.get(name) ?? direction) === direction ? direction : 0);
    };
    visit(side, 1, note);
  }
}

/** Calls `note` with each name and the sign of its coefficient. Constants are assumed to be positive. */
function visit(expression: Expression, sign: number, note: (name: string, sign: number) => void): void {
  if (expression.kind === 'name' || expression.kind === 'member') note(expression.name, sign);
  else if (expression.kind === 'sum')
    for (const { negative, of } of expression.parts) visit(of, negative ? -sign : sign, note);
  else {
    // An absolute value may become larger or smaller.
    const inner = expression.kind === 'call' && expression.name === 'abs' ? NaN : sign;
    for (const part of partsOf(expression)) visit(part, inner, note);
  }
}
