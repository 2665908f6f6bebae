import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

/** Replacement for npm. Takes two seconds, and exits cleanly on a signal. */
const NPM = `
import { appendFileSync } from 'node:fs';
const note = (what) => appendFileSync('installs', what + '\\n');
const end = (code) => { note('end'); process.exit(code); };
process.on('SIGINT', () => setTimeout(end, 500, 1));
process.on('SIGTERM', () => setTimeout(end, 500, 1));
note('begin');
console.log('noise of npm');
setTimeout(end, 2_000, 1);
`;

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'checkout-'));
  cpSync('scripts', join(root, 'scripts'), { recursive: true });
  writeFileSync(join(root, 'npm-cli.mjs'), NPM);
  const wanted = { packages: { '': {}, 'node_modules/absent': { version: '1.0.0' } } };
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify(wanted));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

interface SetUp {
  child: ChildProcess;
  shown: Promise<string>;
  ended: Promise<unknown[]>;
}

function setUp(): SetUp {
  const env = { PATH: process.env['PATH'], npm_execpath: join(root, 'npm-cli.mjs') };
  const child = spawn(process.execPath, ['scripts/setup.mjs'], { cwd: root, env, stdio: ['ignore', 'ignore', 'pipe'] });
  return { child, shown: text(child.stderr as NodeJS.ReadableStream), ended: once(child, 'exit') };
}

const installs = (): string[] =>
  existsSync(join(root, 'installs')) ? readFileSync(join(root, 'installs'), 'utf8').trim().split('\n') : [];

async function installing(): Promise<void> {
  while (installs().length === 0) await pause(20);
}

describe('the setup of a checkout', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'ends on %s, but waits for npm if npm handles the signal',
    async (signal) => {
      const { child, ended } = setUp();
      await installing();
      child.kill(signal);
      expect(await ended).toEqual([null, signal]);
      // The script does not handle SIGHUP, so npm ends immediately.
      if (signal !== 'SIGHUP') expect(installs()).toEqual(['begin', 'end']);
    },
    30_000,
  );

  it('waits for the npm process of an earlier setup that was killed', async () => {
    const first = setUp();
    await installing();
    first.child.kill('SIGKILL');
    const second = setUp();
    await second.ended;
    expect(installs()).toEqual(['begin', 'end', 'begin', 'end']);
    expect(await second.shown).toMatch(/^Waiting for another process that sets this checkout up\n/);
  }, 30_000);

  it('prints the failed step, the reason and the output of the failed program', async () => {
    const { shown, ended } = setUp();
    expect(await ended).toEqual([1, null]);
    expect(await shown).toBe(
      'Packages  failed\nThe checkout could not be set up: npm-cli.mjs ended with code 1\nnoise of npm\n\n',
    );
  }, 30_000);
});
