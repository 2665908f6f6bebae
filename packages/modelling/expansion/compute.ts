import type { Computed } from '../computed.js';
import type { Expression } from '../formula.js';
import { shortened } from '../names.js';
import { namesOfIndex } from '../vocabulary.js';
import type { Evaluator } from './evaluator.js';
import type { Frame } from './frame.js';
import { refuse } from './refusal.js';
import type { Space } from './space.js';

/**
 * Computes a number or a column and adds it to a space, which must contain all names that it depends on.
 *
 * @param room maximum number of cells
 * @returns the number of cells
 * @throws ExpansionRefusal
 */
export function compute(
  space: Space,
  evaluator: Evaluator,
  name: string,
  { expression, index, set }: Computed & { expression: Expression },
  room = Infinity,
): number {
  const frame = evaluator.rows(index);
  if (frame.size > room)
    refuse(`${shortened(name)} has ${frame.size} members, but there is only room for ${room} more computed numbers`);
  const figures = evaluator.figures(expression, frame, `The computed number ${name}`);
  if (index === undefined || set === undefined) {
    space.values.set(name, figures[0]!);
    return 1;
  }
  if (!space.sets.has(set)) addRowsAsSet(space, set, namesOfIndex(index), frame);
  space.addColumn(name, { set, type: 'number', figures, isComputed: true });
  return frame.size;
}

/** Adds a set whose members are the rows of a frame. */
function addRowsAsSet(space: Space, set: string, names: readonly string[], { codes, readings }: Frame): void {
  space.addMembers(set, {
    titles: names,
    columns: names.map((name) => codes.get(name)!),
    readings: names.map((name) => readings.get(name)),
  });
}
