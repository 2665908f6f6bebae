import { extensionOf, nameOf, splitName } from '../paths';

/** Extensions of files that can be read as tables. */
const TABLES = new Set([
  ...['.csv', '.tsv', '.tab', '.txt', '.json', '.ndjson', '.jsonl'],
  ...['.parquet', '.xlsx', '.xlsm'],
]);
/** Reserved words. As names, they need quotes. All other words are unambiguous. */
const RESERVED_WORDS =
  /^(all|and|any|as|asc|by|case|desc|distinct|else|end|from|group|having|in|is|join|like|limit|not|null|on|or|order|select|table|then|to|union|using|when|where|with|default|check|column|offset|only|do|end|for|into|user|values|window)$/i;

export interface TableReference {
  path: string;
  sheet?: string;
}

export const isTable = (path: string): boolean => TABLES.has(extensionOf(path));

/** Returns a name as an SQL identifier, quoted if necessary. */
export const identifier = (name: string): string =>
  /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !RESERVED_WORDS.test(name) ? name : `"${name.replaceAll('"', '""')}"`;

/**
 * Returns SQL names for the tables in a folder. The open table comes first. The extension is omitted if the name stays unique.
 */
export function tableNames(
  path: string,
  sheet: string | undefined,
  folderPaths: readonly string[],
): Map<string, TableReference> {
  const own = { path, ...(sheet !== undefined && { sheet }) };
  const references: TableReference[] = [
    own,
    ...folderPaths.filter((one) => one !== path && isTable(one)).map((one) => ({ path: one })),
  ];
  const names = new Map<string, TableReference>();
  const usedNames = new Set<string>();
  for (const reference of references) {
    const name = nameOf(reference.path);
    const [stem] = splitName(name);
    const unusedName = [stem, name].find((one) => !usedNames.has(one.toLowerCase()));
    // Another name differs only in case. The table can still be used in a statement by its path.
    if (unusedName === undefined) continue;
    usedNames.add(unusedName.toLowerCase());
    names.set(unusedName, reference);
  }
  return names;
}

/** Returns the tables that a statement appears to use: tables in the folder, and double-quoted paths. */
export function tablesIn(sql: string, names: ReadonlyMap<string, TableReference>): Map<string, TableReference> {
  const words = new Set(Array.from(sql.matchAll(/[\p{L}_][\p{L}\p{N}_$]*/gu), ([word]) => word.toLowerCase()));
  const quoted = Array.from(sql.matchAll(/"((?:[^"]|"")+)"/g), ([, text = '']) => text.replaceAll('""', '"'));
  const quotedNames = new Set(quoted.map((name) => name.toLowerCase()));
  const references = new Map(
    Array.from(names).filter(([name]) => words.has(name.toLowerCase()) || quotedNames.has(name.toLowerCase())),
  );
  const knownNames = new Set(Array.from(references.keys(), (name) => name.toLowerCase()));
  for (const path of quoted) if (isTable(path) && !knownNames.has(path.toLowerCase())) references.set(path, { path });
  return references;
}

/** Returns the start and end offsets of an error in a statement, if DuckDB's message contains its position. */
export function errorRange(message: string, sql: string): [from: number, to: number] | undefined {
  const line = Number(/\(line (\d+)\)$/.exec(message)?.[1] ?? 1);
  const lines = sql.split('\n');
  const text = lines[line - 1];
  if (text === undefined) return undefined;
  const from = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  const word = /(?:at or near|column|name|Function with name|Table with name) "?([^\s"!]+)"?/.exec(message)?.[1];
  const at = word === undefined ? -1 : text.toLowerCase().indexOf(word.toLowerCase());
  if (word !== undefined && at >= 0) return [from + at, from + at + word.length];
  return line > 1 || /\(line \d+\)$/.test(message) ? [from, from + text.length] : undefined;
}
