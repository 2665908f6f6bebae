import type { PageQuery } from '../listing/page.query.js';
import type { Tx } from './database.service.js';

/** What a listing is made of, as SQL over the same parameters. */
export interface Listing {
  /** SELECT of the items in their order, with the columns that the answer shows under their names. */
  items: string;
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
  { items, count, parameters }: Listing,
  { limit, offset }: PageQuery,
): Promise<JsonPage> {
  const place = parameters.length;
  const [page]: JsonPage[] = await tx.query(
    `SELECT (SELECT '[' || coalesce(string_agg(row_to_json(item)::text, ','), '') || ']'
               FROM (${items} LIMIT $${place + 1} OFFSET $${place + 2}) item) AS items,
            (${count}) AS total`,
    [...parameters, limit, offset],
  );
  if (page === undefined) throw new Error('A page has no row');
  return page;
}
