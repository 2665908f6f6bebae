import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import Glpk, { type GLPK, type LP } from 'glpk.js/node';
import { readLp } from './lp-reader.js';
import type { Model, Terms } from './model.js';
import { type Highs, loadSolver } from './highs.js';
import { solveModel } from '../../test/support/solve-model.js';

const FOLDER = 'test/models';
const names = readdirSync(FOLDER).flatMap((file) => (file.endsWith('.lp') ? [file.slice(0, -'.lp'.length)] : []));
const textOf = (name: string): string => readFileSync(`${FOLDER}/${name}.lp`, 'utf8');
/** Status `infeasible` or `unbounded`, or the optimal objective. */
type Outcome = string | number;

const outcomeIn = (text: string): Outcome => {
  const [, expected = ''] = /^\\ expected: (.+)$/m.exec(text) ?? [];
  return /^[a-z]/.test(expected) ? expected : Number(expected);
};

let highs: Highs;
let glpk: GLPK;
beforeAll(async () => {
  ({ highs } = await loadSolver(1024));
  glpk = await Glpk();
});

/** Solves a model with GLPK, an independent solver. */
function byGlpk({ sense, objective, constant, variables, rows }: Model): Outcome {
  const vars = ({ variables: indexes, coefficients }: Terms) =>
    Array.from(indexes, (index, at) => ({ name: `v${index}`, coef: coefficients[at] ?? 0 }));
  const limits = (lower: number, upper: number) => ({
    type:
      lower === upper
        ? glpk.GLP_FX
        : lower === -Infinity
          ? upper === Infinity
            ? glpk.GLP_FR
            : glpk.GLP_UP
          : upper === Infinity
            ? glpk.GLP_LO
            : glpk.GLP_DB,
    lb: Number.isFinite(lower) ? lower : 0,
    ub: Number.isFinite(upper) ? upper : 0,
  });
  // GLPK requires that every variable occurs in the objective or in a row.
  const unused = variables.map((_, index) => ({ name: `v${index}`, coef: 0 }));
  const weights = new Map(vars(objective).map(({ name, coef }) => [name, coef]));
  const generals = variables.flatMap(({ isInteger }, index) => (isInteger ? [`v${index}`] : []));
  const problem: LP = {
    name: 'model',
    objective: {
      direction: sense === 'minimize' ? glpk.GLP_MIN : glpk.GLP_MAX,
      name: 'objective',
      vars: unused.map(({ name }) => ({ name, coef: weights.get(name) ?? 0 })),
    },
    subjectTo: rows.map(({ terms, lower, upper }, index) => ({
      name: `r${index}`,
      vars: vars(terms),
      bnds: limits(lower, upper),
    })),
    bounds: variables.map(({ lower, upper }, index) => ({ name: `v${index}`, ...limits(lower, upper) })),
  };
  const solve = (lp: LP, presol: boolean) => glpk.solve(lp, { msglev: glpk.GLP_MSG_OFF, presol }).result;
  // Integer programs need GLPK's presolver, which does not distinguish infeasible from unbounded problems. Their
  // relaxations are therefore solved without the presolver.
  const whole = generals.length === 0 ? undefined : solve({ ...problem, generals }, true);
  if (whole?.status === glpk.GLP_OPT) return whole.z + constant;
  const { status, z } = solve(problem, false);
  if (status === glpk.GLP_UNBND) return 'unbounded';
  return whole === undefined && status === glpk.GLP_OPT ? z + constant : 'infeasible';
}

/** Solves a model in LP format with the LP reader of HiGHS. */
function byHighsAlone(text: string): { outcome: Outcome; columns: unknown[]; rows: unknown[] } {
  return highs.withModel({ format: 'lp', data: text }, (model) => {
    model.options.set({ output_flag: false, mip_rel_gap: 0 });
    const { colLower, colUpper, integrality, rowLower, rowUpper } = model.getLp();
    const columns = Array.from(colLower, (lower, index) => [
      model.getColName(index),
      lower,
      colUpper[index],
      integrality[index] === 1,
    ]);
    const rows = Array.from(rowLower, (lower, index) => [lower, rowUpper[index]]);
    model.run();
    const { modelStatus } = highs.constants;
    const status = model.getModelStatus();
    const outcome =
      status === modelStatus.optimal
        ? model.getObjectiveValue()
        : status === modelStatus.infeasible
          ? 'infeasible'
          : 'unbounded';
    return { outcome, columns, rows };
  });
}

describe('textbook problems', () => {
  it('include at least thirty cases, some of them infeasible or unbounded', () => {
    const outcomes = names.map((name) => outcomeIn(textOf(name)));
    expect(names.length).toBeGreaterThanOrEqual(30);
    for (const kind of ['infeasible', 'unbounded']) expect(outcomes).toContain(kind);
  });

  it.each(names)('have the same outcome as in the book, in GLPK and with the LP reader of HiGHS: %s', (name) => {
    const text = textOf(name);
    const model = readLp(text);
    const { status, objective_value } = solveModel(highs, model, 10);
    const ours = status === 'optimal' ? objective_value : status;
    const alone = byHighsAlone(text);
    for (const theirs of [outcomeIn(text), alone.outcome, byGlpk(model)]) {
      if (typeof theirs === 'string') expect(ours).toBe(theirs);
      else expect(Math.abs((ours as number) - theirs)).toBeLessThanOrEqual(1e-6 * Math.max(1, Math.abs(theirs)));
    }
    const columns = model.variables.map((variable) => [
      variable.name,
      variable.lower,
      variable.upper,
      variable.isInteger,
    ]);
    expect(columns).toEqual(expect.arrayContaining(alone.columns));
    expect(columns).toHaveLength(alone.columns.length);
    expect(model.rows.map(({ lower, upper }) => [lower, upper])).toEqual(alone.rows);
  });
});
