/**
 * Names as they are in the file, trimmed; an empty one becomes `column_3`, one that was there before (whatever its letters' case,
 * as SQL compares names) gets a number: `price`, `price_2`. No two answers are equal.
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
    // Neither a name that another column has from the file.
    for (let number = 2; taken.has(unique.toLowerCase()); number += 1) {
      const numbered = `${name}_${number}`;
      if (!all.has(numbered.toLowerCase()) && !taken.has(numbered.toLowerCase())) unique = numbered;
    }
    taken.add(unique.toLowerCase());
    return unique;
  });
}
