import { StringField } from '../validation/fields.js';
import { PageResponse } from './page.response.js';

/** Page position, for listings that can be read by cursor. */
export class WalkResponse extends PageResponse {
  @StringField({
    nullable: true,
    optional: true,
    extension: true,
    description: 'Cursor of the next page. Null on the last page. Present only if the request had `cursor`.',
  })
  next_cursor?: string | null;
}
