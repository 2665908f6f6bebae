import { beforeAll, describe, expect, it } from '@jest/globals';
import Glpk, { type GLPK } from 'glpk.js/node';
import { Dice } from '../../test/support/dice.js';
import { isBetter, optimumOf, termsOf } from '../../test/support/linear-program.js';
import { solveModel } from '../../test/support/solve-model.js';
import { impliedBounds } from './bounds.js';
import { checkDefinitions, rowsOfDefinition, sizeOfDefinition, withDefinedValues } from './definitions.js';
import { type Highs, loadSolver } from './highs.js';
import { type Definition, emptyModel, type Model, type Row, valueOf, type Variable } from './model.js';
import { sizeOf } from './model-size.js';
import { UndecidedError } from './undecided-error.js';

const MODELS = 150;
/** Number of models with wrong bounds. */
const WRONG_MODELS = 40;
const NEAR = 1e-6;

let highs: Highs;
let glpk: GLPK;
beforeAll(async () => {
  ({ highs } = await loadSolver(1024));
  glpk = await Glpk();
});

const noLimits = () => ({ place: 'The constraint card "Rule"', limits: { above: false, below: false } });
const defined = (definition: Omit<Definition, 'place' | 'limits'>): Variable => ({
  name: '',
  isInteger: false,
  lower: -Infinity,
  upper: Infinity,
  definition: { ...definition, ...noLimits() } as Definition,
});

/** Returns a model whose first variables are yes-or-no variables, and whose last variables have definitions. */
function randomModel(dice: Dice, isInteger: boolean): Model {
  const figure = (): number => dice.below(9) - 4;
  const decisions = 1 + dice.below(2);
  const stated = decisions + 1 + dice.below(2);
  const variables = Array.from({ length: stated }, (_, at): Variable => {
    const name = `x${at}`;
    if (at < decisions) return { name, isInteger: true, lower: 0, upper: 1 };
    // A bound may also follow from the last row.
    const upper = dice.percent(20) ? Infinity : 1 + dice.below(6);
    return { name, isInteger, lower: dice.percent(70) ? 0 : -2, upper };
  });
  for (let count = 1 + dice.below(3); count > 0; count -= 1) {
    const sum = () => ({
      constant: figure(),
      terms: termsOf(variables.map(() => (dice.percent(40) ? 0 : dice.below(5) - 2))),
    });
    variables.push(
      dice.percent(50)
        ? defined({
            kind: 'product',
            of: [dice.below(decisions), decisions + dice.below(variables.length - decisions)],
          })
        : defined({ kind: 'largest', of: Array.from({ length: 1 + dice.below(3) }, sum), name: 'max' } as never),
    );
  }
  const rows = Array.from({ length: 1 + dice.below(3) }, (_, at): Row => {
    const middle = dice.below(17) - 5;
    const kind = dice.weighted({ below: 4, above: 4, between: 1, equal: 1 });
    return {
      name: `r${at}`,
      terms: termsOf(variables.map(() => (dice.percent(30) ? 0 : figure()))),
      lower: kind === 'below' ? -Infinity : middle,
      upper: kind === 'above' ? Infinity : kind === 'between' ? middle + dice.below(5) : middle,
    };
  });
  const most: Row = {
    name: 'most',
    terms: termsOf(variables.map((_, at) => (at < decisions || at >= stated ? 0 : 1))),
    lower: -Infinity,
    upper: 7,
  };
  return {
    ...emptyModel(),
    sense: dice.one(['minimize', 'maximize']),
    objective: termsOf(variables.map(figure)),
    variables,
    rows: [...rows, most],
  };
}

const isNear = (one: number | null | undefined, other: number | undefined): boolean =>
  other === undefined
    ? one === null || one === undefined
    : Math.abs((one ?? NaN) - other) < NEAR * Math.max(1, Math.abs(other));

