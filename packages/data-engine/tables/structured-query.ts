import { DuckDBTypeId, type DuckDBType, type DuckDBValue } from '@duckdb/node-api';
import { identifier } from '../sql-text.js';
import { type Aggregate, type ColumnType, type Filter, type StructuredQuery, TaskProblem } from '../tasks.js';
import { comparedValue, PLURALS } from './filter-values.js';

/** Statement or SQL fragment with its parameter values. */
export interface Bound {
  sql: string;
  values: DuckDBValue[];
  types: DuckDBType[];
}

/** Column of a table. */
export interface SourceColumn {
  name: string;
  type: ColumnType;
  typeId: DuckDBTypeId;
}

/** Structured query, compiled to SQL statements on the view `file`. `source` defines this view. */
export interface Plan {
  source: string;
  /** Statement that counts all matching rows or groups. */
  matched: Bound & { isGrouped: boolean };
  /** Returns the statement for the result rows. `from` provides the matching rows. */
  page(from: string): string;
  columns: { name: string; type: ColumnType }[];
}

type Location = (string | number)[];

/** Column of the result and its name in the statements. */
interface ResultColumn {
  name: string;
  type: ColumnType;
  sql: string;
}

/**
 * Compiles a query to SQL. Columns must exist and are renamed to `c0`, `c1` and so on. Values become parameters.
 *
 * @throws TaskProblem at the location of the invalid part
 */
export function plan(query: StructuredQuery, columns: readonly SourceColumn[]): Plan {
  const find = finder(columns);
  const isGrouped = query.group_by !== undefined || query.aggregates !== undefined;
  const where = conditions(query.where ?? [], find);
  const { resultColumns, grouping } = isGrouped
    ? groupedColumns(query, find)
    : { resultColumns: selectedColumns(query, columns, find), grouping: '' };
  const order = orderBy(query, isGrouped, isGrouped ? resultColumnFinder(resultColumns) : find);
  const list = resultColumns.map(({ sql }, index) => `${sql} AS a${index}`).join(', ');
  return {
    source: source(columns),
    matched: {
      ...where,
      isGrouped,
      sql: isGrouped
        ? `SELECT ${[list, 'min(r) AS r'].filter((part) => part !== '').join(', ')} FROM file${where.sql}${grouping}`
        : `SELECT * FROM file${where.sql}`,
    },
    page: (from) => {
      const selected = isGrouped ? resultColumns.map((_, index) => `a${index}`).join(', ') : list;
      return `SELECT ${selected} FROM (${from})${order} LIMIT ${assertWhole(query.limit)} OFFSET ${assertWhole(query.offset)}`;
    },
    columns: resultColumns.map(({ name, type }) => ({ name, type })),
  };
}

/** Selects each column under a short name, together with the row number. */
function source(columns: readonly SourceColumn[]): string {
  const listed = columns.map(({ name: column, type, typeId }, index) => {
    const isOther = type === 'text' && typeId !== DuckDBTypeId.VARCHAR;
    return `${isOther ? `CAST(${identifier(column)} AS VARCHAR)` : identifier(column)} AS c${index}`;
  });
  const isTaken = columns.some((column) => column.name.toLowerCase() === 'file_row_number');
  return [...listed, `${isTaken ? 'row_number() OVER ()' : 'file_row_number'} AS r`].join(', ');
}

type ColumnLookup = (column: string, loc: Location) => { type: ColumnType; typeId?: DuckDBTypeId; sql: string };

function finder(columns: readonly SourceColumn[]): ColumnLookup {
  const places = new Map(columns.map((column, index) => [column.name, { ...column, sql: `c${index}` }]));
  return (column, loc) => {
    const match = places.get(column);
    if (match === undefined)
      throw new TaskProblem('unknown_column', `The table has no column ${JSON.stringify(column)}`, { column, loc });
    return match;
  };
}

/** Returns a lookup function for the ORDER BY columns of a grouped query. These must be columns of the result. */
function resultColumnFinder(resultColumns: readonly ResultColumn[]): ColumnLookup {
  const places = new Map(resultColumns.map(({ name: column, type }, index) => [column, { type, sql: `a${index}` }]));
  return (column, loc) => {
    const match = places.get(column);
    if (match === undefined) {
      const sentence = `The result has no column ${JSON.stringify(column)}: it has only the columns of group_by and aggregates`;
      throw new TaskProblem('unknown_column', sentence, { column, loc });
    }
    return match;
  };
}

function selectedColumns(
  { columns: requestedNames }: StructuredQuery,
  columns: readonly SourceColumn[],
  find: ColumnLookup,
): ResultColumn[] {
  const names = requestedNames ?? columns.map((column) => column.name);
  if (names.length === 0) throw new TaskProblem('invalid_query', 'columns is empty', { loc: ['columns'] });
  return names.map((column, index) => ({ ...find(column, ['columns', index]), name: column }));
}

