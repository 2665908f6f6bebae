/** Returns a name as it is written in the file, without surrounding spaces. */
const trimmed = (name: string): string => name.toWellFormed().replaceAll('\0', '').trim();

/** Adds the headers of a file to its columns if they differ from the names. */
export const withHeaders = <Column extends { name: string }>(
  columns: readonly Column[],
  rawNames: readonly string[],
): (Column & { header?: string })[] =>
  columns.map((column, index) => {
    const header = trimmed(rawNames[index] ?? '');
    return header === column.name ? column : { ...column, header };
  });

/**
 * Trims column names and makes them unique. An empty name becomes `column_3`, and a repeated name gets a number: `price`,
 * `price_2`. Names are compared case-insensitively, as in SQL.
 */
export function columnNames(rawNames: readonly string[]): string[] {
  const usedNames = new Set<string>();
  const trimmedNames = rawNames.map((name, index) => trimmed(name) || `column_${index + 1}`);
  const all = new Set(trimmedNames.map((name) => name.toLowerCase()));
  return trimmedNames.map((name) => {
    let unique = name;
    // The numbered name must not equal another name in the file.
    for (let number = 2; usedNames.has(unique.toLowerCase()); number += 1) {
      const numbered = `${name}_${number}`;
      if (!all.has(numbered.toLowerCase()) && !usedNames.has(numbered.toLowerCase())) unique = numbered;
    }
    usedNames.add(unique.toLowerCase());
    return unique;
  });
}
