import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { TestEngine } from '../support/data-engine.js';
import { TaskProblem } from '../../packages/data-engine/tasks.js';

/*
 * SQL attacks. They must not read, write or reveal anything on the machine, and every query must end in time.
 * `HOSTILE_SQL=long` runs all attacks.
 */

const SECRET = 'nobody-may-read-this';
const isLong = process.env['HOSTILE_SQL'] === 'long';
const SECONDS = isLong ? 2 : 1;
let test: TestEngine;
let table: string;
let secret: string;

beforeAll(async () => {
  test = await TestEngine.start({ seconds: SECONDS });
  table = await test.table('orders', "SELECT range AS id, 'n' || range AS name FROM range(1000)");
  const home = join(test.directory, 'home');
  await mkdir(home);
  secret = join(home, 'secret.csv');
  await writeFile(secret, `a,b\n${SECRET},1\n`);
});
afterAll(async () => await test.stop());

/** Returns the result of an attempt: the code and message of a problem, or the rows as JSON. */
async function attempt(sql: string): Promise<{ code: string; told: string }> {
  try {
    const { columns, rows } = await test.query(sql, { orders: table });
    return { code: 'answered', told: JSON.stringify([columns, JSON.parse(rows)]) };
  } catch (error) {
    if (!(error instanceof TaskProblem)) throw error;
    return { code: error.code, told: error.message };
  }
}

function expectNothingTold(told: string, own = ''): void {
  expect(told).not.toContain(SECRET);
  expect(told).not.toContain(table);
  // The response may repeat strings from the statement itself.
  if (!own.includes(test.directory)) expect(told).not.toContain(test.directory);
  expect(told).not.toContain(process.cwd());
  expect(told).not.toMatch(/0x[0-9a-f]{6,}|libduckdb|node_modules/);
}

const file = (sql: string): string => sql.replaceAll('$', secret);

