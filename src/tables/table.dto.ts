import {
  type Aggregate,
  AGGREGATE_FUNCTIONS,
  type Cell,
  COLUMN_TYPES,
  type ColumnType,
  type Filter,
  FILTER_OPERATORS,
  MAX_ANSWER_ROWS,
  MAX_COLUMNS,
  type ReadAnswer,
  type StructuredQuery,
  type TableDescription,
} from '../../packages/data-engine/index.js';
import { ContainerRequest, NamesContainer, PathField } from '../files/container-request.js';
import { invalidValue, missing } from '../common/errors/errors.js';
import { hasValidTexts, type Json } from '../../packages/json/index.js';
import { field, Rule } from '../common/validation/field.js';
import type { Kind } from '../common/validation/kind.js';
import {
  BooleanField,
  EnumField,
  IntegerField,
  ObjectArrayField,
  ObjectField,
  StringArrayField,
  StringField,
} from '../common/validation/fields.js';
import { anyKind } from '../common/validation/kinds/containers.js';
import { DialectField, TableDialect, TableDialectOptions, TableLeftOut } from './dialect.dto.js';
import { IgnoreErrorsField, MAX_NAME, RowsField, SheetField } from './table-fields.js';

const MAX_FILTERS = 50;
/** Maximum number of values for `in`. */
const MAX_MEMBERS = 1_000;

const ColumnField = (description?: string): PropertyDecorator =>
  StringField({ maxLength: MAX_NAME, example: 'quantity', ...(description !== undefined && { description }) });

/** Explains why a value does not fit a filter's operator. Returns undefined if the value fits. */
function filterProblem({ op, value }: Filter): string | undefined {
  if (op === 'empty') return value == null ? undefined : 'empty takes no value';
  if (op === 'in') {
    const isList = Array.isArray(value) && value.length <= MAX_MEMBERS && value.every(isScalar);
    return isList ? undefined : `in takes a list of at most ${MAX_MEMBERS} texts, numbers and booleans`;
  }
  return isScalar(value) ? undefined : `${op} takes a text, a number or a boolean`;
}

const scalar = [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }];

/** String, number, boolean, or a list of these, depending on the operator. */
const filterValue: Kind<unknown> = {
  schema: { anyOf: [...scalar, { type: 'array', items: { anyOf: scalar }, maxItems: MAX_MEMBERS }] },
  read: (input) => (Array.isArray(input) ? readList(input) : readScalar(input)),
};

/** Reads a scalar. Integers beyond 2^53 stay exact. */
const readScalar = (input: Json): unknown => (typeof input === 'bigint' ? input : anyKind.read(input));

/** Reads a list. A list with an invalid string is rejected as a whole. */
const readList = (input: Json[]): unknown => (hasValidTexts(input) ? input.map(readScalar) : anyKind.read(input));

const isScalar = (value: unknown): boolean => ['string', 'number', 'bigint', 'boolean'].includes(typeof value);

@Rule<TableFilter>((filter) => {
  const problem = filterProblem(filter);
  return problem === undefined ? [] : [invalidValue(['value'], problem, filter.value ?? null)];
})
export class TableFilter implements Filter {
  @ColumnField()
  column!: string;

  @EnumField(FILTER_OPERATORS, { description: 'Nulls satisfy only `empty`. `contains` matches a substring' })
  op!: Filter['op'];

  @field(filterValue, { optional: true, description: 'A list for `in`, absent for `empty`' })
  value?: unknown;
}

@Rule<TableAggregate>(({ function: name, column }, received) =>
  name === 'count' || column != null ? [] : [missing(['column'], received)],
)
export class TableAggregate {
  @EnumField(AGGREGATE_FUNCTIONS)
  function!: Aggregate['function'];

  @StringField({
    optional: true,
    nullable: true,
    maxLength: MAX_NAME,
    description: 'Column to aggregate. Omit it to count rows with `count`',
  })
  column?: string | null;

  @StringField({
    optional: true,
    nullable: true,
    minLength: 1,
    maxLength: MAX_NAME,
    description: 'Name in the response. Defaults to a name such as `sum(quantity)`',
  })
  as?: string | null;
}

export class TableOrder {
  @ColumnField('Column of the response')
  column!: string;

  @BooleanField({ default: false })
  descending!: boolean;
}

