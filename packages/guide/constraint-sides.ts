import { fieldOf } from '../canvas/index.js';
import { type Formula, mentionsOf } from '../modelling/index.js';
import type { Sketch, SketchCard } from './sketch.js';

/* Reads the sides of constraints, for questions about limits. */

/** Returns the formula on a card, or an empty string. */
export const expressionOf = (card: SketchCard | undefined): string =>
  (card && fieldOf<string>(card, 'expression')) ?? '';

/** Returns the names on each side of a relation. */
export const namesBySide = ({ sides }: Formula): string[][] =>
  sides.map((side) => mentionsOf({ sides: [side], relations: [] }, undefined));

/** Returns a function that recognizes the names of variables. */
export function variableNames(sketch: Sketch): (name: string) => boolean {
  const { variables, families } = sketch.vocabulary;
  return (name) => variables.has(name) || families.has(name);
}