const REFUSED = [
  // Files.
  "FROM '$'",
  'SELECT * FROM "$"',
  "FROM read_csv('$')",
  "FROM read_csv_auto(['$'])",
  "FROM read_text('$')",
  "FROM read_blob('$')",
  "FROM read_json('$')",
  "FROM read_parquet('$')",
  "FROM parquet_metadata('$')",
  "FROM parquet_kv_metadata('$')",
  "FROM read_duckdb('$')",
  "FROM sniff_csv('$')",
  "FROM glob('/*')",
  "FROM system.main.glob('/*')",
  "FROM '/etc/passwd'",
  "SELECT (SELECT content FROM read_text('/etc/passwd'))",
  "SELECT * FROM orders WHERE name IN (SELECT content FROM read_text('$'))",
  "WITH x AS (FROM read_text('$')) FROM x",
  'FROM (WITH "$" AS (SELECT 1) FROM "$"), "$"',
  'WITH "x.csv" AS (SELECT 1) FROM "x.csv"',
  "FROM orders, LATERAL (SELECT * FROM read_text('$'))",
  "FROM query('FROM read_text(''$'')')",
  "FROM query_table('$')",
  "FROM query_table(['orders', '$'])",
  'WITH pg_settings AS (SELECT 1) FROM pg_settings, (FROM pg_catalog.pg_settings)',
  // Network and extensions.
  "FROM 'https://127.0.0.1:9/a.parquet'",
  "FROM read_csv('s3://bucket/a.csv')",
  'INSTALL httpfs',
  'LOAD httpfs',
  "LOAD '$'",
  "FORCE INSTALL 'https://127.0.0.1:9/x'",
  'UPDATE EXTENSIONS',
  // Other statements.
  "COPY orders TO '$.out'",
  "COPY (SELECT 1) TO '$.out' (FORMAT csv)",
  "COPY orders FROM '$'",
  "WITH x AS (COPY orders TO '$.out') SELECT 1",
  "SELECT 1) TO '$.out' (FORMAT csv); --",
  "EXPORT DATABASE '$.out'",
  "IMPORT DATABASE '$'",
  "ATTACH '$.db'",
  "ATTACH ':memory:' AS x",
  'DETACH memory',
  'USE system',
  'PRAGMA database_list',
  "PRAGMA enable_profiling='json'",
  'SET enable_external_access = true',
  'SET VARIABLE x = 1',
  'RESET memory_limit',
  "SET memory_limit = '100GB'",
  'CALL pragma_version()',
  'CREATE TABLE x AS SELECT 1',
  "CREATE MACRO f() AS TABLE FROM read_text('$')",
  'CREATE SECRET s (TYPE s3)',
  'CREATE OR REPLACE VIEW orders AS SELECT 1',
  'INSERT INTO orders VALUES (1)',
  'UPDATE orders SET id = 1',
  'DELETE FROM orders',
  'TRUNCATE orders',
  'DROP VIEW orders',
  'ALTER VIEW orders RENAME TO x',
  'BEGIN',
  'VACUUM',
  'CHECKPOINT',
  'PREPARE p AS SELECT 1',
  'EXECUTE p',
  'SELECT $1',
  'SELECT ?',
  'EXPLAIN FROM orders',
  'EXPLAIN ANALYZE FROM orders',
  'DESCRIBE orders',
  'SHOW TABLES',
  'SHOW ALL TABLES',
  'SUMMARIZE orders',
  'FROM (SHOW TABLES)',
  'FROM (DESCRIBE orders)',
  'PIVOT orders ON id USING count(*)',
  'SELECT 1; SELECT 2',
  "SELECT 1; COPY orders TO '$.out'",
  '',
  ';',
  '-- nothing',
  'SELECT 1 /*',
  // Information about the machine and the database.
  'FROM duckdb_settings()',
  'FROM "duckdb_settings"()',
  'FROM pg_settings',
  'FROM pg_catalog.pg_settings',
  'FROM duckdb_views()',
  'FROM duckdb_views',
  'FROM duckdb_databases()',
  'FROM duckdb_secrets()',
  'FROM duckdb_extensions()',
  'FROM duckdb_external_file_cache()',
  'FROM duckdb_functions()',
  'FROM duckdb_temporary_files()',
  'FROM duckdb_logs()',
  "FROM enable_logging(storage = 'file', storage_path = '$.out')",
  "FROM enable_profiling(save_location = '$.out')",
  "FROM pragma_storage_info('orders')",
  'FROM pragma_database_list',
  'FROM information_schema.tables',
  'FROM sqlite_master',
  'FROM pragma_user_agent()',
  "SELECT current_setting('allowed_paths')",
  "SELECT system.main.current_setting('allowed_paths')",
  "SELECT 'allowed_paths'.current_setting()",
  "SELECT list_transform(['allowed_paths'], x -> current_setting(x))",
  "SELECT (SELECT CURRENT_SETTING('secret_directory'))",
  "SELECT getenv('PATH')",
  "SELECT json_serialize_plan('FROM orders')",
  "FROM json_execute_serialized_sql(json_serialize_sql('FROM pg_settings'))",
  'SELECT pg_get_viewdef(1)',
  "SELECT write_log('x')",
  'SELECT sleep_ms(5000)',
  'FROM arrow_scan(1, 2, 3)',
  "FROM sql_auto_complete('SEL')",
  'FROM test_all_types()',
];

it.each(REFUSED)('rejects %s', async (sql) => {
  const { code, told } = await attempt(file(sql));
  expect({ code, told }).toMatchObject({ code: 'invalid_sql' });
  expectNothingTold(told, file(sql));
  expect(told).not.toMatch(/LINE \d/);
});

const repeated = (times: number, before: string, core: string, after = ''): string =>
  before.repeat(times) + core + after.repeat(times);

/**
 * Statements that use up all time or memory, or that break a parser. Each must end with a result or with one of these
 * problems.
 */