/** Returns the best objective on the grid of integers, or undefined if no point of the grid is feasible. */
function bestOnGrid(model: Model): number | undefined {
  const { objective, variables, rows } = model;
  let best: number | undefined;
  const values = new Float64Array(variables.length);
  const visit = (at: number): void => {
    const variable = variables[at];
    if (variable !== undefined && variable.definition === undefined) {
      for (values[at] = variable.lower; values[at] <= Math.min(variable.upper, 9); values[at] += 1) visit(at + 1);
      return;
    }
    const all = withDefinedValues(variables, values);
    const fits = rows.every(({ terms, lower, upper }) => valueOf(terms, all) >= lower && valueOf(terms, all) <= upper);
    const value = valueOf(objective, all);
    if (fits && isBetter(model, value, best)) best = value;
  };
  visit(0);
  return best;
}

/** Yields a list of values for each combination of decisions and largest expressions. */
function* choicesOf(variables: readonly Variable[], at = 0): Generator<number[]> {
  const variable = variables[at];
  if (variable === undefined) {
    yield [];
    return;
  }
  const { definition, isInteger } = variable;
  const count = definition?.kind === 'largest' ? definition.of.length : isInteger ? 2 : 1;
  for (let choice = 0; choice < count; choice += 1)
    for (const rest of choicesOf(variables, at + 1)) yield [choice, ...rest];
}

/** Returns the rows of a definition for the given choices. */
function rowsFor(at: number, definition: Definition, choices: readonly number[]): Row[] {
  const row = (terms: Row['terms'], lower: number, upper: number): Row => ({ name: '', terms, lower, upper });
  if (definition.kind !== 'largest') {
    const [decision, factor] = definition.of;
    return [row({ variables: [at, factor], coefficients: [1, -choices[decision]!] }, 0, 0)];
  }
  return definition.of.map(({ constant, terms }, place) =>
    row(
      {
        variables: [at, ...Array.from(terms.variables)],
        coefficients: [1, ...Array.from(terms.coefficients, (one) => -one)],
      },
      constant,
      place === choices[at] ? constant : Infinity,
    ),
  );
}

/** Solves a model with GLPK, with a linear program for each combination of decisions and largest expressions. */
function bestOfChoices(model: Model): number | undefined {
  const { variables, rows } = model;
  let best: number | undefined;
  for (const choices of choicesOf(variables)) {
    const value = optimumOf(glpk, {
      ...model,
      rows: [
        ...rows,
        ...variables.flatMap(({ definition }, at) => (definition ? rowsFor(at, definition, choices) : [])),
      ],
      bounds: variables.map((variable, at) =>
        variable.isInteger ? { lower: choices[at]!, upper: choices[at]! } : variable,
      ),
    });
    if (value !== undefined && isBetter(model, value, best)) best = value;
  }
  return best;
}

/** Replaces definitions with their rows, calculated from changed bounds. */
function withRows(model: Model, change: Partial<Record<'lower' | 'upper', number>>): Model {
  const { variables, rows } = model;
  const bounds = impliedBounds(variables, rows);
  bounds.lower = bounds.lower.map((bound) => bound + (change.lower ?? 0));
  bounds.upper = bounds.upper.map((bound) => bound + (change.upper ?? 0));
  const all: Model = {
    ...model,
    variables: variables.map((variable) => {
      const { name, isInteger, lower, upper } = variable;
      return { name, isInteger, lower, upper };
    }),
    rows: [...rows],
  };
  for (const [at, { definition }] of variables.entries()) {
    if (definition === undefined) continue;
    const first = all.variables.length;
    for (let count = sizeOfDefinition(definition).variables; count > 0; count -= 1)
      all.variables.push({ name: '', isInteger: true, lower: 0, upper: 1 });
    all.rows.push(...rowsOfDefinition(at, definition, first, bounds));
  }
  return all;
}

