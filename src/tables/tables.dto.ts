import {
  AGGREGATE_FUNCTIONS,
  type Aggregate,
  type Cell,
  COLUMN_TYPES,
  type ColumnType,
  type Dialect,
  type Filter,
  FILTER_OPERATORS,
  type ReadAnswer,
  type StructuredQuery,
  type TableDescription,
} from '../data-engine/tasks.js';
import { type FileSource, IDENTIFIERS } from '../files/container-resolver.js';
import { FileEntry } from '../files/files.dto.js';
import { IdentifierField, identifierGiven, PathField, SourceField } from '../files/request-rules.js';
import { pathProblem } from '../files/tree/paths.js';
import { type ErrorEntry, invalidValue, missing } from '../platform/errors/errors.js';
import { field } from '../platform/validation/field.js';
import type { Kind } from '../platform/validation/field-registry.js';
import {
  BooleanField,
  EnumField,
  IntegerField,
  ObjectArrayField,
  ObjectField,
  StringArrayField,
  StringField,
} from '../platform/validation/fields.js';
import { anyKind, mapKind, objectKind } from '../platform/validation/kinds/containers.js';
import { refuseValue } from '../platform/validation/refused.js';
import { Rule } from '../platform/validation/rule.js';
import { tableNameProblem } from './table-format.js';

const MAX_COLUMNS = 2_000;
const MAX_FILTERS = 50;
/** Longest list of an `in`. */
const MAX_MEMBERS = 1_000;
const MAX_NAME = 1_000;
const MAX_TABLES = 20;
const MAX_SQL = 100_000;
/** Most rows of an answer. */
const MAX_ROWS = 10_000;

const ColumnField = (description?: string): PropertyDecorator =>
  StringField({ maxLength: MAX_NAME, example: 'quantity', ...(description !== undefined && { description }) });

const SheetField = (): PropertyDecorator =>
  StringField({
    optional: true,
    nullable: true,
    maxLength: MAX_NAME,
    description: 'Sheet of a workbook; the first one by default',
  });

const IgnoreErrorsField = (): PropertyDecorator =>
  BooleanField({
    default: false,
    description: 'Whether rows that cannot be read are left out; else they are an error',
  });

/** What a filter's operator takes as its value. */
function filterProblem({ op, value }: Filter): string | undefined {
  if (op === 'empty') return value == null ? undefined : 'empty takes no value';
  if (op === 'in') {
    const isList = Array.isArray(value) && value.length <= MAX_MEMBERS && value.every(isScalar);
    return isList ? undefined : `in takes a list of at most ${MAX_MEMBERS} texts, numbers and booleans`;
  }
  return isScalar(value) ? undefined : `${op} takes a text, a number or a boolean`;
}

const scalar = [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }];

/** A text, a number, a boolean, or a list of them: which one depends on the operator. */
const filterValue: Kind<unknown> = {
  schema: { anyOf: [...scalar, { type: 'array', items: { anyOf: scalar }, maxItems: MAX_MEMBERS }] },
  read: (input) => anyKind.read(input),
};

const isScalar = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);

@Rule<TableFilter>((filter) => {
  const problem = filterProblem(filter);
  return problem === undefined ? [] : [invalidValue(['value'], problem, filter.value ?? null)];
})
export class TableFilter implements Filter {
  @ColumnField()
  column!: string;

  @EnumField(FILTER_OPERATORS, { description: 'Nulls satisfy `empty` only; `contains` looks for a part of a text' })
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

  @StringField({ optional: true, nullable: true, maxLength: MAX_NAME, description: '`count` without it counts rows' })
  column?: string | null;

  @StringField({
    optional: true,
    nullable: true,
    minLength: 1,
    maxLength: MAX_NAME,
    description: 'Name in the answer; by default like `sum(quantity)`',
  })
  as?: string | null;
}

export class TableOrder {
  @ColumnField('Column of the answer')
  column!: string;

  @BooleanField({ default: false })
  descending!: boolean;
}

@Rule(identifierGiven)
export class TableRequest {
  @SourceField()
  source!: FileSource;

  @PathField('CSV, TSV, JSON, Parquet or XLSX file')
  path!: string;

  @SheetField()
  sheet?: string | null;

  @IgnoreErrorsField()
  ignore_errors!: boolean;

  @StringArrayField({ optional: true, nullable: true, maxItems: MAX_COLUMNS, description: 'All columns by default' })
  columns?: string[] | null;

  @ObjectArrayField(() => TableFilter, {
    optional: true,
    nullable: true,
    maxItems: MAX_FILTERS,
    description: 'A row has to satisfy all of them',
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
    description: 'Order of the file by default; groups in order of their first row',
  })
  order_by?: TableOrder[] | null;

  @IntegerField({ default: 100, minimum: 1, maximum: MAX_ROWS })
  limit!: number;