const EXHAUSTING: [string, string, RegExp][] = [
  ['endless counting', 'SELECT count(*) FROM range(1000000000000)', /query_timeout/],
  [
    'cross joins',
    'SELECT count(*) FROM orders a, orders b, orders c, orders d WHERE a.id + b.id + c.id + d.id < 0',
    /query_timeout/,
  ],
  [
    'endless recursion',
    'WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT max(n) FROM t',
    /query_timeout|out_of_memory/,
  ],
  [
    'growing recursion',
    'WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n FROM t, range(10)) SELECT count(*) FROM t',
    /query_timeout|out_of_memory/,
  ],
  [
    'a function call that cannot be interrupted',
    "SELECT levenshtein(repeat('a', 90000), repeat('b', 90000))",
    /query_timeout/,
  ],
  ['a huge list', 'SELECT list(range) FROM range(10000000000)', /out_of_memory|query_timeout/],
  ['a long range', 'SELECT range(1000000000)', /out_of_memory|invalid_sql/],
  ['a long string', "SELECT repeat('x', 4000000000)", /out_of_memory|invalid_sql/],
  ['an impossibly long string', "SELECT repeat('x', 9000000000000000000)", /invalid_sql|out_of_memory/],
  ['a padded string', "SELECT lpad('x', 2000000000, 'y')", /out_of_memory|invalid_sql|query_timeout|answered/],
  [
    'nested concatenations',
    `SELECT ${repeated(12, 'concat(', "repeat('x', 100000)", ", repeat('x', 100000000))")}`,
    /out_of_memory|query_timeout|answered/,
  ],
  [
    'a string that concatenates all rows',
    "SELECT string_agg(repeat('x', 1000), '') FROM range(10000000)",
    /out_of_memory|query_timeout/,
  ],
  ['large rows', "SELECT repeat('x', 9000000) FROM range(100)", /invalid_sql/],
  [
    'many wide rows',
    `SELECT ${Array.from({ length: 500 }, (_, index) => `repeat('x', 10000) AS c${index}`).join(', ')} FROM range(100)`,
    /answered|out_of_memory/,
  ],
  [
    'a huge sort',
    'SELECT random() AS r FROM range(1000000000) ORDER BY r DESC',
    /out_of_memory|query_timeout|answered/,
  ],
  ['a huge GROUP BY', 'SELECT range, count(*) FROM range(1000000000) GROUP BY range', /out_of_memory|query_timeout/],
  [
    'a slow regular expression',
    "SELECT regexp_matches(repeat('a', 100000), '(a*)*(a*)*(a|aa)*b')",
    /answered|out_of_memory/,
  ],
  [
    'a large regular expression',
    "SELECT regexp_replace(repeat('a', 10000), '((a{1,100}){1,100}){1,100}', 'b')",
    /invalid_sql|answered/,
  ],
  ['many wildcards in LIKE', `SELECT repeat('a', 30000) LIKE '${'%a'.repeat(300)}%b'`, /answered|query_timeout/],
  ['nested parentheses', `SELECT ${repeated(10_000, '(', '1', ')')}`, /invalid_sql/],
  ['nested lists', `SELECT ${repeated(10_000, '[', '', ']')}`, /invalid_sql/],
  ['5,000 nested subqueries', `${repeated(5_000, 'SELECT (', 'SELECT 1', ')')}`, /invalid_sql/],
  ['150 nested subqueries', `${repeated(150, 'SELECT (', 'SELECT 1', ')')}`, /answered|invalid_sql|query_timeout/],
  ['nested function calls', `SELECT ${repeated(900, 'abs(', '1', ')')}`, /answered|invalid_sql/],
  ['repeated NOT', `SELECT ${'NOT '.repeat(20_000)}true`, /invalid_sql/],
  ['a long sum', `SELECT 1${' + 1'.repeat(20_000)}`, /invalid_sql/],
  [
    '4,000 unions',
    `SELECT 1${' UNION ALL SELECT 1'.repeat(4_000)}`,
    /answered|invalid_sql|query_timeout|out_of_memory/,
  ],
  [
    '60 joins',
    `SELECT count(*) FROM orders a0${Array.from({ length: 60 }, (_, index) => ` JOIN orders a${index + 1} USING (id)`).join('')}`,
    /answered|query_timeout|out_of_memory/,
  ],
  [
    'nested common table expressions',
    `WITH ${Array.from({ length: 24 }, (_, index) => `t${index} AS (SELECT a.x FROM ${index === 0 ? '(SELECT 1 AS x)' : `t${index - 1}`} a, ${index === 0 ? '(SELECT 1 AS x)' : `t${index - 1}`} b)`).join(', ')} SELECT count(*) FROM t23`,
    /answered|query_timeout|out_of_memory/,
  ],
  ['8 MB of SQL', `SELECT '${'x'.repeat(8_000_000)}'`, /invalid_sql/],
  [
    'a struct of huge lists',
    'SELECT {a: list(range), b: list(range), c: list(range)} FROM range(1000000000)',
    /out_of_memory|query_timeout/,
  ],
  ['a huge map', 'SELECT map(list(range), list(range)) FROM range(100000000)', /out_of_memory|query_timeout/],
  ['lists of lists', 'SELECT list_transform(range(100000), x -> range(100000))', /out_of_memory|query_timeout/],
  [
    'parallel unnest calls',
    'SELECT unnest(range(1000000)), unnest(range(1000000)) FROM range(1000000)',
    /answered|out_of_memory/,
  ],
  [
    'a generated series',
    "SELECT count(*) FROM generate_series(TIMESTAMP '0001-01-01', TIMESTAMP '9999-01-01', INTERVAL 1 MICROSECOND)",
    /query_timeout|invalid_sql/,
  ],
  ['many factorials', 'SELECT sum(factorial(33)) FROM range(100000000000)', /query_timeout|invalid_sql/],
  ['a call to error()', "SELECT error('0 is no number')", /invalid_sql/],
  [
    'a huge window function',
    'SELECT sum(range) OVER (ORDER BY random()) FROM range(1000000000)',
    /query_timeout|out_of_memory/,
  ],
  ['a huge width in printf()', "SELECT printf('%2000000000d', 1)", /out_of_memory|invalid_sql|answered/],
  ['a huge width in format()', "SELECT format('{:>2000000000}', 1)", /out_of_memory|invalid_sql|answered/],
  ['nested JSON', `SELECT json('${repeated(20_000, '[', '', ']')}')`, /answered|invalid_sql/],
  ['a long bit string', "SELECT bitstring('1', 2000000000)", /out_of_memory|invalid_sql|answered/],
];

