import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const SCRIPT = join(import.meta.dirname, '../../scripts/test.mjs');

const PASSES = `it('passes', () => {});`;
const BROKEN = `it('always fails', () => { throw new Error('Broken for good'); });`;
/** Test that fails only in its first run, which leaves a file behind. */
const FLAKY = (folder: string): string => `
  const { existsSync, writeFileSync } = require('node:fs');
  it('fails once', () => {
    const marker = ${JSON.stringify(join(folder, 'was-run'))};
    if (existsSync(marker)) return;
    writeFileSync(marker, '');
    throw new Error('Lost a race');
  });`;

let folder: string;
let report: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flaky-tests-'));
  report = join(folder, 'report');
  await mkdir(report);
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Runs test files with the script behind `npm test`. */
async function run(files: Record<string, string>): Promise<{ code: number; output: string }> {
  const config = join(folder, 'jest.config.json');
  await writeFile(config, JSON.stringify({ testMatch: ['**/*.test.js'], transform: {} }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, `${name}.test.js`), text);
  return await new Promise((resolve) => {
    const env = { ...process.env, TEST_REPORT: report };
    execFile(process.execPath, [SCRIPT, '--config', config], { env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), output: stdout + stderr }),
    );
  });
}

const list = async (name: string): Promise<string> => await readFile(join(report, name), 'utf8').catch(() => '');

describe('npm test', () => {
  it('passes if a failed test passes when it is run alone, and reports the test with its first error', async () => {
    const { code, output } = await run({ flaky: FLAKY(folder), passes: PASSES });
    expect(code).toBe(0);
    expect(output).toContain('Flaky tests');
    expect(await list('flaky')).toMatch(/flaky\.test\.js: fails once\n {4}Error: Lost a race\n/);
    expect(await list('seconds')).toMatch(/^[\d.]+\t.*passes\.test\.js$/m);
  });

  it.each([
    ['fails again', BROKEN],
    ['cannot be loaded', `${PASSES} import;`],
  ])('fails if a test file %s, and still reports a flaky test', async (_, broken) => {
    const { code, output } = await run({ broken, flaky: FLAKY(folder) });
    expect(code).toBe(1);
    expect(output).toContain('Flaky tests');
    expect(await list('flaky')).toContain('flaky.test.js: fails once\n    Error: Lost a race');
    expect(await list('flaky')).not.toContain('broken');
  });

  it('fails without another attempt if many files fail', async () => {
    const files = Object.fromEntries(Array.from({ length: 6 }, (_, index) => [`broken-${index}`, BROKEN]));
    const { code, output } = await run(files);
    expect(code).toBe(1);
    expect(output).not.toContain('once more');
  });
});
