import type { Comparison, Condition, Expression, Formula, FormulaProblem, MemberOf, Operand } from './formula.js';
import { TURNED } from './contradictions.js';
import { isNever } from './ranges.js';

/** Yes-or-no variable, and the value that it must have. */
export interface Decision {
  of: MemberOf | Extract<Expression, { kind: 'name' }>;
  value: 0 | 1;
}

/** Maximum number of alternatives of a condition. Each of them makes a separate constraint. */
const MAX_ALTERNATIVES = 16;

/**
 * Splits the condition of a constraint into alternatives. The constraint must hold if all decisions of an alternative are made.
 * Returns a problem if the condition is not about yes-or-no variables.
 */
export function decisionsOf(condition: Condition): Decision[][] | FormulaProblem {
  try {
    return alternativesOf(condition, false);
  } catch (error) {
    if (error instanceof Refusal) return error.reason;
    throw error;
  }
}

/** Whether the text of a formula may contain a condition. Formulas without the keyword do not have to be parsed. */
export const mayHaveCondition = (text: string): boolean => /\bthen\b/.test(text);

/** Returns the number of alternatives in the condition of a formula. Returns 1 for a formula without a condition. */
export function alternativesIn({ when }: Formula): number {
  const alternatives = when === undefined ? [] : decisionsOf(when);
  return 'problem' in alternatives ? 1 : Math.max(1, alternatives.length);
}

/** Returns all decisions in the condition of a formula. Returns an empty list if the condition is invalid. */
export function decisionsIn({ when }: Formula): Decision[] {
  const alternatives = when === undefined ? [] : decisionsOf(when);
  return 'problem' in alternatives ? [] : alternatives.flat();
}

/** Thrown to abort the split. Caught in this file. */
class Refusal extends Error {
  constructor(readonly reason: FormulaProblem) {
    super(reason.problem);
  }
}

function refuse(problem: string, position?: number): never {
  throw new Refusal({ problem, ...(position !== undefined && { position }) });
}

/** @param isNegated whether the condition must not hold */
function alternativesOf(condition: Condition, isNegated: boolean): Decision[][] {
  switch (condition.kind) {
    case 'not':
      return alternativesOf(condition.of, !isNegated);
    case 'and':
    case 'or': {
      const all = condition.of.map((one) => alternativesOf(one, isNegated));
      const isEither = (condition.kind === 'or') !== isNegated;
      const alternatives = isEither ? all.flat() : all.reduce(combined, [[]]);
      return alternatives.length > MAX_ALTERNATIVES ? refuse(TOO_MANY) : alternatives;
    }
    case 'compare': {
      const { position } = condition;
      const [variable, comparison, figure] = sidesOf(condition) ?? refuse(NOT_A_DECISION, position);
      const possible = ([0, 1] as const).filter((value) => isNever([value, value], comparison, figure) === isNegated);
      const [value, other] = possible;
      if (value === undefined || other !== undefined) refuse(ALWAYS_THE_SAME, position);
      return [[{ of: variable, value }]];
    }
    case 'in':
    case 'given':
      return refuse(NOT_A_DECISION);
  }
}

function combined(some: Decision[][], others: Decision[][]): Decision[][] {
  if (some.length * others.length > MAX_ALTERNATIVES) refuse(TOO_MANY);
  return some.flatMap((one) => others.map((other) => [...one, ...other]));
}

const TOO_MANY = `The condition has more than ${MAX_ALTERNATIVES} alternatives: write several constraints`;
const NOT_A_DECISION =
  'The condition of a constraint compares yes-or-no variables with 0 or 1, as in `if open[w] = 0 then ...`: write other conditions after the index, as in `for w in warehouses where ...`';
const ALWAYS_THE_SAME =
  'The condition of a constraint compares yes-or-no variables with 0 or 1. To link an amount to a decision, turn it around, as in `if open = 0 then x <= 0`';

/** Returns the variable, the comparison and the number of a comparison in either order. */
function sidesOf({
  left,
  comparison,
  right,
}: Extract<Condition, { kind: 'compare' }>): [Decision['of'], Comparison, number] | undefined {
  if (isReference(left) && right.kind === 'number') return [left, comparison, right.value];
  if (isReference(right) && left.kind === 'number') return [right, TURNED[comparison], left.value];
  return undefined;
}

const isReference = (operand: Operand): operand is Decision['of'] =>
  operand.kind === 'name' || operand.kind === 'member';
