import type { Computed } from '../computed.js';
import type { Expression } from '../formula.js';
import { namesOfIndex } from '../vocabulary.js';
import type { Evaluator } from './evaluator.js';
import type { Frame } from './frame.js';
import type { Space } from './space.js';

/**
 * Computes a number or a column and adds it to a space, which must contain all names that it depends on. Replaces its previous
 * value.
 *
 * @throws ExpansionRefusal
 */
export function compute(
  space: Space,
  evaluator: Evaluator,
  name: string,
  { expression, index, set }: Computed & { expression: Expression },
): void {
  const frame = evaluator.rows(index);
  const figures = evaluator.figures(expression, frame, `The computed number ${name}`);
  if (index === undefined || set === undefined) {
    space.values.set(name, figures[0]!);
    return;
  }
  if (!space.sets.has(set)) addRowsAsSet(space, set, namesOfIndex(index), frame);
  if (space.columns.get(name)?.isComputed === true) space.columns.delete(name);
  space.addColumn(name, { set, type: 'number', figures, isComputed: true });
}

/** Adds a set whose members are the rows of a frame. */
function addRowsAsSet(space: Space, set: string, names: readonly string[], { codes, readings }: Frame): void {
  space.addMembers(set, {
    titles: names,
    columns: names.map((name) => codes.get(name)!),
    readings: names.map((name) => readings.get(name)),
  });
}
