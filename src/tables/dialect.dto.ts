import {
  contradictionIn,
  DATE_ORDERS,
  type DateOrder,
  DECIMALS,
  delimiterProblem,
  type Dialect,
  DIALECT_FIELDS,
  dialectOf,
  encodingProblem,
  LEFT_OUT_KINDS,
  LEFT_OUT_PLACES,
  type LeftOut,
  MAX_ROW,
  QUOTES,
  SUBTOTAL_CHOICES,
  type SubtotalChoice,
  THOUSANDS,
  UNCERTAIN_FIELDS,
  type UncertainField,
} from '../../packages/data-engine/index.js';
import { type ErrorEntry, invalidValue } from '../common/errors/errors.js';
import { field, Rule } from '../common/validation/field.js';
import {
  BooleanField,
  EnumField,
  IntegerField,
  ObjectField,
  StringArrayField,
  StringField,
} from '../common/validation/fields.js';
import { arrayKind } from '../common/validation/kinds/containers.js';
import { enumKind } from '../common/validation/kinds/text.js';

const optional = { optional: true, nullable: true } as const;
const RowField = (description: string): PropertyDecorator =>
  IntegerField({ ...optional, minimum: 1, maximum: MAX_ROW, description });

/** Dialect for reading a file. Absent fields are detected. */
@Rule<TableDialectOptions>((options): ErrorEntry[] => {
  const problem = contradictionIn(dialectOf(options) ?? {});
  return problem === undefined ? [] : [invalidValue([problem.field], problem.sentence, options[problem.field] ?? null)];
})
@Rule<TableDialectOptions>((_, received): ErrorEntry[] =>
  Array.from(received).flatMap(([name, value]) =>
    DIALECT_FIELDS.some((field) => field === name)
      ? []
      : [invalidValue([name], `there is no such dialect field. Use ${DIALECT_FIELDS.join(', ')}`, value)],
  ),
)
export class TableDialectOptions {
  @StringField({ ...optional, check: delimiterProblem, description: 'CSV and TSV only', example: ';' })
  delimiter?: string | null;

  @EnumField(QUOTES, { ...optional, description: 'CSV and TSV only; empty if quotes are ordinary characters' })
  quote?: (typeof QUOTES)[number] | null;

  @StringField({
    ...optional,
    check: encodingProblem,
    description:
      'CSV and TSV only; an encoding name from the WHATWG Encoding Standard, `cp437`, `cp850`, `cp852`, `cp857`, ' +
      '`cp858` or `iso-8859-16`',
    example: 'shift_jis',
  })
  encoding?: string | null;

  @EnumField(DECIMALS, { ...optional, description: 'Columns with a different decimal separator are read as text' })
  decimal?: '.' | ',' | null;

  @EnumField(THOUSANDS, { ...optional, description: 'Thousands separator; empty if not used' })
  thousands?: (typeof THOUSANDS)[number] | null;

  @EnumField(DATE_ORDERS, { ...optional, description: 'Columns with dates in a different order are read as text' })
  date_order?: DateOrder | null;

  @BooleanField({ ...optional, description: 'Whether a row contains the column names' })
  header?: boolean | null;

  @RowField('Row with the column names')
  header_row?: number | null;

  @RowField('First row of the data')
  first_row?: number | null;

  @RowField('Last row of the data')
  last_row?: number | null;

  @EnumField(SUBTOTAL_CHOICES, {
    ...optional,
    description: 'Whether to keep or drop rows that are or may be totals',
  })
  subtotals?: SubtotalChoice | null;
}

export const DialectField = (): PropertyDecorator =>
  ObjectField(() => TableDialectOptions, {
    ...optional,
    description: 'Settings for reading the file, to replace incorrectly detected settings. CSV, TSV and XLSX only',
    example: { decimal: ',', date_order: 'day_first' },
  });

/** Detected dialect of a text file or a sheet. Row numbers refer to the file and start at 1. */
export class TableDialect implements Dialect {
  @StringField({ nullable: true, example: ';', description: 'Null for workbooks' })
  delimiter!: string | null;

  @StringField({ nullable: true, description: 'Null for workbooks' })
  quote!: string | null;

  @StringField({ nullable: true, example: 'utf-8', description: 'Null for workbooks' })
  encoding!: string | null;

  @StringArrayField({
    description: 'Other encodings in which the bytes are valid but represent different letters. May be empty.',
  })
  other_encodings!: string[];

  @BooleanField({ description: 'Whether a row contains the column names' })
  header!: boolean;

  @IntegerField({ nullable: true, description: 'Row with the column names' })
  header_row!: number | null;

  @IntegerField({ nullable: true, description: 'First row of the data; null if there is no data' })
  first_row!: number | null;

  @IntegerField({ nullable: true, description: 'Last row of the data; null if there is no data' })
  last_row!: number | null;

  @IntegerField({
    nullable: true,
    description:
      'Last row above the rows that may be notes, totals or another table. Null unless `uncertain` lists ' +
      '`last_row`. To end the table there, send it as `last_row`.',
  })
  other_last_row!: number | null;

  @EnumField(DECIMALS, { nullable: true, description: 'Decimal separator; null if columns differ' })
  decimal!: '.' | ',' | null;

  @StringField({
    nullable: true,
    description: 'Thousands separator; empty if not used, null if columns differ',
  })
  thousands!: string | null;

  @EnumField(DATE_ORDERS, {
    nullable: true,
    description: 'Null if no column has dates with numeric months, or if columns differ',
  })
  date_order!: DateOrder | null;

  @EnumField(SUBTOTAL_CHOICES, {
    nullable: true,
    description:
      'Handling of rows that look like totals: `keep` leaves them in the table, `drop` removes them. Null if there are no such rows',
  })
  subtotals!: SubtotalChoice | null;

  @field(arrayKind(enumKind(UNCERTAIN_FIELDS), {}), {
    description:
      'Fields with several possible values. If a detected value is wrong, send the correct value in `dialect`.',
  })
  uncertain!: UncertainField[];
}

/** Rows or columns of a file that are not part of its table. */
export class TableLeftOut implements LeftOut {
  @EnumField(LEFT_OUT_PLACES)
  place!: LeftOut['place'];

  @EnumField(LEFT_OUT_KINDS)
  kind!: LeftOut['kind'];

  @IntegerField({ description: 'Number of the first row, or of the first column for `beside`. Numbers start at 1' })
  first!: number;

  @IntegerField({ description: 'Number of the last row or column' })
  last!: number;

  @StringField({ description: 'First 100 characters' })
  text!: string;
}
