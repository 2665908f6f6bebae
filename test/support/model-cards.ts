import { readCanvas } from '../../packages/canvas/model/canvas-reader.js';
import type { ModelCard } from '../../packages/canvas/model/model-card.js';
import { ModelProblem } from '../../packages/solver/model.js';

/** Creates a card whose label is also its id. */
export const card = (card_type: ModelCard['card_type'], label: string, data: object): ModelCard => ({
  id: label,
  card_type,
  label,
  data: data as ModelCard['data'],
});

/** Returns the reason why the model on a canvas cannot be built. Returns an empty string if it can be built. */
export function problemOf(...cards: ModelCard[]): string {
  try {
    readCanvas(cards);
    return '';
  } catch (error) {
    if (error instanceof ModelProblem) return error.message;
    throw error;
  }
}
