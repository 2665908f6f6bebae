import { creationOf, type WalkStart } from '../common/listing/cursor.js';
import type { Page } from '../common/listing/page.js';
import type { PageQuery } from '../common/listing/page.query.js';
import type { Tx } from './database.service.js';

/** SQL parts of a listing. All of them use the same parameters. */
export interface Listing {
  /** SELECT that returns the rows, including its WHERE. The rows have `id`, `created_at` and the {@link orderBy} column. */
  select: string;
  /** Table name in {@link select}. */
  table: string;
  /**
   * Timestamp column that orders pages by offset, newest first. Cursor pages are ordered by `created_at`, which never changes.
   */
  orderBy: 'created_at' | 'updated_at' | 'deleted_at';
  /** SELECT that returns the total number of rows. */
  count: string;
  parameters: unknown[];
}

/** Reads a page and the total number of rows in a single statement. */
export async function readPage<Row>(
  tx: Tx,
  { select, table, orderBy, count, parameters }: Listing,
  { limit, offset }: PageQuery,
  start: WalkStart,
): Promise<Page<Row>> {
  const place = parameters.length;
  const time = start === undefined ? orderBy : 'created_at';
  const page =
    start === undefined
      ? `${select} ORDER BY ${table}.${time} DESC, ${table}.id DESC LIMIT $${place + 1} OFFSET $${place + 2}`
      : `${select} AND (${table}.created_at, ${table}.id) < ($${place + 2}, $${place + 3})
         ORDER BY ${table}.created_at DESC, ${table}.id DESC LIMIT $${place + 1}`;
  const rows: (Row & { id: string | null; total: number })[] = await tx.query(
    `SELECT page.*, counted.total FROM (${count}) counted (total) LEFT JOIN (${page}) page ON true
      ORDER BY page.${time} DESC, page.id DESC`,
    [...parameters, limit, ...(start === undefined ? [offset] : creationOf(start))],
  );
  // An empty page is returned as a single row that contains only the total.
  return { rows: rows.filter(({ id }) => id !== null), total: rows[0]?.total ?? 0 };
}
