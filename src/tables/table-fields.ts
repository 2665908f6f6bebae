import type { Cell } from '../../packages/data-engine/index.js';
import { field } from '../common/validation/field.js';
import type { Kind } from '../common/validation/kind.js';
import { BooleanField, StringField } from '../common/validation/fields.js';

/** Maximum length of a sheet or column name. */
export const MAX_NAME = 1_000;

export const SheetField = (): PropertyDecorator =>
  StringField({
    optional: true,
    nullable: true,
    maxLength: MAX_NAME,
    description: 'Sheet in a workbook. Defaults to the first sheet',
  });

export const IgnoreErrorsField = (): PropertyDecorator =>
  BooleanField({
    default: false,
    description: 'Whether to omit unreadable rows instead of returning an error',
  });

const anyArray: Kind<Cell[][]> = {
  schema: { type: 'array', items: { type: 'array', items: {} } },
  read: () => {
    throw new Error('Rows occur only in responses');
  },
};

export const RowsField = (): PropertyDecorator =>
  field(anyArray, {
    description:
      'An array for each row, in the order of `columns`. Dates and times are ISO 8601 strings. Integers beyond 2^53 are ' +
      'strings.',
  });