describe('random models with products and functions of variables', () => {
  it.each([
    ['integers, compared with a grid search', true],
    ['fractions, compared with a linear program for each choice', false],
  ])(`have the right optimum with ${'%s'}`, (_, isInteger) => {
    const dice = new Dice(isInteger ? 31 : 32);
    const seen = { optimal: 0, infeasible: 0, linear: 0 };
    for (let count = 0; count < MODELS; count += 1) {
      const model = randomModel(dice, isInteger);
      const best = isInteger ? bestOnGrid(model) : bestOfChoices(model);
      checkDefinitions(model);
      const { status, objective_value, constraints } = solveModel(highs, model, 10);
      if (!isNear(objective_value, best)) expect({ count, model, status, objective_value }).toEqual(best);
      expect(constraints.every(({ slack }) => slack >= -NEAR)).toBe(true);
      seen[best === undefined ? 'infeasible' : 'optimal'] += 1;
      if (sizeOfDefinition(model.variables.at(-1)!.definition!).variables === 0) seen.linear += 1;
    }
    expect(Math.min(seen.optimal, seen.infeasible, seen.linear)).toBeGreaterThan(MODELS / 30);
  });

  it.each([{ lower: 0 }, { lower: 1 }, { upper: -1 }])('expose rows for wrong bounds: %j', (change) => {
    const dice = new Dice(33);
    let different = 0;
    for (let count = 0; count < WRONG_MODELS; count += 1) {
      const model = randomModel(dice, true);
      const best = bestOnGrid(model);
      checkDefinitions(model);
      try {
        const { objective_value } = solveModel(highs, withRows(model, change), 10);
        // Rows without definitions are only as exact as the decisions of the solver.
        if (!isNear(objective_value === null ? null : Math.round(objective_value), best)) different += 1;
      } catch (error) {
        if (!(error instanceof UndecidedError)) throw error;
        different += 1;
      }
    }
    if (change.lower === 0) expect(different).toBe(0);
    else expect(different).toBeGreaterThan(WRONG_MODELS / 20);
  });
});

describe('a variable with a definition', () => {
  const modelOf = (upper: number, ...definitions: Omit<Definition, 'place' | 'limits'>[]): Model => ({
    ...emptyModel(),
    sense: 'maximize',
    objective: termsOf([-1, 0, ...definitions.map(() => 1)]),
    variables: [
      { name: 'open', isInteger: true, lower: 0, upper: 1 },
      { name: 'make', isInteger: false, lower: 0, upper },
      ...definitions.map(defined),
    ],
    rows: [],
  });
  const product = { kind: 'product', of: [0, 1] } as const;
  const largest = {
    kind: 'largest',
    of: [
      { constant: 0, terms: termsOf([0, 1]) },
      { constant: 3, terms: termsOf([0, 0]) },
    ],
    name: 'max',
  } as const;

  it('counts as a helper and does not appear in the result', () => {
    const model = modelOf(10, product, largest);
    checkDefinitions(model);
    expect(sizeOf(model)).toEqual({ variables: 2, integer_variables: 1, constraints: 0, terms: 0, helpers: 4 });
    expect(solveModel(highs, model, 10)).toMatchObject({
      objective_value: 19,
      variables: { open: 1, make: 10 },
      constraints: [],
    });
  });

  it.each([
    [Infinity, product, 'open and make are multiplied, and make has no upper bound: give it an upper bound'],
    [
      2e6,
      product,
      'open and make are multiplied, and the upper bound of make, 2,000,000, is too large for this: give it a smaller upper bound, or use a larger unit',
    ],
    [
      Infinity,
      largest,
      'the solver must decide which value is the largest, and make has no upper bound: give it an upper bound',
    ],
  ])('needs bounds of at most a million: %p', (upper, definition, reason) => {
    expect(() => checkDefinitions(modelOf(upper, definition))).toThrow(`The constraint card "Rule": ${reason}`);
  });

  it('needs no bounds if a plan cannot be too good without them', () => {
    const model = { ...modelOf(Infinity, largest), sense: 'minimize' as const, objective: termsOf([1, 0, 1]) };
    checkDefinitions(model);
    expect(solveModel(highs, model, 10)).toMatchObject({ objective_value: 3 });
  });

  it('leads to a note if its range is large', () => {
    const model = modelOf(20_000, product);
    checkDefinitions(model);
    expect(solveModel(highs, model, 10).notes).toEqual([expect.stringContaining('range of more than 10,000')]);
  });

  it('names bounds and constraints in a conflict', () => {
    const model = modelOf(10, product);
    model.rows.push({ name: 'Must', terms: termsOf([0, 0, 1]), lower: 12, upper: Infinity });
    checkDefinitions(model);
    expect(solveModel(highs, model, 10)).toMatchObject({ status: 'infeasible', conflict: ['make <= 10', 'Must'] });
  });
});
