import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../..');
const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !/\.spec\.ts$|^migrations\//.test(path))
  .map((path) => readFileSync(join(ROOT, 'src', path), 'utf8'));

/** Returns the lock names that could equal another lock's name when a company id or another value is appended. */
function sharedLocks(text: string): string[] {
  const names = [...text.matchAll(/hashtextextended\('([^']*)'( \|\|)?/g)];
  const prefixes = names.filter(([, , rest]) => rest !== undefined).map(([, name = '']) => name);
  const all = new Set(names.map(([, name = '']) => name));
  return [...all].filter((name) => prefixes.some((prefix) => name !== prefix && name.startsWith(prefix)));
}

describe('advisory locks', () => {
  it('have different names regardless of the company id', () => {
    const text = sources.join('\n');
    expect(text.match(/hashtextextended\(/g)?.length).toBeGreaterThan(5);
    expect(text.match(/hashtextextended\((?!'|\$1, 0)/g)).toBeNull();
    expect(sharedLocks(text)).toEqual([]);
  });

  it.each([
    [
      'the name of a lock for all companies',
      `hashtextextended('solves:' || $1, 0) hashtextextended('solves: claims', 0)`,
      'solves: claims',
    ],
    [
      'a longer prefix',
      `hashtextextended('files:' || $1, 0) hashtextextended('files:parts:' || $1, 0)`,
      'files:parts:',
    ],
  ])('are reported if a company id after a prefix could produce %s', (_, text, name) =>
    expect(sharedLocks(text)).toEqual([name]),
  );
});
