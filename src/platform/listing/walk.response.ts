import { StringField } from '../validation/fields.js';
import { PageResponse } from './page.response.js';

/** Position of a page, for listings that can be walked. */
export class WalkResponse extends PageResponse {
  @StringField({
    nullable: true,
    optional: true,
    extension: true,
    description: 'With `cursor` alone: the one of the next page; null on the last one, which may be empty',
  })
  next_cursor?: string | null;
}
