import { impliedBounds } from './bounds.js';
import { rowsOfDefinition, sizeOfDefinition } from './definitions.js';
import type { Model, Row, Variable } from './model.js';

/*
 * Helpers express variables that are 0 or in a range. Each such variable has a yes-or-no variable, which is 1 if the variable is
 * in its range, and two rows. They follow the variables and rows of the model, in the order of their variables. The yes-or-no
 * variables and rows of definitions come after them, and helper rows for the lower bounds of two-sided conditional rows come
 * last. Helpers are never shown to users.
 *
 * The solver's own semi-continuous variables do the same, but it shortens ranges that end above 1e5. It then fails, or reports a
 * model with a plan as infeasible.
 */

/** Numbers of rows and terms per helper variable. */
const ROWS_PER_HELPER = 2;
const TERMS_PER_HELPER = 4;

/** Number of variables, rows and terms in all helpers of a model. */
export interface HelperSize {
  variables: number;
  rows: number;
  terms: number;
}

export function sizeOfHelpers({ variables, rows }: Pick<Model, 'variables' | 'rows'>): HelperSize {
  const count = variables.reduce((sum, { zeroOr }) => sum + (zeroOr === undefined ? 0 : 1), 0);
  const size = { variables: count, rows: ROWS_PER_HELPER * count, terms: TERMS_PER_HELPER * count };
  for (const { definition } of variables) {
    if (definition === undefined) continue;
    const own = sizeOfDefinition(definition);
    size.variables += own.variables;
    size.rows += own.rows;
    size.terms += own.terms;
  }
  for (const row of rows) {
    if (row.when === undefined) continue;
    size.terms += row.when.variables.length;
    if (!isTwoSided(row)) continue;
    size.rows += 1;
    size.terms += row.terms.variables.length + row.when.variables.length;
  }
  return size;
}

/** Whether both bounds of a row are relaxed, so that the lower bound is in a helper row. */
const isTwoSided = ({ when }: Row): boolean => when !== undefined && when.above > 0 && when.below > 0;

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
  addDefinitions({ variables, rows }, helpers, helperRows);
  const relaxed = rows.map((row) => {
    if (!isTwoSided(row)) return withDecisions(row);
    helperRows.push(withDecisions({ ...row, upper: Infinity }));
    return withDecisions({ ...row, lower: -Infinity });
  });
  return { variables: [...variables, ...helpers], rows: [...relaxed, ...helperRows] };
}

/** Adds the helpers of definitions to the other helpers and their rows. */
function addDefinitions(
  { variables, rows }: Pick<Model, 'variables' | 'rows'>,
  helpers: Variable[],
  helperRows: Row[],
): void {
  if (!variables.some(({ definition }) => definition !== undefined)) return;
  const bounds = impliedBounds(variables, rows);
  for (const [at, { definition }] of variables.entries()) {
    if (definition === undefined) continue;
    const first = variables.length + helpers.length;
    for (let count = sizeOfDefinition(definition).variables; count > 0; count -= 1)
      helpers.push({ name: '', isInteger: true, lower: 0, upper: 1 });
    for (const row of rowsOfDefinition(at, definition, first, bounds)) helperRows.push(row);
  }
}

/**
 * Adds the decisions of a row to its terms. Each decision that is not made relaxes the bound. Drops a second bound, which every
 * plan meets because it need not be relaxed.
 */
function withDecisions(row: Row): Row {
  const { when, ...rest } = row;
  if (when === undefined) return row;
  const isUpper = rest.upper !== Infinity && (when.above > 0 || rest.lower === -Infinity);
  const amount = isUpper ? when.above : -when.below;
  const coefficients = new Map(Array.from(row.terms.variables, (at, place) => [at, row.terms.coefficients[place]!]));
  let made = 0;
  for (let at = 0; at < when.variables.length; at += 1) {
    const variable = when.variables[at]!;
    const change = when.values[at] === 1 ? amount : -amount;
    if (when.values[at] === 1) made += amount;
    coefficients.set(variable, (coefficients.get(variable) ?? 0) + change);
  }
  const terms = { variables: [...coefficients.keys()], coefficients: [...coefficients.values()] };
  return isUpper
    ? { ...rest, terms, lower: -Infinity, upper: rest.upper + made }
    : { ...rest, terms, lower: rest.lower + made, upper: Infinity };
}
