import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, extname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const execute = promisify(execFile);

/** Pages in the order in which they are applied. Each works with and without the pages before it. */
const PAGES = ['docs/extending.md', 'docs/extending-projects.md'];
/** Build outputs, including the compiler's build information, so that only changed sources are compiled. */
const BUILDS = ['dist', 'client/dist', 'client/src/openapi.ts', 'web/dist'];
/** Specs that check hand-written lists and documents. They work in a copy that is not a Git repository. */
const SPECS = 'test/house/(?!checkout|language)|test/interface/(limits|openapi)|validation/requests';
/** Tests from the pages, and tests that check hand-written tables. */
const TESTS = 'e2e/(stock|milestones)|permissions|idempotency.e2e|project-purge|integration/schema';
const TEST_NAMES = 'stock|milestone|every operation|another company|exactly the POST|the purge|migrated schema|entity';
const TIMEOUT_MS = 1_200_000;

interface Block {
  language: string;
  path: string;
  content: string;
}

let copy: string;

/** Runs a program in the copy. If it fails, the error contains its output. */
async function run(program: string, ...args: string[]): Promise<string> {
  try {
    const options = { cwd: copy, timeout: TIMEOUT_MS, env: process.env, maxBuffer: 64 * 1024 * 1024 };
    const { stdout, stderr } = await execute(program, args, options);
    return stdout + stderr;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${[program, ...args].join(' ')} failed:\n${stdout}\n${stderr}`, { cause: error });
  }
}
const node = (...args: string[]): Promise<string> => run(process.execPath, ...args);
const test = (project: string, patterns: string, ...args: string[]): Promise<string> =>
  node('scripts/test.mjs', '--selectProjects', project, '--testPathPatterns', patterns, ...args);

/** Copies the checkout. Links the installed packages, but copies this repository's packages and omits tool caches. */
async function makeCopy(): Promise<void> {
  const { stdout } = await execute('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard']);
  const files = stdout.split('\0').filter((path) => path !== '' && existsSync(path));
  for (const path of [...files, ...BUILDS])
    await cp(path, join(copy, path), { recursive: true, preserveTimestamps: true });
  await mkdir(join(copy, 'node_modules'));
  for (const name of await readdir('node_modules')) {
    const [from, to] = [join('node_modules', name), join(copy, 'node_modules', name)];
    if (name === '@project-workspace') await cp(from, to, { recursive: true, verbatimSymlinks: true });
    else if (name !== '.cache') await symlink(resolve(from), to);
  }
}

const blocksOf = (page: string): Block[] =>
  Array.from(page.matchAll(/^```(ts|diff) (\S+)\n([\s\S]*?)^```$/gm), ([, language = '', path = '', content = '']) => ({
    language,
    path,
    content,
  }));

/** Returns the commands that generate files, as the page shows them. */
const generatorsOf = (page: string): string[] =>
  Array.from(page.matchAll(/^npm run (openapi|schema|lists)\b/gm), ([, name = '']) => name);

/** Applies a block of a page: writes a whole file or changes a part of it. */
async function applyBlock({ language, path, content }: Block): Promise<void> {
  const file = join(copy, path);
  if (language === 'ts') {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content, { flag: 'wx' });
    return;
  }
  const lines = content.trimEnd().split('\n');
  const side = (other: string): string =>
    lines.flatMap((line) => (line.startsWith(other) ? [] : [`${line.slice(1)}\n`])).join('');
  const before = await readFile(file, 'utf8');
  const parts = before.split(side('+'));
  if (parts.length !== 2) throw new Error(`${path} has these lines ${parts.length - 1} times:\n${side('+')}`);
  await writeFile(file, parts.join(side('-')));
}

describe(PAGES.join(' and '), () => {
  beforeAll(async () => {
    copy = await mkdtemp(join(tmpdir(), 'extending-'));
    await makeCopy();
  }, 120_000);
  afterAll(() => rm(copy, { recursive: true, force: true }));

  it(
    'describe modules that compile, migrate, serve requests and pass the checks of this repository',
    async () => {
      const pages = await Promise.all(PAGES.map((path) => readFile(path, 'utf8')));
      const blocks = pages.flatMap(blocksOf);
      for (const block of blocks) await applyBlock(block);
      expect(blocks.length).toBeGreaterThan(40);

      const generators = [...new Set(pages.flatMap(generatorsOf))];
      expect(generators).toEqual(['openapi', 'schema', 'lists']);
      for (const name of generators) await run('npm', 'run', '--silent', name);

      await node('scripts/check.mjs', 'types', 'types of the page');
      await node('node_modules/dependency-cruiser/bin/dependency-cruise.mjs', '--output-type', 'err', 'src');
      const changed = [...new Set(blocks.map(({ path }) => path))];
      await node('node_modules/prettier/bin/prettier.cjs', '--check', ...changed);
      await node(
        'node_modules/eslint/bin/eslint.js',
        ...changed.filter((path) => /^\.[cm]?[jt]s$/.test(extname(path))),
      );

      await test('unit', SPECS);
      // Jest reports a test file as skipped if no test name in it matches.
      expect(await test('e2e', TESTS, '--testNamePattern', TEST_NAMES)).not.toMatch(/^Test Suites:.* skipped/m);
    },
    TIMEOUT_MS,
  );
});
