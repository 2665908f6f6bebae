import './node-version.mjs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { ROOT, setUpCheckout } from './checkout.mjs';

/*
 * `npm test`, with Jest's own arguments after `--`. At the end, failed test files run again separately. Files that pass the second
 * time are listed under "Flaky tests". If all of them pass, the run passes. If TEST_REPORT is the path of a folder, this list is
 * also written to the file `flaky` in it, and the duration of each test file to the file `seconds`.
 */

/** If more files than this fail, the code is broken and the tests are not just flaky. */
const MAX_FLAKY_FILES = 5;
/** Number of lines of the first error that the list of flaky tests shows. */
const ERROR_LINES = 12;

const { TEST_REPORT: report, ...environment } = process.env;
const scratch = mkdtempSync(join(tmpdir(), 'test-results-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

await setUpCheckout();
process.exitCode = await main(process.argv.slice(2));

async function main(args) {
  const { code, signal, results } = await runJest('first', args);
  if (report !== undefined) {
    const lines = results
      .filter(({ file }) => file !== undefined)
      .map(({ file, seconds }) => `${seconds}\t${relative(ROOT, file)}\n`);
    appendFileSync(join(report, 'seconds'), lines.join(''));
  }
  if (code === 0 || signal !== null) return code ?? 1;
  const failed = results.filter(({ failures }) => failures?.length > 0);
  const hasFault = results.some(({ fault }) => fault !== undefined);
  if (failed.length === 0 || failed.length > MAX_FLAKY_FILES || hasFault) return code;

  const repaired = [];
  for (const { file, failures } of failed) {
    console.error(`\nRunning ${relative(ROOT, file)} once more, alone`);
    const again = await runJest('again', [...args, '--runTestsByPath', file]);
    if (again.signal !== null) break;
    if (again.code === 0) repaired.push({ file, failures });
  }
  const list = repaired.flatMap(({ file, failures }) => failures.map(({ test, error }) => flaky(file, test, error)));
  if (list.length > 0) {
    console.error(`\nFlaky tests (failed, then passed alone)\n\n${list.join('\n')}`);
    if (report !== undefined) appendFileSync(join(report, 'flaky'), `${list.join('\n')}\n`);
  }
  return repaired.length === failed.length ? 0 : code;
}

/** Runs Jest. Returns its exit code, or the signal that ended it, and the result of each test file. */
async function runJest(name, args) {
  const path = join(scratch, name);
  // Jest supports ES modules only with the first flag. The second flag suppresses its warning in each process.
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const jest = join(ROOT, 'node_modules/jest/bin/jest.js');
  const reporters = ['default', join(ROOT, 'test/support/results-reporter.js')].flatMap((one) => ['--reporters', one]);
  const child = spawn(process.execPath, [...flags, jest, ...reporters, ...args], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...environment, TEST_RESULTS: path },
  });
  const forward = (signal) => child.kill(signal);
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, forward);
  const [code, signal] = await once(child, 'exit');
  for (const signal of signals) process.off(signal, forward);
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : [];
  return { code, signal, results: lines.map((line) => JSON.parse(line)) };
}

function flaky(file, test, error) {
  const isForeign = (line) => line.trimStart().startsWith('at ') && /node_modules|node:/.test(line);
  const lines = error.split('\n').filter((line) => line.trim() !== '' && !isForeign(line));
  const more = lines.length > ERROR_LINES ? ['...'] : [];
  return [
    `${relative(ROOT, file)}: ${test}`,
    ...[...lines.slice(0, ERROR_LINES), ...more].map((line) => `    ${line}`),
    '',
  ].join('\n');
}
