/** Checks that a hand-written list matches the actual items. The error starts with the name of the file to change. */
export function assertComplete(file: string, listed: readonly string[], actual: readonly string[]): void {
  const missing = actual.filter((name) => !listed.includes(name));
  const stale = listed.filter((name) => !actual.includes(name));
  const repeated = listed.filter((name, at) => listed.indexOf(name) !== at);
  if (missing.length > 0) throw new Error(`${file} lacks ${missing.join(', ')}`);
  if (stale.length > 0) throw new Error(`${file} has ${stale.join(', ')}, which no longer exists`);
  if (repeated.length > 0) throw new Error(`${file} has ${repeated.join(', ')} twice`);
}
