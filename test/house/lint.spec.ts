import { describe, expect, it } from '@jest/globals';
import { ESLint, Linter } from 'eslint';
import tseslint from 'typescript-eslint';

const FILE = 'src/stock/stock.service.ts';

const { rules } = (await new ESLint().calculateConfigForFile(FILE)) as { rules: Linter.RulesRecord };

/** Returns the rule's messages for a service that contains these lines. */
function found(text: string): string[] {
  const messages = new Linter().verify(
    text,
    [
      {
        files: ['**/*.ts'],
        languageOptions: { parser: tseslint.parser },
        rules: { 'no-restricted-syntax': rules['no-restricted-syntax'] ?? 'off' },
      },
    ],
    { filename: FILE },
  );
  return messages.map(({ message }) => message);
}

const IN_REPOSITORY = 'Statements run in *.repository.ts only; give the repository a method.';
const PARAMETERS = 'A class takes at most 8 parameters; give a part of its work to another class.';
const SQL = 'SQL stands in *.repository.ts and *.sql.ts only.';

describe('the linter', () => {
  it.each([
    ['await tx.query(statement, [id]);', [IN_REPOSITORY]],
    ['await this.database.manager.query(`SELECT 1`);', [IN_REPOSITORY, SQL]],
    ['this.counts.createQueryBuilder();', [IN_REPOSITORY]],
    ['const all = "select id from stock_counts";', []],
    ['const all = "SELECT id FROM stock_counts";', [SQL]],
    ['const text = `\n  WITH RECURSIVE up AS (${more}) SELECT 1`;', [SQL]],
    ['const text = `UPDATE ${table} SET a = 1`;', []],
    ['const text = `UPDATE stock_counts SET a = ${one}`;', [SQL]],
    ['const text = `DELETE FROM stock_counts`;', [SQL]],
    ['const text = "INSERT INTO stock_counts VALUES (1)";', [SQL]],
    ["projects.update({ id }, { deleted_at: () => 'now()' });", [SQL]],
    ["import { env } from 'node:process';", ['Settings are read in src/config only; inject Config.']],
    [`class Stock { constructor(${[...'abcdefgh'].join(', ')}) {} }`, []],
    [`class Stock { constructor(${[...'abcdefghi'].join(', ')}) {} }`, [PARAMETERS]],
    ['const id = projectId as ProjectId;', ['A checked id comes from the look-up that has proved it.']],
    ['forwardRef(() => StockModule);', ['Modules import each other one way only.']],
    ["const label = 'Update card'; const other = 'With its messages';", []],
  ])('reports exactly the violations of house rules in %s', (text, messages) => {
    expect(found(text)).toEqual(messages);
  });
});
