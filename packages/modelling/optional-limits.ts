import type { Condition, Expression, Formula, MemberOf } from './formula.js';
import type { Vocabulary } from './vocabulary.js';

/** Value of a side without a limit. No formula has a number of this size. */
export const NO_LIMIT = Number.MAX_VALUE;

/**
 * Replaces the sides of a formula that are only a column, so that an empty cell means {@link NO_LIMIT}. A member without a row
 * still has no value. Returns the same formula if it has no such side.
 *
 * @param setOf returns the set of a column that has empty cells and no default. Returns undefined for other members
 */
export function withOptionalLimits(formula: Formula, setOf: (side: MemberOf) => string | undefined): Formula {
  const sides = formula.sides.map((side) => optional(side, setOf));
  return sides.every((side, at) => side === formula.sides[at])
    ? formula
    : { ...formula, sides: sides as Formula['sides'] };
}

function optional(side: Expression, setOf: (side: MemberOf) => string | undefined): Expression {
  const set = side.kind === 'member' ? setOf(side) : undefined;
  if (side.kind !== 'member' || set === undefined) return side;
  const { keys, position } = side;
  const isNoMember: Condition = { kind: 'not', of: { kind: 'in', keys, set, position } };
  const when: Condition = { kind: 'or', of: [{ kind: 'given', of: side }, isNoMember] };
  return { kind: 'choice', when, then: side, otherwise: { kind: 'number', value: NO_LIMIT } };
}

/** Returns the set of a column on the canvas that has empty cells. Returns undefined for other members. */
export function setWithEmptyCells({ name }: MemberOf, { columns, families }: Vocabulary): string | undefined {
  const [column, other] = columns.get(name) ?? [];
  const isOptional = column?.type === 'number' && column.empty !== undefined && column.fallback === undefined;
  return isOptional && other === undefined && !families.has(name) ? column.set : undefined;
}

/** Returns the sides of a formula that are only a column with empty cells. */
export const optionalSides = ({ sides }: Formula, vocabulary: Vocabulary): MemberOf[] =>
  sides.filter((side): side is MemberOf => side.kind === 'member' && setWithEmptyCells(side, vocabulary) !== undefined);
