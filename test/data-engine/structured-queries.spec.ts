import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { TestEngine } from '../support/data-engine.js';
import type {
  Aggregate,
  Cell,
  ColumnType,
  Filter,
  ReadAnswer,
  StructuredQuery,
} from '../../packages/data-engine/tasks.js';

/*
 * Runs random structured queries on random tables and compares the results with those from a model in JavaScript.
 * `TABLE_QUERIES` is the number of queries.
 */

const QUERIES = Number(process.env['TABLE_QUERIES'] ?? 100);
const seed = Number(process.env['TABLE_SEED'] ?? randomInt(2 ** 31));
const TABLES = 4;

type Value = bigint | number | string | boolean | null;
type Row = Record<string, Value>;

/** Columns and their values. The strings sort differently by code points than by UTF-16 units. */
const COLUMNS: Record<string, { type: ColumnType; sql: string; values: Value[] }> = {
  'whole number': { type: 'integer', sql: 'BIGINT', values: [-3n, 0n, 1n, 2n, 7n, 12n, null] },
  big: { type: 'integer', sql: 'BIGINT', values: [9007199254740993n, 9007199254740992n, -9007199254740995n, 5n, null] },
  amount: { type: 'number', sql: 'DOUBLE', values: [-2.5, 0, 0.25, 1.75, 1e6, NaN, Infinity, null] },
  price: { type: 'number', sql: 'DECIMAL(10,2)', values: [0.1, 0.2, 19.99, -5, null] },
  'is "open"': { type: 'boolean', sql: 'BOOLEAN', values: [true, false, null] },
  day: { type: 'date', sql: 'DATE', values: ['2024-02-29', '1969-12-31', '2026-01-01', null] },
  at: { type: 'timestamp', sql: 'TIMESTAMP', values: ['2024-02-29T23:59:59.5', '1969-12-31T00:00:00', null] },
  hour: { type: 'time', sql: 'TIME', values: ['00:00:00', '08:30:00.25', null] },
  text: {
    type: 'text',
    sql: 'VARCHAR',
    values: ['', 'a', 'A', 'b%', 'a_b', 'é', '\u{1F600}', '\uFFFD', "o'k", 'NaN', null],
  },
  file_row_number: { type: 'integer', sql: 'INTEGER', values: [1n, 2n, null] },
};
const NAMES = Object.keys(COLUMNS);
const OF_TYPE = (...types: ColumnType[]): string[] => NAMES.filter((name) => types.includes(COLUMNS[name]!.type));

const rowArbitrary = fc.record(
  Object.fromEntries(NAMES.map((name) => [name, fc.constantFrom(...COLUMNS[name]!.values)])),
) as fc.Arbitrary<Row>;

const asked = (value: Value): unknown => {
  if (typeof value === 'bigint') return toCell(value);
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  return value;
};

const filterArbitrary = fc.constantFrom(...NAMES).chain((column): fc.Arbitrary<Filter> => {
  const { type, values } = COLUMNS[column]!;
  const value = fc.constantFrom(...values.filter((item) => item !== null)).map(asked);
  return fc.oneof(
    fc.record({ column: fc.constant(column), op: fc.constantFrom('=', '<>', '<', '<=', '>', '>='), value }),
    fc.record({ column: fc.constant(column), op: fc.constant('in'), value: fc.array(value, { maxLength: 3 }) }),
    fc.constant({ column, op: 'empty' }),
    ...(type === 'text' ? [fc.record({ column: fc.constant(column), op: fc.constant('contains'), value })] : []),
  );
});

const aggregateArbitrary: fc.Arbitrary<Aggregate> = fc.oneof(
  fc.constant<Aggregate>({ function: 'count' }),
  fc.record({
    function: fc.constantFrom('count' as const, 'count_distinct' as const, 'min' as const, 'max' as const),
    column: fc.constantFrom(...NAMES),
  }),
  fc.record({
    function: fc.constantFrom('sum' as const, 'avg' as const),
    column: fc.constantFrom(...OF_TYPE('integer', 'number')),
  }),
);