/** Runs only a quarter of the statements unless all of them are requested. */
const TRIED = EXHAUSTING.filter((_, index) => isLong || index % 4 === 1);

it.each(TRIED)('returns a result or an error in time for a query with %s', async (_title, sql, codes) => {
  const startedAt = performance.now();
  const { code, told } = await attempt(sql);
  // On a slow machine, any statement may reach the timeout before it needs too much memory.
  if (code !== 'query_timeout') expect(code).toMatch(codes);
  expectNothingTold(told);
  // Allows for the timeout, the time to stop, a second attempt, and a busy machine.
  expect(performance.now() - startedAt).toBeLessThan((SECONDS + 1) * 2_000 + 8_000);
});

it.each([
  ["SELECT error(repeat('a', 5000000))", 'invalid_sql'],
  ["SELECT error('No magic bytes')", 'invalid_sql'],
  ['SELECT 1e400', 'invalid_sql'],
  [`WITH t AS (SELECT 1 AS "${'x'.repeat(10_000)}") SELECT ${Array(200).fill('*').join(', ')} FROM t`, 'invalid_sql'],
  ["SELECT repeat('a', 9000000)", 'invalid_sql'],
])('limits the length of the error message for hostile statement %#', async (sql, code) => {
  const { code: ended, told } = await attempt(sql);
  expect(ended).toBe(code);
  expect(told.length).toBeLessThan(2_100);
});

it('still answers queries after the attacks and has not written any files', async () => {
  expect(await attempt('SELECT count(*) AS n FROM orders')).toEqual({
    code: 'answered',
    told: '[[{"name":"n","type":"integer"}],[[1000]]]',
  });
  expect(existsSync(`${secret}.out`)).toBe(false);
  expect((await readdir(test.directory)).sort()).toEqual(['home', 'orders.parquet']);
});

it.each([
  'SELECT 1 AS a;',
  'SELECT 1 AS a -- and so on',
  'VALUES (1), (2)',
  'FROM orders LIMIT 1',
  'TABLE orders',
  'FROM ORDERS o SELECT o.id, row_number() OVER (ORDER BY id)',
  'WITH x AS (FROM orders), y AS MATERIALIZED (FROM x) SELECT count(*) FROM y',
  'WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 10) FROM t',
  "PIVOT orders ON name IN ('n1', 'n2') USING sum(id)",
  'UNPIVOT orders ON id INTO NAME k VALUE v',
  'SELECT * EXCLUDE (name) FROM orders ORDER BY ALL LIMIT 2',
  'SELECT list_transform([1, 2], x -> x + 1), {a: 1}.a',
  'SELECT * FROM orders TABLESAMPLE 10% LIMIT 1',
  'SELECT id FROM range(3) r(id) SEMI JOIN orders USING (id)',
  'SELECT a.id FROM orders a ASOF JOIN orders b ON a.id >= b.id LIMIT 1',
  "SELECT unnest([1, 2]), strftime(DATE '2026-01-31', '%d.%m.%Y')",
  'SELECT id FROM orders UNION SELECT 5 ORDER BY 1 LIMIT 1',
])('runs %s', async (sql) => {
  expect(await attempt(sql)).toMatchObject({ code: 'answered' });
});
