import { describe, expect, it } from '@jest/globals';
import { cpuMs } from '../../test/support/cpu-time.js';
import { repeated, SHAPES } from '../../test/support/hostile-texts.js';
import { isProblem } from '../modelling/formula.js';
import { parseFormula } from '../modelling/parse-formula.js';
import { linearize } from '../modelling/linear.js';
import type { CardContent } from './card.js';
import { judgeAndDerive } from './derivation.js';

const constraint = (id: number, expression: string, more: object = {}): CardContent => ({
  id: String(id),
  card_type: 'constraint',
  label: `Constraint ${id}`,
  data: { expression, classification: 'hard', ...more },
});

/** Returns a sum of many names, with at most 2,000 characters. The sum differs for each `first`. */
function longSum(first: number, before = '', behind = ''): string {
  let text = `${before}n${first}`;
  for (let name = 0; text.length + behind.length < 1_970; name += 1) text += `+a${name.toString(36)}`;
  return `${text}${behind} <= 1`;
}
const canvasOf = (expression: (index: number) => string): CardContent[] =>
  Array.from({ length: 500 }, (_, index) => constraint(index, expression(index)));

describe('the parser with hostile formulas', () => {
  it.each(SHAPES)('parses or rejects repetitions of %j in under 50 ms', (shape) => {
    for (const around of [
      ['', ''],
      ['x ', ' <= 1'],
      ['1 + ', '\u0000'],
    ] as [string, string][]) {
      const text = repeated(shape, 2_000, around);
      const read = (): void => {
        const formula = parseFormula(text);
        if (!isProblem(formula)) linearize(formula.sides[0], new Map());
      };
      // The first call also compiles the regular expressions.
      read();
      expect(cpuMs(read)).toBeLessThan(50);
    }
  });

  it('rejects nested parentheses that would require visiting too many terms', () => {
    const formula = parseFormula(longSum(0, '2('.repeat(45), ')'.repeat(45)));
    if (isProblem(formula)) throw new Error(formula.problem);
    expect(linearize(formula.sides[0], new Map())).toEqual({ problem: expect.stringContaining('parentheses') });
  });
});

describe('judgeAndDerive with 500 long formulas', () => {
  it.each<[string, (index: number) => string]>([
    ['many names', (index) => longSum(index)],
    ['deep parentheses', (index) => longSum(index + 1_000, '2('.repeat(45), ')'.repeat(45))],
    ['signs', (index) => `${'-'.repeat(1_900)}x${index}`],
  ])('is fast on the first call and after an edit: %s', (_, expression) => {
    const cards = canvasOf(expression);
    expect(cpuMs(() => judgeAndDerive(cards))).toBeLessThan(3_000);
    cards[250] = constraint(250, 'x + y <= 4');
    expect(cpuMs(() => judgeAndDerive(cards))).toBeLessThan(300);
  });

  it('limits the length of gap messages', () => {
    const name = 'x'.repeat(1_000);
    const { judgements } = judgeAndDerive([
      constraint(0, longSum(0)),
      constraint(1, `${name} * ${name}y <= 1`),
      constraint(2, '1'.repeat(2_000)),
      { id: '3', card_type: 'variable', label: 'x', data: { name } },
      { id: '4', card_type: 'data', label: 'x', data: { values: { [name]: 1 } } },
    ]);
    const messages = judgements.flatMap(({ gaps }) => gaps.map(({ message }) => message));
    expect(messages[0]).toMatch(/^No variable or value on the canvas is called n0, a0, (?:\w+, ){7}a8 and \d+ more$/);
    expect(Math.max(...messages.map(({ length }) => length))).toBeLessThan(300);
  });
});

describe('judgeAndDerive with many values', () => {
  const data = (id: number, count: number): CardContent => ({
    id: String(id),
    card_type: 'data',
    label: `Data ${id}`,
    data: { values: Object.fromEntries(Array.from({ length: count }, (_, index) => [`v${id}_${index}`, index])) },
  });

  it('reads up to 20,000 values and reports the limit on cards that would exceed it', () => {
    const cards = [data(0, 15_000), data(1, 5_001), data(2, 5_000), constraint(3, 'v0_1 + v2_1 + v1_1 <= 1')];
    const { judgements } = judgeAndDerive(cards);
    const message = 'The data cards of a canvas can have at most 20000 values in total';
    expect(judgements.map(({ gaps }) => gaps.filter((gap) => gap.severity !== 'info'))).toEqual([
      [],
      [{ field: 'values', message, severity: 'blocking' }],
      [],
      [{ field: 'expression', message: expect.stringMatching(/called v1_1$/), severity: 'warning' }],
    ]);
  });

  it('caches the values of a canvas', () => {
    const cards = Array.from({ length: 128 }, (_, index) => data(index, 3_000));
    expect(cpuMs(() => judgeAndDerive(cards))).toBeLessThan(3_000);
    expect(cpuMs(() => judgeAndDerive(cards))).toBeLessThan(500);
  });
});

it('limits the checklist to 20 objectives and their description to 2,000 characters', () => {
  const objectives = Array.from({ length: 30 }, (_, index): CardContent => ({
    id: String(index),
    card_type: 'objective',
    label: 'Goal',
    data: { expression: 'x'.repeat(3_000), description: 'y'.repeat(1_000) },
  }));
  const { objective_components, objective_description } = judgeAndDerive(objectives).derived;
  expect(objective_components).toHaveLength(20);
  expect(objective_components[0]).toMatchObject({ expression: `${'x'.repeat(2_000)}…` });
  expect(objective_description).toHaveLength(2_001);
});