function groupedColumns(
  query: StructuredQuery,
  find: ColumnLookup,
): { resultColumns: ResultColumn[]; grouping: string } {
  const { columns, group_by = [], aggregates = [] } = query;
  if (columns !== undefined) {
    const sentence = 'columns cannot be combined with group_by or aggregates';
    throw new TaskProblem('invalid_query', sentence, { loc: ['columns'] });
  }
  if (group_by.length + aggregates.length === 0)
    throw new TaskProblem('invalid_query', 'group_by and aggregates are empty', { loc: ['group_by'] });
  const groups = group_by.map((column, index) => ({ ...find(column, ['group_by', index]), name: column }));
  const resultColumns: ResultColumn[] = [
    ...groups,
    ...aggregates.map((aggregate, index) => aggregateColumn(aggregate, ['aggregates', index], find)),
  ];
  const names = new Set<string>();
  for (const [index, { name: column }] of resultColumns.entries()) {
    const sentence = `The result would have two columns called ${JSON.stringify(column)}`;
    const loc = index < groups.length ? ['group_by', index] : ['aggregates', index - groups.length];
    if (names.has(column)) throw new TaskProblem('invalid_query', sentence, { loc });
    names.add(column);
  }
  return { resultColumns, grouping: groups.length > 0 ? ` GROUP BY ${groups.map(({ sql }) => sql).join(', ')}` : '' };
}

function aggregateColumn({ function: kind, column, as }: Aggregate, loc: Location, find: ColumnLookup): ResultColumn {
  if (column === undefined) {
    const sentence = `${kind} needs a column`;
    if (kind !== 'count') throw new TaskProblem('invalid_query', sentence, { loc: [...loc, 'column'] });
    return { name: as ?? 'count', type: 'integer', sql: 'count(*)' };
  }
  const { type, sql } = find(column, [...loc, 'column']);
  const resultName = { name: as ?? `${kind}(${column})` };
  const refuse = (): never => {
    const sentence = `${kind} of ${JSON.stringify(column)} is not possible: its values are ${PLURALS[type]}`;
    throw new TaskProblem('invalid_query', sentence, { column, loc: [...loc, 'column'] });
  };
  switch (kind) {
    case 'count':
      return { ...resultName, type: 'integer', sql: `count(${sql})` };
    case 'count_distinct':
      return { ...resultName, type: 'integer', sql: `count(DISTINCT ${sql})` };
    case 'min':
    case 'max':
      return type === 'json' ? refuse() : { ...resultName, type, sql: `${kind}(${sql})` };
    case 'sum':
      return isNumeric(type) ? { ...resultName, type, sql: `sum(${sql})` } : refuse();
    case 'avg':
      return isNumeric(type) ? { ...resultName, type: 'number', sql: `avg(${sql})` } : refuse();
  }
}

const isNumeric = (type: ColumnType): boolean => type === 'integer' || type === 'number';

/** Returns the ORDER BY clause. Without one, DuckDB keeps the file order and does not need to read skipped rows. */
function orderBy({ order_by = [] }: StructuredQuery, isGrouped: boolean, find: ColumnLookup): string {
  const terms = order_by.map(({ column, descending = false }, index) => {
    const { sql } = find(column, ['order_by', index, 'column']);
    return `${sql} ${descending ? 'DESC' : 'ASC'} NULLS LAST`;
  });
  return isGrouped || terms.length > 0 ? ` ORDER BY ${[...terms, 'r ASC'].join(', ')}` : '';
}

function conditions(filters: readonly Filter[], find: ColumnLookup): Bound {
  const bound: Bound = { sql: '', values: [], types: [] };
  const terms = filters.map((filter, index) => condition(filter, ['where', index], find, bound));
  return { ...bound, sql: terms.length > 0 ? ` WHERE ${terms.join(' AND ')}` : '' };
}

/** Compiles a filter. A comparison with null is never true, so a null cell only matches IS NULL. */
function condition({ column, op, value }: Filter, loc: Location, find: ColumnLookup, bound: Bound): string {
  const filterColumn = find(column, [...loc, 'column']);
  const { sql, type } = filterColumn;
  const parameter = (operand: unknown, place: Location): string => {
    const converted = comparedValue(operand, filterColumn, place);
    bound.values.push(converted.value);
    bound.types.push(converted.type);
    return converted.sql;
  };
  const refuse = (sentence: string, place: Location): never => {
    throw new TaskProblem('invalid_query', sentence, { column, loc: place });
  };
  if (op === 'empty')
    return value === undefined || value === null ? `${sql} IS NULL` : refuse('empty takes no value', [...loc, 'value']);
  if (type === 'json')
    return refuse(`${JSON.stringify(column)} contains lists or objects: use empty to filter it`, [...loc, 'op']);
  if (op === 'in') {
    if (!Array.isArray(value)) return refuse('in takes a list of values', [...loc, 'value']);
    if (value.length === 0) return 'false';
    return `${sql} IN (${value.map((item, index) => parameter(item, [...loc, 'value', index])).join(', ')})`;
  }
  if (op === 'contains') {
    if (type !== 'text')
      return refuse(`contains works only on texts, but ${JSON.stringify(column)} has ${PLURALS[type]}`, [...loc, 'op']);
    return `contains(${sql}, ${parameter(value, [...loc, 'value'])})`;
  }
  return `${sql} ${op} ${parameter(value, [...loc, 'value'])}`;
}

/** Checks a number before it is inserted into SQL. @throws if it is not a whole number, which would be a bug in the caller */
function assertWhole(value: number): number {
  if (!Number.isSafeInteger(value) || value < 0) throw new Error('limit and offset must be whole numbers');
  return value;
}
