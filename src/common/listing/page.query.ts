import { IntegerField } from '../validation/fields.js';

/** Page parameters of a listing. */
export class PageQuery {
  @IntegerField({ default: 50, minimum: 1, maximum: 1000, description: 'Maximum rows to return' })
  limit!: number;

  @IntegerField({ default: 0, minimum: 0, description: 'Rows to skip before the page' })
  offset!: number;
}
