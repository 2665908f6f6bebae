import { StringField } from '../validation/fields.js';
import { PageQuery } from './page.query.js';

export const CURSOR = {
  optional: true,
  extension: true,
  maxLength: 4_096,
  description:
    'Use it instead of `offset`. Send an empty string for the first page, then `next_cursor` from the previous response. ' +
    'The order is stable: items that exist throughout are returned exactly once.',
} as const;

/** Page parameters of a listing, by offset or by cursor. */
export class WalkQuery extends PageQuery {
  @StringField(CURSOR)
  cursor?: string;
}
