import './node-version.mjs';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import ts from 'typescript';
import { ROOT, setUpCheckout } from './checkout.mjs';

/*
 * `npm run lists`: writes the lists that are derived from the code, each between two markers. The descriptions of settings are
 * the docstrings of the settings class. With `--check`, writes nothing and fails if a list is outdated.
 */
const SETTINGS = 'src/config/settings.ts';

await setUpCheckout();
const { CODES } = await import('../dist/src/common/errors/codes.js');
const { fieldsOf } = await import('../dist/src/common/validation/field.js');
const { Settings } = await import('../dist/src/config/settings.js');
const { COMPANY_EVENTS, PROJECT_EVENTS } = await import('../dist/src/events/event-types.js');

const code = (text) => `\`${text}\``;
const codesByStatus = Object.entries(CODES);
await write('settings', 'docs/operating.md', table(['Variable', 'Default', 'Meaning'], settings()));
const rows = codesByStatus.map(([status, codes]) => [status, codes.map(code).join(', ')]);
await write('error codes', 'docs/web-clients.md', `<!-- prettier-ignore -->\n${table(['Status', 'Codes'], rows)}`);
const statuses = codesByStatus.map(([status, codes]) => `${status}: ${JSON.stringify(codes)},`).join('');
const constant = `/** Error codes by their status. */\nexport const ERROR_CODES = {${statuses}} as const;`;
await write('error codes', 'client/src/error-codes.ts', constant);
await write('project events', 'docs/events.md', events(PROJECT_EVENTS));
await write('company events', 'docs/events.md', events(COMPANY_EVENTS));

/** Writes the text between the markers of a list in a file. */
async function write(list, path, text) {
  const file = join(ROOT, path);
  const mark = (words) => (path.endsWith('.md') ? `<!-- ${words} -->` : `// ${words}`);
  const [begin, end] = [mark(`${list}: written by "npm run lists"`), mark(`end of ${list}`)];
  const current = readFileSync(file, 'utf8');
  const [before, rest] = current.split(begin);
  const after = rest.split(end)[1];
  const options = { ...(await resolveConfig(file)), filepath: file };
  const wanted = await format([before, begin, '\n\n', text, '\n\n', end, after].join(''), options);

  if (!process.argv.includes('--check')) writeFileSync(file, wanted);
  else if (current !== wanted) {
    console.error(`The ${list} in ${path} are stale: npm run lists`);
    process.exitCode = 1;
  }
}

function table(head, rows) {
  const line = (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [head, head.map(() => '---'), ...rows].map(line).join('\n');
}

function events(types) {
  const names = (data) => fieldsOf(data).map(({ name }) => name);
  const rows = Object.entries(types).map(([type, { data, when }]) => [
    code(type),
    code(`{${names(data).join(', ')}}`),
    when,
  ]);
  return table(['Event', '`data.data`', 'When'], rows);
}

/** Returns the decorated properties of the settings class in source order. */
function settings() {
  const file = ts.createSourceFile(SETTINGS, readFileSync(join(ROOT, SETTINGS), 'utf8'), ts.ScriptTarget.Latest, true);
  const declared = file.statements.find(
    (statement) => ts.isClassDeclaration(statement) && statement.name?.text === 'Settings',
  );
  const defaults = new Settings();
  return declared.members
    .filter((member) => ts.isPropertyDeclaration(member) && (ts.getDecorators(member) ?? []).length > 0)
    .map((member) => {
      const name = member.name.getText(file);
      const says = docstring(member);
      if (says === '') throw new Error(`${name} has no docstring`);
      return [code(name), defaults[name] === undefined ? '' : code(defaults[name]), says];
    });
}

function docstring(member) {
  const text = ts.getJSDocCommentsAndTags(member).map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? '');
  return text.join(' ').replace(/\s+/g, ' ').trim();
}
