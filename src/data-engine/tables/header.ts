import type { ColumnProfiles } from './column-types.js';

/**
 * Whether the first row holds names. It does when some cell is not of its column's type; it does not when columns have types and
 * their first cells too, but for years in a row (`product;2024;2025`). A table of texts only has a header, unless its first row is
 * all there is and has a value in it.
 *
 * `profiles` are of the other rows.
 */
export function isHeader(first: readonly string[], ofFirst: ColumnProfiles, profiles: ColumnProfiles): boolean {
  const filled = first.map((_, column) => column).filter((column) => ofFirst.hasValues(column));
  const typed = filled.filter((column) => profiles.isTyped(column));
  if (typed.some((column) => !profiles.isLike(column, ofFirst))) return true;
  if (typed.length > 0) return typed.length < filled.length && areYears(typed.map((column) => first[column]!));
  return filled.some((column) => profiles.hasValues(column)) || !filled.some((column) => ofFirst.isTyped(column));
}

function areYears(cells: string[]): boolean {
  const years = cells.map(Number);
  return years.every((year, index) => year >= 1900 && year <= 2100 && (index === 0 || year === years[index - 1]! + 1));
}
