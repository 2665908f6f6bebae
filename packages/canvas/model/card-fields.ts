import { ExpansionRefusal, type FormulaProblem, isProblem } from '../../modelling/index.js';
import { fieldOf } from '../card-shapes.js';
import { CARD_KINDS } from '../kinds/card-kinds.js';
import { MODEL_LIMITS, ModelProblem } from '../../solver/index.js';
import type { ModelCard } from './model-card.js';

/* Reads fields of cards for a model. A ModelProblem names the card and its faulty field. */

export const called = ({ card_type, label }: ModelCard): string => `The ${CARD_KINDS[card_type].noun} card "${label}"`;
export const incomplete = (message: string): ModelProblem => new ModelProblem('incomplete_model', message);
export const refused = (card: ModelCard, reason: string): ModelProblem => incomplete(`${called(card)}: ${reason}`);

/**
 * Returns the value of a required field.
 * @throws ModelProblem
 */
export function need<Value>(card: ModelCard, field: string): Value {
  const value = optional<Value>(card, field);
  if (value === undefined) throw refused(card, `${field} is missing`);
  return value;
}

/**
 * Returns the value of a field, or undefined if it is not set.
 * @throws ModelProblem if the value is invalid
 */
export function optional<Value>(card: ModelCard, field: string): Value | undefined {
  const value = fieldOf<Value>(card, field);
  if (value === undefined && card.data[field] != null) throw refused(card, `${field} has an invalid value`);
  return value;
}

/**
 * Returns a parsed formula or index of a card.
 * @throws ModelProblem if it could not be parsed
 */
export function fitting<Value extends object>(card: ModelCard, read: Value | FormulaProblem): Value {
  if (isProblem(read)) throw refused(card, read.problem);
  return read;
}

/** Expands a formula of a card. */
export function expanding<Value>(card: ModelCard, expand: () => Value): Value {
  try {
    return expand();
  } catch (error) {
    if (error instanceof ExpansionRefusal) throw refused(card, error.reason.problem);
    throw error;
  }
}

export function assertRoom(card: ModelCard, what: 'variables' | 'rows' | 'terms', count: number, own: number): void {
  if (count <= MODEL_LIMITS[what]) return;
  const noun = what === 'rows' ? 'constraints' : what;
  throw new ModelProblem(
    'model_too_large',
    `A model can have at most ${MODEL_LIMITS[what]} ${noun}. ${called(card)} alone creates ${own}`,
  );
}
