import { sizeOfHelpers } from './helpers.js';
import { assertWithin, type Model, ModelProblem, type Terms } from './model.js';

/** @throws ModelProblem if the model has no variables or exceeds the limits of the solver */
export function checkSize({ variables, rows, objective, priorities }: Model): void {
  if (variables.length === 0) throw new ModelProblem('empty_model', 'The model has no variables');
  const helpers = sizeOfHelpers({ variables, rows });
  assertWithin('variables', variables.length + helpers.variables);
  assertWithin('rows', rows.length + helpers.rows);
  assertWithin(
    'terms',
    [objective, ...(priorities?.later ?? []).map((goal) => goal.objective), ...rows.map(({ terms }) => terms)].reduce(
      (sum, terms) => sum + terms.variables.length,
      helpers.terms,
    ),
  );
}

/** Size of a model. Excludes helpers, and slack variables with their terms, which only make constraints soft. */
export interface ModelSize {
  variables: number;
  /** Number of variables that are integers. */
  integer_variables: number;
  constraints: number;
  /** Number of terms in the constraints. */
  terms: number;
  /**
   * Number of variables that the solver needs in addition, for variables that are 0 or in a range and for expressions that are not
   * linear. Absent for other models.
   */
  helpers?: number;
}

/** Returns the size of a model as users see it. */
export function sizeOf({ variables, rows }: Model): ModelSize {
  const own = variables.filter(({ isSlack, definition }) => isSlack !== true && definition === undefined);
  const isOwn = (at: number): boolean => variables[at]?.isSlack !== true;
  const defined = variables.filter(({ definition }) => definition !== undefined).length;
  const helpers = sizeOfHelpers({ variables, rows }).variables + defined;
  return {
    variables: own.length,
    integer_variables: own.filter(({ isInteger }) => isInteger).length,
    constraints: rows.length,
    terms: rows.reduce((sum, { terms }) => sum + ownTerms(terms, isOwn), 0),
    ...(helpers > 0 && { helpers }),
  };
}

/** Counts the terms of a row without its slack variables, which are at the end. */
function ownTerms({ variables }: Terms, isOwn: (at: number) => boolean): number {
  let count = variables.length;
  while (count > 0 && !isOwn(variables[count - 1]!)) count -= 1;
  return count;
}
