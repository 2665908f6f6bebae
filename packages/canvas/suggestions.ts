import { nearestNames, shortened, type Vocabulary } from '../modelling/index.js';

/** Unknown names for which a message suggests others, and names of a canvas that are compared with each. */
const MAX_SUGGESTED = 3;
const MAX_CANDIDATES = 1_000;

/** `. Did you mean Price_kg (column "Price (€/kg)" of demand.csv)?`; empty if no name of the canvas is near. */
export function suggestionFor(names: readonly string[], vocabulary: Vocabulary): string {
  const { variables, families, values, columns } = vocabulary;
  const known = new Set([...variables, ...families.keys(), ...values.keys(), ...columns.keys()]);
  const candidates = [...known].slice(0, MAX_CANDIDATES);
  const suggestions = names.slice(0, MAX_SUGGESTED).flatMap((name) => {
    const nearest = nearestNames(name, candidates).map((one) => described(one, vocabulary));
    const whom = names.length === 1 ? '' : ` for ${shortened(name)}`;
    return nearest.length === 0 ? [] : [`${nearest.join(' or ')}${whom}`];
  });
  return suggestions.length === 0 ? '' : `. Did you mean ${suggestions.join(', ')}?`;
}

/** A name, and what it is called in its file where formulas call it otherwise. */
function described(name: string, { columns }: Vocabulary): string {
  const [column] = columns.get(name) ?? [];
  return `${shortened(name)}${column?.origin === undefined ? '' : ` (${column.origin})`}`;
}
