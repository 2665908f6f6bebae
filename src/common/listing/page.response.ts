import { IntegerField } from '../validation/fields.js';

/** Page position, for responses that contain a page. */
export class PageResponse {
  @IntegerField()
  limit!: number;

  @IntegerField()
  offset!: number;

  @IntegerField()
  total!: number;
}
