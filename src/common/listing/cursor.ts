import { Invalid, invalidValue, isId } from '../errors/errors.js';
import type { Page } from './page.js';

/** Page parameters in a request. */
export interface Paging {
  cursor?: string;
  limit: number;
  offset: number;
}

/** Key of the item after which a walk continues. Null at the start of the walk. Undefined for a page by offset. */
export type WalkStart = string | null | undefined;

const encode = (listing: string, key: string): string => Buffer.from(`${listing}:${key}`).toString('base64url');

/**
 * Returns the start of a page in a walk. Rejects cursors from other listings and cursors that the service cannot have returned.
 *
 * @param place location of the cursor in the request
 * @param isKey whether a string can be the key of an item. Accepts ids by default.
 * @throws Invalid for an invalid cursor, or for a cursor combined with an offset
 */
export function walkStart(
  listing: string,
  { cursor, offset }: Paging,
  isKey: (key: string) => boolean = isId,
  place: 'query' | 'body' = 'query',
): WalkStart {
  if (cursor === undefined) return undefined;
  if (offset > 0)
    throw new Invalid([invalidValue([place, 'offset'], 'a request with a cursor cannot have an offset', offset)]);
  if (cursor === '') return null;
  const text = Buffer.from(cursor, 'base64url').toString();
  const key = text.slice(listing.length + 1);
  if (encode(listing, key) !== cursor || !isKey(key))
    throw new Invalid([invalidValue([place, 'cursor'], 'the cursor does not belong to this listing', cursor)]);
  return key;
}

/** Returns the key of an item in creation order. Both columns are immutable. */
export const creationKey = ({ created_at, id }: { created_at: Date; id: string }): string =>
  `${created_at.toISOString()} ${id}`;

/** Times that the database accepts. JavaScript also formats years before year 1 and years with more than four digits. */
const STORABLE_TIME = /^(?!0000)\d{4}-/;

/** Whether a string has the format of {@link creationKey}. */
export function isCreationKey(key: string): boolean {
  const [moment = '', id = ''] = key.split(' ', 2);
  const date = new Date(moment);
  return (
    STORABLE_TIME.test(moment) &&
    !Number.isNaN(date.getTime()) &&
    date.toISOString() === moment &&
    key === `${moment} ${id}` &&
    isId(id)
  );
}

/** Returns the time and id after which a newest-first walk continues. */
export const creationOf = (start: string | null): [created_at: string, id: string] =>
  start === null ? ['infinity', LAST_ID] : (start.split(' ', 2) as [string, string]);

/** Returns the same time and id as query builder parameters. */
export function creationPlace(start: string | null): { at: string; id: string } {
  const [at, id] = creationOf(start);
  return { at, id };
}

/** Greatest possible id. */
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Returns the cursor of the next page, or null on the last page. Returns no cursor if the request had none. */
export function nextPage(
  listing: string,
  { cursor, limit }: Paging,
  keys: readonly string[],
): { next_cursor?: string | null } {
  if (cursor === undefined) return {};
  const last = keys.at(-1);
  return { next_cursor: last === undefined || keys.length < limit ? null : encode(listing, last) };
}

/** Returns the page position of a listing in creation order, as declared by `WalkResponse`. */
export function creationPosition(
  listing: string,
  { rows, total }: Page<{ created_at: Date; id: string }>,
  query: Paging,
): Pick<Paging, 'limit' | 'offset'> & { total: number; next_cursor?: string | null } {
  const { limit, offset } = query;
  return { limit, offset, total, ...nextPage(listing, query, rows.map(creationKey)) };
}
