import type { GLPK } from 'glpk.js/node';
import type { Goal, Row, Terms, Variable } from '../../packages/solver/model.js';

/** Linear program without integers. */
export interface LinearProgram extends Pick<Goal, 'sense' | 'objective'> {
  rows: readonly Pick<Row, 'terms' | 'lower' | 'upper'>[];
  /** Bounds of the variables. */
  bounds: readonly Pick<Variable, 'lower' | 'upper'>[];
}

/** Returns terms with a coefficient for each variable. */
export const termsOf = (coefficients: readonly number[]): Terms => ({
  variables: coefficients.map((_, at) => at),
  coefficients,
});

/** Whether an objective is better than another objective, which may be missing. */
export const isBetter = ({ sense }: Pick<Goal, 'sense'>, one: number, other: number | undefined): boolean =>
  other === undefined || (sense === 'maximize' ? one > other : one < other);

/** Solves a linear program with GLPK. Returns undefined if it has no optimum. */
export function optimumOf(glpk: GLPK, { sense, objective, rows, bounds }: LinearProgram): number | undefined {
  const limits = ({ lower, upper }: LinearProgram['bounds'][number]) => {
    const [isBelow, isAbove] = [lower !== -Infinity, upper !== Infinity];
    const kinds = isBelow ? [glpk.GLP_LO, lower === upper ? glpk.GLP_FX : glpk.GLP_DB] : [glpk.GLP_FR, glpk.GLP_UP];
    return { type: kinds[isAbove ? 1 : 0]!, lb: isBelow ? lower : 0, ub: isAbove ? upper : 0 };
  };
  const varsOf = ({ variables, coefficients }: Terms) =>
    Array.from(variables, (at, place) => ({ name: `x${at}`, coef: coefficients[place]! }));
  const { result } = glpk.solve(
    {
      name: 'program',
      objective: {
        direction: sense === 'minimize' ? glpk.GLP_MIN : glpk.GLP_MAX,
        name: 'goal',
        vars: varsOf(objective),
      },
      subjectTo: rows.map((row, at) => ({ name: `r${at}`, vars: varsOf(row.terms), bnds: limits(row) })),
      bounds: bounds.map((bound, at) => ({ name: `x${at}`, ...limits(bound) })),
    },
    { msglev: glpk.GLP_MSG_OFF },
  );
  return result.status === glpk.GLP_OPT ? result.z : undefined;
}
