import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { assertComplete } from '../support/hand-written-list.js';

const read = (path: string): string => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');
const schema = read('schema.sql');
const page = read('docs/database.md');

describe('docs/database.md', () => {
  it('lists each trigger with its table', () => {
    const triggers = Array.from(
      schema.matchAll(/^CREATE (?:CONSTRAINT )?TRIGGER (\w+) .*? ON public\.(\w+) /gm),
      ([, trigger, table]) => `${table} ${trigger}`,
    );
    const listed = Array.from(
      page.matchAll(/^\| `(\w+)` +\| `(\w+)` +\|/gm),
      ([, table, trigger]) => `${table} ${trigger}`,
    );
    expect(triggers.length).toBeGreaterThan(20);
    assertComplete('docs/database.md', listed, triggers);
  });

  it('lists each function that no trigger executes', () => {
    const functions = Array.from(
      schema.matchAll(/^CREATE OR REPLACE FUNCTION public\.(\w+)/gm),
      ([, name = '']) => name,
    );
    const executed = new Set(Array.from(schema.matchAll(/EXECUTE FUNCTION (\w+)\(/g), ([, name]) => name));
    const [, section = ''] = page.split('\n## Functions\n');
    const listed = Array.from(section.matchAll(/`(\w+)`(?=[^|\n]*\|[^|\n]*\|$)/gm), ([, name = '']) => name);
    assertComplete(
      'docs/database.md',
      listed,
      functions.filter((name) => !executed.has(name)),
    );
  });
});
