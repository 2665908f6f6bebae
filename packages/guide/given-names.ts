import { quote } from './quote.js';
import { assignmentIn, boundsIn } from './relation-grammar.js';
import type { Sketch, SketchCard } from './sketch.js';
import type { Statement } from './statement.js';

/* Checks names that statements assign to variables, values, columns and sets. */

/**
 * Returns the reason for rejecting a statement that introduces a name which differs from an existing name only in case. Returns
 * undefined for other statements.
 */
export function whyMisnamed(statement: Statement, sketch: Sketch): string | undefined {
  for (const name of namesGivenBy(statement)) {
    const twin = sketch.caseVariantOf(name);
    if (twin === undefined) continue;
    return inCaseAlone(name, twin);
  }
  return undefined;
}

/** Explains that a new name differs from an existing name only in case. */
export function inCaseAlone(name: string, twin: string): string {
  const [added, old] = [quote(name, 60), quote(twin, 60)];
  return `${added} differs from ${old} only in case: write ${old}, or use ${added} in a formula first`;
}

/** Returns the names that a statement would define. */
export function namesGivenBy(statement: Statement): string[] {
  switch (statement.kind) {
    case 'variables':
      return statement.names;
    case 'family':
    case 'definition':
      return [statement.name];
    case 'members':
    case 'derived_set':
      return [statement.set];
    case 'file_set':
      return [statement.set, ...(statement.columnsAs === undefined ? [] : [statement.columnsAs])];
    case 'cells':
    case 'column_name':
      return [statement.column];
    case 'relation': {
      const { label, index, counts, formula } = statement;
      const isPlain = label === undefined && index === undefined && counts === undefined;
      return isPlain ? [(assignmentIn(formula) ?? boundsIn(formula))?.name].filter((name) => name !== undefined) : [];
    }
    default:
      return [];
  }
}

/** Explains that a name is already the name of an objective or a constraint. */
export const namesCard = (name: string, { card_type }: SketchCard): string =>
  `${quote(name, 60)} is the name of the ${card_type}, not a variable: write its formula`;
