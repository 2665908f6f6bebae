import {
  ambiguousColumn,
  type Column,
  type Condition,
  type Evaluator,
  ExpansionRefusal,
  type FormulaProblem,
  type Index,
  isProblem,
  listNames,
  literalOf,
  type Members,
  namesInCondition,
  parseCondition,
  shortened,
  type Space,
} from '../../modelling/index.js';
import { incompleteModel } from './card-fields.js';
import { indexOfWhere } from './where.js';

/** Change to a number. Exactly one of the fields is set. */
export interface Arithmetic {
  times?: number;
  plus?: number;
  to?: number;
}

/** Change that a scenario makes to a column: to a single member, to the members that satisfy a condition, or to all members. */
export interface Adjustment extends Arithmetic {
  /** Zero-based index of the change in its scenario. */
  place: number;
  /** Name used in messages. */
  called: string;
  column: string;
  /** Condition on the members, in the syntax that {@link indexOfWhere} accepts. */
  where?: string;
  /** Key of a single member. */
  key?: readonly string[];
  /** Values of the constants in `where` at the time of this change. */
  values?: Readonly<Record<string, number>>;
}

/** Returns the changed number. */
export const changed = (figure: number, { times, plus, to }: Arithmetic): number =>
  to ?? (times === undefined ? figure + (plus ?? 0) : figure * times);

/** Returns the names of the columns that an adjustment reads. The result may also contain other names. */
export function namesInAdjustment({ column, where }: Adjustment): string[] {
  const condition = where === undefined ? undefined : parseCondition(where);
  return condition === undefined || isProblem(condition) ? [column] : [column, ...namesInCondition(condition)];
}

/**
 * Changes columns in a space. All of the sets and columns involved must already be in the space.
 *
 * @param compute computes the numbers with the given names. Ignores other names
 * @throws ModelProblem that identifies the invalid change
 */
export function adjust(
  space: Space,
  evaluator: Evaluator,
  adjustments: readonly Adjustment[],
  compute: (names: Iterable<string>) => void,
): void {
  for (const adjustment of adjustments.toSorted((one, other) => one.place - other.place)) {
    const column = columnOf(space, adjustment);
    const { fallback = NaN } = column;
    // The cells are copied because another column name may share them.
    const figures = column.figures.slice();
    computeFor(adjustment, space, compute);
    for (const place of placesOf(space, evaluator, adjustment, column.set)) {
      const figure = figures[place]!;
      figures[place] = changed(Number.isNaN(figure) ? fallback : figure, adjustment);
    }
    column.figures = figures;
  }
}

/** Computes the numbers in the condition of an adjustment, with the constants and columns at the time of this change. */
function computeFor(
  { where, values = {} }: Adjustment,
  space: Space,
  compute: (names: Iterable<string>) => void,
): void {
  const condition = where === undefined ? undefined : parseCondition(where);
  if (condition === undefined || isProblem(condition)) return;
  const finalValues = Object.keys(values).map((name) => [name, space.values.get(name)!] as const);
  for (const [name, value] of Object.entries(values)) space.values.set(name, value);
  compute(namesInCondition(condition));
  for (const [name, value] of finalValues) space.values.set(name, value);
}

const adjustmentProblem = ({ called }: Adjustment, reason: string) => incompleteModel(`${called}: ${reason}`);

function columnOf(space: Space, adjustment: Adjustment): Extract<Column, { type: 'number' }> {
  const name = adjustment.column;
  const column = space.columns.get(name);
  if (column === undefined) throw adjustmentProblem(adjustment, noColumn(name));
  const otherSet = space.doubled.get(name);
  if (otherSet !== undefined)
    throw adjustmentProblem(adjustment, ambiguousColumn(name, { set: column.set.name }, { set: otherSet }));
  if (column.type === 'text') throw adjustmentProblem(adjustment, isText(name));
  if (column.isComputed === true) throw adjustmentProblem(adjustment, isComputed(name));
  return column;
}

export const noColumn = (name: string): string => `no column is called ${shortened(name)}`;
export const isText = (name: string): string => `${shortened(name)} contains texts, and only numbers can be changed`;
/** @param inputs numbers on which the computed number depends */
export const isComputed = (name: string, inputs: readonly string[] = []): string =>
  `${shortened(name)} is computed, so change the numbers in its formula${inputs.length === 0 ? '' : `: ${listNames(inputs)}`}`;
export const noMember = (set: string, key: readonly string[]): string =>
  `${shortened(set)} has no member ${key.map((part) => `"${shortened(part)}"`).join(', ')}`;

/** Returns the indexes of the members that an adjustment changes. */
function placesOf(space: Space, evaluator: Evaluator, adjustment: Adjustment, set: Members): Iterable<number> {
  const { where, key } = adjustment;
  if (key !== undefined) {
    const place = key.length === set.columns.length ? placeOf(space, set, key) : -1;
    if (place < 0) throw adjustmentProblem(adjustment, noMember(set.name, key));
    return [place];
  }
  if (where === undefined) return Array(set.size).keys();
  const condition = parseCondition(where);
  if (isProblem(condition)) throw adjustmentProblem(adjustment, condition.problem);
  const places = placesWhere(space, evaluator, adjustment, condition, set);
  if ('problem' in places) throw adjustmentProblem(adjustment, places.problem);
  if (places.length === 0)
    throw adjustmentProblem(adjustment, `no member of ${shortened(set.name)} matches \`where ${where}\``);
  return places;
}

function placeOf({ texts }: Space, { table, readings }: Members, key: readonly string[]): number {
  const codes = key.map((part, at) => {
    const reading = readings[at];
    return Int32Array.of(texts.add((reading && literalOf(part, reading)) ?? part));
  });
  return table.find(codes, 1)[0]!;
}

function placesWhere(
  space: Space,
  evaluator: Evaluator,
  { values }: Adjustment,
  condition: Condition,
  set: Members,
): Int32Array | FormulaProblem {
  const isColumn = (name: string): boolean => space.columns.get(name)?.set === set;
  const index: Index = indexOfWhere(condition, { set: set.name, titles: set.titles, isColumn, values });
  try {
    const { codes, size } = evaluator.rows(index);
    const parts = index.over[0].names.map((name) => codes.get(name)!);
    return set.table.find(parts, size);
  } catch (error) {
    if (error instanceof ExpansionRefusal) return error.reason;
    throw error;
  }
}
