import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../..');
const WRITE = /\b(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM)\s+(?:ONLY\s+)?(\w+)/g;

/**
 * Exceptions: the statement that appends events also adds deliveries, and records the deliveries that a webhook skips
 * (ADR 11).
 */
const WITH_EVENTS = ['webhook_deliveries', 'webhook_skips'];

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Names of the tables in the migrated schema. */
const tables = new Set([...read('schema.sql').matchAll(/CREATE (?:UNLOGGED )?TABLE (\w+)/g)].map(([, name]) => name));

/** Returns the files whose SQL writes each table. A repository and its SQL file count as a single writer. */
function writersOf(sources: Iterable<readonly [path: string, text: string]>): Map<string, Set<string>> {
  const writers = new Map<string, Set<string>>();
  for (const [path, text] of sources) {
    for (const [, table = ''] of text.replace(/\/\*.*?\*\/|^\s*\/\/.*$/gms, '').matchAll(WRITE)) {
      if (!tables.has(table)) continue;
      const known = writers.get(table) ?? new Set();
      writers.set(table, known.add(basename(path).replace(/\.(repository|sql)\.ts$/, '')));
    }
  }
  return writers;
}

const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !/\.spec\.ts$|^database\/migrations\//.test(path))
  .map((path) => [path, read(join('src', path))] as const);

describe('tables', () => {
  it('are each written by a single repository', () => {
    const writers = writersOf(sources);
    expect(writers.size).toBeGreaterThan(15);
    const shared = [...writers].filter(([, files]) => files.size > 1);
    expect(shared.map(([table]) => table).sort()).toEqual(WITH_EVENTS);
  });

  it('have at most one entity repository each, because entity repositories inherit methods that write', () => {
    const entities = sources.flatMap(([, text]) =>
      Array.from(text.matchAll(/^export class \w+ extends EntityRepository\((\w+)\)/gm), ([, entity]) => entity),
    );
    expect(entities.length).toBeGreaterThan(15);
    expect(entities.filter((entity, index) => entities.indexOf(entity) !== index)).toEqual([]);
  });

  it('are reported if they have two writers', () => {
    const planted = [...sources, ['src/chat/elsewhere.repository.ts', '`UPDATE messages SET content = $1`']] as const;
    expect(writersOf(planted).get('messages')?.size).toBe(2);
  });
});
