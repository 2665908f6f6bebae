/** Explains where figures over several sets come from. */
export function twoSets(name: string, sets: readonly string[]): string {
  const keys = sets.length < 2 ? 'first, second' : sets.join(', ');
  return `figures over several sets are read from a file: write \`${name} from ${name}.csv key ${keys}\`, where the file has the columns ${keys}, ${name}`;
}
