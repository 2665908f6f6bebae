import { isoDate } from './dates.js';
import type { Comparison, Condition, Operand } from './formula.js';
import { formatOperand } from './sentences.js';
import { compareTexts, orderedText } from './text-order.js';

type Compare = Extract<Condition, { kind: 'compare' }>;
type Constant = number | string;

/** Comparison of an operand with a constant or with another operand. In the second case, `constant` is 0. */
interface Limit {
  comparison: Comparison;
  constant: Constant;
  source: Compare;
}

/** Maximum number of alternatives in a condition. Conditions with more alternatives are not checked. */
const MAX_ALTERNATIVES = 64;

export const TURNED: Record<Comparison, Comparison> = {
  '=': '=',
  '<>': '<>',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};
const OPPOSITE: Record<Comparison, Comparison> = { '=': '<>', '<>': '=', '<': '>=', '<=': '>', '>': '<=', '>=': '<' };
const HOLDS: Record<Comparison, (sign: number) => boolean> = {
  '=': (sign) => sign === 0,
  '<>': (sign) => sign !== 0,
  '<': (sign) => sign < 0,
  '<=': (sign) => sign <= 0,
  '>': (sign) => sign > 0,
  '>=': (sign) => sign >= 0,
};

/**
 * Returns the comparisons in a condition that contradict each other, or undefined if some data can meet the condition.
 *
 * @param figureOf returns the value of an operand, or undefined if it depends on members
 */
export function contradictionIn(
  condition: Condition,
  figureOf: (operand: Operand) => number | undefined,
): string | undefined {
  const alternatives = alternativesOf(condition, false);
  const contradictions = alternatives?.map((comparisons) => contradictionAmong(comparisons, figureOf)) ?? [];
  return contradictions.includes(undefined) ? undefined : contradictions[0];
}

/** Returns the comparisons of each alternative, as in `(a and b) or (a and c)`, or undefined if there are too many. */
function alternativesOf(condition: Condition, isNegated: boolean): Compare[][] | undefined {
  if (condition.kind === 'not') return alternativesOf(condition.of, !isNegated);
  if (condition.kind === 'compare') {
    const { comparison } = condition;
    return [[{ ...condition, comparison: isNegated ? OPPOSITE[comparison] : comparison }]];
  }
  if (condition.kind === 'in' || condition.kind === 'given') return [[]];
  const parts = condition.of.map((one) => alternativesOf(one, isNegated));
  let alternatives: Compare[][] = [];
  for (const [at, part] of parts.entries()) {
    if (part === undefined) return undefined;
    const isJoined = (condition.kind === 'and') !== isNegated && at > 0;
    alternatives = isJoined
      ? alternatives.flatMap((one) => part.map((other) => [...one, ...other]))
      : [...alternatives, ...part];
    if (alternatives.length > MAX_ALTERNATIVES) return undefined;
  }
  return alternatives;
}

function contradictionAmong(
  comparisons: readonly Compare[],
  figureOf: (operand: Operand) => number | undefined,
): string | undefined {
  const constantOf = (operand: Operand): Constant | undefined =>
    operand.kind === 'text' ? toConstant(operand.text) : figureOf(operand);
  const limits = new Map<string, Limit[]>();
  for (const source of comparisons) {
    const [left, right] = [constantOf(source.left), constantOf(source.right)];
    const [one, other] = [keyOf(source.left), keyOf(source.right)];
    const isTurned = left !== undefined || (right === undefined && one > other);
    const comparison = isTurned ? TURNED[source.comparison] : source.comparison;
    const isPair = left === undefined && right === undefined;
    const subject = isPair ? [one, other].sort().join() : left === undefined ? one : other;
    const limit = { comparison, constant: isPair ? 0 : (left ?? right!), source };
    limits.set(subject, [...(limits.get(subject) ?? []), limit]);
  }
  const excluding = [...limits.values()].find((some) => !canHold(some));
  return excluding?.map(({ source }) => textOf(source)).join(' and ');
}

/** Whether some value satisfies all limits. Tries every constant, and a value between each pair of adjacent constants. */
function canHold(limits: readonly Limit[]): boolean {
  const isMixed = new Set(limits.map(({ constant }) => typeof constant)).size > 1;
  const isEquality = ({ comparison }: Limit): boolean => comparison === '=' || comparison === '<>';
  const comparable = isMixed ? limits.filter(isEquality) : limits;
  const constants = [...new Set(comparable.map(({ constant }) => constant))].sort(inOrder);
  return Array.from({ length: 2 * constants.length + 1 }, (_, place) => place).some((place) =>
    comparable.every(({ comparison, constant }) => HOLDS[comparison](place - 2 * constants.indexOf(constant) - 1)),
  );
}

/** Compares constants of the same type. */
const inOrder = (one: Constant, other: Constant): number =>
  typeof one === 'number' && typeof other === 'number'
    ? one - other
    : compareTexts(orderedText(String(one)), orderedText(String(other)));

function toConstant(text: string): Constant {
  const figure = text === '' ? NaN : Number(text);
  return Number.isNaN(figure) ? (isoDate(text) ?? text) : figure;
}

/** Returns a key that is equal for operands with the same source text. */
const keyOf = (operand: Operand): string =>
  JSON.stringify(operand, (field, value: unknown) => (field === 'position' ? undefined : value));

const textOf = ({ left, comparison, right }: Compare): string =>
  `${formatOperand(left)} ${comparison} ${formatOperand(right)}`;
