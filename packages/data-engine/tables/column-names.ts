/**
 * Returns trimmed and distinct column names. An empty name becomes `column_3`, and a repeated name gets a number: `price`,
 * `price_2`. Names are compared without case, as in SQL.
 */
export function columnNames(given: readonly string[]): string[] {
  const taken = new Set<string>();
  const wanted = given.map((name, index) => {
    const trimmed = name.toWellFormed().replaceAll('\0', '').trim();
    return trimmed === '' ? `column_${index + 1}` : trimmed;
  });
  const all = new Set(wanted.map((name) => name.toLowerCase()));
  return wanted.map((name) => {
    let unique = name;
    // The unique name must not equal another name in the file.
    for (let number = 2; taken.has(unique.toLowerCase()); number += 1) {
      const numbered = `${name}_${number}`;
      if (!all.has(numbered.toLowerCase()) && !taken.has(numbered.toLowerCase())) unique = numbered;
    }
    taken.add(unique.toLowerCase());
    return unique;
  });
}
