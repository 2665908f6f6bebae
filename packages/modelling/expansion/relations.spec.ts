import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Formula, isProblem } from '../formula.js';
import { linearRows } from '../linear.js';
import { parseFormula } from '../parse-formula.js';
import { STAND_INS } from './defined-variables.js';
import { Evaluator } from './evaluator.js';
import { ONE_ROW } from './frame.js';
import { ExpansionRefusal } from './refusal.js';
import { rowsOf } from './relations.js';
import { Space } from './space.js';

const VARIABLES = ['x', 'y', 'z'];
const VALUES = new Map([
  ['price', 2.1],
  ['zero', 0],
  ['huge', 1e200],
]);

type Rows = { terms: Map<string, number>; lower: number; upper: number }[];

function expanded(formula: Formula): Rows | string {
  const space = new Space();
  for (const [at, name] of VARIABLES.entries()) space.variables.set(name, at);
  for (const [name, value] of VALUES) space.values.set(name, value);
  try {
    return rowsOf(new Evaluator(space, (variable) => VARIABLES[variable]!, STAND_INS), formula, ONE_ROW).map(
      ({ terms, lower, upper }) => ({
        terms: new Map(
          Array.from({ length: terms.size }, (_, at) => [VARIABLES[terms.columns[at]!]!, terms.coefficients[at]!]),
        ),
        lower: lower[0]!,
        upper: upper[0]!,
      }),
    );
  } catch (error) {
    if (error instanceof ExpansionRefusal) return error.reason.problem;
    throw error;
  }
}

/**
 * Removes variable names from an error message, because the two implementations may list the variables of a factor in
 * a different order. For `x - x + y + x`, one lists `y` first and the other lists `x` first.
 */
const withoutVariables = (result: Rows | string): Rows | string =>
  typeof result === 'string' ? result.replace(/(variables? ).*/, '$1...') : result;

const { side } = fc.letrec<{ side: string }>((tie) => ({
  side: fc.oneof(
    { maxDepth: 4, depthSize: 'medium' },
    fc.constantFrom(...VARIABLES, ...VALUES.keys(), '2', '0.1', '3', '0', '1e150'),
    fc.tuple(tie('side'), fc.constantFrom('+', '-'), tie('side')).map((parts) => parts.join(' ')),
    fc
      .tuple(fc.constantFrom('2', '0', '0.7', 'price', 'zero', 'x'), fc.constantFrom('*', '/'), tie('side'))
      .map(([factor, sign, of]) => `${factor} ${sign} (${of})`),
    fc.tuple(tie('side'), fc.constantFrom('3', '0.3', 'price', 'zero')).map(([of, by]) => `(${of}) / ${by}`),
    tie('side').map((of) => `-(${of})`),
  ),
}));

describe('rowsOf without an index', () => {
  const parsed = (text: string): Formula => {
    const formula = parseFormula(text);
    if (isProblem(formula)) throw new Error(formula.problem);
    return formula;
  };

  it('returns exactly the same rows as linearRows', () => {
    const seen = { rows: 0, refused: 0 };
    // All relations of a chain point in the same direction.
    const chain = fc
      .constantFrom('<=', '>=')
      .chain((way) => fc.array(fc.tuple(fc.constantFrom(way, '='), side), { minLength: 1, maxLength: 3 }));
    fc.assert(
      fc.property(side, chain, (first, rest) => {
        const formula = parsed([first, ...rest.flat()].join(' '));
        const expected = linearRows(formula, VALUES);
        const actual = expanded(formula);
        // Products of variables are only allowed with an index.
        if (isProblem(expected) && expected.isNonlinear === true) return;
        if (isProblem(expected)) seen.refused += 1;
        else seen.rows += 1;
        expect(withoutVariables(actual)).toEqual(withoutVariables(isProblem(expected) ? expected.problem : expected));
      }),
      { numRuns: 500 },
    );
    expect(seen.rows).toBeGreaterThan(100);
    expect(seen.refused).toBeGreaterThan(20);
  });

  it.each([
    ['0 * x <= y', [{ terms: new Map([['y', 1]]), lower: 0, upper: Infinity }]],
    ['(0 * x) * y <= 1', [{ terms: new Map(), lower: -Infinity, upper: 1 }]],
    ['2 x + 2 y <= y + x <= 4', [{ terms: new Map(Object.entries({ x: 1, y: 1 })), lower: -Infinity, upper: 0 }]],
  ])('expands %s', (text, rows) => {
    expect(expanded(parsed(text))).toEqual(rows);
    expect(linearRows(parsed(text), VALUES)).toEqual(rows);
  });
});
