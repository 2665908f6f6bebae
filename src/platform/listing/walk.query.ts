import { StringField } from '../validation/fields.js';
import { PageQuery } from './page.query.js';

export const CURSOR = {
  optional: true,
  extension: true,
  maxLength: 4_096,
  description:
    'In place of `offset`: empty to begin, then `next_cursor` of the answer before. The pages are in an order that does not ' +
    'change, so everything that is there from the first page to the last one comes exactly once',
} as const;

/** Page of a listing, by its place or in a walk. */
export class WalkQuery extends PageQuery {
  @StringField(CURSOR)
  cursor?: string;
}
