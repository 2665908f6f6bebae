import './node-version.mjs';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import ts from 'typescript';
import { ROOT, setUpCheckout } from './checkout.mjs';

/*
 * `npm run settings`: writes the table of settings in docs/operating.md, from the class of settings and what its
 * docstrings say. With `--check` it writes nothing and fails when the table is stale.
 */
const SOURCE = join(ROOT, 'src/config/settings.ts');
const PAGE = join(ROOT, 'docs/operating.md');
const [BEGIN, END] = ['<!-- settings: written by "npm run settings" -->', '<!-- end of settings -->'];

await setUpCheckout();
const { Settings } = await import('../dist/src/config/settings.js');

const page = readFileSync(PAGE, 'utf8');
const [before, rest] = page.split(BEGIN);
const after = rest.split(END)[1];
const options = { ...(await resolveConfig(PAGE)), filepath: PAGE };
const wanted = await format([before, BEGIN, '\n\n', table(), '\n', END, after].join(''), options);

if (!process.argv.includes('--check')) writeFileSync(PAGE, wanted);
else if (page !== wanted) {
  console.error('The settings in docs/operating.md are stale: npm run settings');
  process.exitCode = 1;
}

function table() {
  const defaults = new Settings();
  const rows = settings().map(({ name, says }) => {
    if (says === '') throw new Error(`${name} has no docstring`);
    const value = defaults[name] === undefined ? '' : `\`${defaults[name]}\``;
    return `| \`${name}\` | ${value} | ${says.replaceAll('|', '\\|')} |`;
  });
  return ['| Variable | Default | Meaning |', '| --- | --- | --- |', ...rows, ''].join('\n');
}

/** The properties of the class that carry decorators, in their order. */
function settings() {
  const file = ts.createSourceFile(SOURCE, readFileSync(SOURCE, 'utf8'), ts.ScriptTarget.Latest, true);
  const declared = file.statements.find(
    (statement) => ts.isClassDeclaration(statement) && statement.name?.text === 'Settings',
  );
  return declared.members
    .filter((member) => ts.isPropertyDeclaration(member) && (ts.getDecorators(member) ?? []).length > 0)
    .map((member) => ({ name: member.name.getText(file), says: docstring(member) }));
}

function docstring(member) {
  const text = ts.getJSDocCommentsAndTags(member).map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? '');
  return text.join(' ').replace(/\s+/g, ' ').trim();
}
