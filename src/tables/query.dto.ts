import {
  type Cell,
  COLUMN_TYPES,
  type ColumnType,
  MAX_ANSWER_ROWS,
  MAX_SQL,
  MAX_TABLES,
  savedPathProblem,
  type TableDescription,
  tableNameProblem,
} from '../../packages/data-engine/index.js';
import { ContainerRequest, IDENTIFIERS, NamesContainer, PathField } from '../files/container-request.js';
import { FileEntry } from '../files/files.dto.js';
import { pathProblem } from '../../packages/paths/index.js';
import { type ErrorEntry, invalidValue, missing } from '../common/errors/errors.js';
import { field, Rule } from '../common/validation/field.js';
import { type Kind, rejectValue } from '../common/validation/kind.js';
import {
  BooleanField,
  EnumField,
  IntegerField,
  ObjectArrayField,
  ObjectField,
  StringField,
} from '../common/validation/fields.js';
import { mapKind, objectKind } from '../common/validation/kinds/containers.js';
import { DialectField, TableDialect, TableDialectOptions, TableLeftOut } from './dialect.dto.js';
import { IgnoreErrorsField, RowsField, SheetField } from './table-fields.js';

/** File, or a sheet in a file. */
export class TableReference {
  @PathField('CSV, TSV, JSON, Parquet or XLSX file')
  path!: string;

  @SheetField()
  sheet?: string | null;

  @DialectField()
  dialect?: TableDialectOptions | null;
}

const reference = objectKind(TableReference);

/** Path, or an object with path, sheet and dialect. */
const tableKind: Kind<TableReference> = {
  schema: { anyOf: [{ type: 'string' }, reference.schema] },
  model: TableReference,
  read(input) {
    if (typeof input !== 'string') return reference.read(input);
    const problem = pathProblem(input);
    return problem === undefined ? { path: input } : rejectValue(problem, input);
  },
};

@NamesContainer()
@Rule<QueryRequest>(({ tables }) => namesValid(tables))
@Rule<QueryRequest>(({ save_as, source, project_id }, received): ErrorEntry[] =>
  save_as != null && source !== 'workspace' && project_id == null ? [missing([IDENTIFIERS.workspace], received)] : [],
)
export class QueryRequest extends ContainerRequest {
  @field(
    { ...mapKind(tableKind, { maxProperties: MAX_TABLES }), model: TableReference },
    {
      description:
        'Maps each table name in the statement to a file: its path, or an object with `path`, `sheet` and `dialect`',
      example: { demand: 'data/demand.csv' },
    },
  )
  tables!: Map<string, TableReference>;

  @StringField({
    minLength: 1,
    maxLength: MAX_SQL,
    description: 'A SELECT statement in the DuckDB dialect',
    example: 'SELECT product, sum(quantity) AS quantity FROM demand GROUP BY product',
  })
  sql!: string;

  @IgnoreErrorsField()
  ignore_errors!: boolean;

  @IntegerField({ default: 100, minimum: 1, maximum: MAX_ANSWER_ROWS })
  limit!: number;

  @StringField({
    optional: true,
    nullable: true,
    check: (path) => pathProblem(path) ?? savedPathProblem(path),
    description:
      'Workspace path for saving the whole result. If `source` is not `workspace`, `project_id` selects the project to save it in',
    example: 'results/by-product.csv',
  })
  save_as?: string | null;
}

/** Validates table names. They must be unique regardless of case, as in SQL. */
function namesValid(tables: ReadonlyMap<string, TableReference>): ErrorEntry[] {
  const keys = new Set<string>();
  return Array.from(tables).flatMap(([name, { path }]) => {
    const problem =
      tableNameProblem(name) ?? (keys.has(name.toLowerCase()) ? 'another table already has this name' : undefined);
    keys.add(name.toLowerCase());
    return problem === undefined ? [] : [invalidValue(['tables', name], problem, path)];
  });
}

/** Column in the result of a query. */
export class QueryColumnResponse {
  @StringField()
  name!: string;

  @EnumField(COLUMN_TYPES)
  type!: ColumnType;
}

/** Dialect and omissions of a table in a query. */
export class QueryTable {
  @StringField({ description: 'Name of the table in the statement' })
  name!: string;

  @IntegerField({ description: 'Number of unreadable rows that were omitted because of `ignore_errors`' })
  skipped!: number;

  @ObjectField(() => TableDialect, {
    nullable: true,
    description: 'Settings used to read the file; null for JSON and Parquet',
  })
  dialect!: TableDialect | null;

  @ObjectArrayField(() => TableLeftOut, {
    description: 'Titles, totals, notes and other tables that are not part of the table',
  })
  left_out!: TableLeftOut[];

  static from(name: string, { skipped, dialect, leftOut: left_out }: TableDescription): QueryTable {
    return { name, skipped, dialect, left_out };
  }
}

export class QueryResponse {
  @ObjectArrayField(() => QueryColumnResponse)
  columns!: QueryColumnResponse[];

  @RowsField()
  rows!: Cell[][];

  @IntegerField()
  limit!: number;

  @BooleanField({ description: 'Whether more rows exist' })
  truncated!: boolean;

  @ObjectField(() => FileEntry, { nullable: true, description: 'The file saved at `save_as`' })
  saved!: FileEntry | null;

  @ObjectArrayField(() => QueryTable, { description: 'Settings used to read each table' })
  tables!: QueryTable[];
}
