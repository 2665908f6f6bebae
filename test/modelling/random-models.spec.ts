import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { checkFormula, type Use } from '../../packages/modelling/check.js';
import { worlds, wrongWorlds } from './random-world.js';
import { expandSlowly } from './slow-expansion.js';
import {
  type Fault,
  formulaOf,
  indexOf,
  type Matrix,
  matrixOfCards,
  matrixOfSpace,
  vocabularyOf,
  type World,
} from './world.js';

/*
 * Expands random models both with the service and member by member, and compares the results. `MODELS` is the number of
 * models of each kind, and `MODELS_SEED` is the random seed.
 */

const MODELS = Number(process.env['MODELS'] ?? 100);
const SEED = process.env['MODELS_SEED'];
/** If a seed is set, a failing model is shrunk, which takes minutes. */
const OPTIONS = { numRuns: MODELS, ...(SEED === undefined ? { endOnFailure: true } : { seed: Number(SEED) }) };
const TIMEOUT = 30_000 + 100 * MODELS;

const near = (one: number | undefined, other: number | undefined, scale: number): boolean =>
  one === other || Math.abs((one ?? 0) - (other ?? 0)) <= 1e-9 * Math.max(1, scale);

/** Returns the problems that a world's formulas have regardless of its data. */
function problemsOf(world: World): unknown[] {
  const vocabulary = vocabularyOf(world);
  const check = (text: string, index: string | undefined, use: Use) =>
    checkFormula(formulaOf(text), indexOf(index), use, vocabulary);
  return [
    ...world.constraints.map(({ index, expression }) => check(expression, index, 'constraint')),
    ...world.objectives.map(({ expression }) => check(expression, undefined, 'objective')),
    ...world.variables.map(({ index, upper }) => check(typeof upper === 'string' ? upper : '0', index, 'bound')),
  ].filter(({ problem, unknown }) => problem !== undefined || unknown.length > 0);
}

/** Returns the differences between two models, or an empty array if they are equal. */
function differences(one: Matrix | Fault, other: Matrix | Fault): string[] {
  if (typeof one === 'string' || typeof other === 'string')
    return one === other ? [] : [`${shown(one)} beside ${shown(other)}`];
  const found: string[] = [];
  const termsOf = (place: string, some: Map<string, number>, others: Map<string, number>): void => {
    const scale = Math.max(...[...some.values(), ...others.values()].map(Math.abs), 0);
    for (const name of new Set([...some.keys(), ...others.keys()]))
      if (!near(some.get(name), others.get(name), scale))
        found.push(`${place}: ${name} times ${some.get(name)} beside ${others.get(name)}`);
  };
  const bounded = (
    place: string,
    some?: { lower: number; upper: number },
    others?: { lower: number; upper: number },
  ): void => {
    for (const side of ['lower', 'upper'] as const)
      if (some === undefined || others === undefined || !near(some[side], others[side], Math.abs(some[side])))
        found.push(`${place}: ${side} ${some?.[side]} beside ${others?.[side]}`);
  };
  for (const name of new Set([...one.variables.keys(), ...other.variables.keys()]))
    bounded(name, one.variables.get(name), other.variables.get(name));
  for (const name of new Set([...one.rows.keys(), ...other.rows.keys()])) {
    const [row, its] = [one.rows.get(name), other.rows.get(name)];
    bounded(name, row, its);
    if (row !== undefined && its !== undefined) termsOf(name, row.terms, its.terms);
  }
  termsOf('objective', one.objective, other.objective);
  if (!near(one.constant, other.constant, Math.abs(one.constant)))
    found.push(`${one.constant} beside ${other.constant}`);
  return found;
}
const shown = (made: Matrix | Fault): string => (typeof made === 'string' ? made : 'a model');

const textsOf = ({ sets, variables, objectives, constraints }: World): object => ({
  sets,
  variables: variables.map(({ name, index, lower, upper }) => [name, index, lower, upper]),
  objectives: objectives.map(({ expression }) => expression),
  constraints: constraints.map(({ label, index, expression }) => [label, index, expression]),
});

describe.each([
  ['of cards', false, matrixOfCards],
  ['with pairs', true, matrixOfSpace],
] as const)('random models %s', (_, hasPairs, expand) => {
  it(
    'have the same result as when they are expanded member by member',
    () => {
      const seen = { terms: 0, rows: 0 };
      fc.assert(
        fc.property(worlds(hasPairs), (world) => {
          const slow = expandSlowly(world);
          const texts = textsOf(world);
          expect({ ...texts, found: differences(expand(world), slow) }).toEqual({ ...texts, found: [] });
          expect(problemsOf(world)).toEqual([]);
          if (typeof slow === 'string') throw new Error(`A model that makes sense is refused: ${slow}`);
          seen.rows += slow.rows.size;
          for (const { terms } of slow.rows.values()) seen.terms += terms.size;
        }),
        OPTIONS,
      );
      expect(seen.rows).toBeGreaterThan(MODELS);
      expect(seen.terms).toBeGreaterThan(3 * MODELS);
    },
    TIMEOUT,
  );

  /*
   * The service checks a condition as early as possible, even for members that another condition excludes. Only in this
   * case may it reject a model that can be expanded member by member without errors.
   */
  it(
    'are rejected with the same error whenever the member-by-member expansion fails',
    () => {
      const seen = { wrong: 0, agreed: 0, early: 0 };
      fc.assert(
        fc.property(wrongWorlds(hasPairs), (world) => {
          const slow = expandSlowly(world);
          const made = expand(world);
          if (typeof slow === 'string') seen.wrong += 1;
          if (typeof made === 'string' && typeof slow !== 'string') {
            // Unknown names are reported even if the expression does not apply to any member.
            if (made === 'other') return;
            seen.early += 1;
            expect(JSON.stringify(textsOf(world))).toContain(' where ');
            return;
          }
          seen.agreed += 1;
          const texts = textsOf(world);
          expect({ ...texts, found: differences(made, slow) }).toEqual({ ...texts, found: [] });
        }),
        OPTIONS,
      );
      expect(seen.wrong).toBeGreaterThan(MODELS / 20);
      expect(seen.early).toBeLessThan(MODELS / 10);
    },
    TIMEOUT,
  );
});
