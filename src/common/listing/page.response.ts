import { IntegerField } from '../validation/fields.js';

/** Position of a page, for responses that contain one. */
export class PageResponse {
  @IntegerField()
  limit!: number;

  @IntegerField()
  offset!: number;

  @IntegerField()
  total!: number;
}
