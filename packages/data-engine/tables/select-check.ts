import type { DuckDBConnection } from '@duckdb/node-api';
import { MAX_SQL } from '../limits.js';
import { TaskProblem } from '../tasks.js';

/** Allowed table functions. All other table functions read files or reveal details of the database or the machine. */
const TABLE_FUNCTIONS = new Set([
  'range',
  'generate_series',
  'unnest',
  'json_each',
  'json_tree',
  'repeat',
  'repeat_row',
]);

/**
 * Rejected functions. They reveal settings (which contain file names), execute SQL, sleep, or do not validate their arguments.
 */
const REFUSED_FUNCTIONS = new Set([
  'combine',
  'current_setting',
  'finalize',
  'getenv',
  'json_deserialize_sql',
  'json_execute_serialized_sql',
  'json_serialize_plan',
  'json_serialize_sql',
  'pg_get_constraintdef',
  'pg_get_viewdef',
  'pg_sleep',
  'query',
  'query_table',
  'sleep_ms',
  'write_log',
]);

/** Functions whose second argument contains type names. */
const STRUCTURED_FUNCTIONS = new Set(['from_json', 'from_json_strict', 'json_transform', 'json_transform_strict']);

const LIKE_A_FILE = /[./\\:*?[]/;

interface Syntax {
  error: boolean;
  error_type?: string;
  error_message?: string;
  position?: string;
  statements?: unknown[];
}

/**
 * Checks that a statement is a single SELECT that only reads the given tables.
 *
 * The locked database already denies access to files, the network and settings. This check rejects such statements before
 * anything runs, and also blocks functions that reveal details of the machine. The check inspects DuckDB's own syntax tree.
 *
 * @throws TaskProblem `invalid_sql`
 */
export async function checkSelect(connection: DuckDBConnection, sql: string, tables: readonly string[]): Promise<void> {
  if (sql.length > MAX_SQL) refuse(`The statement is longer than ${MAX_SQL} characters`);
  if (sql.includes('\0')) refuse('The statement contains a character that is not allowed in SQL');
  const reader = await connection.runAndReadAll('SELECT json_serialize_sql($1::VARCHAR)', [sql]);
  const syntax = parse(String(reader.getRows()[0]![0]));
  if (syntax.error) {
    // DuckDB can only serialize SELECT statements.
    if (syntax.error_type === 'not implemented') refuse('Only a single SELECT statement can be run');
    refuse(`Parser Error: ${syntax.error_message ?? 'syntax error'}${lineOf(sql, syntax.position)}`);
  }
  if (syntax.statements?.length !== 1) refuse('Exactly one SELECT statement can be run');
  checkNodes(syntax.statements, await existingTables(connection, tables, syntax.statements));
}

function parse(tree: string): Syntax {
  try {
    return JSON.parse(tree) as Syntax;
  } catch {
    // DuckDB writes infinity as invalid JSON.
    return refuse('The statement has a number that is out of range');
  }
}

function lineOf(sql: string, position: string | undefined): string {
  if (position === undefined || !sql.includes('\n')) return '';
  const before = Buffer.from(sql).subarray(0, Number(position)).toString();
  return ` (line ${before.split('\n').length})`;
}

type Node = Record<string, unknown>;

/** Yields all objects in a syntax tree. Iterative, because trees can be very deep. */
function* nodesOf(root: unknown): Generator<Node> {
  const waiting = [root];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value !== 'object' || value === null) continue;
    if (!Array.isArray(value)) yield value as Node;
    for (const child of Object.values(value)) if (typeof child === 'object') waiting.push(child);
  }
}

/**
 * Returns the lower-case names of the given tables and of the WITH definitions, except for definitions with the name of a
 * built-in view.
 */
async function existingTables(
  connection: DuckDBConnection,
  tables: readonly string[],
  tree: unknown,
): Promise<Set<string>> {
  const defined = new Set<string>();
  for (const node of nodesOf(tree)) {
    if (!('key' in node && 'value' in node)) continue;
    // Outside the scope of its WITH clause, DuckDB would treat such a name as a file.
    if (LIKE_A_FILE.test(String(node['key']))) refuse('A name in WITH cannot look like a file name');
    defined.add(lower(node['key']));
  }
  if (defined.size > 0) {
    const reader = await connection.runAndReadAll('SELECT view_name FROM duckdb_views() WHERE internal');
    for (const [own] of reader.getRows()) defined.delete(lower(own));
  }
  return new Set([...tables.map(lower), ...defined]);
}

function checkNodes(tree: unknown, tables: ReadonlySet<string>): void {
  for (const node of nodesOf(tree)) {
    if (node['type'] === 'SHOW_REF') refuse('DESCRIBE, SHOW and SUMMARIZE cannot be run: write a single SELECT');
    if (node['type'] === 'BASE_TABLE') checkTable(node, tables);
    if (node['type'] === 'PARAMETER' || node['class'] === 'PARAMETER')
      refuse('Parameters are not supported: write their values');
    const { function_name: functionName } = node;
    if (typeof functionName === 'string') checkFunction(functionName, node);
    if (node['id'] === 'VARIANT' || (node['type'] === 'UNBOUND_TYPE_INFO' && lower(node['name']) === 'variant'))
      refuse('The type VARIANT cannot be used: use JSON');
    if (node['type'] === 'TABLE_FUNCTION') {
      const { function_name: tableFunction } = node['function'] as Node;
      if (!TABLE_FUNCTIONS.has(lower(tableFunction)))
        refuse(`The table function ${String(tableFunction)} cannot be used`);
    }
  }
}

function checkTable(node: Node, tables: ReadonlySet<string>): void {
  const { table_name: table, schema_name: schema, catalog_name: catalog } = node;
  const isQualified = (typeof schema === 'string' && schema !== '') || (typeof catalog === 'string' && catalog !== '');
  if (isQualified || !tables.has(lower(table)))
    refuse(
      `There is no table ${JSON.stringify(isQualified ? `${String(catalog || schema)}.${String(table)}` : table)}: add it to tables`,
    );
}

function checkFunction(functionName: string, { children }: Node): void {
  const plain = lower(functionName);
  // DuckDB 1.5 corrupts memory when it sorts VARIANT values.
  if (REFUSED_FUNCTIONS.has(plain) || plain.startsWith('__internal') || plain.startsWith('variant_'))
    refuse(`The function ${functionName} cannot be used`);
  if (STRUCTURED_FUNCTIONS.has(plain) && !isPlainStructure((children as Node[])[1]))
    refuse(`The structure of ${functionName} must be a text literal without backslashes and without the type VARIANT`);
}

function isPlainStructure(argument: Node | undefined): boolean {
  if (argument?.['class'] !== 'CONSTANT') return false;
  const { value } = argument['value'] as Node;
  return typeof value === 'string' && !/\\|variant/i.test(value);
}

const lower = (value: unknown): string => String(value).toLowerCase();

function refuse(sentence: string): never {
  throw new TaskProblem('invalid_sql', sentence);
}
