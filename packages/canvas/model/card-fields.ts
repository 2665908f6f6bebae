import { ExpansionRefusal, type Formula, type FormulaProblem, isProblem, parseFormula } from '../../modelling/index.js';
import { fieldOf } from '../card-shapes.js';
import { CARD_KINDS } from '../kinds/card-kinds.js';
import { MODEL_LIMITS, ModelProblem } from '../../solver/index.js';
import type { ModelCard } from './model-card.js';

/* Reads card fields for a model. Errors identify the card and its invalid field. */

export const cardReference = ({ card_type, label }: ModelCard): string =>
  `The ${CARD_KINDS[card_type].noun} card "${label}"`;
export const incompleteModel = (message: string): ModelProblem => new ModelProblem('incomplete_model', message);
export const cardProblem = (card: ModelCard, reason: string): ModelProblem =>
  incompleteModel(`${cardReference(card)}: ${reason}`);

/**
 * Returns the value of a required field.
 * @throws ModelProblem
 */
export function requiredField<Value>(card: ModelCard, field: string): Value {
  const value = optionalField<Value>(card, field);
  if (value === undefined) throw cardProblem(card, `${field} is missing`);
  return value;
}

/**
 * Returns the value of a field, or undefined if it is not set.
 * @throws ModelProblem if the value is invalid
 */
export function optionalField<Value>(card: ModelCard, field: string): Value | undefined {
  const value = fieldOf<Value>(card, field);
  if (value === undefined && card.data[field] != null) throw cardProblem(card, `${field} has an invalid value`);
  return value;
}

/**
 * Returns the parsed formula or index of a card.
 * @throws ModelProblem if it could not be parsed
 */
export function assertParsed<Value extends object>(card: ModelCard, parsed: Value | FormulaProblem): Value {
  if (isProblem(parsed)) throw cardProblem(card, parsed.problem);
  return parsed;
}

/** Returns the parsed formula of a card. @throws ModelProblem if it is missing or could not be parsed */
export const formula = (card: ModelCard): Formula =>
  assertParsed(card, parseFormula(requiredField<string>(card, 'expression')));

/** Calls `expand`. If it fails, adds the card to the error message. */
export function expandFormula<Value>(card: ModelCard, expand: () => Value): Value {
  try {
    return expand();
  } catch (error) {
    if (error instanceof ExpansionRefusal) throw cardProblem(card, error.reason.problem);
    throw error;
  }
}

export function assertWithinLimit(
  card: ModelCard,
  quantity: 'variables' | 'rows' | 'terms',
  count: number,
  own: number,
): void {
  if (count <= MODEL_LIMITS[quantity]) return;
  const noun = quantity === 'rows' ? 'constraints' : quantity;
  throw new ModelProblem(
    'model_too_large',
    `A model can have at most ${MODEL_LIMITS[quantity]} ${noun}. ${cardReference(card)} alone creates ${own}`,
  );
}
