import type { Model, Row, Variable } from './model.js';

/*
 * Helpers express variables that are 0 or in a range. Each such variable has a yes-or-no variable, which is 1 if the variable is
 * in its range, and two rows. They follow the variables and rows of the model, in the order of their variables, and are never
 * shown to users.
 *
 * The solver's own semi-continuous variables do the same, but it shortens ranges that end above 1e5. It then fails, or reports a
 * model with a plan as infeasible.
 */

/** Numbers of rows and terms per helper variable. */
export const ROWS_PER_HELPER = 2;
const TERMS_PER_HELPER = 4;

/** Number of variables, rows and terms in all helpers of a model. */
export interface HelperSize {
  variables: number;
  rows: number;
  terms: number;
}

export function sizeOfHelpers(variables: readonly Variable[]): HelperSize {
  const count = variables.reduce((sum, { zeroOr }) => sum + (zeroOr === undefined ? 0 : 1), 0);
  return { variables: count, rows: ROWS_PER_HELPER * count, terms: TERMS_PER_HELPER * count };
}

/** Returns the variables and rows of a model, followed by its helpers. */
export function withHelpers({ variables, rows }: Pick<Model, 'variables' | 'rows'>): Pick<Model, 'variables' | 'rows'> {
  const helpers: Variable[] = [];
  const helperRows: Row[] = [];
  for (const [at, { zeroOr }] of variables.entries()) {
    if (zeroOr === undefined) continue;
    const helper = variables.length + helpers.length;
    helpers.push({ name: '', isInteger: true, lower: 0, upper: 1 });
    const difference = (bound: number) => ({ variables: [at, helper], coefficients: [1, -bound] });
    helperRows.push(
      { name: '', terms: difference(zeroOr.lower), lower: 0, upper: Infinity },
      { name: '', terms: difference(zeroOr.upper), lower: -Infinity, upper: 0 },
    );
  }
  return helpers.length === 0
    ? { variables, rows }
    : { variables: [...variables, ...helpers], rows: [...rows, ...helperRows] };
}
