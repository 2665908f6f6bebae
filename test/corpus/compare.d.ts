/** How the service read a text file, as far as it explains numbers. */
export interface Dialect {
  decimal?: string;
  thousands?: string;
}

/** A table of the service. Rows end at the limit of the command, `total` does not. */
export interface OurTable {
  columns: string[];
  rows: unknown[][];
  total: number;
  dialect: Dialect | null;
}

/** A table of another reader. Its header, if any, is the first row. */
export interface OtherTable {
  rows: unknown[][];
  width: number;
  total: number;
}

export function difference(ours: OurTable, theirs: OtherTable): string | undefined;

export function sameValue(ours: unknown, theirs: unknown, dialect: Dialect | null): boolean;
