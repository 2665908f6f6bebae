import type { JsonPage } from '../../database/json-page.js';
import { JsonText } from '../http/json-text.js';
import { creationKey, nextPage } from './cursor.js';
import type { WalkQuery } from './walk.query.js';

/** The answer of a listing, whose items are under `name`. */
export function listingJson(name: string, { items, total }: JsonPage, query: WalkQuery): JsonText {
  const { limit, offset, cursor } = query;
  const page = `{"${name}":${items},"limit":${limit},"offset":${offset},"total":${total}`;
  if (cursor === undefined) return new JsonText(`${page}}`);
  const keys = (JSON.parse(items) as { created_at: string; id: string }[]).map(creationKey);
  return new JsonText(`${page},"next_cursor":${JSON.stringify(nextPage(name, query, keys).next_cursor)}}`);
}
