/** A text as a literal of SQL. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** A name as an identifier of SQL. */
export const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Rows of a Parquet file as a source of SQL. Folders such as `year=2025` in its path are no columns. */
export const parquetRows = (path: string): string => `read_parquet(${literal(path)}, hive_partitioning = false)`;
