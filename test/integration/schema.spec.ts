import { readdir, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { getMetadataArgsStorage } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import '../../src/app.module.js';
import { dumpSchema } from '../../src/database/schema-dump.js';
import { useDatabase } from '../support/database.js';

interface TableColumn {
  table: string;
  name: string;
  type: string;
  nullable: boolean;
  in_primary_key: boolean;
}

type EntityClass = ReturnType<typeof loadedEntities>[number];

const loadedEntities = () => getMetadataArgsStorage().tables.map(({ target }) => target);

/** Entities that the service loads because a repository imports them as values. */
const known = new Set(loadedEntities());

/** Entities by entity file. They are loaded before the data source is created, so that all of them are compared. */
const declared = new Map<string, EntityClass[]>();
for (const path of await readdir('src', { recursive: true })) {
  if (!path.endsWith('.entity.ts')) continue;
  const exported = (await import(`../../src/${path.replace(/\.ts$/, '.js')}`)) as Record<string, unknown>;
  const entities = new Set(loadedEntities());
  declared.set(
    path,
    Object.values(exported).filter((value): value is EntityClass => entities.has(value as EntityClass)),
  );
}

const migrated = useDatabase();

/**
 * Columns that never change, or that no response with an entity tag contains. Each new column must be listed here or in
 * the trigger.
 */
const COLUMNS_WITHOUT_REVISION = {
  messages: [
    'answer',
    'answered_call_id',
    'answered_message_id',
    'api_key_id',
    'client_msg_key',
    'context',
    'conversation_id',
    'id',
    'model_steps',
    'payload_hash',
    'project_id',
    'turn_id',
  ],
  turns: [
    'api_key_id',
    'attempts',
    'body_seq',
    'company_id',
    'conversation_id',
    'created_at',
    'credits',
    'due_at',
    'ended_at',
    'generation',
    'id',
    'keeps_events',
    'model',
    'outcome',
    'owner',
    'project_id',
    'revision',
    'user_id',
  ],
};

describe('the migrated schema', () => {
  let client: pg.Client;
  beforeAll(async () => {
    client = new pg.Client({ connectionString: migrated.url });
    await client.connect();
  });
  afterAll(() => client.end());

  it('equals the committed schema.sql that npm run schema writes', async () => {
    expect(await dumpSchema(client)).toBe(await readFile('schema.sql', 'utf8'));
  });

  it('can be recreated from schema.sql', async () => {
    const committed = await readFile('schema.sql', 'utf8');
    await client.query('ALTER SCHEMA public RENAME TO earlier');
    await client.query('CREATE SCHEMA public');
    try {
      await client.query(committed);
      expect(withoutBrackets(await dumpSchema(client))).toBe(withoutBrackets(committed));
    } finally {
      await client.query('DROP SCHEMA public CASCADE');
      await client.query('ALTER SCHEMA earlier RENAME TO public');
    }
  });

  it('contains exactly the columns that the entity classes declare', async () => {
    const columns = await tableColumns(client);
    const problems = migrated.source.entityMetadatas.flatMap(({ tableName, columns: declared }) => {
      const there = columns.filter(({ table }) => table === tableName);
      return [
        ...declared.flatMap((column) => columnProblems(tableName, column, there)),
        ...there
          .filter(({ name }) => !declared.some(({ databaseName }) => databaseName === name))
          .map(({ name }) => `${tableName}.${name} is in the table but not in the entity`),
      ];
    });
    expect(problems).toEqual([]);
  });

  it.each(Object.entries(COLUMNS_WITHOUT_REVISION))(
    'changes the entity tag when any column of %s changes, except for the listed columns',
    async (table, others) => {
      const { rows } = await client.query<{ name: string; watched: boolean }>(
        `SELECT a.attname AS name, a.attnum = ANY (t.tgattr) AS watched
         FROM pg_attribute a
         JOIN pg_trigger t ON t.tgrelid = a.attrelid AND t.tgname = $1 || '_revision'
        WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped
        ORDER BY a.attname COLLATE "C"`,
        [table],
      );
      expect(rows.filter(({ watched }) => !watched).map(({ name }) => name)).toEqual(others);
    },
  );
});

describe('entity classes', () => {
  it('are declared in separate files, and all of them are compared with their tables', () => {
    const files = [...declared].map(([path, entities]) => ({ path, entities: entities.length }));
    expect(files.filter(({ entities }) => entities !== 1)).toEqual([]);
    expect(migrated.source.entityMetadatas).toHaveLength(files.length);
  });

  it('are all loaded by the service', () => {
    const unknown = [...declared].filter(([, entities]) => entities.some((entity) => !known.has(entity)));
    expect(unknown.map(([path]) => path)).toEqual([]);
  });
});

/** Removes brackets, because PostgreSQL flattens nested ANDs when it reads its own output. */
const withoutBrackets = (sql: string): string => sql.replace(/[()]/g, '');

function columnProblems(table: string, column: ColumnMetadata, there: TableColumn[]): string[] {
  const at = `${table}.${column.databaseName}`;
  const actual = there.find(({ name }) => name === column.databaseName);
  if (actual === undefined) return [`${at} is in the entity but not in the table`];
  const declared = typeOf(column);
  return [
    ...(actual.type === declared ? [] : [`${at} is ${actual.type} in the table and ${declared} in the entity`]),
    ...(actual.nullable === column.isNullable
      ? []
      : [`${at} is nullable in ${actual.nullable ? 'the table' : 'the entity'} only`]),
    ...(actual.in_primary_key === column.isPrimary
      ? []
      : [`${at} is part of the primary key in ${actual.in_primary_key ? 'the table' : 'the entity'} only`]),
  ];
}

/** Returns the type of a column as written by `format_type`. */
function typeOf(column: ColumnMetadata): string {
  if (column.enumName !== undefined) return column.enumName;
  const base = migrated.source.driver.normalizeType(column);
  const numbers = [column.precision, column.scale].filter((number) => number != null);
  const precise = numbers.length === 0 ? base : base.replace(/^(timestamp|time|numeric)/, `$1(${numbers.join(',')})`);
  return column.isArray ? `${precise}[]` : precise;
}

async function tableColumns(client: pg.Client): Promise<TableColumn[]> {
  const { rows } = await client.query<TableColumn>(`
    SELECT t.relname AS table, a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type, NOT a.attnotnull AS nullable,
           coalesce(a.attnum = ANY (c.conkey), false) AS in_primary_key
      FROM pg_attribute a
      JOIN pg_class t ON t.oid = a.attrelid AND t.relnamespace = 'public'::regnamespace AND t.relkind IN ('r', 'p')
      LEFT JOIN pg_constraint c ON c.conrelid = t.oid AND c.contype = 'p'
     WHERE a.attnum > 0 AND NOT a.attisdropped`);
  return rows;
}
