import type { JsonPage } from '../database/json-page.js';
import { JsonText } from '../http/json-text.js';
import type { PageQuery } from './page.query.js';

/** The answer of a listing, whose items are under `name`. */
export const listingJson = (name: string, { items, total }: JsonPage, { limit, offset }: PageQuery): JsonText =>
  new JsonText(`{"${name}":${items},"limit":${limit},"offset":${offset},"total":${total}}`);
