import { creationOf, type WalkStart } from '../common/listing/cursor.js';
import type { PageQuery } from '../common/listing/page.query.js';
import type { Tx } from './database.service.js';

/** What a listing is made of, as SQL over the same parameters. */
export interface Listing {
  /** SELECT of the items, up to its WHERE, with the columns that the answer shows under their names. */
  items: string;
  /** ORDER BY of pages by offset. */
  order: string;
  /** The name of the table that has `created_at` and `id` of an item. Walks go by them, the newest first: they do not change. */
  table: string;
  /** SELECT of the number of all of them. */
  count: string;
  parameters: unknown[];
}

/** One page of a listing; `items` is the JSON text of an array. */
export interface JsonPage {
  items: string;
  total: number;
}

/** Reads a page and the number of all rows in one statement; the database makes the JSON. */
export async function readJsonPage(
  tx: Tx,
  { items, order, table, count, parameters }: Listing,
  { limit, offset }: PageQuery,
  start: WalkStart,
): Promise<JsonPage> {
  const place = parameters.length;
  const page =
    start === undefined
      ? `${items} ORDER BY ${order} LIMIT $${place + 1} OFFSET $${place + 2}`
      : `${items} AND (${table}.created_at, ${table}.id) < ($${place + 2}, $${place + 3})
         ORDER BY ${table}.created_at DESC, ${table}.id DESC LIMIT $${place + 1}`;
  const statement = `SELECT (SELECT '[' || coalesce(string_agg(row_to_json(item)::text, ','), '') || ']'
               FROM (${page}) item) AS items,
            (${count}) AS total`;
  const all = [...parameters, limit, ...(start === undefined ? [offset] : creationOf(start))];
  const [read]: JsonPage[] = await tx.query(statement, all);
  if (read === undefined) throw new Error('A page has no row');
  return read;
}
