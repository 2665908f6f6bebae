import { nearestNames, shortened, type Vocabulary } from '../modelling/index.js';

/**
 * Maximum number of unknown names for which suggestions are made, and maximum number of names on the canvas with which each of
 * them is compared.
 */
const MAX_SUGGESTED = 3;
const MAX_CANDIDATES = 1_000;

/**
 * Returns a sentence such as `. Did you mean Price_kg (column "Price (€/kg)" of demand.csv)?`, or an empty string if no similar
 * name exists.
 */
export function suggestionFor(names: readonly string[], vocabulary: Vocabulary): string {
  const { variables, families, values, columns, computed } = vocabulary;
  const named = [families, values, columns, computed].flatMap((names) => [...(names?.keys() ?? [])]);
  const knownNames = new Set([...variables, ...named]);
  const candidates = [...knownNames].slice(0, MAX_CANDIDATES);
  const suggestions = names.slice(0, MAX_SUGGESTED).flatMap((name) => {
    const nearest = nearestNames(name, candidates).map((one) => describeName(one, vocabulary));
    const whom = names.length === 1 ? '' : ` for ${shortened(name)}`;
    return nearest.length === 0 ? [] : [`${nearest.join(' or ')}${whom}`];
  });
  return suggestions.length === 0 ? '' : `. Did you mean ${suggestions.join(', ')}?`;
}

/** Describes a name, including its column and file if formulas use a different name. */
function describeName(name: string, { columns }: Vocabulary): string {
  const [column] = columns.get(name) ?? [];
  return `${shortened(name)}${column?.origin === undefined ? '' : ` (${column.origin})`}`;
}