@NamesContainer()
export class TableRequest extends ContainerRequest {
  @PathField('CSV, TSV, JSON, Parquet or XLSX file')
  path!: string;

  @SheetField()
  sheet?: string | null;

  @DialectField()
  dialect?: TableDialectOptions | null;

  @IgnoreErrorsField()
  ignore_errors!: boolean;

  @StringArrayField({ optional: true, nullable: true, maxItems: MAX_COLUMNS, description: 'All columns by default' })
  columns?: string[] | null;

  @ObjectArrayField(() => TableFilter, {
    optional: true,
    nullable: true,
    maxItems: MAX_FILTERS,
    description: 'Keeps only the rows that satisfy all of these conditions',
  })
  where?: TableFilter[] | null;

  @StringArrayField({ optional: true, nullable: true, maxItems: MAX_FILTERS })
  group_by?: string[] | null;

  @ObjectArrayField(() => TableAggregate, { optional: true, nullable: true, maxItems: MAX_FILTERS })
  aggregates?: TableAggregate[] | null;

  @ObjectArrayField(() => TableOrder, {
    optional: true,
    nullable: true,
    maxItems: MAX_FILTERS,
    description: 'Defaults to file order. Groups default to the order of their first rows',
  })
  order_by?: TableOrder[] | null;

  @IntegerField({ default: 100, minimum: 1, maximum: MAX_ANSWER_ROWS })
  limit!: number;

  @IntegerField({ default: 0, minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
  offset!: number;

  /** Converts a request to a query of the engine. */
  static query({ columns, where, group_by, aggregates, order_by, limit, offset }: TableRequest): StructuredQuery {
    return {
      ...(columns != null && { columns }),
      ...(where != null && { where }),
      ...(group_by != null && { group_by }),
      ...(aggregates != null && {
        aggregates: aggregates.map(({ function: name, column, as }) => ({
          function: name,
          ...(column != null && { column }),
          ...(as != null && { as }),
        })),
      }),
      ...(order_by != null && { order_by }),
      limit,
      offset,
    };
  }
}

/** Column in a result. */
export class TableColumnResponse {
  @StringField({ example: 'quantity' })
  name!: string;

  @StringField({
    optional: true,
    extension: true,
    description: 'Header in the file. Absent if it is the name, which differs if the header is empty or not unique',
    example: 'Quantity',
  })
  header?: string;

  @EnumField(COLUMN_TYPES)
  type!: ColumnType;

  @IntegerField({ nullable: true, description: 'Number of empty cells in the whole table. Null for computed columns' })
  nulls!: number | null;

  @IntegerField({
    nullable: true,
    description: 'Number of distinct values in the whole table. Null for computed columns',
  })
  distinct!: number | null;

  /** Returns the columns of a result. Columns of the table come first, followed by computed columns. */
  static from(
    { group_by, aggregates }: TableRequest,
    columns: ReadAnswer['columns'],
    table: TableDescription,
  ): TableColumnResponse[] {
    const isGrouped = group_by != null || aggregates != null;
    const sourceColumns = isGrouped ? (group_by?.length ?? 0) : columns.length;
    const ownColumns = new Map(table.columns.map((column) => [column.name, column]));
    return columns.map((column, index) => {
      const own = index < sourceColumns ? ownColumns.get(column.name) : undefined;
      const { header, nulls = null, distinct = null } = own ?? {};
      return { ...column, ...(header !== undefined && { header }), nulls, distinct };
    });
  }
}

export class TableResponse {
  @ObjectArrayField(() => TableColumnResponse)
  columns!: TableColumnResponse[];

  @RowsField()
  rows!: Cell[][];

  @IntegerField()
  limit!: number;

  @IntegerField()
  offset!: number;

  @IntegerField({ description: 'Number of rows, or of groups, that satisfy `where`' })
  total!: number;

  @IntegerField({ description: 'Number of unreadable rows that were omitted because of `ignore_errors`' })
  skipped!: number;

  @StringArrayField({ optional: true, nullable: true, description: 'All sheets in a workbook; null for other files' })
  sheets?: string[] | null;

  @ObjectField(() => TableDialect, {
    nullable: true,
    description: 'Settings used to read the file; null for JSON and Parquet',
  })
  dialect!: TableDialect | null;

  @ObjectArrayField(() => TableLeftOut, {
    description: 'Titles, totals, notes and other tables that are not part of the table',
  })
  left_out!: TableLeftOut[];
}
