import {
  type Condition,
  type Expression,
  type Formula,
  type Index,
  type Key,
  type Operand,
  partsOf,
  partsOfKey,
} from './formula.js';
import { namesOfIndex } from './vocabulary.js';

/**
 * Returns the distinct names that a formula and its index mention. The result of checking a formula depends only on these
 * names.
 */
export function mentionsOf(formula: Formula | undefined, index: Index | undefined): string[] {
  const names = new Set<string>();
  if (index !== undefined) visitIndex(index, names);
  if (formula?.when !== undefined) visitCondition(formula.when, names);
  for (const side of formula?.sides ?? []) visitExpression(side, names);
  return [...names];
}

/** Returns all names in a condition, including index names. */
export function namesInCondition(condition: Condition): Set<string> {
  const names = new Set<string>();
  visitCondition(condition, names);
  return names;
}

/** Returns all names in an operand of a condition. */
export function namesInOperand(operand: Operand): Set<string> {
  const names = new Set<string>();
  visitOperand(operand, names);
  return names;
}

/** Returns all index names that an expression and its index bind. */
export function boundNamesIn(expression: Expression | undefined, index: Index | undefined): Set<string> {
  const names = new Set(index === undefined ? [] : namesOfIndex(index));
  const visit = (part: Expression): void => {
    if (part.kind === 'total') for (const name of namesOfIndex(part.over)) names.add(name);
    partsOf(part).forEach(visit);
  };
  if (expression !== undefined) visit(expression);
  return names;
}

function visitExpression(expression: Expression, names: Set<string>): void {
  if ('name' in expression && expression.kind !== 'call') names.add(expression.name);
  if (expression.kind === 'member') for (const key of expression.keys) visitKey(key, names);
  if (expression.kind === 'end') names.add(expression.set);
  if (expression.kind === 'total') visitIndex(expression.over, names);
  if (expression.kind === 'choice') visitCondition(expression.when, names);
  for (const part of partsOf(expression)) visitExpression(part, names);
}

function visitKey(key: Key, names: Set<string>): void {
  if (key.kind === 'index' || key.kind === 'shift') names.add(key.name);
  if (key.kind === 'end') names.add(key.set);
}

function visitIndex({ over, where }: Index, names: Set<string>): void {
  for (const membership of over) {
    for (const name of membership.names) names.add(name);
    names.add(membership.set);
  }
  if (where !== undefined) visitCondition(where, names);
}

function visitCondition(condition: Condition, names: Set<string>): void {
  switch (condition.kind) {
    case 'and':
    case 'or':
      for (const one of condition.of) visitCondition(one, names);
      break;
    case 'not':
      visitCondition(condition.of, names);
      break;
    case 'compare':
      visitOperand(condition.left, names);
      visitOperand(condition.right, names);
      break;
    case 'in':
      names.add(condition.set);
      for (const key of condition.keys) {
        visitKey(key, names);
        for (const part of partsOfKey(key)) visitExpression(part, names);
      }
      break;
    case 'given':
      visitExpression(condition.of, names);
  }
}

function visitOperand(operand: Operand, names: Set<string>): void {
  if (operand.kind !== 'text') visitExpression(operand, names);
}