  @IntegerField({ default: 0, minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
  offset!: number;

  @IdentifierField('deployment')
  deployment_name?: string | null;

  @IdentifierField('workspace')
  project_id?: string | null;

  @IdentifierField('snapshot')
  snapshot_id?: string | null;

  /** What the engine is asked. */
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

/** How a text file was read. */
export class TableDialect implements Dialect {
  @StringField({ example: ';' })
  delimiter!: string;

  @StringField()
  quote!: string;

  @StringField({ description: '`utf-8`, `utf-16le`, `utf-16be` or `windows-1252`' })
  encoding!: string;

  @BooleanField({ description: 'Whether the first row holds the names of the columns' })
  header!: boolean;

  @EnumField(['.', ','])
  decimal!: '.' | ',';

  @StringField({ description: 'Separator of thousands; empty if there is none' })
  thousands!: string;
}

/** A column of an answer. */
export class TableColumnResponse {
  @StringField({ example: 'quantity' })
  name!: string;

  @EnumField(COLUMN_TYPES)
  type!: ColumnType;

  @IntegerField({ nullable: true, description: 'Empty cells in the whole table; null if computed' })
  nulls!: number | null;

  @IntegerField({ nullable: true, description: 'Different values in the whole table; null if computed' })
  distinct!: number | null;

  /** The columns of an answer: those of the table come first, computed ones after them. */
  static from(
    { group_by, aggregates }: TableRequest,
    columns: ReadAnswer['columns'],
    table: TableDescription,
  ): TableColumnResponse[] {
    const isGrouped = group_by != null || aggregates != null;
    const taken = isGrouped ? (group_by?.length ?? 0) : columns.length;
    const counts = new Map(table.columns.map(({ name, nulls, distinct }) => [name, { nulls, distinct }]));
    return columns.map((column, index) => ({
      ...column,
      ...((index < taken ? counts.get(column.name) : undefined) ?? { nulls: null, distinct: null }),
    }));
  }
}

const anyArray: Kind<Cell[][]> = {
  schema: {
    type: 'array',
    items: { type: 'array', items: { type: ['string', 'number', 'boolean', 'null', 'array', 'object'] } },
  },
  read: () => {
    throw new Error('Rows are of answers only');
  },
};

const RowsField = (): PropertyDecorator =>
  field(anyArray, {
    description:
      'One array for each row, in the order of `columns`. Dates and times are ISO 8601 texts, integers beyond 2^53 texts.',
  });

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

  @IntegerField({ description: 'Rows that `ignore_errors` has left out' })
  skipped!: number;

  @StringArrayField({ optional: true, nullable: true, description: 'All sheets of a workbook; null for other files' })
  sheets?: string[] | null;

  @ObjectField(() => TableDialect, { nullable: true, description: 'How a CSV or TSV file was read; null for others' })
  dialect!: TableDialect | null;
}

/** A file, or a sheet of one. */
export class TableReference {
  @PathField('CSV, TSV, JSON, Parquet or XLSX file')
  path!: string;

  @SheetField()
  sheet?: string | null;
}

const reference = objectKind(TableReference);

/** A path, or an object with path and sheet. */
const tableKind: Kind<TableReference> = {
  schema: { anyOf: [{ type: 'string' }, reference.schema] },
  model: TableReference,
  read(input) {
    if (typeof input !== 'string') return reference.read(input);
    const problem = pathProblem(input);
    return problem === undefined ? { path: input } : refuseValue(problem, input);
  },
};

@Rule(identifierGiven)
@Rule<QueryRequest>(({ tables }) => namesValid(tables))
@Rule<QueryRequest>(({ save_as, source, project_id }, received): ErrorEntry[] =>
  save_as != null && source !== 'workspace' && project_id == null ? [missing([IDENTIFIERS.workspace], received)] : [],
)
export class QueryRequest {
  @SourceField()
  source!: FileSource;

  @field(
    { ...mapKind(tableKind, { maxProperties: MAX_TABLES }), model: TableReference },
    {
      description: 'Files by the names that the statement has for them: a path, or an object with `path` and `sheet`',
      example: { demand: 'data/demand.csv' },
    },
  )
  tables!: Map<string, TableReference>;

  @StringField({
    minLength: 1,
    maxLength: MAX_SQL,
    description: 'One SELECT in the dialect of DuckDB',
    example: 'SELECT product, sum(quantity) AS quantity FROM demand GROUP BY product',
  })
  sql!: string;

  @IgnoreErrorsField()
  ignore_errors!: boolean;

  @IntegerField({ default: 100, minimum: 1, maximum: MAX_ROWS })
  limit!: number;

  @StringField({
    optional: true,
    nullable: true,
    check: (given) =>
      pathProblem(given) ?? (SAVED.test(given) ? undefined : 'the path of a saved result ends with .csv or .parquet'),
    description: 'Path in the workspace for the whole result; for other sources, `project_id` names the project',
    example: 'results/by-product.csv',
  })
  save_as?: string | null;

  @IdentifierField('deployment')
  deployment_name?: string | null;

  @IdentifierField('workspace')
  project_id?: string | null;

  @IdentifierField('snapshot')
  snapshot_id?: string | null;
}

/** A name stands for one table, and case makes no difference in SQL. */
function namesValid(tables: ReadonlyMap<string, TableReference>): ErrorEntry[] {
  const known = new Set<string>();
  return Array.from(tables).flatMap(([name, { path }]) => {
    const problem = tableNameProblem(name) ?? (known.has(name.toLowerCase()) ? 'the name is there already' : undefined);
    known.add(name.toLowerCase());
    return problem === undefined ? [] : [invalidValue(['tables', name], problem, path)];
  });
}

const SAVED = /\.(?:csv|parquet)$/i;

/** A column of a query's answer. */
export class QueryColumnResponse {
  @StringField()
  name!: string;

  @EnumField(COLUMN_TYPES)
  type!: ColumnType;
}

export class QueryResponse {
  @ObjectArrayField(() => QueryColumnResponse)
  columns!: QueryColumnResponse[];

  @RowsField()
  rows!: Cell[][];

  @IntegerField()
  limit!: number;

  @BooleanField({ description: 'Whether there are more rows than these' })
  truncated!: boolean;

  @ObjectField(() => FileEntry, { nullable: true, description: 'The file of `save_as`' })
  saved!: FileEntry | null;
}
