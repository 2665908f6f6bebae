import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const WEB = join(import.meta.dirname, '../../web/src');
/** Matches the query keys of cached data, except in calls that only invalidate a key. */
const KEPT = /(?<!invalidateQueries\(\{ queryKey: )keyOf\(([^()]*(?:\([^()]*\)[^()]*)*)\)/g;

/** Returns the query keys of each source without duplicates. Variable parts are replaced by `_`. */
const keysIn = (sources: readonly string[]): string[] =>
  sources
    .filter((source) => source.includes('queryFn'))
    .flatMap((source) => [
      ...new Set(
        Array.from(source.matchAll(KEPT), ([, given = '']) =>
          given
            .split(',')
            .slice(1)
            .map((part) => (part.trim().startsWith("'") ? part.trim() : '_'))
            .join(' '),
        ),
      ),
    ]);
const repeated = (keys: readonly string[]): string[] => keys.filter((key, at) => keys.indexOf(key) !== at);

/**
 * If two queries cache different data under the same key, they receive each other's data, and the page breaks later.
 */
describe('query keys of the page', () => {
  const sources = readdirSync(WEB, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => readFileSync(join(WEB, path), 'utf8'));

  it('are each used by the queries of a single file', () => {
    const keys = keysIn(sources);
    expect(keys.length).toBeGreaterThan(15);
    expect(repeated(keys)).toEqual([]);
  });

  it('are reported only if queries in two files use them', () => {
    const reader = (key: string) => `useQuery({ queryKey: keyOf(id, ${key}), queryFn: async () => 1 })`;
    const named = (key: string) => `const queryKey = keyOf(id, ${key}); useQuery({ queryKey, queryFn: async () => 2 })`;
    const changed = (key: string) => `queryFn; queries.invalidateQueries({ queryKey: keyOf(id, ${key}) })`;
    expect(repeated(keysIn([reader(`'project', 'snapshots'`), named(`'project', 'snapshots'`)]))).toHaveLength(1);
    expect(repeated(keysIn([reader(`'execution', id`), reader(`'execution', run.id`)]))).toHaveLength(1);
    expect(repeated(keysIn([reader(`'execution', id`), reader(`'execution', id, 'cards'`)]))).toEqual([]);
    expect(repeated(keysIn([reader(`'cards'`), changed(`'cards'`)]))).toEqual([]);
  });
});
