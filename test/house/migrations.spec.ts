import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

/** Migrations up to this number were written before the rule existed and are never changed. */
const LAST_WITHOUT_RULE = 650;
const CHANGED_TABLE =
  /\b(?:ALTER TABLE(?: ONLY)?|(?:CREATE|DROP) (?:UNIQUE )?(?:INDEX|TRIGGER)\b[^;`]*?\bON|UPDATE|DELETE FROM|INSERT INTO)\s+(\w+)/g;

/** Returns the existing tables that a migration changes in `up`, excluding the tables that it creates. */
function changedTables(text: string): string[] {
  const up = text.slice(text.indexOf('async up('), text.indexOf('async down('));
  const made = new Set(Array.from(up.matchAll(/CREATE TABLE (\w+)/g), ([, table]) => table));
  const changed = Array.from(up.matchAll(CHANGED_TABLE), ([, table]) => table ?? '');
  return [...new Set(changed)].filter((table) => table !== 'SET' && !made.has(table));
}

/** Returns whether a migration that changes several tables locks them in its first statement. */
function locksFirst(text: string): boolean {
  const tables = changedTables(text);
  if (tables.length < 2) return true;
  const [, first = ''] = /runner\.query\(\s*['"`]([^;'"`]*)/.exec(text) ?? [];
  const [, locked = ''] = /^\s*LOCK TABLE ([\w, \n]+) IN ACCESS EXCLUSIVE MODE/.exec(first) ?? [];
  return tables.every((table) => locked.split(/[,\s]+/).includes(table));
}

const migration = (...statements: string[]): string =>
  `async up(runner) {\n${statements.map((statement) => `await runner.query('${statement}');`).join('\n')}\n}\nasync down(`;

describe('the rule that a migration locks all its tables first', () => {
  it('is followed by all migrations since the rule was introduced', () => {
    const broken = readdirSync('src/database/migrations').filter((file) => {
      const number = Number(/(\d{4})-/.exec(file)?.[1]);
      return number > LAST_WITHOUT_RULE && !locksFirst(readFileSync(`src/database/migrations/${file}`, 'utf8'));
    });
    expect(broken).toEqual([]);
  });

  it.each<[boolean, string, string[]]>([
    [true, 'one table', ['ALTER TABLE cards ADD a int', 'CREATE INDEX a_idx ON cards (a)']],
    [
      true,
      'a new table',
      ['CREATE TABLE things (id int)', 'ALTER TABLE cards ADD a int', 'INSERT INTO things SELECT 1'],
    ],
    [false, 'two tables without a lock', ['ALTER TABLE cards ADD a int', 'ALTER TABLE turns ADD a int']],
    [false, 'a table that is only updated', ['ALTER TABLE cards ADD a int', 'UPDATE projects SET a = 1']],
    [false, 'a trigger on another table', ['ALTER TABLE cards ADD a int', 'CREATE TRIGGER t AFTER INSERT ON turns']],
    [
      false,
      'a lock after the first statement',
      [
        'ALTER TABLE cards ADD a int',
        'LOCK TABLE cards, turns IN ACCESS EXCLUSIVE MODE',
        'ALTER TABLE turns ADD a int',
      ],
    ],
    [
      false,
      'a lock on only some tables',
      ['LOCK TABLE cards IN ACCESS EXCLUSIVE MODE', 'ALTER TABLE cards ADD a int', 'ALTER TABLE turns ADD a int'],
    ],
    [
      true,
      'a lock on all tables',
      [
        'LOCK TABLE turns, cards IN ACCESS EXCLUSIVE MODE',
        'ALTER TABLE cards ADD a int',
        'ALTER TABLE turns ADD a int',
      ],
    ],
  ])('evaluates to %s for a migration with %s', (expected, _what, statements) => {
    expect(locksFirst(migration(...statements))).toBe(expected);
  });
});
