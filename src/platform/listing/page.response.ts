import { IntegerField } from '../validation/fields.js';

/** Where a page of a listing is, for answers that hold one. */
export class PageResponse {
  @IntegerField()
  limit!: number;

  @IntegerField()
  offset!: number;

  @IntegerField()
  total!: number;
}
