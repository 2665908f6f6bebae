import { Invalid, invalidValue, isId } from '../errors/errors.js';
import type { Page } from './page.js';

/** What a request says of its page. */
export interface Paging {
  cursor?: string;
  limit: number;
  offset: number;
}

/** Where a walk goes on: behind the item with this key, null before the first one. Undefined: a page by offset. */
export type WalkStart = string | null | undefined;

const encode = (listing: string, key: string): string => Buffer.from(`${listing}:${key}`).toString('base64url');

/**
 * Where the walk of a request goes on. Cursors of other listings, and what no answer had, are malformed.
 *
 * @param place where the request has its cursor
 * @param isKey whether a text can be the key of an item; default: an id
 * @throws Invalid at the cursor, or at an offset beside it
 */
export function walkStart(
  listing: string,
  { cursor, offset }: Paging,
  isKey: (key: string) => boolean = isId,
  place: 'query' | 'body' = 'query',
): WalkStart {
  if (cursor === undefined) return undefined;
  if (offset > 0) throw new Invalid([invalidValue([place, 'offset'], 'a page by cursor has no offset', offset)]);
  if (cursor === '') return null;
  const text = Buffer.from(cursor, 'base64url').toString();
  const key = text.slice(listing.length + 1);
  if (encode(listing, key) !== cursor || !isKey(key))
    throw new Invalid([invalidValue([place, 'cursor'], 'it is no cursor of this listing', cursor)]);
  return key;
}

/** The place of an item in the order of creation; both columns never change. */
export const creationKey = ({ created_at, id }: { created_at: Date; id: string }): string =>
  `${created_at.toISOString()} ${id}`;

/** Times that the database takes: JavaScript also writes years before the first, and those of more than four digits. */
const STORABLE_TIME = /^(?!0000)\d{4}-/;

/** Whether a text is one that {@link creationKey} has made. */
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

/** Moment and id behind which a walk goes on, the newest first. */
export const creationOf = (start: string | null): [created_at: string, id: string] =>
  start === null ? ['infinity', LAST_ID] : (start.split(' ', 2) as [string, string]);

/** The same as parameters of a query builder. */
export function creationPlace(start: string | null): { at: string; id: string } {
  const [at, id] = creationOf(start);
  return { at, id };
}

/** No id comes behind it. */
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** What an answer says of the page after it, if a cursor was asked for; null when there is none. */
export function nextPage(
  listing: string,
  { cursor, limit }: Paging,
  keys: readonly string[],
): { next_cursor?: string | null } {
  if (cursor === undefined) return {};
  const last = keys.at(-1);
  return { next_cursor: last === undefined || keys.length < limit ? null : encode(listing, last) };
}

/** The position of a page in a listing that is walked in the order of creation, as `WalkResponse` has it. */
export function creationPosition(
  listing: string,
  { rows, total }: Page<{ created_at: Date; id: string }>,
  query: Paging,
): Pick<Paging, 'limit' | 'offset'> & { total: number; next_cursor?: string | null } {
  const { limit, offset } = query;
  return { limit, offset, total, ...nextPage(listing, query, rows.map(creationKey)) };
}
