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

/** Structured query as SQL statements on a view `file`, which is defined by `source`. */
export interface Plan {
  source: string;
  /** Statement that counts all matching rows or groups. */
  matched: Bound & { isGrouped: boolean };
  /** Returns the statement for the result rows. `from` provides the matching rows. */
  page(from: string): string;
  columns: { name: string; type: ColumnType }[];
}

type Loc = (string | number)[];

/** Column of the result and its name in the statements. */
interface Answered {
  name: string;
  type: ColumnType;
  sql: string;
}

/**
 * Compiles a query to SQL. Only existing column names are used, as `c0`, `c1` and so on, and values become parameters.
 *
 * @throws TaskProblem at the location of the invalid part
 */
export function plan(query: StructuredQuery, columns: readonly SourceColumn[]): Plan {
  const find = finder(columns);
  const isGrouped = query.group_by !== undefined || query.aggregates !== undefined;
  const where = conditions(query.where ?? [], find);
  const { answered, grouping } = isGrouped
    ? grouped(query, find)
    : { answered: plain(query, columns, find), grouping: '' };
  const order = orderBy(query, isGrouped, isGrouped ? answeredFinder(answered) : find);
  const list = answered.map(({ sql }, index) => `${sql} AS a${index}`).join(', ');
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
      const selected = isGrouped ? answered.map((_, index) => `a${index}`).join(', ') : list;
      return `SELECT ${selected} FROM (${from})${order} LIMIT ${whole(query.limit)} OFFSET ${whole(query.offset)}`;
    },
    columns: answered.map(({ name, type }) => ({ name, type })),
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

type Find = (column: string, loc: Loc) => { type: ColumnType; typeId?: DuckDBTypeId; sql: string };

function finder(columns: readonly SourceColumn[]): Find {
  const places = new Map(columns.map((column, index) => [column.name, { ...column, sql: `c${index}` }]));
  return (column, loc) => {
    const found = places.get(column);
    if (found === undefined)
      throw new TaskProblem('unknown_column', `The table has no column ${JSON.stringify(column)}`, { column, loc });
    return found;
  };
}

/** Returns a lookup for the ORDER BY columns of a grouped query, which must be in the result. */
function answeredFinder(answered: readonly Answered[]): Find {
  const places = new Map(answered.map(({ name: column, type }, index) => [column, { type, sql: `a${index}` }]));
  return (column, loc) => {
    const found = places.get(column);
    if (found === undefined) {
      const sentence = `The result has no column ${JSON.stringify(column)}: it has only the columns of group_by and aggregates`;
      throw new TaskProblem('unknown_column', sentence, { column, loc });
    }
    return found;
  };
}

function plain({ columns: asked }: StructuredQuery, columns: readonly SourceColumn[], find: Find): Answered[] {
  const names = asked ?? columns.map((column) => column.name);
  if (names.length === 0) throw new TaskProblem('invalid_query', 'columns is empty', { loc: ['columns'] });
  return names.map((column, index) => ({ ...find(column, ['columns', index]), name: column }));
}

function grouped(query: StructuredQuery, find: Find): { answered: Answered[]; grouping: string } {
  const { columns, group_by = [], aggregates = [] } = query;
  if (columns !== undefined) {
    const sentence = 'columns cannot be combined with group_by or aggregates';
    throw new TaskProblem('invalid_query', sentence, { loc: ['columns'] });
  }
  if (group_by.length + aggregates.length === 0)
    throw new TaskProblem('invalid_query', 'group_by and aggregates are empty', { loc: ['group_by'] });
  const groups = group_by.map((column, index) => ({ ...find(column, ['group_by', index]), name: column }));
  const answered: Answered[] = [
    ...groups,
    ...aggregates.map((aggregate, index) => aggregated(aggregate, ['aggregates', index], find)),
  ];
  const names = new Set<string>();
  for (const [index, { name: column }] of answered.entries()) {
    const sentence = `The result would have two columns called ${JSON.stringify(column)}`;
    const loc = index < groups.length ? ['group_by', index] : ['aggregates', index - groups.length];
    if (names.has(column)) throw new TaskProblem('invalid_query', sentence, { loc });
    names.add(column);
  }
  return { answered, grouping: groups.length > 0 ? ` GROUP BY ${groups.map(({ sql }) => sql).join(', ')}` : '' };
}

function aggregated({ function: kind, column, as }: Aggregate, loc: Loc, find: Find): Answered {
  if (column === undefined) {
    const sentence = `${kind} needs a column`;
    if (kind !== 'count') throw new TaskProblem('invalid_query', sentence, { loc: [...loc, 'column'] });
    return { name: as ?? 'count', type: 'integer', sql: 'count(*)' };
  }
  const { type, sql } = find(column, [...loc, 'column']);
  const named = { name: as ?? `${kind}(${column})` };
  const refuse = (): never => {
    const sentence = `${kind} of ${JSON.stringify(column)} is not possible: its values are ${PLURALS[type]}`;
    throw new TaskProblem('invalid_query', sentence, { column, loc: [...loc, 'column'] });
  };
  switch (kind) {
    case 'count':
      return { ...named, type: 'integer', sql: `count(${sql})` };
    case 'count_distinct':
      return { ...named, type: 'integer', sql: `count(DISTINCT ${sql})` };
    case 'min':
    case 'max':
      return type === 'json' ? refuse() : { ...named, type, sql: `${kind}(${sql})` };
    case 'sum':
      return isNumeric(type) ? { ...named, type, sql: `sum(${sql})` } : refuse();
    case 'avg':
      return isNumeric(type) ? { ...named, type: 'number', sql: `avg(${sql})` } : refuse();
  }
}

const isNumeric = (type: ColumnType): boolean => type === 'integer' || type === 'number';

/** Returns the ORDER BY clause. Without sorting, DuckDB keeps the file order and does not need to read skipped rows. */
function orderBy({ order_by = [] }: StructuredQuery, isGrouped: boolean, find: Find): string {
  const terms = order_by.map(({ column, descending = false }, index) => {
    const { sql } = find(column, ['order_by', index, 'column']);
    return `${sql} ${descending ? 'DESC' : 'ASC'} NULLS LAST`;
  });
  return isGrouped || terms.length > 0 ? ` ORDER BY ${[...terms, 'r ASC'].join(', ')}` : '';
}

function conditions(filters: readonly Filter[], find: Find): Bound {
  const bound: Bound = { sql: '', values: [], types: [] };
  const terms = filters.map((filter, index) => condition(filter, ['where', index], find, bound));
  return { ...bound, sql: terms.length > 0 ? ` WHERE ${terms.join(' AND ')}` : '' };
}

/** Compiles a filter. Comparisons with null are unknown, so null only satisfies IS NULL. */
function condition({ column, op, value }: Filter, loc: Loc, find: Find, bound: Bound): string {
  const found = find(column, [...loc, 'column']);
  const { sql, type } = found;
  const parameter = (given: unknown, place: Loc): string => {
    const read = comparedValue(given, found, place);
    bound.values.push(read.value);
    bound.types.push(read.type);
    return read.sql;
  };
  const refuse = (sentence: string, place: Loc): never => {
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

/** Checks a number before it is inserted into SQL. @throws if it is not a whole number, which callers must prevent */
function whole(value: number): number {
  if (!Number.isSafeInteger(value) || value < 0) throw new Error('limit and offset must be whole numbers');
  return value;
}