const pageArbitrary = { limit: fc.integer({ min: 1, max: 30 }), offset: fc.constantFrom(0, 0, 1, 5, 100) };
const whereArbitrary = fc.array(filterArbitrary, { maxLength: 3 });
const orderOf = (names: string[]): fc.Arbitrary<NonNullable<StructuredQuery['order_by']>> =>
  fc.array(fc.record({ column: fc.constantFrom(...names), descending: fc.boolean() }), { maxLength: 3 });

const plainArbitrary: fc.Arbitrary<StructuredQuery> = fc.record(
  {
    columns: fc.array(fc.constantFrom(...NAMES), { minLength: 1 }),
    where: whereArbitrary,
    order_by: orderOf(NAMES),
    ...pageArbitrary,
  },
  { requiredKeys: ['limit', 'offset'] },
);
const groupedArbitrary: fc.Arbitrary<StructuredQuery> = fc
  .record({
    group_by: fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 2 }),
    aggregates: fc.array(aggregateArbitrary, { minLength: 1, maxLength: 3 }),
    where: whereArbitrary,
    ...pageArbitrary,
  })
  .chain((query) => {
    const aggregates = query.aggregates.map((aggregate, index) => ({ ...aggregate, as: `n${index}` }));
    const names = [...query.group_by, ...aggregates.map(({ as }) => as)];
    return orderOf(names).map((order_by) => ({ ...query, aggregates, order_by }));
  });

/* Model. */

const valueIn = (row: Row, column: string): Value => row[column] ?? null;

const isNaNValue = (value: Value): boolean => typeof value === 'number' && Number.isNaN(value);

/** Compares values. Strings are ordered by code points, NaN comes after all numbers, and nulls do not occur here. */
function compare(left: Value, right: Value): number {
  if (typeof left === 'string' && typeof right === 'string')
    return Buffer.compare(Buffer.from(left), Buffer.from(right));
  if (isNaNValue(left) || isNaNValue(right)) return Number(isNaNValue(left)) - Number(isNaNValue(right));
  return left! < right! ? -1 : left! > right! ? 1 : 0;
}

function compareWithNulls(left: Value, right: Value, descending: boolean): number {
  if (left === null || right === null) return Number(left === null) - Number(right === null);
  return descending ? compare(right, left) : compare(left, right);
}

function valueOf(given: unknown, column: string): Value {
  const { type } = COLUMNS[column]!;
  if (type === 'integer') return BigInt(given as string);
  return type === 'number' ? Number(given) : (given as Value);
}

function satisfies(row: Row, { column, op, value }: Filter): boolean {
  const own = valueIn(row, column);
  if (op === 'empty') return own === null;
  if (own === null) return false;
  if (op === 'in') return (value as unknown[]).some((item) => compare(own, valueOf(item, column)) === 0);
  if (op === 'contains') return (own as string).includes(value as string);
  const order = compare(own, valueOf(value, column));
  return { '=': order === 0, '<>': order !== 0, '<': order < 0, '<=': order <= 0, '>': order > 0, '>=': order >= 0 }[
    op
  ];
}

const keyOf = (value: Value): string => `${typeof value}:${String(value)}`;

function aggregate(rows: Row[], { function: kind, column }: Aggregate): Value {
  if (column === undefined) return BigInt(rows.length);
  const values = rows.map((row) => valueIn(row, column)).filter((value) => value !== null);
  if (kind === 'count') return BigInt(values.length);
  if (kind === 'count_distinct') return BigInt(new Set(values.map(keyOf)).size);
  if (values.length === 0) return null;
  if (kind === 'min') return values.reduce((best, value) => (compare(value, best) < 0 ? value : best));
  if (kind === 'max') return values.reduce((best, value) => (compare(value, best) > 0 ? value : best));
  const sum = sumOf(values, column);
  return kind === 'sum' ? sum : quotient(sum, values.length, COLUMNS[column]!.sql);
}

