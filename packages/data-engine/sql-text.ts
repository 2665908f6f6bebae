/** Returns a string as an SQL literal. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Returns a name as an SQL identifier. */
export const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Returns the SQL source for the rows of a Parquet file. Folders such as `year=2025` in the path do not become columns. */
export const parquetRows = (path: string): string => `read_parquet(${literal(path)}, hive_partitioning = false)`;
