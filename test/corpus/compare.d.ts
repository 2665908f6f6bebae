/** Number formats that the service detected in a text file. */
export interface Dialect {
  decimal?: string;
  thousands?: string;
}

/** Table as read by the service. `rows` may be truncated to the command's limit, but `total` is complete. */
export interface OurTable {
  columns: string[];
  rows: unknown[][];
  total: number;
  dialect: Dialect | null;
}

/** Table as read by another reader. Its header, if any, is the first row. */
export interface OtherTable {
  rows: unknown[][];
  width: number;
  total: number;
}

export function difference(ours: OurTable, theirs: OtherTable): string | undefined;

export function sameValue(ours: unknown, theirs: unknown, dialect: Dialect | null): boolean;