/** Divides a sum by a count, rounding only once. */
function quotient(sum: bigint | number, count: number, sql: string): number {
  if (sql.startsWith('DECIMAL')) return Math.round(Number(sum) * 100) / (count * 100);
  return typeof sum === 'number' ? sum / count : Number((sum << 60n) / BigInt(count)) / 2 ** 60;
}

function sumOf(values: Value[], column: string): bigint | number {
  if (COLUMNS[column]!.type === 'integer') return (values as bigint[]).reduce((sum, value) => sum + value, 0n);
  if (COLUMNS[column]!.sql !== 'DOUBLE')
    return (values as number[]).reduce((sum, value) => sum + Math.round(value * 100), 0) / 100;
  return (values as number[]).reduce((sum, value) => sum + value, 0);
}

function toCell(value: Value): Cell {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
}

function model(rows: Row[], query: StructuredQuery): { rows: Cell[][]; total: number } {
  const matched = rows.filter((row) => (query.where ?? []).every((filter) => satisfies(row, filter)));
  let answered = matched;
  let names = query.columns ?? NAMES;
  if (query.aggregates !== undefined) {
    const { group_by = [], aggregates } = query;
    const groups = new Map<string, Row[]>(group_by.length === 0 ? [['', []]] : []);
    for (const row of matched) {
      const key = group_by.map((column) => keyOf(valueIn(row, column))).join('\n');
      groups.set(key, [...(groups.get(key) ?? []), row]);
    }
    answered = Array.from(groups.values(), (members) => ({
      ...Object.fromEntries(group_by.map((column) => [column, valueIn(members[0]!, column)])),
      ...Object.fromEntries(aggregates.map((item) => [item.as!, aggregate(members, item)])),
    }));
    names = [...group_by, ...aggregates.map(({ as }) => as!)];
  }
  const sorted = answered.toSorted((left, right) => {
    for (const { column, descending = false } of query.order_by ?? []) {
      const order = compareWithNulls(valueIn(left, column), valueIn(right, column), descending);
      if (order !== 0) return order;
    }
    return 0;
  });
  const page = sorted.slice(query.offset, query.offset + query.limit);
  return { rows: page.map((row) => names.map((column) => toCell(valueIn(row, column)))), total: answered.length };
}

/* Comparison of the engine with the model. */

const literal = (value: Value, sql: string): string =>
  value === null ? 'NULL' : `CAST('${String(value).replaceAll("'", "''")}' AS ${sql})`;

function statement(rows: Row[]): string {
  const columns = NAMES.map((name) => `"${name.replaceAll('"', '""')}"`).join(', ');
  const nothing = `(${NAMES.map((name) => literal(null, COLUMNS[name]!.sql)).join(', ')}, -1)`;
  const listed = rows.map(
    (row, index) => `(${NAMES.map((name) => literal(valueIn(row, name), COLUMNS[name]!.sql)).join(', ')}, ${index})`,
  );
  const typed = NAMES.map(
    (name) => `CAST("${name.replaceAll('"', '""')}" AS ${COLUMNS[name]!.sql}) AS "${name.replaceAll('"', '""')}"`,
  );
  return `SELECT ${typed.join(', ')} FROM (VALUES ${[nothing, ...listed].join(', ')}) AS t(${columns}, place) WHERE place >= 0 ORDER BY place`;
}

let test: TestEngine;
const tables: { file: string; rows: Row[] }[] = [];

beforeAll(async () => {
  test = await TestEngine.start();
  const sizes = [0, 1, 12, 40];
  for (let index = 0; index < TABLES; index++) {
    const size = { minLength: sizes[index]!, maxLength: sizes[index]! };
    const rows = fc.sample(fc.array(rowArbitrary, size), { seed: seed + index, numRuns: 1 })[0]!;
    tables.push({ file: await test.table(`t${index}`, statement(rows)), rows });
  }
});
afterAll(async () => await test.stop());

