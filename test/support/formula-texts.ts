import type { Condition, Expression, Formula, Index, Key, Operand } from '../../packages/modelling/formula.js';

/** Formats a formula as text that parses to the same formula. */
export const printFormula = ({ sides: [first, ...others], relations, strict }: Formula): string =>
  others.reduce((text, side, at) => {
    const relation = strict?.includes(at) === true ? relations[at]?.charAt(0) : relations[at];
    return `${text} ${relation} ${printExpression(side)}`;
  }, printExpression(first));

/** Formats an index as text that parses to the same index. */
export function printIndex({ over, where }: Index): string {
  const memberships = over.map(({ names, set }) => {
    const [name] = names;
    return `${names.length === 1 ? name : `(${names.join(', ')})`} in ${set}`;
  });
  return memberships.join(', ') + (where === undefined ? '' : ` where ${printCondition(where)}`);
}

export function printExpression(expression: Expression): string {
  switch (expression.kind) {
    case 'number':
      return String(expression.value);
    case 'name':
      return expression.name;
    case 'sum':
      return expression.parts
        .map(({ negative, of }, at) => {
          const sign = negative ? '- ' : at > 0 ? '+ ' : '';
          return `${sign}${inside(of, 'sum', 'choice')}`;
        })
        .join(' ');
    case 'product':
      return expression.factors
        .map(({ divisor, of }, at) => {
          const sign = divisor ? '/ ' : at > 0 ? '* ' : '';
          return `${sign}${inside(of, 'sum', 'product', 'total', 'choice')}`;
        })
        .join(' ');
    case 'member':
      return `${expression.name}[${expression.keys.map(printKey).join(', ')}]`;
    case 'call':
      return `${expression.name}(${expression.of.map(printExpression).join(', ')})`;
    case 'end':
      return printKey(expression);
    case 'position':
      return `position(${expression.name})`;
    case 'tiered':
      return `tiered(${expression.name}, ${printExpression(expression.of)})`;
    case 'choice': {
      const { when, then, otherwise } = expression;
      const shown = printExpression(otherwise);
      const isLong = otherwise.kind === 'sum' && (otherwise.parts.length > 1 || otherwise.parts[0]?.of.kind === 'sum');
      return `if ${printCondition(when)} then ${printExpression(then)} else ${isLong ? `(${shown})` : shown}`;
    }
    case 'total':
      return `${expression.by} ${printIndex(expression.over)}: ${inside(expression.of, 'sum', 'choice')}`;
  }
}

/** Formats an expression, in parentheses if it has one of the given kinds. */
function inside(expression: Expression, ...kinds: Expression['kind'][]): string {
  const text = printExpression(expression);
  return kinds.includes(expression.kind) ? `(${text})` : text;
}

function printKey(key: Key): string {
  switch (key.kind) {
    case 'text':
      return quoted(key.text);
    case 'end':
      return `${key.which}(${key.set})`;
    case 'label':
      return printExpression(key.of);
    case 'index': {
      const sign = (key.lag < 0 ? '-' : '+').repeat(key.isCyclic === true ? 2 : 1);
      return key.lag === 0 ? key.name : `${key.name} ${sign} ${Math.abs(key.lag)}`;
    }
    case 'shift': {
      const [part] = key.by.kind === 'sum' ? key.by.parts : [];
      const isNegative = key.by.kind === 'sum' && key.by.parts.length === 1 && part?.negative === true;
      const sign = (isNegative ? '-' : '+').repeat(key.isCyclic === true ? 2 : 1);
      return `${key.name} ${sign} (${printExpression(isNegative ? part.of : key.by)})`;
    }
  }
}

function printCondition(condition: Condition): string {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.of
        .map((one) => (one.kind === 'and' || one.kind === 'or' ? `(${printCondition(one)})` : printCondition(one)))
        .join(` ${condition.kind} `);
    case 'not': {
      const { of } = condition;
      return `not ${of.kind === 'and' || of.kind === 'or' ? `(${printCondition(of)})` : printCondition(of)}`;
    }
    case 'compare':
      return `${printOperand(condition.left)} ${condition.comparison} ${printOperand(condition.right)}`;
    case 'in': {
      const keys = condition.keys.map(printKey).join(', ');
      const isBare = condition.keys.every((key) => key.kind !== 'shift' && (key.kind !== 'index' || key.lag === 0));
      return `${condition.keys.length === 1 && isBare ? keys : `(${keys})`} in ${condition.set}`;
    }
    case 'given':
      return `${printExpression(condition.of)} is given`;
  }
}

const printOperand = (operand: Operand): string =>
  operand.kind === 'text' ? quoted(operand.text) : printExpression(operand);

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** Removes source positions, so that two texts with the same meaning have equal results. */
export function withoutPlaces<Read>(read: Read): Read {
  const replaced = JSON.stringify(read, (key, value: unknown) => (key === 'position' ? undefined : value));
  return JSON.parse(replaced) as Read;
}
