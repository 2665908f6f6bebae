import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const execute = promisify(execFile);

const PAGE = 'docs/extending.md';
/** Files to copy. They include the build and the compiler's build information, so that only new files are compiled. */
const COPIED = [
  ...['src', 'packages', 'test', 'docs', 'dist', 'openapi.json', 'jest.config.js', 'package.json'],
  ...['tsconfig.json', 'tsconfig.build.json', 'rolldown.config.mjs', '.dependency-cruiser.cjs'],
];
const TIMEOUT_MS = 300_000;

let copy: string;

/** Runs a program in the copy. If it fails, the error contains its output. */
async function run(program: string, ...args: string[]): Promise<string> {
  try {
    const { stdout, stderr } = await execute(program, args, { cwd: copy, timeout: TIMEOUT_MS, env: process.env });
    return stdout + stderr;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${args.join(' ')} failed:\n${stdout}\n${stderr}`, { cause: error });
  }
}
const node = (...args: string[]): Promise<string> => run(process.execPath, ...args);

/** Applies a code block from the page: writes a whole file or changes part of a file. */
async function applyBlock(language: string, path: string, content: string): Promise<void> {
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

describe(PAGE, () => {
  beforeAll(async () => {
    copy = await mkdtemp(join(tmpdir(), 'extending-'));
    for (const path of COPIED) await cp(path, join(copy, path), { recursive: true, preserveTimestamps: true });
    await symlink(resolve('node_modules'), join(copy, 'node_modules'));
  }, 60_000);
  afterAll(() => rm(copy, { recursive: true, force: true }));

  it(
    'leads to a module that compiles, migrates the database, serves requests, runs its job and provides a tool for the agent',
    async () => {
      const page = await readFile(PAGE, 'utf8');
      const blocks = [...page.matchAll(/^```(ts|diff) (\S+)\n([\s\S]*?)^```$/gm)];
      for (const [, language = '', path = '', content = ''] of blocks) await applyBlock(language, path, content);
      expect(blocks.length).toBeGreaterThan(10);

      await node(
        'node_modules/@typescript/native/bin/tsc',
        '-p',
        'tsconfig.build.json',
        '--noEmitOnError',
        '--preserveSymlinks',
      );
      await node('node_modules/rolldown/bin/cli.mjs', '-c', 'rolldown.config.mjs');
      await node('dist/src/openapi.js');
      expect(await readFile(join(copy, 'openapi.json'), 'utf8')).toContain('"/api/v1/stock/counts"');
      const rules = await node(
        'node_modules/dependency-cruiser/bin/dependency-cruise.mjs',
        '--output-type',
        'err',
        'src',
      );
      expect(rules).toContain('no dependency violations found');

      // Runs the page's test and the completeness checks of the tables with a database server and a service for the
      // copy.
      const config = 'end-to-end.config.js';
      await writeFile(
        join(copy, config),
        `import all from './jest.config.js';
         export default all.projects.find(({ displayName }) => displayName === 'e2e');`,
      );
      const tests = ['stock.e2e', 'permissions.e2e', 'idempotency.e2e'];
      const output = await node(
        '--experimental-vm-modules',
        '--disable-warning=ExperimentalWarning',
        'node_modules/jest/bin/jest.js',
        '--config',
        config,
        '--testTimeout=60000',
        '--testNamePattern=stock|is in the table|exactly the POST operations',
        ...tests,
      );
      expect(output).toContain(`Test Suites: ${tests.length} passed, ${tests.length} total`);
    },
    TIMEOUT_MS,
  );
});