it(
  'returns the same results for structured queries as a simple model',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...tables.keys(), 3, 3),
        fc.oneof(plainArbitrary, groupedArbitrary),
        async (index, query) => {
          const { file, rows } = tables[index]!;
          const answer: ReadAnswer = await test.engine.run({ kind: 'read', table: file, query }, { company_id: 'a' });
          expect({ rows: JSON.parse(answer.rows) as unknown, total: answer.total }).toEqual(model(rows, query));
        },
      ),
      { numRuns: QUERIES, seed },
    );
  },
  QUERIES * 1_000 + 10_000,
);

const read = async (query: Partial<StructuredQuery>): Promise<ReadAnswer> =>
  await test.engine.run(
    { kind: 'read', table: tables[3]!.file, query: { limit: 10, offset: 0, ...query } },
    { company_id: 'a' },
  );

const where = (column: string, op: string, value?: unknown): Partial<StructuredQuery> => ({
  where: [{ column, op: op as Filter['op'], value }],
});

it.each<[string, Partial<StructuredQuery>, string, (string | number)[]]>([
  ['an unknown column', { columns: ['text', 'Text'] }, 'unknown_column', ['columns', 1]],
  ['an unknown column in a filter', where('nope', '=', 1), 'unknown_column', ['where', 0, 'column']],
  ['a string for a number column', where('amount', '<', '5'), 'invalid_query', ['where', 0, 'value']],
  ['a number for a string column', where('text', '=', 5), 'invalid_query', ['where', 0, 'value']],
  ['a day that does not exist', where('day', '=', '2023-02-29'), 'invalid_query', ['where', 0, 'value']],
  ['an hour that does not exist', where('at', '=', '2023-02-28T24:00:00'), 'invalid_query', ['where', 0, 'value']],
  ['a null as a value', where('day', '=', null), 'invalid_query', ['where', 0, 'value']],
  ['a null in a list', where('day', 'in', ['2023-02-28', null]), 'invalid_query', ['where', 0, 'value', 1]],
  [
    'a value that is not a list for the operator `in`',
    where('day', 'in', '2023-02-28'),
    'invalid_query',
    ['where', 0, 'value'],
  ],
  ['a value for the operator `empty`', where('day', 'empty', true), 'invalid_query', ['where', 0, 'value']],
  [
    'the operator `contains` for a number column',
    where('amount', 'contains', '1'),
    'invalid_query',
    ['where', 0, 'op'],
  ],
  [
    'a sum of strings',
    { aggregates: [{ function: 'sum', column: 'text' }] },
    'invalid_query',
    ['aggregates', 0, 'column'],
  ],
  ['a sum without a column', { aggregates: [{ function: 'sum' }] }, 'invalid_query', ['aggregates', 0, 'column']],
  [
    'two columns with the same name',
    { group_by: ['text'], aggregates: [{ function: 'count', as: 'text' }] },
    'invalid_query',
    ['aggregates', 0],
  ],
  ['columns in addition to groups', { columns: ['text'], group_by: ['text'] }, 'invalid_query', ['columns']],
  [
    'a sort by a column that is not in the result',
    { group_by: ['text'], order_by: [{ column: 'day' }] },
    'unknown_column',
    ['order_by', 0, 'column'],
  ],
])('rejects %s and reports its location', async (_title, query, code, loc) => {
  await expect(read(query)).rejects.toMatchObject({ code, place: { loc } });
});

it('treats SQL in a value or a column name as plain text', async () => {
  const text = "'; DROP VIEW file; --";
  expect((await read(where('text', '=', text))).total).toBe(0);
  await expect(read({ columns: ['text" FROM file; --'] })).rejects.toMatchObject({ code: 'unknown_column' });
  const { columns } = await read({ aggregates: [{ function: 'count', as: text }] });
  expect(columns).toEqual([{ name: text, type: 'integer' }]);
});
